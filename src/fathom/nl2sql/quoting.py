"""Names as SQL writes them."""

from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


@lru_cache(maxsize=8192)
def quoted(name: str, dialect: str) -> str:
    """A table's or column's name, quoted only where the dialect needs it; a table's schema stays apart.

    SQLite's names are put in backticks, which the published evaluators leave alone, while they turn double
    quotes into quotes of text (specs/methods.md, section 2.2).
    """
    parts = name.split(".") if "." in name and _is_plain(name.replace(".", ""), dialect) else [name]
    writer = "mysql" if dialect == "sqlite" else dialect
    return ".".join(
        p if _is_plain(p, dialect) else exp.to_identifier(p, quoted=True).sql(writer) for p in parts
    )


def _is_plain(name: str, dialect: str) -> bool:
    """Whether the parser reads a bare name as just that: no keyword, no space, no sign."""
    if not name.isidentifier():
        return False
    try:
        tree = parse_one(f"SELECT t.{name}, {name} FROM {name}", dialect=dialect)
    except SqlglotError:
        return False
    selected = tree.expressions if isinstance(tree, exp.Select) else []
    return len(selected) == 2 and all(isinstance(s, exp.Column) and s.name == name for s in selected)
