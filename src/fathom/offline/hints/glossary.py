"""A pack's terms in a question, as hints: the conditions and formulas that its words stand for."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.knowledge import KnowledgePack, Term
from fathom.offline.hints.fragments import Fragment, read_fragment
from fathom.offline.hints.names import ReadableNames
from fathom.offline.hints.records import Hint
from fathom.offline.linking import Linking, QuestionToken, Span
from fathom.offline.linking.text import token_stems, tokenize
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import ColumnRef, ComparisonPredicate, Condition, Literal
from fathom.text.identifiers import identifier_words

LIKELY = 0.25
"""How likely a table must be for a term of its own to count, where its words may mean something else."""
EXPLAINED = 0.5


@dataclass(frozen=True, slots=True)
class _Meaning:
    stems: tuple[str, ...]
    term: Term
    by_table: Mapping[str, Fragment]


class Glossary:
    """The terms of a pack that stand for conditions and formulas over one schema. Compiled once."""

    def __init__(self, pack: KnowledgePack, planner: JoinPlanner) -> None:
        names = ReadableNames(planner.schema, pack)
        self._names = frozenset(
            stem
            for table in planner.schema.tables
            for name in (table.name, *(c.name for c in table.columns))
            for stem in token_stems(tokenize(" ".join(identifier_words(name))))
        )
        self._source = f"pack {pack.name}" if pack.name else "pack"
        self._first: dict[str, list[_Meaning]] = defaultdict(list)
        self._said: dict[str, frozenset[Condition]] = {}
        for term in pack.glossary:
            if not (term.condition or term.expression):
                continue
            by_table = dict(_fragments(term, names, planner, pack.dialect or "sqlite"))
            for phrase in term.words if by_table else ():
                stems = token_stems(tokenize(phrase))
                if stems:
                    self._first[stems[0]].append(_Meaning(stems, term, by_table))

    def hints(self, linking: Linking, likely: Mapping[str, float]) -> tuple[Hint, ...]:
        """The terms that a question uses of tables that are likely; of overlapping ones the longest."""
        found = sorted(self._found(linking, likely), key=lambda f: -(f[0].end - f[0].first))
        kept: list[Span] = []
        hints: list[Hint] = []
        for span, meaning, fragment in found:
            if not any(span.overlaps(k) for k in kept):
                kept.append(span)
                text = meaning.term.meaning or meaning.term.condition or meaning.term.expression or ""
                phrase = " ".join(t.text for t in linking.tokens[span.first : span.end])
                hints.append(
                    Hint(phrase, (span,), fragment.conditions, fragment.expressions, text, self._source)
                )
        return tuple(hints)

    def unsaid(self, question: str, tokens: Sequence[QuestionToken]) -> frozenset[Condition]:
        """The conditions that terms of a solved question stand for, less those that these words say too."""
        if question not in self._said:
            self._said[question] = self._conditions(tokenize(question))
        return self._said[question] and self._said[question] - self._conditions(tokens)

    def _conditions(self, tokens: Sequence[QuestionToken]) -> frozenset[Condition]:
        """Give the conditions of the terms among some words, in every table that they may be about."""
        stems = token_stems(tokens)
        return frozenset(
            condition
            for place, word in enumerate(stems)
            for meaning in self._first.get(word, ())
            if stems[place : place + len(meaning.stems)] == meaning.stems
            for fragment in meaning.by_table.values()
            for condition in fragment.conditions
        )

    def _means_something_else(self, meaning: _Meaning, explained: Sequence[float]) -> bool:
        """True if the schema accounts for the words of a term without the pack.

        A formula gives way only to a name of the schema: what else accounts for "revenue" is general
        vocabulary, and the pack knows better.
        """
        named = not meaning.term.expression or self._names & set(meaning.stems)
        return bool(named) and min(explained) >= EXPLAINED

    def _found(
        self, linking: Linking, likely: Mapping[str, float]
    ) -> Iterator[tuple[Span, _Meaning, Fragment]]:
        words = [(i, t) for i, t in enumerate(linking.tokens) if t.kind != "sign" and not t.evidence]
        for place, (first, token) in enumerate(words):
            for meaning in self._first.get(token.stem, ()):
                here = words[place : place + len(meaning.stems)]
                table = max(meaning.by_table, key=lambda t: likely.get(t, 0.0))
                if tuple(t.stem for _, t in here) != meaning.stems:
                    continue
                otherwise = self._means_something_else(meaning, [linking.explained[i] for i, _ in here])
                if likely.get(table, 0.0) >= LIKELY or not otherwise:
                    yield Span(first, here[-1][0] + 1), meaning, meaning.by_table[table]


def _fragments(
    term: Term, names: ReadableNames, planner: JoinPlanner, dialect: str
) -> Iterator[tuple[str, Fragment]]:
    """Give the fragment of a term in each of its tables."""
    sql = term.condition or term.expression or ""
    tables = [t for t in term.tables if names.table(t)] or list(names.tables)
    for table in tables:
        fragment = read_fragment(sql, names, planner, {table: 10.0}, dialect, loose=False)
        if fragment is None:
            continue
        if term.condition:
            flags = (e for e in fragment.expressions if isinstance(e, ColumnRef))
            fragment = Fragment(
                (*fragment.conditions, *(ComparisonPredicate(f, "=", Literal(1)) for f in flags))
            )
        home = planner.schema.table(table).name
        if all(c.table.name == home for c in _columns(fragment)):
            yield home, fragment
            if not term.tables:
                return


def _columns(fragment: Fragment) -> Iterator[ColumnRef]:
    yield from Hint("", (), fragment.conditions, fragment.expressions).every_column
