"""What a circuit promises its neighbours, and what they keep: docs/promises.md."""
