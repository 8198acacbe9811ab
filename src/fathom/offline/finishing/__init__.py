"""What becomes of the query that was chosen: what it shows, in which order, and how it is told."""
