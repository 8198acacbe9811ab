"""The rows of the measurement of methods: none stands twice under several names."""

from collections import Counter

from bench.methods import alike, named, trials
from bench.simulated.asking import Measured

from fathom.evaluation.metrics import Rate
from fathom.records import Usage


def measured(hits: int, tokens: int) -> Measured:
    return Measured(Rate(hits, 10), Usage(20, tokens, 5), Counter())


def test_methods_that_did_the_same_share_a_row() -> None:
    found = {"stat-instruct": measured(4, 90), "zero-shot": measured(4, 60), "baseline": measured(4, 90)}
    assert [names for names, _ in alike(found)] == [["zero-shot"], ["baseline", "stat-instruct"]]
    assert len(list(alike({**found, "baseline": measured(5, 90)}))) == 3


def test_shots_that_are_not_there_are_told_and_what_is_nothing_else_is_left_out() -> None:
    assert named("dail-sql") == "dail-sql without examples"
    assert named("mac-sql") == "mac-sql"
    tried = {t.name for t in trials()}
    assert {"dail-sql", "adaptive", "offline"} < tried
    assert not {"1-shot", "3-shot", "5-shot"} & tried
