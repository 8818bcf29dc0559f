"""``loom graph``: a program or a circuit as a drawing: DOT, GraphML, SVG."""
