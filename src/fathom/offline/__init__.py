"""Question to SQL with no language model, on a CPU, the same answer every time.

The way through: `linking` ties the question's words to tables, columns and values; candidates come as
`query.Query`, a relational query without joins; `joins` finds the keys that connect its tables and
`rendering` writes SQL.
"""
