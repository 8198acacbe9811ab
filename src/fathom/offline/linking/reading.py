"""One question read against one schema: everything that the learned scores look at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fathom.offline.linking.alignment import NameMatches, match_names, match_phrases, match_words
from fathom.offline.linking.cues import find_negations, find_quantities, superlative_direction
from fathom.offline.linking.dates import find_dates
from fathom.offline.linking.meanings import find_meanings
from fathom.offline.linking.numbers import find_numbers
from fathom.offline.linking.records import (
    ColumnKey,
    DateMention,
    Floats,
    LinkedValue,
    NumberMention,
    QuantityMention,
    QuestionToken,
    Span,
)
from fathom.offline.linking.schema_words import SchemaWords
from fathom.offline.linking.text import name_stems, quotes, tokenize
from fathom.offline.linking.translation import Translation
from fathom.offline.linking.values import (
    ShortValues,
    find_codes,
    find_flags,
    find_fragments,
    find_places,
    find_values,
    with_states,
)
from fathom.retrieval import ValueIndex


@dataclass(frozen=True)
class TokenMatches:
    """A question's tokens with what they match in a schema, before anything learned weighs it.

    `known` (tokens) is how well each token matches any single word of the schema.
    """

    tokens: tuple[QuestionToken, ...]
    words: SchemaWords
    tables: NameMatches
    columns: NameMatches
    known: Floats
    held: tuple[LinkedValue, ...]
    numbers: tuple[NumberMention, ...]
    dates: tuple[DateMention, ...]
    quantities: tuple[QuantityMention, ...]
    negations: tuple[Span, ...]
    quotes: tuple[Span, ...]
    superlatives: tuple[int, ...]


def read(
    question: str,
    evidence: str,
    words: SchemaWords,
    *,
    translation: Translation,
    related: Translation,
    index: ValueIndex | None,
    short: ShortValues,
) -> TokenMatches:
    """Read a question, and its evidence, against a schema."""
    tokens = (*with_states(tokenize(question), index), *tokenize(evidence, evidence=True))
    matches = match_words(tokens, words, translation, related)
    tables = match_names(matches, words.table_names, tokens)
    columns = match_names(matches, words.column_names, tokens)
    if words.table_synonyms or words.column_synonyms:
        tables = match_phrases(tables, words.table_synonyms, tokens)
        columns = match_phrases(columns, words.column_synonyms, tokens)
    negations = find_negations(tokens)
    quoted = quotes(tokens)
    held = find_values(question, tokens, index, words, evidence=evidence)
    held += find_meanings(tokens, words.meanings, words.index)
    held += find_codes(tokens, short, words)
    held += find_places(tokens, index, words)
    held += find_flags(tokens, short, _best_tokens(columns, words.columns), negations)
    held += find_fragments(tokens, quoted, words, held)
    return TokenMatches(
        tokens=tokens,
        words=words,
        tables=tables,
        columns=columns,
        known=matches.known,
        held=tuple(held),
        numbers=_without_names(find_numbers(tokens), tokens, words.columns),
        dates=find_dates(question, tokens),
        quantities=find_quantities(tokens),
        negations=negations,
        quotes=quoted,
        superlatives=tuple(i for i, t in enumerate(tokens) if superlative_direction(t)),
    )


def _without_names(
    numbers: Sequence[NumberMention], tokens: Sequence[QuestionToken], columns: Sequence[ColumnKey]
) -> tuple[NumberMention, ...]:
    """The numbers but for years that are part of a column's name: "total 2023 sales"."""
    if not any(n.year for n in numbers):
        return tuple(numbers)
    named = {pair for c in columns if any(w.isdigit() for w in c.column) for pair in _pairs(c.column)}
    return tuple(n for n in numbers if not (n.year and named.intersection(_around(n.span, tokens))))


def _pairs(column: str) -> Iterable[tuple[str, str]]:
    """The words of a name beside each other, of which one is a number."""
    return (pair for pair in pairwise(name_stems(column)) if any(w.isdigit() for w in pair))


def _around(span: Span, tokens: Sequence[QuestionToken]) -> Iterable[tuple[str, str]]:
    near = tokens[max(span.first - 1, 0) : span.end + 1]
    return pairwise(t.stem for t in near)


def _best_tokens(matches: NameMatches, columns: Sequence[ColumnKey]) -> dict[ColumnKey, tuple[int, float]]:
    """For each column that some token names, the token and how well it does."""
    alignment: Floats = matches.alignment
    if not alignment.size:
        return {}
    best = alignment.argmax(axis=1)
    scores = np.take_along_axis(alignment, best[:, None], axis=1)[:, 0]
    return {c: (int(t), float(s)) for c, t, s in zip(columns, best, scores, strict=True) if s >= 0.3}
