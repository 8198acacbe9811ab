"""Says things by the names that the database has for them: "songs" where its table is called Track.

The weights have learned from questions that mostly call things as their tables do; to them a question about
songs is strange, though they guess what is meant.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from fathom.offline.linking import Linking, QuestionToken, Span
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import ANYBODY, BE, MONEY, SAME, WHOLE
from fathom.offline.queries.rows import RowNames
from fathom.records import Assumption, Question
from fathom.text.english import LEMMAS
from fathom.text.identifiers import identifier_words
from fathom.text.inflection import in_number

_HELD = frozenset(("exact", "folded", "stem", "code", "quoted"))
_LIKELY = 0.2
_NAME = stem("name")
_CLEAR = 0.6
_LONGEST = 3
_SORTS = frozenset(("order", "sort", "rank", "list"))
"""Words that say how rows are shown, as well as things."""
_VIEWS = frozenset(("view", "ref", "reference", "tbl", "table"))
_INSIDE = frozenset(("in", "at", "for", "of", "by", "on"))
_OURS = frozenset(("the", "our", "this", "my"))


def by_its_names(
    question: Question, linking: Linking, names: RowNames
) -> tuple[Question, tuple[Assumption, ...]]:
    """The question with things called as the one table of their kind is, and what to tell of it.

    A word stays where a table, a column or a value is called so, and where two tables might be meant.
    Where the whole is spoken of ("in our store"), nothing is left of it, nor of what amounts are counted in.
    """
    text, told = question.text, []
    for change in sorted(_changes(linking, names), key=lambda c: -c.first):
        said = text[change.start(linking) : change.end(linking)]
        text = f"{text[: change.start(linking)]}{change.name}{text[change.end(linking) :]}"
        if change.first == change.last and change.name:
            told.append(Assumption("default", f"“{said}” is taken for “{change.name}”."))
    return (
        (replace(question, text=" ".join(text.split())), tuple(told[::-1]))
        if text != question.text
        else (question, ())
    )


@dataclass(frozen=True, slots=True)
class _SynonymChange:
    """Tokens and the words to put for them: the name of a table or a column, or none."""

    first: int
    last: int
    name: str = ""

    def start(self, linking: Linking) -> int:
        return linking.tokens[self.first].start

    def end(self, linking: Linking) -> int:
        return linking.tokens[self.last].end


def _changes(linking: Linking, names: RowNames) -> Iterator[_SynonymChange]:
    tokens = linking.tokens
    for place, token in enumerate(tokens):
        if token.kind == "word" and not _is_value(linking, place) and (table := _in_short(linking, place)):
            yield _SynonymChange(place, place, _in_number_of(token, table))
    named = {s for t in linking.tables for s in name_stems(t)}
    named |= {s for c in linking.columns for s in name_stems(c.column)}
    for place, token in enumerate(tokens):
        if token.kind != "word" or token.stem in named or _is_value(linking, place):
            continue
        ahead = [t.lower for t in tokens[max(0, place - 2) : place]]
        if token.lower in MONEY and place and tokens[place - 1].kind == "number":
            yield _SynonymChange(place, place)
        elif _is_all(token, ahead, tokens[place + 1 : place + 2]):
            yield _SynonymChange(place - 2, place, "there" if tokens[place - 3].lower in BE else "")
        elif token.lower == "full" and _behind(linking, place) == _NAME and _are_persons(linking, names):
            yield _SynonymChange(place, place, "first and last")
        elif (meant := _meant(token, linking, names)) is not None:
            yield _SynonymChange(place, place, _in_number_of(token, meant))


def _is_all(token: QuestionToken, ahead: Sequence[str], behind: Sequence[QuestionToken]) -> bool:
    """True if words stand for all there is, "in our company", and not for one "whose name ..."."""
    inside = len(ahead) == 2 and ahead[0] in _INSIDE and ahead[1] in _OURS
    return token.lower in WHOLE and inside and not any(t.lower == "whose" for t in behind)


def _behind(linking: Linking, place: int) -> str:
    return linking.tokens[place + 1].stem if place + 1 < len(linking.tokens) else ""


def _are_persons(linking: Linking, names: RowNames) -> bool:
    """True if any table holds people by first and last names."""
    return any(names.holds_persons(t) for t in linking.tables)


def _in_short(linking: Linking, place: int) -> tuple[str, ...] | None:
    """The words of the one table whose name a word ends, and that the question doesn't say in full.

    "Orders" of `customer_orders`; no "order dates", and no word that a column is called by as well.
    """
    token, behind = linking.tokens[place], linking.tokens[place + 1 : place + 2]
    one = in_number((token.lower,), many=False)
    ending = [t for t in linking.tables if in_number(identifier_words(t)[-1:], many=False) == one]
    clear = not token.stop and token.lower not in _SORTS
    if not clear or len(ending) != 1 or not 1 < len(name_stems(ending[0])) <= _LONGEST:
        return None
    (table,) = ending
    rest = {*name_stems(table)[:-1]}
    whole = any(name_stems(c.column)[-1:] == (token.stem,) for c in linking.columns)
    goes_on = behind and any(
        _follow(name_stems(c.column), token.stem, behind[0].stem)
        or (c.table == table and behind[0].stem in name_stems(c.column))
        for c in linking.columns
    )
    ahead = linking.tokens[max(0, place - 2) : place]
    goes_on = goes_on or any(
        _follow(name_stems(c.column), ahead[-1].stem, token.stem) for c in linking.columns if ahead
    )
    said = any(t.stem in rest for t in ahead) or (place > 1 and ahead[-1].text[:1].isupper())
    clear = linking.table_fit(table, place) >= _CLEAR or not _VIEWS.isdisjoint(identifier_words(table))
    return None if whole or goes_on or said or clear else identifier_words(table)


def _follow(stems: tuple[str, ...], one: str, other: str) -> bool:
    """True if one word stands right before another in a name."""
    return (one, other) in pairwise(stems)


def _is_value(linking: Linking, place: int) -> bool:
    token = linking.tokens[place]
    inside = Span(place, place + 1)
    held = any(
        v.match in _HELD and v.probability >= _LIKELY and v.span.overlaps(inside) for v in linking.values
    )
    return held or token.quoted or token.evidence or (place > 0 and token.text[:1].isupper())


def _meant(token: QuestionToken, linking: Linking, names: RowNames) -> tuple[str, ...] | None:
    """The words that the one table, or else the one column, is called by for which a word may stand."""
    if token.lower in ANYBODY:
        found = {identifier_words(t) for t in linking.tables if names.holds_persons(t)}
        return found.pop() if len(found) == 1 else None
    alike = _alike().get(token.lower, frozenset())
    tables = {identifier_words(t) for t in linking.tables}
    columns = {identifier_words(c.column) for c in linking.columns}
    for known, most in ((tables, 1), (tables, 9), (columns, 9)):
        found = {n for n in known if n and len(n) <= most and stem(n[-1]) in alike}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _in_number_of(token: QuestionToken, name: tuple[str, ...]) -> str:
    """A name in the number of the word that stands for it."""
    many = token.lower in ANYBODY or token.lower.endswith("s") or token.lower in LEMMAS
    return in_number(name, many=many)


@cache
def _alike() -> dict[str, frozenset[str]]:
    """For each noun, also in the plural, the stems of those for the same kind of thing."""
    found: dict[str, frozenset[str]] = {}
    for group in SAME:
        for noun in group:
            others = frozenset(map(stem, group)) - {stem(noun)}
            for word in (noun, in_number((noun,), many=True)):
                found[word] = found.get(word, frozenset()) | others
    return found
