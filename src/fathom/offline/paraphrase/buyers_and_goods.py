"""Names what was bought and who bought it, where a question leaves that to its verb: "who bought tea"."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.grammars.sales_tables import OrderLines
from fathom.offline.grammars.sold import trade_verbs
from fathom.offline.linking import Linking
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import BE, DO
from fathom.offline.queries.rows import RowNames
from fathom.records import Question
from fathom.text.identifiers import identifier_words
from fathom.text.inflection import in_number

_HAVE = frozenset(("has", "have", "had"))
_PASSED = frozenset(("ever", "never", "not", "already", "recently", "actually", "also", "been"))
_SELL, _SPEND = stem("sell"), stem("spend")
_AHEAD = 4
"""Words that may stand between "who" and what they did: "who has not yet bought"."""


def in_trade(
    question: Question, linking: Linking, lines: Sequence[OrderLines], names: RowNames
) -> Question | None:
    """The question with the things or buyers named that its "what" or "who" stands for, if it is clear which.

    "What did Ann Lee buy" asks which products, "who bought tea" which customers. None for all others.
    """
    tokens = linking.tokens
    things = {t for one in lines for t in one.things}
    buyers = {t for one in lines for t in one.buyers}
    first = tokens[0].lower if tokens else ""
    verbs = trade_verbs(linking, lines, names)
    table = None
    if first == "what" and len(things) == 1 and _asks_what(linking, verbs):
        table = next(iter(things))
    elif first == "who" and len(buyers) == 1 and _asks_who(linking, verbs):
        table = next(iter(buyers))
    if table is None:
        return None
    called = in_number(identifier_words(table), many=not linking.superlatives)
    return replace(question, text=f"Which {called}{question.text[tokens[0].end :]}")


def _asks_what(linking: Linking, verbs: Sequence[int]) -> bool:
    """True if "what" is the object of the verb: "what has Ann Lee bought", "what was sold to Ann Lee"."""
    words = [t.lower for t in linking.tokens]
    if len(verbs) != 1 or len(words) < 2:
        return False
    (verb,) = verbs
    after = linking.tokens[verb + 1 : verb + 2]
    done = words[1] in DO | _HAVE | BE
    passive = words[1] in BE
    return done and (verb == 2 or not passive) and all(t.stop or t.kind != "word" for t in after)


def _asks_who(linking: Linking, verbs: Sequence[int]) -> bool:
    """True if "who" buys or spends: only words that say no more stand between."""
    tokens = linking.tokens
    spends = [i for i, t in enumerate(tokens[:_AHEAD]) if t.stem == _SPEND]
    buys = [i for i in verbs if i < _AHEAD and tokens[i].stem != _SELL]
    place = min((*buys, *spends), default=0)
    return place > 0 and all(t.lower in DO | _HAVE | _PASSED for t in tokens[1:place])
