"""Which candidate it is, and whether to answer at all."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fathom.offline.checks.account import ACCOUNTED, Accounts
from fathom.offline.checks.counted_things import counts_again
from fathom.offline.checks.leaves_out import leaves_name_out
from fathom.offline.checks.outcomes import outcomes_left
from fathom.offline.checks.passed_over import aims_passed_over, passed_over
from fathom.offline.checks.rules import AGAINST_GRAMMARS, CONTRADICTIONS, OVERLOOKED, SHORTFALLS
from fathom.offline.checks.takes_all import restricting_left
from fathom.offline.checks.trial_runs import Checked
from fathom.offline.disagreement import LIKELY, Learned, cells_of, speaks_against
from fathom.offline.engine import OfflineEngine
from fathom.offline.finishing.nobody import finds_nobody
from fathom.offline.finishing.shown_keys import named_among, shown_by_names
from fathom.offline.grammars.amounts import Amounts, adds_money, asked_money, said_of_money
from fathom.offline.grammars.asked_numbers import asked_units
from fathom.offline.grammars.durations import said_of_lengths
from fathom.offline.grammars.periods import asked_period
from fathom.offline.grammars.ratios import asks_ratio, is_sensible
from fathom.offline.grammars.sold import holds_lines, trade_verbs
from fathom.offline.linking import Linking, Span
from fathom.offline.proposals.proposals import GRAMMARS, STAND_IN, Proposal
from fathom.offline.queries.query import ColumnRef, Query, all_queries, mentioned_tables
from fathom.offline.ranking.choice import RankedCandidates
from fathom.offline.ranking.reranker import Reranker
from fathom.offline.roles.keys import SIDES, role_pairs
from fathom.offline.scores import weigh

UNLEARNED = 0.2
"""How sure to be of a ratio or period: not learned, but what ratios came to on BIRD's training questions."""
DOUBTED = 0.7
"""How sure to be at most of what falls short of its question: of 48 such best guesses on Spider's training
databases that would have been answered, by weights that never saw these, 34 were right."""
NEXT = 6
"""Likely candidates among which to look for one that passes over nothing."""
SETTLED = 0.9
"""How sure to be of a ratio or period that leaves nothing open and whose result is sensible. Of our questions
(bench/periods_and_shares.py) all 48 such were right that nothing was tuned on; of 33 asked to find faults,
29, before those were mended. The second is nearer to what strangers ask, so it is no surer than that."""
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
    """

    choice: RankedCandidates
    rival: int | None
    torn: bool = False


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
    learned = [i for i, p in enumerate(proposals) if p.source not in GRAMMARS] or range(len(proposals))
    weighed = weigh(engine, linking, [proposals[i] for i in learned], [checked[i] for i in learned])
    choice = weighed.choice if reranker is None else weighed.reranked(reranker)
    choice = _in_accord(_among_all(choice, learned, len(proposals)), proposals, linking, engine)
    solved = [
        i
        for i, left_out in zip(learned, weighed.left_out, strict=True)
        if solved_before(proposals[i]) and checked[i].error is None and not left_out
    ]
    if solved:  # that it says all is known: it was the answer to the same question
        return CandidateVerdict(
            _solved_first(choice, max(solved, key=lambda i: (proposals[i].similarity, -i))), None
        )
    torn: int | None = None
    before, less = choice, _says_less(proposals[choice.order[0]].query, linking, engine)
    choice = _with_grammars(engine, linking, choice, proposals, checked, plain=choice.sure and not less)
    stands_in = choice.sure and proposals[choice.order[0]].source in STAND_IN
    agrees = not less and not _is_at_odds(proposals[before.order[0]].query, linking, engine)
    learnt = Learned(weighed.choice, learned, before.order[0])
    heeded = stands_in and agrees and before.confidence >= LIKELY
    if heeded and speaks_against(learnt, choice.order[0], proposals, checked, linking):
        choice, torn = _doubted(choice, UNSUPPORTED), before.order[0]
    choice = _confirmed(choice, proposals, checked)
    first = proposals[choice.order[0]].query
    left = (*_period_left(first, linking), *_money_left(first, linking, engine.amounts))
    choice = _passing_over(choice, (*left, *_sales_left(first, linking, engine)), linking)
    choice = _names_first(choice, proposals, linking, engine)
    first = proposals[choice.order[0]].query
    if proposals[choice.order[0]].unmet and not engine.examples.solved:
        choice = _doubted(choice, DOUBTED)
    if leaves_name_out(first, linking, choice.missing):
        choice = _doubted(choice, UNLEARNED)
    said = engine.checked(first, linking).said_by_form
    known = said.union(_checked_elsewhere(linking, engine), *(range(*span) for span in told))
    # A grammar that settled a question has accounted for its words, though not for what it is about.
    over = aims_passed_over if proposals[choice.order[0]].settled else passed_over
    choice = _passing_over(
        choice, (*restricting_left(first, linking, said), *over(first, linking, known)), linking
    )
    if _says_less(first, linking, engine):
        choice = _doubted(choice, DOUBTED)
        choice = _passing_over(choice, _outcomes_left(first, linking, engine), linking, DOUBTED)
    return CandidateVerdict(choice, _rival(choice, checked) if torn is None else torn, torn=torn is not None)


def _with_grammars(
    engine: OfflineEngine,
    linking: Linking,
    choice: RankedCandidates,
    proposals: Sequence[Proposal],
    checked: Sequence[Checked],
    *,
    plain: bool,
) -> RankedCandidates:
    """The choice with what grammars make ahead; what stands in for what was learned unless it is `plain`."""
    for source in GRAMMARS:
        made = [
            i
            for i, p in enumerate(proposals)
            if p.source == source
            and checked[i].error is None
            and not engine.rules.says_any(AGAINST_GRAMMARS, engine.checked(p.query, linking))
        ]
        settled = any(proposals[i].settled for i in made)
        known = proposals[choice.order[0]]
        if made and not (source in STAND_IN and plain) and (settled or not known.settled):
            choice = _unlearned_first(engine, choice, made, proposals, checked)
            choice = replace(choice, missing=_missing(linking, proposals[choice.order[0]], engine))
    return choice


def _in_accord(
    choice: RankedCandidates, proposals: Sequence[Proposal], linking: Linking, engine: OfflineEngine
) -> RankedCandidates:
    """The likeliest candidate ahead that isn't at odds with the question, if possible one that passes over
    nothing; not sure where it isn't the first.

    Solved questions, and evidence that is only words, say more of what is meant than can be held against a
    query.
    """
    if engine.examples.solved or any(t.evidence for t in linking.tokens):
        return choice
    likely = ((i, proposals[i]) for i in choice.order if proposals[i].source not in GRAMMARS)
    agreeing = ((i, p.query) for i, p in likely if not _is_at_odds(p.query, linking, engine))
    first: int | None = None
    for place, query in islice(agreeing, NEXT):
        first = place if first is None else first
        if not engine.rules.says_any(OVERLOOKED, engine.checked(query, linking)):
            first = place
            break
    if first == choice.order[0]:
        return choice
    return _doubted(_put_first(choice, choice.order[0] if first is None else first), DOUBTED)


def _doubted(choice: RankedCandidates, most: float) -> RankedCandidates:
    """The choice as not sure, at most so much."""
    return replace(choice, sure=False, confidence=min(choice.confidence, most))


def _passing_over(
    choice: RankedCandidates, places: Sequence[int], linking: Linking, most: float = UNLEARNED
) -> RankedCandidates:
    """The choice as not sure, with the words at some places as missing; as it is where there are none."""
    if not places:
        return choice
    missing = dict.fromkeys((*choice.missing, *(linking.tokens[i].text for i in places)))
    return replace(_doubted(choice, most), missing=tuple(missing))


def _put_first(choice: RankedCandidates, first: int) -> RankedCandidates:
    """The choice with one candidate ahead of all others."""
    order = (first, *(i for i in choice.order if i != first))
    top = max(choice.scores) + 1.0
    scores = tuple(top if i == first else s for i, s in enumerate(choice.scores))
    return replace(choice, order=order, scores=scores)


def _is_at_odds(query: Query, linking: Linking, engine: OfflineEngine) -> bool:
    """True if a query says something else than its question."""
    return engine.rules.says_any(CONTRADICTIONS, engine.checked(query, linking))


def _says_less(query: Query, linking: Linking, engine: OfflineEngine) -> bool:
    """True if a query falls short of its question, or shows keys where rows have names."""
    return engine.rules.says_any(SHORTFALLS, engine.checked(query, linking))


def _outcomes_left(query: Query, linking: Linking, engine: OfflineEngine) -> tuple[int, ...]:
    """The places of verbs of how it went that a query passes over; solved questions say what these mean."""
    known = engine.examples.solved or not engine.rules.are_on("outcomes_left")
    return () if known else outcomes_left(query, linking, engine.planner)


def _checked_elsewhere(linking: Linking, engine: OfflineEngine) -> frozenset[int]:
    """The places of words for periods and for roles, "destination city", that have checks of their own."""
    period = asked_period(linking)
    sides = SIDES if role_pairs(engine.planner) else {}
    roles = (i for i, token in enumerate(linking.tokens) if token.lower in sides)
    return frozenset((*(period.places if period else ()), *roles))


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
    return replace(_put_first(choice, solved), confidence=confidence, sure=True)


def _unlearned_first(
    engine: OfflineEngine,
    choice: RankedCandidates,
    made: Sequence[int],
    proposals: Sequence[Proposal],
    checked: Sequence[Checked],
) -> RankedCandidates:
    """Ratios or periods ahead: data to learn from hold none, so their own order decides, not the ranker's."""
    best = sorted(made, key=lambda i: (_nothing(checked[i]), -proposals[i].score, i))
    rest = [i for i in choice.order if i not in best]
    top = max(choice.scores)
    scores = tuple(top + 1.0 - 0.5 * best.index(i) if i in best else s for i, s in enumerate(choice.scores))
    first = proposals[best[0]]
    result = checked[best[0]].result
    nobody = first.source == "hierarchy" and finds_nobody(first.query, result, engine)
    sure = first.settled and (nobody or is_sensible(first.query, result))
    confidence = SETTLED if sure else UNLEARNED
    return replace(choice, order=(*best, *rest), scores=scores, confidence=confidence, sure=sure)


def _confirmed(
    choice: RankedCandidates, proposals: Sequence[Proposal], checked: Sequence[Checked]
) -> RankedCandidates:
    """The choice as sure as a reading by rule where that is settled and gives the same rows."""
    chosen = checked[choice.order[0]].result
    read = (c.result for p, c in zip(proposals, checked, strict=True) if p.source in STAND_IN and p.settled)
    if chosen is None or not choice.sure or not any(r and cells_of(r) == cells_of(chosen) for r in read):
        return choice
    return replace(choice, confidence=max(choice.confidence, SETTLED))


def _names_first(
    choice: RankedCandidates, proposals: Sequence[Proposal], linking: Linking, engine: OfflineEngine
) -> RankedCandidates:
    """The candidate ahead that shows names where the best one is the same but for showing their key.

    Nobody who asks "which territories" means their keys, so that it is as likely as both.
    """
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
        sure=choice.sure or confidence >= engine.ranking.alone.answers_from(linking),
    )


def _period_left(query: Query, linking: Linking) -> tuple[int, ...]:
    """The place of the period that a question groups by and that a query has no place for."""
    period = asked_period(linking)
    if period is None or any(not isinstance(e, ColumnRef) for e in query.group):
        return ()
    named = period.named & {t.name for q in all_queries(query) for t in mentioned_tables(q)}
    return () if named else (period.places[0],)


def _money_left(query: Query, linking: Linking, amounts: Amounts) -> tuple[int, ...]:
    """The place of the word for money that a question asks for and that a query doesn't add up."""
    place = asked_money(linking)
    return () if place is None or adds_money(query, amounts) else (place,)


def _sales_left(query: Query, linking: Linking, engine: OfflineEngine) -> tuple[int, ...]:
    """The places of words that say that something was sold where a query looks at nothing that was.

    Where the question asks for units, their lines have to be looked at, and it has to be clear that it does.
    """
    lines = engine.amounts.lines
    verbs = trade_verbs(linking, lines, engine.names)
    units = asked_units(linking, engine.names, engine.amounts) if verbs else ()
    clear = all(m.sources for m in units) and not counts_again(query, linking, engine.planner)
    held = clear and holds_lines(query, engine.planner, lines, orders=not units)
    return () if held else tuple(verbs)


def _missing(linking: Linking, chosen: Proposal, engine: OfflineEngine) -> tuple[str, ...]:
    """The words that neither a ratio, period or duration nor anything else in the database accounts for."""
    ratio, period = asks_ratio(linking), asked_period(linking)
    told = engine.checked(chosen.query, linking).said_by_form | said_of_money(linking)
    told |= said_of_lengths(linking) if chosen.source == "duration" else frozenset()
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
