"""A circuit as the package that another tool takes."""
