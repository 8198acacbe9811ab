"""Whether a query says what its question does, and what speaks against it."""
