"""The dimensions that need no model: answerability, relevance and presentation by stated rules."""

import re
from collections.abc import Sequence
from itertools import pairwise

from fathom.authoring.judging.facts import JudgedSentence
from fathom.authoring.judging.scores import NONE_JUDGED, Conflict, Rated, conflict_score, presentation_score
from fathom.text.english import STOP_WORDS
from fathom.text.words import words

_LONG_SENTENCE, _VERY_LONG = 25, 40
"""Words on average: plain-language guides ask for fewer than the first."""
_RAW = re.compile(r"\b\w+_\w+\b|\bSELECT\b|\d\.\d{5,}")
"""Names of columns, SQL, and digits that nobody asked for."""
_KINDS = {
    "forecast": re.compile(r"\b(will|forecast|predict|expect|next (month|quarter|year))\b", re.IGNORECASE),
    "recommendation": re.compile(
        r"\b(should|recommend|actions?|strateg|improve|optimi[sz]e)\b", re.IGNORECASE
    ),
    "group difference": re.compile(
        r"\b(why|drives?|drivers?|factors?|influence|affect|explain)\b", re.IGNORECASE
    ),
}
_EXPLAINS = {"group difference", "association", "trend", "share"}


def rate(question: str, sentences: Sequence[JudgedSentence]) -> Rated:
    """The three dimensions; answerability and relevance are left open where no sentence was judged."""
    right = [s for s in sentences if s.right is True]
    wrong = [s for s in sentences if s.right is False]
    rated, why = _presentation([s.text for s in sentences])
    if not right and not wrong:
        return Rated(None, None, rated, (NONE_JUDGED, why))
    conflict = _conflict(right, wrong)
    answers = conflict_score(_answers(question, right), _answers(question, wrong), conflict)
    relevant = conflict_score(_relevant(question, right), _relevant(question, wrong), conflict)
    return Rated(answers, relevant, rated, (f"Conflict of wrong with right sentences: {conflict}.", why))


def _answers(question: str, among: Sequence[JudgedSentence]) -> float:
    """1 where a sentence of the kind asked for speaks of the question's things, 0.5 where one comes near."""
    if not among:
        return 0.0
    asked = next((kind for kind, form in _KINDS.items() if form.search(question)), None)
    wanted = _EXPLAINS if asked == "group difference" else {asked}
    fits = [s for s in among if asked is None or any(c.kind in wanted for c in s.claims)]
    if any(_shared(question, s.text) >= 0.5 for s in fits):
        return 1.0
    return 0.5 if any(_shared(question, s.text) > 0 for s in among) else 0.0


def _relevant(question: str, among: Sequence[JudgedSentence]) -> float:
    """1 where two sentences in three name something that the question names, 0.5 where one in three does."""
    if not among:
        return 0.0
    share = sum(_shared(question, s.text) > 0 for s in among) / len(among)
    return 1.0 if share >= 2 / 3 else 0.5 if share >= 1 / 3 else 0.0


def _conflict(right: Sequence[JudgedSentence], wrong: Sequence[JudgedSentence]) -> Conflict:
    """Total where a wrong claim is of the same rows as a right one, partial where of the same things."""
    levels = [0]
    for bad in wrong:
        for good in right:
            same = {(c.kind, q) for c in bad.claims for q in c.queries} & {
                (c.kind, q) for c in good.claims for q in c.queries
            }
            levels.append(2 if same else int(_shared(bad.text, good.text) >= 0.5))
    steps: tuple[Conflict, ...] = ("low", "partial", "total")
    return steps[max(levels)]


def _shared(first: str, second: str) -> float:
    """The share of the first text's words for things that the second has."""
    ours = {w for w in words(first) if w not in STOP_WORDS and not w.isdigit()}
    return len(ours & set(words(second))) / len(ours) if ours else 0.0


def _presentation(said: Sequence[str]) -> tuple[float, str]:
    """Three ratings by what can be counted: sentence length and raw names, repeats, an order to follow."""
    if not said:
        return presentation_score(1, 1, 1), "The answer has no sentence."
    mean = sum(len(s.split()) for s in said) / len(said)
    raw = sum(bool(_RAW.search(s)) for s in said)
    clarity = 3 - (mean > _LONG_SENTENCE) - (mean > _VERY_LONG or raw > 0)
    repeats = len(said) - len({" ".join(words(s)) for s in said})
    coherence = 3 if not repeats else 2 if repeats * 4 <= len(said) else 1
    linked = sum(_shared(b, a) > 0 for a, b in pairwise(said))
    narrative = 3 if len(said) == 1 or linked * 2 >= len(said) - 1 else 2
    told = f"{mean:.0f} words a sentence, {raw} with raw names or digits, {repeats} repeated, {linked} linked"
    rated = presentation_score(max(clarity, 1), coherence, narrative)
    return (
        rated,
        f"Presentation: clarity {max(clarity, 1)}, coherence {coherence}, narrative {narrative} ({told}).",
    )
