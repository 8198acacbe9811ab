"""Ten thousand mutations of the lists for each engine: what the guard lets through has no effect there."""

from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.databases.guard.canaries import files, picture
from tests.databases.guard.mutating import Mutator
from tests.databases.guard.tables import CALLED
from tests.databases.guard.test_fields import CASES
from tests.databases.guard.test_guard import cases, listed
from tests.sampling import Sample

from fathom.databases import Database
from fathom.errors import QueryError, QueryRefused
from fathom.records import Limits, Result

EXAMPLES, EACH = 100, 100
SMALL = Limits(seconds=0.3, rows=20, bytes=100_000)
# What only a file of the server's, or a table of secrets, holds.
SECRETS = ("root:x:0:0", "SCRAM-SHA-256$", "caching_sha2_password", "mysql_native_password")


def mutator_for(dialect: str) -> Mutator:
    """Of all honest queries and attacks on a dialect."""
    honest, attacks = (
        [str(sql) for name in ("shared", dialect) for _, sql in cases(kind, name)] + listed(more, dialect)
        for kind, more in (("allowed", "reads"), ("refused", "attacks"))
    )
    if dialect == "postgres":
        honest += CASES["allowed"]
        attacks += CASES["refused_always"] + CASES["refused_with_schema"]
    return Mutator(honest, attacks, dialect)


def test_mutations_that_pass_have_no_effect(database: Database, sample: Sample) -> None:
    mutator = mutator_for(database.dialect)
    before, there = picture(database), files()
    came: Counter[str] = Counter()
    examples = sample.times(EXAMPLES, 0.1)

    @seed(sample.weight("mutations"))
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(min_value=0, max_value=2**64))
    def judge(number: int) -> None:
        random = Random(number)
        passed = [sql for _ in range(EACH) if _judged(database, sql := mutator.make(random), came)]
        assert files() == there, passed
        if came["asked"] % 1000 == 0:
            assert picture(database) == before, passed

    judge()
    assert picture(database) == before
    assert came["asked"] >= examples * EACH * 0.99
    # Most mutations are no SQL, or are refused; enough have to be neither for this to be a test.
    # PostgreSQL runs 27 to 45 of a thousand: a sample of that size may well show 20.
    assert came["ran"] >= examples, came
    assert came["ran"] + came["failed"] >= 3 * examples, came
    assert came["refused"] >= 3 * examples, came


def _judged(database: Database, sql: str, came: Counter[str]) -> bool:
    """Have a statement judged, and run where it passes; whether it did."""
    came["asked"] += 1
    try:
        result = database.run(sql, SMALL)
    except QueryRefused as refused:
        came["no SQL" if refused.rule == "syntax" else "refused"] += 1
        return False
    except QueryError as error:
        # The engine knows of no such name, or the time was up; a call of the owner's would say so.
        if CALLED in str(error):
            pytest.fail(f"{sql!r} called the owner's function")
        came["failed"] += 1
        return True
    except Exception as error:
        error.add_note(f"The statement: {sql!r}")
        raise
    came["ran"] += 1
    _check_no_secret(result, sql)
    return True


def _check_no_secret(result: Result, sql: str) -> None:
    shown = repr(result.rows)
    for secret in SECRETS:
        if secret in shown and secret not in sql:
            pytest.fail(f"{sql!r} shows {secret!r}")
