"""A mutation tool: small wrongs in the code, each of which a test must notice."""
