"""Says callings in the words of the one key that is called after them: "sales rep" by `support_rep_id`."""

from dataclasses import replace

from fathom.offline.linking import Linking
from fathom.offline.linking.levels import WHOLLY_NAMED
from fathom.offline.linking.text import stem
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.roles.keys import KEY_STEMS, RoleKey, deed_keys
from fathom.records import Assumption, Question
from fathom.text.identifiers import identifier_words

_STAFF = frozenset(map(stem, "rep representative agent manager executive clerk officer".split()))
_TRADES = frozenset(map(stem, "sales account customer client service support".split()))


def by_keys_own_words(
    question: Question, linking: Linking, planner: JoinPlanner
) -> tuple[Question, tuple[Assumption, ...]]:
    """The question with a calling put as the key says it, and what to tell of it.

    Only where one key alone ends in that noun, and no table, column or value is called by both words.
    """
    tokens = linking.tokens
    for place in range(1, len(tokens)):
        trade, noun = tokens[place - 1], tokens[place]
        if trade.stem not in _TRADES or noun.stem not in _STAFF or noun.evidence:
            continue
        keys = [k for p in deed_keys(planner) for k in p.keys if _calling(k)[-1:] == (noun.stem,)]
        if len(keys) != 1 or trade.stem in _calling(keys[0]) or _is_named(linking, place, keys[0]):
            continue
        own = [w for w in identifier_words(keys[0].column) if stem(w) not in KEY_STEMS]
        words = " ".join((*own[:-1], noun.text))
        text = f"{question.text[: trade.start]}{words}{question.text[noun.end :]}"
        said = question.text[trade.start : noun.end]
        told = f"“{said}” is taken for {keys[0].table}.{keys[0].column}."
        return replace(question, text=text), (Assumption("column", told),)
    return question, ()


def _calling(key: RoleKey) -> tuple[str, ...]:
    """The stems of the words that a key is called by, but for what says that it is one."""
    return tuple(s for s in map(stem, identifier_words(key.column)) if s not in KEY_STEMS)


def _is_named(linking: Linking, place: int, key: RoleKey) -> bool:
    """True if something other than a key is called by a word and the one before it."""
    tables = linking.table_alignment[:, place].max(initial=0) >= WHOLLY_NAMED
    values = any(
        v.span.first < place < v.span.end and v.match in {"exact", "folded", "stem"} for v in linking.values
    )
    columns = any(
        linking.alignment[row, place] >= WHOLLY_NAMED
        for row, c in enumerate(linking.columns)
        if c.in_query() != key.in_query
    )
    return bool(tables or values or columns)
