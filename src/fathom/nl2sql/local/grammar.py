"""The grammar (GBNF) of queries over one schema: no other table or column can be written.

Repeats, lengths and depth are bounded, for a small model that may go on goes on. So does one that may not
stop where it would: the semicolon is left to it. A grammar can't tell whose column follows an alias: that is
left to the repair by the schema.
"""

from collections.abc import Iterable
from functools import lru_cache

from fathom.nl2sql.quoted_names import quoted
from fathom.records import Schema, Selection

_RULES = r"""
root ::= select (ws setop ws select)? ";"?
select ::= "SELECT " ("DISTINCT ")? item (", " item){0,5} " FROM " from (" WHERE " conditions)? (" GROUP BY " value (", " value){0,3} (" HAVING " conditions)?)? (" ORDER BY " order (", " order){0,2})? (" LIMIT " [1-9] [0-9]{0,3} (" OFFSET " [0-9]{1,4})?)?
setop ::= "UNION ALL" | "UNION" | "INTERSECT" | "EXCEPT"
item ::= "*" | alias ".*" | value (" AS " word)?
from ::= table alias-of? join{0,4} | "(" inner ")" alias-of
join ::= (" JOIN " | " INNER JOIN " | " LEFT JOIN ") table alias-of? " ON " column " = " column (" AND " column " = " column)?
alias-of ::= " AS " alias | " " alias
conditions ::= condition ((" AND " | " OR ") condition){0,4}
condition ::= test | "(" test (" OR " | " AND ") test ((" OR " | " AND ") test)? ")"
test ::= value (compare (simple | "(" inner ")") | " BETWEEN " simple " AND " simple | " IS NULL" | " IS NOT NULL" | " LIKE " text | " NOT LIKE " text | (" IN " | " NOT IN ") "(" (inner | literal (", " literal){0,7}) ")") | ("NOT ")? "EXISTS (" inner ")"
compare ::= " = " | " != " | " <> " | " < " | " > " | " <= " | " >= "
order ::= value (" ASC" | " DESC")? (" NULLS LAST")?
value ::= simple (ws [-+*/] ws simple){0,2}
simple ::= column | literal | count | function | case | "(" column (ws [-+*/] ws (column | number)){1,2} ")"
count ::= "COUNT(" ("*" | ("DISTINCT ")? (column | case)) ")"
function ::= name1 "(" ("DISTINCT ")? argument ")" | "ROUND(" argument ", " [0-9] ")" | "CAST(" argument " AS " ("REAL" | "INTEGER" | "FLOAT" | "TEXT" | "DATE") ")" | "strftime(" text ", " argument ")" | "EXTRACT(" ("YEAR" | "MONTH" | "DAY") " FROM " argument ")" | "COALESCE(" argument ", " literal ")" | ("substr" | "SUBSTR" | "SUBSTRING") "(" argument ", " [1-9] [0-9]? (", " [1-9] [0-9]?)? ")" | ("date" | "DATE" | "julianday") "(" (argument | text) (", " text)? ")"
name1 ::= "SUM" | "AVG" | "MIN" | "MAX" | "COUNT" | "LOWER" | "UPPER" | "LENGTH" | "ABS" | "TOTAL" | "YEAR" | "MONTH"
argument ::= (column | case | count | "SUM(" column ")" | "AVG(" column ")" | "CAST(" column " AS REAL)") (ws [-+*/] ws (column | number | count | "SUM(" column ")")){0,2} | "julianday(" (column | text) ")" (" - julianday(" column ")")?
case ::= "CASE WHEN " column compare literal " THEN " (column | literal) (" ELSE " (column | literal))? " END"
inner ::= "SELECT " ("DISTINCT ")? within (", " within){0,2} " FROM " table alias-of? join{0,2} (" WHERE " tests)? (" GROUP BY " column (", " column)? (" HAVING " test0)?)? (" ORDER BY " within (" ASC" | " DESC")?)? (" LIMIT " [1-9] [0-9]{0,2})?
within ::= "*" | (column | count | name1 "(" ("DISTINCT ")? column ")") (" AS " word)?
tests ::= test0 ((" AND " | " OR ") test0){0,2}
test0 ::= (column | count | name1 "(" column ")") (compare (column | literal) | " IS NULL" | " IS NOT NULL" | " LIKE " text | " BETWEEN " literal " AND " literal | " IN (" literal (", " literal){0,7} ")")
literal ::= text | number
text ::= "'" ([^'\n\\] | "''"){0,60} "'"
number ::= "-"? [0-9]{1,10} ("." [0-9]{1,4})?
word ::= [a-zA-Z_] [a-zA-Z0-9_]{0,24}
alias ::= "T" [1-9] | "t" [1-9] | [a-z]
column ::= (alias "." | table ".")? name
ws ::= " "
""".strip()  # noqa: E501 - rules read best as lines


@lru_cache(maxsize=64)
def _written(tables: tuple[str, ...], columns: tuple[str, ...]) -> str:
    return "\n".join((_RULES, f"table ::= {_among(tables)}", f"name ::= {_among(columns)}"))


def grammar_of(schema: Schema, selection: Selection) -> str:
    """The grammar of queries over the selected tables and columns."""
    tables = (quoted(t, schema.dialect) for t in selection.tables)
    columns = (quoted(c, schema.dialect) for listed in selection.tables.values() for c in listed)
    return _written(_once(tables), _once(columns))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _among(names: Iterable[str]) -> str:
    return " | ".join(f'"{_escaped(name)}"' for name in names)


def _escaped(name: str) -> str:
    """A name inside a rule: quotes, backslashes and what isn't ASCII or printable as codes."""
    return "".join(
        c if c.isprintable() and c.isascii() and c not in '"\\' else f"\\U{ord(c):08X}" for c in name
    )
