"""The golden file: what the offline method did with every labelled question, to hold each change against."""
