"""Says of whom something is by "of": "the phone of Grace Ritchie" for "Grace Ritchie's phone"."""

import re
from dataclasses import replace

from fathom.offline.linking import Linking
from fathom.offline.linking.value_match import SPELT
from fathom.offline.linking.wordlists import OPENINGS, PHRASE_ENDS
from fathom.records import Question
from fathom.text.patterns import Pattern

_END = rf"(?:{'|'.join(sorted(PHRASE_ENDS))})\b"
_OWNER = Pattern(
    r"(?P<the>\bthe\s+)?\b(?P<owner>[A-Z][\w.-]*(?:\s+[A-Z][\w.-]*)*)(?:['\u2019]s|(?<=s)['\u2019])\s+"
    rf"(?P<thing>(?!{_END})[a-z]+(?:\s+(?!{_END})[a-z]+){{0,3}})(?=\s*(?:[?.!,]|$|\s{_END}))"
)
_UNCLEAR = Pattern(
    r"\b(?:do|does|did|called|named|titled)\b|['\u2019]s\s.*['\u2019]s\s|^(?:is|are|was|were)\b",
    re.IGNORECASE,
)
_NO_OWNERS = OPENINGS | {"it", "let", "that", "there", "here", "all"}


def of_owners(question: Question, linking: Linking) -> Question:
    """The question with what somebody has as what is "of" them; as it is where that isn't clear.

    Names are stored without "'s", and what is stored with one ("Levi's") stays, as does what is quoted.
    """
    if _UNCLEAR.search(question.text):
        return question

    def said(match: re.Match[str]) -> str:
        places = linking.places(match.start("owner"), match.end("owner") + 2)
        stored = any(
            "'" in str(v.value) and v.match in SPELT and places & {*range(*v.span)} for v in linking.values
        )
        opening, _, name = match["owner"].partition(" ")
        if opening.casefold() not in _NO_OWNERS:
            opening, name = "", match["owner"]
        quoted = any(linking.tokens[i].quoted for i in linking.places(*match.span()))
        if stored or quoted or not name:
            return match[0]
        return f"{opening} the {match['thing']} of {match['the'] or ''}{name}".lstrip()

    text = _OWNER.sub(said, question.text)
    return replace(question, text=text) if text != question.text else question
