"""Changes to the chosen query: the columns it shows, their order, and the words for it."""
