"""Reports from runs: one self-contained page, and the same figures as Markdown, CSV and JSON."""
