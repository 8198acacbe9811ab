"""What solved questions of the same database give: their queries, and how to link and choose."""
