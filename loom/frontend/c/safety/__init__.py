"""What a C text may ask of clang: files, time, memory and stack, within limits."""
