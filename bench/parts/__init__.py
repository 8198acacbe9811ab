"""What measurements share: made data, other ways to do the same."""
