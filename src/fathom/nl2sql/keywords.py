"""Keywords: the phrases of a question and its evidence that may name something in the database."""

import re

from fathom.llm import Sampling
from fathom.methods import Context, step
from fathom.nl2sql.prompting import asked, prompt
from fathom.nl2sql.replies import json_list, texts
from fathom.records import Draft, Question
from fathom.text.english import STOP_WORDS
from fathom.text.words import fold

KEYWORDS = "keywords"
"""The finding that holds them."""
MOST = 50
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)'([^']+)'(?!\w)")
_NAMED = re.compile(r"[A-Z][\w-]*(?: [A-Z][\w-]*)+")


@step("selection", calls="1")
async def extract_keywords(draft: Draft, context: Context, *, temperature: float = 0.2) -> Draft:
    """Ask for the phrases, names and values of the question; its own words where the reply lists none."""
    reply = await context.metered_model().ask(
        prompt("keywords", question=asked(draft.question)), sampling=Sampling(temperature=temperature)
    )
    found = texts(json_list(reply.text)) or plain_keywords(draft.question)
    return draft.with_findings(**{KEYWORDS: found[:MOST]})


def keywords_of(draft: Draft) -> list[str]:
    """The keywords found for a draft, or its question's own words where no step looked for any."""
    found = draft.findings.get(KEYWORDS)
    return list(found) if found else plain_keywords(draft.question)


def plain_keywords(question: Question) -> list[str]:
    """List each quoted text, each text written like a name, and each word that isn't a function word,
    once."""
    said = f"{question.text} {question.evidence}"
    quoted = [a or b for a, b in _QUOTED.findall(said)]
    words = [w.strip(".,;:?!()\"'") for w in said.split()]
    naming = [w for w in words if w and fold(w) not in STOP_WORDS]
    return list(dict.fromkeys([*quoted, *_NAMED.findall(said), *naming]))
