"""A question without its database's own words, as features that mean the same in every database."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from fathom.offline.linking import Linking, Span

MOST_COUNTED = 4
VALUE = 0.45
"""How likely words must be a value, whichever column holds it, to be marked as one."""


def span_chances(linking: Linking) -> dict[Span, float]:
    """How likely each span of words is compared with some column, whichever it is."""
    chances: dict[Span, float] = {}
    for value in linking.values:
        chances[value.span] = min(chances.get(value.span, 0.0) + value.probability, 0.99)
    return chances


def delexicalise(linking: Linking) -> tuple[str, ...]:
    """The question's words, with what names a value, number, date, column or table as one mark each."""
    marks: dict[int, tuple[str, Span]] = {}
    ranked: list[tuple[float, str, Span]] = []
    ranked += [(3 + p, "@v", span) for span, p in span_chances(linking).items() if p >= VALUE]
    ranked += [(2.5, "@d", d.span) for d in linking.dates]
    ranked += [(2.4, "@v", q) for q in linking.quotes]
    ranked += [(2.3, "@n", n.span) for n in linking.numbers]
    ranked += [(1 + c.score, "@c", c.span) for c in linking.column_mentions]
    ranked += [(0.9 + t.score, "@t", t.span) for t in linking.table_mentions]
    for _, mark, span in sorted(ranked, key=lambda r: (-r[0], r[2], r[1])):
        if not any(i in marks for i in range(*span)):
            marks |= dict.fromkeys(range(*span), (mark, span))
    words = []
    for place, token in enumerate(linking.tokens):
        if token.evidence:
            continue
        if place not in marks:
            words.append(token.stem if token.kind == "word" else token.lower)
        elif place == marks[place][1].first:
            words.append(marks[place][0])
    return tuple(words)


def features(linking: Linking) -> tuple[str, ...]:
    """The features of a question, without repeats: word groups, words, counts of what was linked."""
    words = delexicalise(linking)
    return tuple(dict.fromkeys((*_groups(words), *_plain(linking), *_counts(linking, words))))


def _groups(words: tuple[str, ...]) -> Iterator[str]:
    padded = ("^", *words, "$")
    for size in (1, 2, 3):
        for start in range(len(padded) - size + 1):
            yield " ".join(padded[start : start + size])
    for start in range(len(padded) - 2):
        yield f"{padded[start]} _ {padded[start + 2]}"


def _plain(linking: Linking) -> Iterator[str]:
    stems = [t.stem for t in linking.tokens if t.kind == "word" and not t.evidence]
    yield from (f"w:{s}" for s in stems)
    yield from (f"w:{a} {b}" for a, b in pairwise(stems))


def _counts(linking: Linking, words: Iterable[str]) -> Iterator[str]:
    found = Counter(words)
    for mark in ("@v", "@n", "@d", "@c", "@t"):
        yield f"#{mark}{min(found[mark], MOST_COUNTED)}"
    tables = {t.table for t in linking.table_mentions if t.score >= 0.7}
    yield f"#tables{min(len(tables), MOST_COUNTED)}"
    homes = {v.column.table for v in linking.values if v.probability >= 0.5}
    yield f"#homes{min(len(homes), MOST_COUNTED)}"
    yield f"#length{min(len(linking.tokens) // 5, 6)}"
    yield f"#schema{min(len(linking.tables), 12) // 3}"
    for quantity in linking.quantities:
        yield f"#{quantity.aggregate}"
    yield f"#quantities{min(len(linking.quantities), 3)}"
    for superlative in linking.superlatives:
        yield f"#{superlative.direction}"
        yield f"#{superlative.direction} {'top' if superlative.count > 1 else 'one'}"
    yield f"#superlatives{min(len(linking.superlatives), 3)}"
    yield f"#negations{min(len(linking.negations), 2)}"
    for number in linking.numbers:
        yield f"#number {number.comparison} {'limit' if number.limit > 0.5 else ''}"
    for value in linking.values:
        if value.probability >= 0.5:
            yield f"#value {value.comparison}"
    for role, scores in linking.column_scores.items():
        likely = int((scores > 0.4).sum())
        yield f"#{role}{min(likely, 4)}"
    used = int((linking.table_scores > 0.5).sum())
    yield f"#used{min(used, 4)}"
