"""People in the loop: work given out blind, kept as it was said, held against each other, and settled."""
