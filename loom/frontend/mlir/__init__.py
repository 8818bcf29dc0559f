"""The MLIR reader: lexer, parser and custom syntax."""
