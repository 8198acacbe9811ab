"""What voting, repair, unit tests and the do-no-harm rule are for, each apart, over a simulated model."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random

from bench.figures import Figure
from bench.methods import sample
from bench.simulated.asking import Measured, Trial, ask_all
from bench.simulated.corrupting import SYNTAX_ERRORS
from fathom.methods import Context, Method, MethodStep, find_method, step
from fathom.nl2sql.candidates import revise
from fathom.nl2sql.published.biomedsql import write_by_house_rules
from fathom.nl2sql.published.dail_sql import continue_after_pairs
from fathom.nl2sql.published.gsr import GSR
from fathom.nl2sql.published.mac_sql import refine_by_execution
from fathom.nl2sql.result_vote import vote_by_result
from fathom.nl2sql.unit_tests import choose_by_unit_tests
from fathom.records import Draft

TITLE = "What voting, repair, unit tests and doing no harm give"
MODELS = "simulated"
SAMPLE = {"geoquery": 40, "sql-eval": 40, "spider": 40}
CHANCES = (0.3, 0.5, 0.7, 0.9)
SAMPLES = (1, 3, 5, 7)
WORTH_VOTING = 0.5
"""Where most replies are wrong, their wrong results may win."""
CANDIDATES = 6
SHARES = (SYNTAX_ERRORS, 0.3, 0.6, 1.0)
REPAIRED_AT = 0.5
Found = Mapping[tuple[str, float], Measured]


@step("revision")
async def choose_at_random(draft: Draft, context: Context) -> Draft:
    """Any of the candidates: what a choice is held against."""
    queries = [c.sql for c in draft.candidates]
    return revise(draft, Random(draft.question.text).choice(queries)) if queries else draft


CHOICES: Mapping[str, tuple[MethodStep, ...]] = {
    "the first": (),
    "one at random": (choose_at_random,),
    "the vote": (vote_by_result,),
    "unit tests": (choose_by_unit_tests,),
}
REVISIONS = {
    "gsr, its last rewrite always": GSR,
    "gsr, its last rewrite only of what failed or gave nothing": replace(
        GSR, steps=tuple(s.using(always=False) if s.name == "rewrite_with_result" else s for s in GSR.steps)
    ),
    "adaptive": find_method("adaptive"),
}


def measure() -> Iterable[Figure]:
    picks = list(sample(SAMPLE))
    found = ask_all(picks, trials)
    told = f"{len(picks)} questions of {len({q.database for q, _ in picks})} databases"
    yield from _votes(found, told)
    yield from _repairs(found)
    yield from _choices(found)
    yield from _harm(found)


def trials() -> Iterator[Trial]:
    """One for each number of samples, share of syntax errors, way to choose and way to revise.

    Errors are independent but for the last: a vote over errors that all agree could win nothing.
    """
    for p in CHANCES:
        for n in SAMPLES:
            method = Method("", (_sampled(n), vote_by_result))
            yield Trial(f"vote of {n}", method, p, certainty=None)
        for name, choosing in CHOICES.items():
            yield Trial(name, Method("", (_sampled(CANDIDATES), *choosing)), p, certainty=None)
        for name, method in REVISIONS.items():
            yield Trial(name, method, p)
    for share in SHARES:
        for name, mending in {
            "as written": (),
            "repaired": (refine_by_execution.using(only_errors=True),),
        }.items():
            method = Method("", (write_by_house_rules, *mending))
            yield Trial(f"{name}, {share}", method, REPAIRED_AT, certainty=None, syntax_errors=share)


def _sampled(samples: int) -> MethodStep:
    return continue_after_pairs.using(samples=samples, temperature=1.0)


def _votes(found: Found, told: str) -> Iterator[Figure]:
    for p in CHANCES:
        rights = [found[f"vote of {n}", p].right for n in SAMPLES]
        yield Figure(
            f"self-consistency at p = {p}, {', '.join(map(str, SAMPLES))} samples",
            ", ".join(f"{r.value:.0%}" for r in rights),
            "the last above the first" if p >= WORTH_VOTING else "",
            rights[-1].hits > rights[0].hits if p >= WORTH_VOTING else None,
            f"independent errors; {told}" if p == CHANCES[0] else "",
        )


def _repairs(found: Found) -> Iterator[Figure]:
    for share in SHARES:
        written, repaired = (found[f"{name}, {share}", REPAIRED_AT] for name in ("as written", "repaired"))
        mended = repaired.revision.error_to_correct
        yield Figure(
            f"repair at p = {REPAIRED_AT}, {share:.0%} of errors of syntax: without, with",
            f"{written.right.value:.0%}, {repaired.right.value:.0%}",
            "not fewer with",
            repaired.right.hits >= written.right.hits,
            f"E2C {mended.hits}/{mended.trials}, C2I {repaired.revision.correct_to_incorrect.hits}; "
            f"{repaired.calls:.1f} calls",
        )


def _choices(found: Found) -> Iterator[Figure]:
    for p in CHANCES:
        rights = {name: found[name, p].right for name in CHOICES}
        tested = rights["unit tests"].hits
        yield Figure(
            f"choosing among {CANDIDATES} at p = {p}: {', '.join(CHOICES)}",
            ", ".join(f"{r.value:.0%}" for r in rights.values()),
            "tests above first and random",
            tested > max(rights["the first"].hits, rights["one at random"].hits),
            f"unit tests: {found['unit tests', p].calls:.1f} calls",
        )


def _harm(found: Found) -> Iterator[Figure]:
    for name in REVISIONS:
        parts, harmed, right = [], 0, 0
        for p in CHANCES:
            revision = found[name, p].revision
            harmed += revision.correct_to_incorrect.hits + revision.correct_to_error.hits
            right += revision.pre.hits
            gain = "none" if revision.gain is None else f"{revision.gain:+.0%}"
            parts.append(f"p = {p}: CI {gain}, C2I {revision.correct_to_incorrect.hits}/{revision.pre.hits}")
        ours = name == "adaptive"
        yield Figure(
            f"right queries broken, {name}",
            f"{harmed}/{right}",
            "0" if ours else "",
            harmed == 0 if ours else None,
            "; ".join(parts),
        )
