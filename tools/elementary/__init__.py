"""exp, log, sin and cos of f32 on all patterns, against the host's functions of double."""
