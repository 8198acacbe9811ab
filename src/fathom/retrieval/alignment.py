"""How well words of a question name a value: which of its words, spelt how, in what order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fathom.retrieval.keys import compact
from fathom.retrieval.matches import MatchKind
from fathom.text.english import STOP_WORDS
from fathom.text.words import Token, fold, words

_VERBS = frozenset(("is", "are", "was", "were", "be", "does", "do", "did"))


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word of the index that a word of the question may stand for.

    `similarity` is below 1 for a misspelling, `share` for the beginning of a longer word.
    """

    place: int
    similarity: float = 1.0
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """How words `[first, last)` of a question name a value."""

    first: int
    last: int
    kind: MatchKind
    score: float
    coverage: float = 1.0
    similarity: float = 1.0


def whole(question: str, found: Sequence[Token], first: int, last: int, value: str) -> Fit | None:
    """How words `[first, last)` name a value whole, all of its letters alike; None where they don't."""
    stems = [t.stem for t in found[first:last]]
    if compact(stems) != compact(words(value)):
        return None
    text = question[found[first].start : found[last - 1].end]
    near = question.find(value, max(0, found[first].start - 4), found[last - 1].end + 4)
    # "C" of "C++" is another value than "C".
    alone = question[found[last - 1].end : found[last - 1].end + 1] not in {"+", "#"}
    if (text == value and alone) or (0 <= near <= found[first].start and len(value) > len(text)):
        kind: MatchKind = "exact"
    elif "".join(t.folded for t in found[first:last]) == "".join(c for c in fold(value) if c.isalnum()):
        kind = "folded"
    else:
        kind = "stem"
    score = {"exact": 1.0, "folded": 0.98, "stem": 0.94}[kind]
    # "a" or "in" is rarely the value 'A' or 'IN', unless it is written just so.
    if kind != "exact" or value.islower():
        score *= 0.4 if all(s in STOP_WORDS for s in stems) else 1.0
    return Fit(first, last, kind, score)


def parts(
    found: Sequence[Token], spellings: Mapping[str, Sequence[Spelling]], value_words: Sequence[str]
) -> Iterable[Fit]:
    """How words of a question name some or all of a value's words; one fit for each run of such words."""
    hits: dict[int, tuple[str, Spelling]] = {}
    for word in value_words:
        for spelling in spellings.get(word, ()):
            known = hits.get(spelling.place)
            if known is None or _closeness(spelling) > _closeness(known[1]):
                hits[spelling.place] = (word, spelling)
    letters = sum(_weight(w) for w in set(value_words))
    for run in _runs(found, hits):
        naming = [p for p in run if found[p].stem not in STOP_WORDS]
        if not naming:
            continue
        fit = _fit(run, hits, value_words, letters)
        if fit.kind == "partial" and len(naming) < len(run):
            # "of America" is part of no name, "America" is; "the Matrx" is a whole one.
            inner = [p for p in run if naming[0] <= p <= naming[-1]]
            fit = _fit(inner, hits, value_words, letters)
        yield fit


def _runs(found: Sequence[Token], hits: Mapping[int, tuple[str, Spelling]]) -> Iterable[list[int]]:
    """Stretches of matched words, over at most two function words in between, none of them a verb.

    A word of the value that comes again begins another: "how high is the highest point".
    """
    run: list[int] = []
    for place in sorted(hits):
        gap = [found[p].stem for p in range(run[-1] + 1, place)] if run else []
        apart = len(gap) > 2 or not STOP_WORDS.issuperset(gap) or not _VERBS.isdisjoint(gap)
        if apart or (gap and hits[place][0] in {hits[p][0] for p in run}):
            if run:
                yield run
            run = []
        run.append(place)
    if run:
        yield run


def _fit(
    run: Sequence[int], hits: Mapping[int, tuple[str, Spelling]], value_words: Sequence[str], letters: float
) -> Fit:
    named: dict[str, Spelling] = {}
    for place in run:
        word, spelling = hits[place]
        if word not in named or _closeness(spelling) > _closeness(named[word]):
            named[word] = spelling
    weights = {word: _weight(word) for word in named}
    total = sum(weights.values())
    coverage = sum(weights[w] * s.share for w, s in named.items()) / letters
    similarity = sum(weights[w] * s.similarity for w, s in named.items()) / total
    in_order = [hits[p][0] for p in run] == list(value_words)
    if coverage > 0.999 and in_order and similarity < 1:
        return Fit(run[0], run[-1] + 1, "typo", 0.92 * similarity**2, 1.0, similarity)
    # A fit of every word in another order is nearly whole.
    score = (0.3 + 0.55 * coverage) * similarity**2
    return Fit(run[0], run[-1] + 1, "partial", score, coverage, similarity)


def _closeness(spelling: Spelling) -> float:
    return spelling.similarity * spelling.share


def _weight(word: str) -> float:
    return 0.5 if word in STOP_WORDS else float(len(word))
