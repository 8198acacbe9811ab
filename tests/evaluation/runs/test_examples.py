"""Which solved questions a model is shown in a run, and what is said where there are none."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.evaluation.runs.bench import make_benchmark

from fathom.benchmarks import Benchmark, BenchmarkQuestion, load_benchmark
from fathom.errors import ConfigError
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.llm import ScriptedModel
from fathom.methods import find_method

SAME, GIVEN_AWAY = "How is gene 7 named?", "How is the first gene named?"
GIVEN_AWAY_ELSEWHERE = "How is the first of all named?"
OTHER = "How is drug 7 named?"


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    """The first question asks for gene 0. Training: the same database, the gold query, there and elsewhere,
    and another database."""
    loaded = load_benchmark(make_benchmark(tmp_path))
    first = replace(next(iter(loaded)), database_name="genes")

    def solved(text: str, sql: str, database: str) -> BenchmarkQuestion:
        return replace(first, text=text, gold=(sql,), database_name=database, id=text)

    def training() -> Iterator[BenchmarkQuestion]:
        yield solved(SAME, "SELECT name FROM gene WHERE id = 7", "genes")
        yield solved(GIVEN_AWAY, "select name  from gene where id = 0;", "genes")
        yield solved(GIVEN_AWAY_ELSEWHERE, "SELECT name FROM gene WHERE id = 0", "drugs")
        yield solved(OTHER, "SELECT name FROM drug WHERE id = 7", "drugs")

    def questions() -> Iterator[BenchmarkQuestion]:
        yield first

    return replace(loaded, read=questions, read_training=training)


def shown(benchmark: Benchmark, method: str, out: Path, **options: bool) -> tuple[str, str]:
    """The prompts of the first question, and the name that the run got."""
    model = ScriptedModel.of(rules={"": "SELECT name FROM gene WHERE id = 0"})
    run = evaluate(benchmark, method, RunOptions(model=model, limit=1, out=out, **options))  # type: ignore[arg-type]
    return "\n".join(model.prompts), run.summary().configuration["method"]


@pytest.mark.parametrize("method", ["dail-sql", "3-shot", "pet-sql", "e-sql"])
def test_shots_come_from_other_databases_unless_asked_for(
    benchmark: Benchmark, tmp_path: Path, method: str
) -> None:
    prompts, name = shown(benchmark, method, tmp_path / "other", with_examples=True)
    assert OTHER in prompts
    assert SAME not in prompts
    assert GIVEN_AWAY_ELSEWHERE not in prompts  # its query is gold
    assert name == method
    prompts, _ = shown(benchmark, method, tmp_path / "same", with_examples=True, same_database=True)
    assert SAME in prompts
    assert GIVEN_AWAY not in prompts  # likewise, in other letters
    assert GIVEN_AWAY_ELSEWHERE not in prompts


def test_a_run_without_shots_says_so_in_its_name(benchmark: Benchmark, tmp_path: Path) -> None:
    prompts, name = shown(benchmark, "dail-sql", tmp_path / "run")
    assert name == "dail-sql without examples"
    assert OTHER not in prompts
    only_same = replace(benchmark, read_training=lambda: iter(list(benchmark.read_training())[:2]))  # type: ignore[misc]
    _, name = shown(only_same, "dail-sql", tmp_path / "none", with_examples=True)
    assert name == "dail-sql without examples"


@pytest.mark.parametrize("method", ["1-shot", "3-shot", "5-shot"])
def test_methods_that_are_nothing_but_shots_are_refused_without(
    benchmark: Benchmark, tmp_path: Path, method: str
) -> None:
    with pytest.raises(ConfigError, match="--with-examples"):
        shown(benchmark, method, tmp_path / "run")


def test_methods_say_whether_they_show_examples() -> None:
    showing = {"dail-sql", "dail-sql-sc", "pet-sql", "rsl-sql", "e-sql", "opensearch-sql", "1-shot", "3-shot",
               "5-shot", "combo", "biomed-dail"}  # fmt: skip
    assert all(find_method(name).shows_examples for name in showing)
    assert not any(find_method(name).shows_examples for name in ("zero-shot", "baseline", "c3", "offline"))
