"""Operation classes of the dialects that xDSL lacks, and the context that knows all of them."""
