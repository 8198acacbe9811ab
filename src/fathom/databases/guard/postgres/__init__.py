"""PostgreSQL's statements, judged as its own parser reads them.

libpg_query is the server's grammar and scanner in a library. What it reads is what the server will read, so
that no word can be an alias to one and syntax to the other. sqlglot's tree of the same text serves for
sizes, explanations and rights; where the two name different tables, aliases or columns, the statement is
refused.
"""

from fathom.databases.guard.postgres.agreement import check_agreement
from fathom.databases.guard.postgres.judged import check_statement
from fathom.databases.guard.postgres.parsed import parsed, walk

__all__ = ["check_agreement", "check_statement", "parsed", "walk"]
