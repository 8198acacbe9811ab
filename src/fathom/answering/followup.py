"""Follow-ups: edits of the query before, and for other methods the words of a question made whole.

"And in 2015?" says little without the question before it. Its query is edited by `fathom.offline.followups`.
Where that reads nothing, a method other than `offline` gets the question before with the follow-up's words in
it: it narrows, counts or sorts what was asked, or puts something else in the place of one of its parts. Each
way of completing it is a question of its own, to be tried and compared.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.text.patterns import Pattern

if TYPE_CHECKING:
    from fathom.offline.followups import FollowedUp, FollowUpStanding

_REPLACING = Pattern(
    r"^(?:and|or|but)?\s*(?:(?:what|how)\s+about|(?:the\s+)?same\s+(?:but\s+)?|now|and|instead)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_COUNTING = Pattern(
    r"^(?:and\s+)?(?:how many(?:\s+(?:are there|of (?:them|those|these)|is that|are (?:they|those|these)))*"
    r"|count (?:them|those|these))$",
    re.IGNORECASE,
)
_NARROWING = Pattern(
    r"^(?:and|but|now)?\s*(?:only|just|keep|limit(?:ed)? to)?\s*"
    r"(?:which|who|what|those|these|show|list)?\s*(?:of|among)?\s*(?:only\s+)?"
    r"(?:the\s+)?(?:those|these|them|ones?|they)\s+(?:(?:are|is|were|that|which|who)\s+)*(?P<rest>.+)$",
    re.IGNORECASE,
)
_ONLY = Pattern(r"^(?:and|but|now)?\s*(?:only|just)\s+(?P<rest>.+)$", re.IGNORECASE)
_SORTING = Pattern(
    r"^(?:and|now|then)?\s*(?P<rest>(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?)(?:\s+(?:them|those|these|it))?\s+by\s.+)$",
    re.IGNORECASE,
)
_ASKING = Pattern(
    r"^(?:please\s+)?(?:list|show|give|find|return|tell|display|what|which|who)(?:\s+(?:me|us|are|is|were|was|all|the))*\s+",
    re.IGNORECASE,
)
_PREPOSITION = Pattern(
    r"^(in|from|for|of|by|with|at|on|to|after|before|since|under|over|than|between|during|above|below)\s",
    re.IGNORECASE,
)
_REPLACEABLE = Pattern(
    r"(?P<quote>['\"]).+?(?P=quote)"  # something quoted
    r"|\b\d[\d,.:/-]*\d\b|\b\d\b"  # a number, a date
    r"|(?<=\s)[A-Z][\w'-]*(?:\s+(?:of\s+)?[A-Z][\w'-]*)*"  # a name in capitals, not the first word
)
MOST_COMPLETIONS = 4
_CHART = Pattern(
    r"^(?:please\s+)?(?:and|now)?\s*(?:(?:show|draw|plot|display|make|give|chart|graph)\s*(?:me\s+)?"
    r"(?:it|this|that|them|those|these|the (?:same|result|rows))?)?\s*(?:as|in|into)?\s*(?:an?\s+)?"
    r"(?:(?:bar|line|pie|column)\s*)?(?P<chart>chart|graph|plot|diagram)?$",
    re.IGNORECASE,
)
_DRAWN = Pattern(r"\b(?:charts?|graphs?|plot|diagram|draw)\b", re.IGNORECASE)


def edit_follow_up(
    text: str, sql: str, database: Database, knowledge: KnowledgePack, cache: Path | None
) -> "FollowedUp":
    """The query before edited as a follow-up says, or the words of it that nothing accounts for."""
    from fathom.offline import followups  # noqa: PLC0415, slow to import

    return followups.edit_follow_up(text, sql, database, knowledge, cache)


def standing(text: str) -> "FollowUpStanding":
    """How a text stands to the answer before it."""
    from fathom.offline import followups  # noqa: PLC0415, slow to import

    return followups.standing(text)


def wants_chart(text: str) -> bool:
    """True if a text asks for nothing but a picture of what was shown: "as a chart", "plot it"."""
    said = " ".join(text.split()).rstrip("?.! ")
    return bool(_DRAWN.search(said) and _CHART.match(said))


def completions(follow_up: str, previous: str) -> tuple[str, ...]:
    """Whole questions that a follow-up may stand for after the previous question, likeliest first.

    Empty where the text stands for itself: what isn't clearly elliptical is never mixed with the rest.
    """
    text = " ".join(follow_up.split()).rstrip("?.! ")
    before = " ".join(previous.split()).rstrip("?.! ")
    if not text or not before:
        return ()
    if _COUNTING.match(text):
        return (f"How many {_ASKING.sub('', before)}?",)
    if found := _SORTING.match(text):
        return (f"{before} {re.sub(r' (them|those|these|it) ', ' ', found['rest'])}",)
    if found := _NARROWING.match(text) or _ONLY.match(text):
        return (f"{before} {found['rest']}", f"{before} and {found['rest']}")
    if found := _REPLACING.match(text):
        return _replaced(found["rest"], before)
    return _replaced(text, before) if _PREPOSITION.match(text) else ()


def _replaced(rest: str, before: str) -> tuple[str, ...]:
    """The previous question with `rest` in the place of its like: a preposition, a name or a number."""
    made: list[str] = []
    if preposition := _PREPOSITION.match(rest):
        like = re.compile(
            rf"\b{preposition[1]}\s+.*?(?=\s(?:in|from|for|by|with|and|who|that|sorted)\s|$)", re.I
        )
        made += [before[: m.start()] + rest + before[m.end() :] for m in like.finditer(before)]
    bare = _PREPOSITION.sub("", rest)
    spans = list(_REPLACEABLE.finditer(before))
    spans.sort(key=lambda m: bare[:1].isdigit() != m[0][:1].isdigit())
    made += [before[: m.start()] + bare + before[m.end() :] for m in spans]
    if preposition:
        made.append(f"{before} {rest}")
    return tuple(dict.fromkeys(made))[:MOST_COMPLETIONS]
