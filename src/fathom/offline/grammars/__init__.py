"""Answers by rule, since training data hardly hold them: money, periods, shares, sales, units."""
