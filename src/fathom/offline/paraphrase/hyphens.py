"""Writes together what the database does: "check-ins" of `checkin`, "e-mail" of `email`."""

import re
from dataclasses import replace

from fathom.offline.linking import Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.records import Question
from fathom.text.patterns import Pattern

HYPHEN = "-"
_HYPHENED = Pattern(r"\b([^\W\d_]+)-([^\W\d_]+)\b")


def written_together(question: Question, linking: Linking) -> Question:
    """The question with words of two parts as one where that is what something is called."""
    named = {s for t in linking.tables for s in name_stems(t)}
    named |= {s for c in linking.columns for s in name_stems(c.column)}

    def joined(match: re.Match[str]) -> str:
        whole = match[1] + match[2]
        parts = {stem(match[1].casefold()), stem(match[2].casefold())}
        return whole if stem(whole.casefold()) in named and not parts <= named else match[0]

    text = _HYPHENED.sub(joined, question.text)
    return question if text == question.text else replace(question, text=text)
