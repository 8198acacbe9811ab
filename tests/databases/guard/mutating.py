"""Statements made of the guard's lists by changing, mixing, wrapping and dressing them."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

WRAPS = (
    "SELECT * FROM ({}) x",
    "SELECT x.* FROM ({}) AS x",
    "WITH x AS ({}) SELECT * FROM x",
    "WITH x AS (SELECT 1) {}",
    "SELECT ({})",
    "SELECT EXISTS ({})",
    "SELECT 1 WHERE 1 IN ({})",
    "SELECT * FROM kept, LATERAL ({}) x",
    "({})",
    "{} UNION ALL {}",
    "EXPLAIN {}",
    "EXPLAIN ANALYZE {}",
    "VALUES (({}))",
    "SELECT name FROM kept ORDER BY ({})",
    "{};",
    "{} LIMIT 1",
    "SELECT * FROM (SHOW {}) x",
    "SELECT * FROM (DESCRIBE {}) x",
    "SELECT * FROM (CALL {}) x",
)
GAPS = ("\n", "\t", " /* x */ ", "/**/", " -- x\n", "\r\n", "\u00a0", "\u200b", " /*!*/ ", "--", "#", ";", "")
NOISE = (*"'\"`().*@\\[]{}?%;", "@@", "::", "$$", "||", "->", ":=")


class Mutator:
    """Makes statements of one dialect's honest queries and attacks; the same of the same random state."""

    def __init__(self, honest: Sequence[str], attacks: Sequence[str], dialect: str) -> None:
        self._dialect = dialect
        self._honest = [words for sql in honest if (words := self._words(sql))]
        self._attacks = [words for sql in attacks if len(sql) < 400 and (words := self._words(sql))]
        everything = [*self._honest, *self._attacks]
        self._vocabulary = sorted({word.strip() for words in everything for word in words} - {""})
        self._called = sorted({a.strip() for w in everything for a, b in pairwise(w) if b.strip() == "("})
        self._ways: tuple[Callable[[list[str], Random], list[str]], ...] = (
            self._replaced,
            self._replaced,
            self._called_otherwise,
            self._called_otherwise,
            self._without,
            self._spliced,
            self._spliced,
            self._inserted,
            self._noisy,
            self._quoted,
            self._dotted,
            self._wrapped,
            self._dressed,
        )

    def make(self, random: Random) -> str:
        """One statement, changed in one to three places."""
        words = list(random.choice(random.choice((self._honest, self._honest, self._attacks))))
        for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
            words = random.choice(self._ways)(words, random)
        return "".join(words)[:5000]

    def _words(self, sql: str) -> list[str]:
        try:
            tokens = Dialect.get_or_raise(self._dialect).tokenize(sql)
        except SqlglotError:
            return []
        ends = [0, *(token.end + 1 for token in tokens)]
        return [sql[start:end] for start, end in pairwise(ends)]

    def _replaced(self, words: list[str], random: Random) -> list[str]:
        at = random.randrange(len(words))
        return [*words[:at], " " + random.choice(self._vocabulary), *words[at + 1 :]]

    def _called_otherwise(self, words: list[str], random: Random) -> list[str]:
        places = [n for n, after in enumerate(words[1:]) if after.strip() == "("]
        if not places:
            return self._replaced(words, random)
        at = random.choice(places)
        return [*words[:at], " " + random.choice(self._called), *words[at + 1 :]]

    def _without(self, words: list[str], random: Random) -> list[str]:
        at = random.randrange(len(words))
        return [*words[:at], *words[at + random.randrange(1, 3) :]] or ["SELECT 1"]

    def _spliced(self, words: list[str], random: Random) -> list[str]:
        """A piece of another statement in place of one of this, or in brackets in place of a word."""
        other = random.choice(random.choice((self._honest, self._attacks)))
        start = random.randrange(len(other))
        piece = other[start : start + random.randrange(1, 8)]
        if random.random() < 0.3:
            piece = [" (", *other, ")"]
        at = random.randrange(len(words))
        return [*words[:at], " ", *piece, *words[at + random.randrange(3) :]]

    def _inserted(self, words: list[str], random: Random) -> list[str]:
        at = random.randrange(len(words) + 1)
        return [*words[:at], f" {random.choice(self._vocabulary)} ", *words[at:]]

    def _noisy(self, words: list[str], random: Random) -> list[str]:
        at = random.randrange(len(words) + 1)
        return [*words[:at], random.choice(NOISE), *words[at:]]

    def _quoted(self, words: list[str], random: Random) -> list[str]:
        at = random.randrange(len(words))
        opening, closing = random.choice(('""', "``", "[]", "''", ('U&"', '"'), ("E'", "'"), ("$$", "$$")))
        return [*words[:at], f" {opening}{words[at].strip()}{closing}", *words[at + 1 :]]

    def _dotted(self, words: list[str], random: Random) -> list[str]:
        at = random.randrange(len(words))
        name = random.choice((*self._called, "marked_any", "marked", "pg_catalog", "mysql"))
        after = f"{words[at]}.{name}" if random.random() < 0.7 else f" ({words[at].strip()}).{name}"
        return [*words[:at], after, *words[at + 1 :]]

    def _wrapped(self, words: list[str], random: Random) -> list[str]:
        return random.choice(WRAPS).replace("{}", "\0".join(words)).split("\0")

    def _dressed(self, words: list[str], random: Random) -> list[str]:
        return [random.choice((*GAPS, " ", " ")) + random.choice((w, w.upper(), w.lower())) for w in words]
