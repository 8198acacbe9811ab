"""A question, its evidence and what is known of the columns, as the checks compare them with a query."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from fathom.benchmarks import BenchmarkQuestion
from fathom.knowledge import KnowledgePack
from fathom.nl2sql.adaptive.asked_shape import AskedShape, asked_shape
from fathom.offline.linking.cues import find_negations, superlative_direction
from fathom.offline.linking.numbers import find_numbers
from fathom.offline.linking.records import NumberMention, QuestionToken
from fathom.offline.linking.text import alike, name_stems, quotes, stem, tokenize
from fathom.records import Schema
from fathom.text.words import fold

_NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_MONTHS = dict(zip("jan feb mar apr may jun jul aug sep oct nov dec".split(), range(1, 13), strict=True))
_WORD = re.compile(r"[^\W_]+")
_ACCOUNTED = frozenset(
    stem(w)
    for w in (
        "average mean total sum number count highest lowest most least maximum minimum percentage percent "
        "ratio rate difference list give show name find state provide indicate mention write tell please "
        "identify "
        "describe calculate top first last oldest youngest older younger many much year month day date order "
        "ascending descending"
    ).split()
)
"""Stems that functions, orders and the asking itself account for."""


def numbers_in(text: str) -> frozenset[float]:
    """The numbers written in digits within a text, signs left out."""
    return frozenset(float(n.replace(",", "")) for n in _NUMBER.findall(text))


def plain(text: str) -> str:
    """The words of a text in small letters, with one space between them."""
    return " ".join(_WORD.findall(text.casefold()))


@dataclass(frozen=True)
class QuestionWords:
    """A question taken apart once for all checks; `pack` holds what is known of the database."""

    question: BenchmarkQuestion
    schema: Schema
    pack: KnowledgePack

    @cached_property
    def told(self) -> str:
        """Question and evidence, folded in case."""
        return f"{self.question.text} {self.question.evidence}".casefold()

    @cached_property
    def unquoted(self) -> str:
        """The question folded in case, without what stands in quotation marks."""
        text = self.question.text
        for quoted in self.quoted:
            text = text.replace(quoted, " ")
        return text.casefold()

    @cached_property
    def tokens(self) -> tuple[QuestionToken, ...]:
        """The tokens of the question."""
        return tokenize(self.question.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words of question and evidence that carry content."""
        every = (*self.tokens, *tokenize(self.question.evidence))
        return frozenset(t.stem for t in every if t.kind != "sign" and not t.stop)

    @cached_property
    def shape(self) -> AskedShape:
        """The shape of answer that is asked for."""
        return asked_shape(self.question.text)

    @cached_property
    def numbers(self) -> tuple[NumberMention, ...]:
        """The numbers of the question, with how they compare."""
        return find_numbers(self.tokens)

    @cached_property
    def told_numbers(self) -> frozenset[float]:
        """Every number of question and evidence, in digits or words, and of the months named."""
        spelt = {float(n.value) for n in self.numbers}
        spelt |= {float(n.value) for n in find_numbers(tokenize(self.question.evidence))}
        named = {float(_MONTHS[w[:3]]) for w in _WORD.findall(self.told) if w[:3] in _MONTHS}
        return numbers_in(self.told) | spelt | named

    @cached_property
    def quoted(self) -> tuple[str, ...]:
        """The texts in quotation marks."""
        places = [(self.tokens[s.first].start, self.tokens[s.end - 1].end) for s in quotes(self.tokens)]
        return tuple(self.question.text[start:end] for start, end in places)

    @cached_property
    def extreme(self) -> bool:
        """True if a superlative stands in the question."""
        return any(superlative_direction(t) is not None for t in self.tokens)

    @cached_property
    def negated(self) -> bool:
        """True if the question denies something."""
        return bool(find_negations(self.tokens))

    def says(self, *phrases: str) -> bool:
        """True if question or evidence holds one of these words or phrases, whole."""
        return _holds(self.told, phrases)

    def asks(self, *phrases: str) -> bool:
        """True if the question itself, outside of quotation marks, holds one of these words or phrases."""
        return _holds(self.unquoted, phrases)

    def says_name_of(self, table: str, column: str | None = None) -> bool:
        """True if a word of the name of a table or column is said; of its readable name or a synonym, too."""
        return self._said(table, column) > 0

    def says_whole_name_of(self, table: str, column: str) -> bool:
        """True if all words of one of a column's names are said."""
        return self._said(table, column) == 1

    def _said(self, table: str, column: str | None) -> float:
        note = self.pack.column(table, column) if column is not None else self.pack.table(table)
        names = [column or table, *((note.name, *note.synonyms) if note else ())]
        return max((self._share(name) for name in names if name), default=0.0)

    def _share(self, name: str) -> float:
        folded = fold(name)
        if len(folded) > 1 and _holds(self.told, (folded,)):
            return 1.0
        return self.share(name_stems(name))

    def share(self, stems: Iterable[str]) -> float:
        """The share of stems that question or evidence says."""
        every = list(stems)
        return sum(any(alike(s, t) for t in self.stems) for s in every) / len(every) if every else 0.0

    def words_of(self, table: str, column: str) -> tuple[str, ...]:
        """The stems of a column's readable name, or of its own where none is known."""
        note = self.pack.column(table, column)
        return name_stems(note.name if note and note.name else column)

    def meaning(self, table: str, column: str | None) -> frozenset[str]:
        """Stems of all that is known of a table or column: its names, description, and meanings of values."""
        note = self.pack.column(table, column) if column is not None else self.pack.table(table)
        texts = [note.name, note.description, *note.synonyms] if note else []
        if column is not None and (found := self.pack.column(table, column)) is not None:
            texts += [f"{value} {meaning}" for value, meaning in found.values.items()]
        return frozenset(t.stem for text in texts for t in tokenize(text)) | set(name_stems(column or table))

    def knows_value(self, table: str, column: str, value: str) -> bool:
        """True if the pack tells what a value of a column means."""
        note = self.pack.column(table, column)
        return note is not None and value in note.values

    def left_over(self, known: Iterable[str]) -> frozenset[str]:
        """Stems of the question's words that carry content and that none of the known ones account for."""
        every = frozenset(known)
        said = {t.stem for t in self.tokens if t.kind == "word" and not t.stop}
        return frozenset(w for w in said if not any(alike(w, k) for k in every)) - _ACCOUNTED

    def columns_named(self, stems: Iterable[str]) -> frozenset[tuple[str, str]]:
        """The (table, column), folded in case, that these words name and no others."""
        wanted = set(stems)
        return frozenset(
            (t.name.casefold(), c.name.casefold())
            for t in self.schema.tables
            for c in t.columns
            if wanted in (set(self.words_of(t.name, c.name)), set(name_stems(c.name)))
        )


def _holds(text: str, phrases: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(p)}(?!\w)", text) for p in phrases)
