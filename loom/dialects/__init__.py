"""The operators and operation classes: what LOOM's IR can say."""
