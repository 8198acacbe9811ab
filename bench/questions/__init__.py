"""Questions written for measurements."""
