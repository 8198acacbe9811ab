"""Descriptions inside a question: "the largest city in [the most populous state]"."""

from collections.abc import Iterator
from dataclasses import dataclass

from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.records import Linking, QuestionToken
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.wordlists import NEGATIONS, RELATIVES

_FOLLOWING = frozenset(("with", "whose", "where", "having", "without"))
_LINKS = frozenset(("through", "in", "of", "by", "from", "for", "to", "on", "at"))
_BREAKS = frozenset(
    ("and", "or", ",", "than", "is", "are", "was", "were", "be", "not", "as", "between", "but")
)
_ARTICLES = frozenset(("the", "a", "an", "those", "all", "any"))
_POINTING = frozenset(("it", "them", "they", "its", "their", "this", "these"))
_WHOSE = frozenset(("of", "for"))
_COUNTED = frozenset(("most", "least", "fewest"))
_ADJECTIVES = 2
_HELD = 0.9


@dataclass(frozen=True, slots=True)
class Description:
    """Words that describe rows of a table, from character `start` to `end`, and the question they answer."""

    table: str
    start: int
    end: int
    question: str


def find_descriptions(linking: Linking) -> Iterator[Description]:
    """The descriptions that another question could be asked about first, left to right.

    A description names a table and singles out its rows by a superlative or a relative clause. What stands
    around it has to ask for something else than columns of these rows, which one query finds at once.
    """
    tokens = [t for t in linking.tokens if not t.evidence]
    for place in range(2, len(tokens)):
        article = tokens[place].lower in _ARTICLES
        if not _opens(linking, tokens, place, article=article):
            continue
        head = _head(linking, tokens, place + article)
        if head is None:
            continue
        noun, ranked = head
        end = _end(tokens, noun, ranked=ranked) if _alone(linking, tokens, noun) else None
        if end is None or not _asks_else(linking, tokens, place, noun, end):
            continue
        if any(t.lower in _POINTING | EACH for t in tokens[noun:end]):
            continue
        table = _table_at(linking, noun)
        assert table is not None
        yield Description(
            table,
            tokens[place].start,
            tokens[end - 1].end,
            _asked(tokens, place + article, noun, end, ranked=ranked),
        )


def _opens(linking: Linking, tokens: list[QuestionToken], place: int, *, article: bool) -> bool:
    """True if a description may start at a place: not within a name, nor as what is compared or counted."""
    before = tokens[place - 1]
    if before.kind == "sign" or before.lower in _BREAKS | _ARTICLES:
        return False
    if article or before.stop:
        return True
    ranked = any(place - 2 <= i < place for i in _superlatives(linking))
    held = any(v.span.first < place <= v.span.end and v.score >= _HELD for v in linking.values)
    # After a word that also names a table: "states border states", but not "the customer orders".
    verb = _table_at(linking, place - 1) is None or (place > 1 and not tokens[place - 2].stop)
    return verb and not (ranked or held or tokens[place].lower.endswith("ing"))


def _head(linking: Linking, tokens: list[QuestionToken], first: int) -> tuple[int, bool] | None:
    """The place of the noun that a description starting at a place is about, and whether it is ranked."""
    if first >= len(tokens):
        return None
    if first not in _superlatives(linking):
        return (first, False) if _table_at(linking, first) is not None else None
    for noun in range(first + 1, min(first + 2 + _ADJECTIVES, len(tokens))):
        if _table_at(linking, noun) is not None:
            counted = tokens[first].lower in _COUNTED and noun == first + 1
            return None if counted or _plural(tokens[noun]) else (noun, True)
        if tokens[noun].stop or tokens[noun].kind != "word":
            return None
    return None


def _end(tokens: list[QuestionToken], noun: int, *, ranked: bool) -> int | None:
    """Where a description ends: with the clause that says more of its noun, or with the noun."""
    last = next((i for i in range(noun + 1, len(tokens)) if tokens[i].kind == "sign"), len(tokens))
    after = tokens[noun + 1] if noun + 1 < last else None
    if after is None:
        return last if ranked else None
    described = after.lower in RELATIVES | _FOLLOWING or _tells(after)
    if after.lower in _LINKS:
        described = ranked or (noun + 2 < last and tokens[noun + 2].lower in {"which", "whom"})
    if described:
        return last
    return noun + 1 if ranked else None


def _tells(token: QuestionToken) -> bool:
    """True if a participle says more of a noun before it: "bordering", but not "excluding"."""
    return token.lower.endswith("ing") and not token.stop and token.lower not in NEGATIONS


def _asks_else(linking: Linking, tokens: list[QuestionToken], first: int, noun: int, end: int) -> bool:
    """True if the words before a description ask for rows of a table that one flat query would mistake.

    A flat query tells the columns of the rows that are described, and how many they are; it joins them
    with what they have. It can't single out rows of one table and show all that belongs to them, nor look
    for rows of the same table by what ties them to each other.
    """
    if tokens[first - 1].lower == "of" and any(q.span.end in {first - 1, first} for q in linking.quantities):
        return False
    described = _table_at(linking, noun)
    before = first - (not tokens[first - 1].stop)  # a verb may also name a table: "states border states"
    asked = [(i, t) for i in range(before) if (t := _rows_at(linking, tokens, i)) is not None]
    if not asked:
        return False
    place, table = asked[-1]
    if table == described:
        return tokens[first - 1].lower not in _WHOSE and any(
            not tokens[i].stop and not _told_of(linking, i, table) for i in range(place + 1, first)
        )
    ranked = any(noun - _ADJECTIVES <= i < end for i in _superlatives(linking))
    if tokens[first - 1].lower in _WHOSE and _plural(tokens[noun]):
        return False
    return ranked and not _told_of(linking, place, described)


def _superlatives(linking: Linking) -> list[int]:
    """The places of superlatives; "at least" and "at most" are none."""
    places = [s.span.first for s in linking.superlatives]
    return [i for i in places if i == 0 or linking.tokens[i - 1].lower != "at"]


def _told_of(linking: Linking, place: int, table: str | None) -> bool:
    """True if a word names a column of a table."""
    aligned = linking.alignment[:, place]
    return any(a >= NAMED and c.table == table for c, a in zip(linking.columns, aligned, strict=True))


def _rows_at(linking: Linking, tokens: list[QuestionToken], place: int) -> str | None:
    """The table whose rows a word asks for: it names the table better than any of its columns."""
    table = _table_at(linking, place)
    if table is None or not _alone(linking, tokens, place):
        return None
    named = linking.table_alignment[linking.tables.index(table), place]
    columns = zip(linking.columns, linking.alignment[:, place], strict=True)
    return table if all(a <= named for c, a in columns if c.table == table) else None


def _alone(linking: Linking, tokens: list[QuestionToken], place: int) -> bool:
    """True if a word isn't the first part of a column's name, as in "the customer names"."""
    if place + 1 >= len(tokens) or tokens[place + 1].stop or tokens[place + 1].kind != "word":
        return True
    table, here, after = _table_at(linking, place), linking.alignment[:, place], place + 1
    return not any(
        named >= NAMED and (column.table == table or also >= NAMED)
        for column, named, also in zip(linking.columns, linking.alignment[:, after], here, strict=True)
    )


def _table_at(linking: Linking, place: int) -> str | None:
    """The table that a word names, where no value is named by it."""
    aligned = linking.table_alignment[:, place]
    if aligned.max(initial=0) < NAMED or linking.tokens[place].stop:
        return None
    return linking.tables[int(aligned.argmax())]


def _plural(token: QuestionToken) -> bool:
    return token.lower.endswith("s") and not token.lower.endswith("ss") and token.stem != token.lower


def _asked(tokens: list[QuestionToken], first: int, noun: int, end: int, *, ranked: bool) -> str:
    """The question that a description answers."""
    if ranked:
        return "what is the " + _text(tokens[first:end])
    plural = _plural(tokens[noun])
    after = tokens[noun + 1].lower
    if after in RELATIVES:
        return f"which {tokens[noun].text} " + _text(tokens[noun + 2 : end])
    if _tells(tokens[noun + 1]) and after not in _FOLLOWING:
        return f"which {tokens[noun].text} {'are' if plural else 'is'} " + _text(tokens[noun + 1 : end])
    return ("what are the " if plural else "what is the ") + _text(tokens[first:end])


def _text(tokens: list[QuestionToken]) -> str:
    """The words as they were written, spaces evened out."""
    parts: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        parts += [" "] if before is not None and token.start > before.end else []
        parts.append(token.text)
    return "".join(parts)
