"""Names as SQL writes them."""

from functools import lru_cache

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from fathom.databases.parsing import parsed
from fathom.databases.reserved_words import is_reserved


@lru_cache(maxsize=8192)
def quoted(name: str, dialect: str) -> str:
    """A table's or column's name, quoted only where the dialect needs it; a table's schema stays apart.

    SQLite's names are put in backticks, which the published evaluators leave alone, while they turn double
    quotes into quotes of text.
    """
    parts = name.split(".") if "." in name and _is_plain(name.replace(".", ""), dialect) else [name]
    writer = "mysql" if dialect == "sqlite" else dialect
    return ".".join(
        p if _is_plain(p, dialect) else exp.to_identifier(p, quoted=True).sql(writer) for p in parts
    )


def _is_plain(name: str, dialect: str) -> bool:
    """True if engines read a bare name as just that: no keyword, no space, no sign.

    The parser takes many a keyword for a name that engines don't.
    """
    if not name.isidentifier() or is_reserved(name):
        return False
    tree = parsed(f"SELECT t.{name}, {name} FROM {name}", dialect)
    selected = tree.expressions if isinstance(tree, exp.Select) else []
    return len(selected) == 2 and all(isinstance(s, exp.Column) and s.name == name for s in selected)


def spelt_as(sql: str, original: str, dialect: str) -> str:
    """A rewritten query with its quoted names in the quotes that the original has, else in `quoted`'s."""
    known = {name: text for name, text, _, _ in _quoted_names(original, dialect)}
    for name, _, start, end in reversed(_quoted_names(sql, dialect)):
        sql = sql[:start] + known.get(name, quoted(name, dialect)) + sql[end:]
    return sql


def _quoted_names(sql: str, dialect: str) -> list[tuple[str, str, int, int]]:
    """Each quoted name of a query: the name, its text with the quotes, where it begins and ends."""
    try:
        found = [t for t in tokenize(sql, read=dialect) if t.token_type is TokenType.IDENTIFIER]
    except SqlglotError:
        return []
    return [(t.text, sql[t.start : t.end + 1], t.start, t.end + 1) for t in found]
