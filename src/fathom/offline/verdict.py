"""Which candidate it is, and whether to answer at all."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fathom.offline.checks.account import ACCOUNTED, Accounts
from fathom.offline.checks.rules import (
    AGAINST_GRAMMARS,
    CONTRADICTIONS,
    FORMS_LEFT,
    OUTCOMES,
    OVERLOOKED,
    SHORTFALLS,
    WORDS_LEFT,
    WordsCheck,
)
from fathom.offline.checks.trial_runs import Checked
from fathom.offline.disagreement import LIKELY, Learned, cells_of, speaks_against
from fathom.offline.engine import OfflineEngine
from fathom.offline.finishing.nobody import finds_nobody
from fathom.offline.finishing.shown_keys import named_among, shown_by_names
from fathom.offline.grammars.amounts import said_of_money
from fathom.offline.grammars.durations import said_of_lengths
from fathom.offline.grammars.periods import asked_period
from fathom.offline.grammars.ratios import asks_ratio, is_sensible
from fathom.offline.linking import Linking, Span
from fathom.offline.proposals.proposals import GRAMMARS, STAND_IN, Proposal
from fathom.offline.queries.query import Query
from fathom.offline.ranking.choice import RankedCandidates
from fathom.offline.ranking.reranker import Reranker
from fathom.offline.scores import WeighedChoice, weigh

UNLEARNED = 0.2
"""A ratio or period stands for this against other ways to read a question. It is not learned, but the share
of ratios that were right on BIRD's training questions. Like the others here it decides between ways; nobody
is told it (`fathom.offline.stated`)."""
DOUBTED = 0.7
"""A query that falls short of its question stands for no more: of 48 such best guesses on Spider's training
databases that would have been answered, by weights that never saw these, 34 were right."""
NEXT = 6
"""Likely candidates among which to look for one that passes over nothing."""
SETTLED = 0.9
"""A ratio or period that leaves nothing open, and whose result is sensible, stands for this. The weights of
opinions (`fathom.offline.opinions`) were learned with it in place."""
UNSUPPORTED = 0.55
SAME = 0.95
"""Similarity from which a solved question is the same one but for its values: nine in ten of their queries
were right on GeoQuery's training questions, held out in turn; the ranker's own choice was in 78 %."""
SAME_CONFIDENCE = 0.9
CLOSE = 0.25
"""Difference of the ranker's scores under which a second reading is worth asking about."""


@dataclass(frozen=True, slots=True)
class CandidateVerdict:
    """The choice among candidates, and a `rival`: another that is close and differs in its result.

    `torn` says that both are too likely to leave one out: what was learned, and what stands in for it.
    `weighed` is what was learned of the candidates that no grammar made.
    """

    choice: RankedCandidates
    rival: int | None
    weighed: WeighedChoice
    torn: bool = False


@dataclass(frozen=True, slots=True)
class _Tried:
    """A question's candidates, and what became of running them."""

    engine: OfflineEngine
    linking: Linking
    proposals: Sequence[Proposal]
    checked: Sequence[Checked]

    def best(self, choice: RankedCandidates) -> Proposal:
        """The proposal that a choice puts first."""
        return self.proposals[choice.order[0]]

    def is_at_odds(self, query: Query) -> bool:
        """True if a query says something else than its question."""
        return self.engine.rules.says_any(CONTRADICTIONS, self.engine.checked(query, self.linking))

    def says_less(self, query: Query) -> bool:
        """True if a query falls short of its question, or shows keys where rows have names."""
        return self.engine.rules.says_any(SHORTFALLS, self.engine.checked(query, self.linking))


def decide(
    engine: OfflineEngine,
    linking: Linking,
    proposals: Sequence[Proposal],
    checked: Sequence[Checked],
    *,
    reranker: Reranker | None = None,
    told: Iterable[Span] = (),
) -> CandidateVerdict:
    """Choose among candidates (at least one) that were run.

    `told` are words whose meaning evidence or a pack tells: `Proposal.unmet` says who leaves them out.
    """
    tried = _Tried(engine, linking, proposals, checked)
    learned = [i for i, p in enumerate(proposals) if p.source not in GRAMMARS] or range(len(proposals))
    weighed = weigh(engine, linking, [proposals[i] for i in learned], [checked[i] for i in learned])
    choice = weighed.choice if reranker is None else weighed.reranked(reranker)
    choice = _in_accord(_among_all(choice, learned, len(proposals)), tried)
    solved = _same_question(tried, learned, weighed.left_out)
    if solved is not None:
        return CandidateVerdict(_solved_first(choice, solved), None, weighed)
    choice, torn = _with_stand_ins(choice, Learned(weighed.choice, learned, choice.order[0]), tried)
    choice = _confirmed(choice, proposals, checked)
    choice = _leaving_over(choice, FORMS_LEFT, tried)
    choice = _names_first(choice, tried)
    choice = _leaving_over(choice, WORDS_LEFT, tried, told=told)
    choice = _falling_short(choice, tried)
    rival = _rival(choice, checked) if torn is None else torn
    return CandidateVerdict(choice, rival, weighed, torn=torn is not None)


def _same_question(tried: _Tried, learned: Sequence[int], left_out: Sequence[int]) -> int | None:
    """The query of the same question but for its values, if it was solved, with all values of this one.

    That it says all is known: it was the answer to the same question.
    """
    proposals = tried.proposals
    solved = [
        i
        for i, left in zip(learned, left_out, strict=True)
        if solved_before(proposals[i]) and tried.checked[i].error is None and not left
    ]
    return max(solved, key=lambda i: (proposals[i].similarity, -i), default=None)


def _with_stand_ins(
    learned: RankedCandidates, known: Learned, tried: _Tried
) -> tuple[RankedCandidates, int | None]:
    """The choice with what grammars make ahead, and the place of what was learned where that objects."""
    before = tried.best(learned).query
    less = tried.says_less(before)
    choice = _with_grammars(learned, tried, plain=learned.sure and not less)
    stands_in = choice.sure and tried.best(choice).source in STAND_IN
    agrees = not less and not tried.is_at_odds(before)
    heeded = stands_in and agrees and learned.confidence >= LIKELY
    if heeded and speaks_against(known, choice.order[0], tried.proposals, tried.checked, tried.linking):
        return choice.doubted(UNSUPPORTED), learned.order[0]
    return choice, None


def _leaving_over(
    choice: RankedCandidates,
    rules: Iterable[WordsCheck],
    tried: _Tried,
    most: float = UNLEARNED,
    told: Iterable[Span] = (),
) -> RankedCandidates:
    """The choice as not sure, with the words as missing that its query leaves over; as it is without such."""
    best = tried.best(choice)
    checked = replace(
        tried.engine.checked(best.query, tried.linking),
        missing=choice.missing,
        told=frozenset(i for span in told for i in range(*span)),
        settled=best.settled,
    )
    for rule in rules:
        if places := tried.engine.rules.found(rule, checked):
            missing = dict.fromkeys((*choice.missing, *(tried.linking.tokens[i].text for i in places)))
            doubts = (*choice.doubts, rule.name)
            choice = replace(choice.doubted(most), missing=tuple(missing), doubts=doubts)
    return choice


def _falling_short(choice: RankedCandidates, tried: _Tried) -> RankedCandidates:
    """The choice as not sure where its query falls short of its question, or of what it was told."""
    best = tried.best(choice)
    if tried.says_less(best.query) or (best.unmet and not tried.engine.examples.solved):
        choice = choice.doubted(DOUBTED)
    return _leaving_over(choice, (OUTCOMES,), tried, DOUBTED)


def _with_grammars(choice: RankedCandidates, tried: _Tried, *, plain: bool) -> RankedCandidates:
    """The choice with what grammars make ahead; what stands in for what was learned unless it is `plain`."""
    engine, linking, proposals = tried.engine, tried.linking, tried.proposals
    for source in GRAMMARS:
        made = [
            i
            for i, p in enumerate(proposals)
            if p.source == source
            and tried.checked[i].error is None
            and not engine.rules.says_any(AGAINST_GRAMMARS, engine.checked(p.query, linking))
        ]
        settled = any(proposals[i].settled for i in made)
        known = tried.best(choice)
        if made and not (source in STAND_IN and plain) and (settled or not known.settled):
            choice = _unlearned_first(choice, made, tried)
            choice = replace(choice, missing=_missing(linking, tried.best(choice), engine))
    return choice


def _in_accord(choice: RankedCandidates, tried: _Tried) -> RankedCandidates:
    """The likeliest candidate ahead that isn't at odds with the question, if possible one that passes over
    nothing; not sure where it isn't the first.

    Solved questions, and evidence that is only words, say more of what is meant than can be held against a
    query.
    """
    engine, linking, proposals = tried.engine, tried.linking, tried.proposals
    if engine.examples.solved or any(t.evidence for t in linking.tokens):
        return choice
    likely = ((i, proposals[i]) for i in choice.order if proposals[i].source not in GRAMMARS)
    agreeing = ((i, p.query) for i, p in likely if not tried.is_at_odds(p.query))
    first: int | None = None
    for place, query in islice(agreeing, NEXT):
        first = place if first is None else first
        if not engine.rules.says_any(OVERLOOKED, engine.checked(query, linking)):
            first = place
            break
    if first == choice.order[0]:
        return choice
    return choice.with_first(choice.order[0] if first is None else first).doubted(DOUBTED)


def _among_all(choice: RankedCandidates, learned: Sequence[int], count: int) -> RankedCandidates:
    """The choice among learned candidates by their places among all, and those of grammars.

    No lesson held those, so neither they nor their scores may change what is learned of others.
    """
    rest = [i for i in range(count) if i not in set(learned)]
    scores = [min(choice.scores) - 1.0] * count
    for place, score in zip(learned, choice.scores, strict=True):
        scores[place] = score
    return replace(choice, order=(*(learned[i] for i in choice.order), *rest), scores=tuple(scores))


def solved_before(proposal: Proposal) -> bool:
    """True if a proposal is the query of the same question but for its values, with this question's."""
    return (
        proposal.source == "example"
        and proposal.similarity >= SAME
        and not proposal.kept
        and not proposal.unmet
    )


def _solved_first(choice: RankedCandidates, solved: int) -> RankedCandidates:
    """The solved question's query ahead: the ranker has learned where there are no such questions."""
    confidence = max(choice.confidence, SAME_CONFIDENCE) if choice.order[0] == solved else SAME_CONFIDENCE
    return replace(choice.with_first(solved), confidence=confidence, sure=True, by_rule=True)


def _unlearned_first(choice: RankedCandidates, made: Sequence[int], tried: _Tried) -> RankedCandidates:
    """Ratios or periods ahead: data to learn from hold none, so their own order decides, not the ranker's."""
    proposals, checked = tried.proposals, tried.checked
    best = sorted(made, key=lambda i: (_nothing(checked[i]), -proposals[i].score, i))
    rest = [i for i in choice.order if i not in best]
    top = max(choice.scores)
    scores = tuple(top + 1.0 - 0.5 * best.index(i) if i in best else s for i, s in enumerate(choice.scores))
    first = proposals[best[0]]
    result = checked[best[0]].result
    nobody = first.source == "hierarchy" and finds_nobody(first.query, result, tried.engine)
    sure = first.settled and (nobody or is_sensible(first.query, result))
    confidence = SETTLED if sure else UNLEARNED
    return replace(
        choice, order=(*best, *rest), scores=scores, confidence=confidence, sure=sure, by_rule=True
    )


def _confirmed(
    choice: RankedCandidates, proposals: Sequence[Proposal], checked: Sequence[Checked]
) -> RankedCandidates:
    """The choice as sure as a reading by rule where that is settled and gives the same rows."""
    chosen = checked[choice.order[0]].result
    read = (c.result for p, c in zip(proposals, checked, strict=True) if p.source in STAND_IN and p.settled)
    if chosen is None or not choice.sure or not any(r and cells_of(r) == cells_of(chosen) for r in read):
        return choice
    return replace(choice, confidence=max(choice.confidence, SETTLED), by_rule=True)


def _names_first(choice: RankedCandidates, tried: _Tried) -> RankedCandidates:
    """The candidate ahead that shows names where the best one is the same but for showing their key.

    Nobody who asks "which territories" means their keys, so that it is as likely as both.
    """
    engine, linking, proposals = tried.engine, tried.linking, tried.proposals
    best = choice.order[0]
    query = proposals[best].query
    named = shown_by_names(query, linking, engine.names, engine.planner)
    behind = choice.order[1:]
    found = named_among([proposals[i].query for i in behind], query, named, engine.planner)
    if proposals[best].source in GRAMMARS or named == query or found is None:
        return choice
    place = behind[found]
    scores = list(choice.scores)
    both = 1.0 + math.exp(scores[place] - scores[best])
    scores[place], scores[best] = scores[best], min(scores) - 1.0
    confidence = max(choice.confidence, min(choice.confidence * both, SETTLED))
    return replace(
        choice,
        order=(place, *(i for i in behind if i != place), best),
        scores=tuple(scores),
        confidence=confidence,
        by_rule=True,
        sure=choice.sure or confidence >= engine.ranking.alone.answers_from(linking),
    )


def _missing(linking: Linking, chosen: Proposal, engine: OfflineEngine) -> tuple[str, ...]:
    """The words that neither a ratio, period or duration nor anything else in the database accounts for."""
    ratio, period = asks_ratio(linking), asked_period(linking)
    told = engine.checked(chosen.query, linking).said_by_form | said_of_money(linking)
    told |= chosen.said | (said_of_lengths(linking) if chosen.source == "duration" else frozenset())
    said = told.union((ratio.place,) if ratio else (), period.places if period else ())
    left = Accounts(linking).left_over(chosen.query, said)
    return tuple(linking.tokens[i].text for i in left if linking.explained[i] < ACCOUNTED)


def _nothing(checked: Checked) -> bool:
    """True if a query gave no row, or nothing but nulls."""
    rows = checked.result.rows if checked.result else ()
    return not any(cell is not None for row in rows for cell in row)


def _rival(choice: RankedCandidates, checked: Sequence[Checked]) -> int | None:
    """The next candidate where it is close and its result differs, in more than how often it gives a row."""
    best = choice.order[0]
    for place in choice.order[1:3]:
        if choice.scores[best] - choice.scores[place] > CLOSE:
            return None
        one, other = checked[best].result, checked[place].result
        if one is not None and other is not None and cells_of(one) != cells_of(other):
            return place
    return None
