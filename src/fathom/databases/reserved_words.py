"""Words that are no names in SQL unless they stand in quotes."""

_RESERVED = frozenset(
    """
    abort action add after all alter always analyze and any as asc attach autoincrement before begin
    between by cascade case cast check collate column commit conflict constraint create cross
    current_date current_time current_timestamp default deferrable deferred delete desc detach
    distinct do drop each else end escape except exclude exclusive exists explain fail filter
    following for foreign from full function generated glob grant group groups having if ignore
    immediate in index indexed initially inner insert instead intersect interval into is isnull join
    lateral left like limit materialized natural no not nothing notnull null nulls of offset on or
    order others outer over partition pragma preceding primary procedure query raise range recursive
    references regexp reindex release rename replace restrict returning right rollback savepoint
    schema select set show table temporary then ties to top transaction trigger unbounded union
    unique update user using vacuum values view virtual when where window with without
    """.split()
)
"""SQLite's keywords but for those that it takes for names, and a few more that other engines reserve. To
quote a name that needn't be does no harm."""


def is_reserved(word: str) -> bool:
    """True if some engine reads the word as a part of its language."""
    return word.casefold() in _RESERVED
