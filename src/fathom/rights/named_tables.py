"""Where queries that Fathom composed name certain tables."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import TokenType

_TEXT, _DOUBLE, _BACK = "'", '"', "`"
_WORD = re.compile(r"\w+")
_BEFORE_TABLES = frozenset((TokenType.FROM, TokenType.JOIN))
_ALIASES = frozenset((TokenType.ALIAS, TokenType.VAR, TokenType.IDENTIFIER))


class NamedTable(NamedTuple):
    """A name in a query, from `start` to before `end`, with its quotes.

    `introduced` tells that FROM or JOIN stands before it; `qualified` and `qualifies` that a dot does before
    or after it; `aliased` that an alias follows.
    """

    text: str
    quoted: bool
    start: int
    end: int
    introduced: bool
    qualified: bool
    qualifies: bool
    aliased: bool


class NamedTables:
    """Finds the names of some tables in queries of one dialect.

    `names` are casefolded. In a query of plain words and numbers with either texts or quoted names these
    alone are looked for, which takes a third of the time of sqlglot's tokenizer; any other is left to that.
    """

    def __init__(self, names: Iterable[str], dialect: str) -> None:
        self._names = frozenset(names)
        self._dialect = Dialect.get_or_raise(dialect)
        tokenizer = self._dialect.tokenizer_class
        opening = [i if isinstance(i, str) else i[0] for i in tokenizer.IDENTIFIERS]
        self._quote, other = (_DOUBLE, _BACK) if _DOUBLE in opening else (_BACK, _DOUBLE)
        # An escape, a comment, a text in dollars, a parameter, a name in brackets, the quotes of other
        # dialects, a quote within quotes, a CTE. To look for each by itself is far faster than one pattern.
        self._unplain = ("\\", "#", "$", "@", "[", other, "--", "/*", self._quote * 2, "with")
        self._keywords = {words.split()[0] for words in tokenizer.KEYWORDS} - {"AS"}

    def of(self, sql: str) -> list[NamedTable] | None:
        """Where the tables are named; None where CTEs may have their names. Raises `SqlglotError`."""
        folded = sql.casefold()
        names = [name for name in self._names if name in folded]
        if not names:
            return []
        if not self._is_plain(folded):
            return self._tokenized(sql)
        found = (one for name in names for one in self._plain(sql, folded, name))
        return sorted(found, key=lambda one: one.start)

    def _is_plain(self, folded: str) -> bool:
        both = _TEXT in folded and self._quote in folded  # one may then stand within the other
        return folded.isascii() and not both and not any(sign in folded for sign in self._unplain)

    def _plain(self, sql: str, folded: str, name: str) -> Iterator[NamedTable]:
        """Where one name stands in a plain query, outside its texts and other quoted names."""
        mark, end, bare = self._quote if self._quote in sql else _TEXT, 0, _WORD.fullmatch(name)
        while (start := folded.find(name, end)) >= 0:
            end = start + len(name)
            before, after = sql[start - 1 : start], sql[end : end + 1]
            if sql.count(mark, 0, start) % 2:
                if mark == self._quote and before == after == mark:
                    yield self._named(sql, start - 1, end + 1, quoted=True)
            elif bare and not (_WORD.match(before) or _WORD.match(after)):
                yield self._named(sql, start, end, quoted=False)

    def _named(self, sql: str, start: int, end: int, *, quoted: bool) -> NamedTable:
        ahead, behind = sql[:start].rstrip(), sql[end:].lstrip()
        word = _WORD.match(behind)
        return NamedTable(
            sql[start + quoted : end - quoted],
            quoted,
            start,
            end,
            introduced=_is_introducing(ahead),
            qualified=ahead.endswith("."),
            qualifies=behind.startswith("."),
            aliased=word[0].upper() not in self._keywords if word else behind.startswith(self._quote),
        )

    def _tokenized(self, sql: str) -> list[NamedTable] | None:
        tokens = self._dialect.tokenize(sql)
        kinds = [TokenType.SEMICOLON, *(t.token_type for t in tokens), TokenType.SEMICOLON]
        if TokenType.WITH in kinds:
            return None
        return [
            NamedTable(
                token.text,
                token.token_type is TokenType.IDENTIFIER,
                token.start,
                token.end + 1,
                introduced=kinds[at - 1] in _BEFORE_TABLES,
                qualified=kinds[at - 1] is TokenType.DOT,
                qualifies=kinds[at + 1] is TokenType.DOT,
                aliased=kinds[at + 1] in _ALIASES,
            )
            for at, token in enumerate(tokens, 1)
            if token.token_type is not TokenType.STRING and token.text.casefold() in self._names
        ]


def _is_introducing(ahead: str) -> bool:
    """True if FROM or JOIN ends a text, as a word of its own."""
    return ahead[-4:].upper() in ("FROM", "JOIN") and not _WORD.match(ahead[-5:-4])
