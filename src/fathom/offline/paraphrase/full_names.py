"""Says names in full that a question shortens to their first words: "delta" for "Delta Air Lines"."""

from collections.abc import Iterator
from dataclasses import replace

from fathom.offline.linking import LinkedValue, Linking, Span
from fathom.offline.linking.row_names import naming_keys
from fathom.records import Assumption, Question

_ACCOUNTED = 0.5
_OTHERWISE = frozenset(("exact", "folded", "stem", "boolean", "code", "typo"))
_PARTS = frozenset(
    "named called titled name names title titles contain contains containing include includes including"
    " start starts starting begin begins beginning end ends ending word words".split()
)
_PRONOUNS = frozenset(
    "anything something nothing everything anyone anybody someone somebody nobody everyone everybody".split()
)
_NEAR = 3
_OWNER = ("'s", "\u2019s")


def in_full(question: Question, linking: Linking) -> tuple[Question, tuple[Assumption, ...]]:
    """The question with the names that one row alone begins with in full, and what to tell of it."""
    text, told = question.text, []
    for value in sorted(_shortened(linking), key=lambda v: -v.span.first):
        first, last = linking.tokens[value.span.first], linking.tokens[value.span.end - 1]
        owner = "'s" if last.lower.endswith(_OWNER) else ""
        text = f"{text[: first.start]}{value.value}{owner}{text[last.end :]}"
        said = value.text.removesuffix("'s")
        told.append(Assumption("value", f"“{said}” is taken for “{value.value}”."))
    return (replace(question, text=text), tuple(told)) if told else (question, ())


def _shortened(linking: Linking) -> Iterator[LinkedValue]:
    """The names of which a question says the beginning, where it can't mean anything else."""
    keys = naming_keys(linking.columns)
    small = not any(t.text[:1].isupper() for t in linking.tokens[1:])
    for span in {v.span for v in linking.values if v.match == "partial"}:
        meant = [v for v in linking.values if v.match == "partial" and v.span == span]
        if len(meant) != 1 or meant[0].column not in keys or not _begins(meant[0]):
            continue
        capital = linking.tokens[span.first].text[:1].isupper() and span.first > 0
        if (capital or small) and not _said_otherwise(linking, span):
            yield meant[0]


def _begins(value: LinkedValue) -> bool:
    """True if words are the first ones of a value."""
    words = value.text.casefold().replace("\u2019", "'").removesuffix("'s").split()
    return str(value.value).casefold().split()[: len(words)] == words


def _said_otherwise(linking: Linking, span: Span) -> bool:
    """True if something else accounts for words, they are looked for as they are, or the name goes on."""
    tokens = linking.tokens
    if any(
        linking.explained[i] >= _ACCOUNTED
        or tokens[i].quoted
        or tokens[i].evidence
        or tokens[i].lower in _PRONOUNS
        for i in range(*span)
    ):
        return True
    if any(v.span.overlaps(span) and v.span != span and v.match in _OTHERWISE for v in linking.values):
        return True
    if span.end < len(tokens) and tokens[span.end].text[:1].isupper():
        return True  # "Delta Force"
    before = tokens[max(0, span.first - 1)]
    if before.text[:1].isupper() and span.first > 1:
        return True
    around = tokens[max(0, span.first - _NEAR) : span.end + _NEAR]
    return not _PARTS.isdisjoint(t.lower for t in around)
