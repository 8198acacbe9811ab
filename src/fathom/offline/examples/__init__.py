"""The lessons of solved questions of the same database: their queries, and how to link and choose."""
