"""What is answered by rule, since training data hardly hold it: money, periods, shares, sales, units."""
