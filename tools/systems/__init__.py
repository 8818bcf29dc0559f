"""The example systems on an ECP5: area of wrapper and kernel apart, Fmax of both."""
