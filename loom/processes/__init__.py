"""Other programs that LOOM starts: bounded, guarded, and gone when LOOM is."""
