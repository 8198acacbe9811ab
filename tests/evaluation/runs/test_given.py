"""What a method is given: the questions' evidence or none, the whole schema or gold's."""

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.data import needed

from fathom.benchmarks import QuestionSelection
from fathom.databases import connect
from fathom.errors import ConfigError
from fathom.evaluation.runs.contrast import contrast
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import Run, evaluate
from fathom.methods import Context, Method, step
from fathom.records import Draft, Question
from fathom.reports.report_files import write_report


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def benchmark_file(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "g.sqlite") as made:
        made.execute("CREATE TABLE drug (id INTEGER PRIMARY KEY, name TEXT, dose REAL)")
        made.execute(
            "CREATE TABLE gene (id INTEGER PRIMARY KEY, drug_id INTEGER REFERENCES drug(id), chr TEXT)"
        )
        made.execute("CREATE TABLE note (text TEXT)")
    made.close()
    golds = ["SELECT name FROM drug", "SELECT d.name FROM gene g JOIN drug d ON g.drug_id = d.id",
             "SELECT COUNT(*) FROM note"]  # fmt: skip
    lines = [
        {"id": f"q{i}", "question": "?", "database": "g.sqlite", "gold": [sql], "evidence": "dose is in mg"}
        for i, sql in enumerate(golds)
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return tmp_path / "own.jsonl"


SEEN: dict[str, tuple[str, dict[str, list[str]], int]] = {}


@step("generation")
async def look(draft: Draft, context: Context) -> Draft:
    schema = context.database.schema
    tables = {t.name: [c.name for c in t.columns] for t in schema.tables}
    SEEN[draft.question.id] = draft.question.evidence, tables, len(schema.foreign_keys)
    await context.run("SELECT COUNT(*) FROM drug")
    return Draft(**{name: getattr(draft, name) for name in draft.__dataclass_fields__} | {"sql": "SELECT 1"})


def test_a_method_sees_what_the_options_say(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    method = Method("looking", (look,))
    evaluate(benchmark_file, method, RunOptions(out=tmp_path / "whole", executor=threads))
    assert {e for e, _, _ in SEEN.values()} == {"dose is in mg"}
    assert all(set(tables) == {"drug", "gene", "note"} for _, tables, _ in SEEN.values())
    run = evaluate(
        benchmark_file,
        method,
        RunOptions(out=tmp_path / "gold", executor=threads, evidence="none", schema="gold"),
    )
    assert SEEN == {
        "q0": ("", {"drug": ["name"]}, 0),
        "q1": ("", {"drug": ["id", "name"], "gene": ["drug_id"]}, 1),
        "q2": ("", {"note": ["text"]}, 0),
    }
    settings = json.loads((run.folder / "run.json").read_text())["configuration"]["settings"]
    assert (settings["evidence"], settings["schema"]) == ("none", "gold")
    assert {r.evidence for r in run.records()} == {"dose is in mg"}


def test_only_methods_read_schemas(benchmark_file: Path, tmp_path: Path) -> None:
    def plain(question: Question) -> str:
        return f"SELECT '{question.evidence}'"

    with pytest.raises(ConfigError, match="gold schema"):
        evaluate(benchmark_file, plain, RunOptions(out=tmp_path / "run", schema="gold"))


def test_a_narrowed_database_runs_queries_and_leaves_the_whole_as_it_was(benchmark_file: Path) -> None:
    with connect(benchmark_file.parent / "g.sqlite") as whole:
        whole.profile()
        narrow = whole.narrowed({"drug": ["name"]})
        assert [c.name for c in narrow.schema.table("drug").columns] == ["name"]
        assert set(narrow.profile()) == {"drug"}
        assert narrow.run("SELECT COUNT(*) FROM note").rows == ((0,),)
        assert len(whole.schema.tables) == 3
        assert narrow.fingerprint != whole.fingerprint
        assert "note" in whole.profile()


def test_the_same_questions_are_asked_of_another_database(
    benchmark_file: Path, tmp_path: Path, threads: Executor
) -> None:
    other = tmp_path / "more.sqlite"
    with sqlite3.connect(benchmark_file.parent / "g.sqlite") as here, sqlite3.connect(other) as there:
        here.backup(there)
        there.execute("CREATE TABLE dose (id INTEGER PRIMARY KEY)")
        there.execute("INSERT INTO note VALUES ('first')")
    here.close()
    there.close()
    options: dict[str, Any] = {"executor": threads}
    own = evaluate(benchmark_file, "offline", RunOptions(out=tmp_path / "own", **options))
    SEEN.clear()
    looking = RunOptions(out=tmp_path / "looking", on=str(other), **options)
    evaluate(benchmark_file, Method("looking", (look,)), looking)
    assert all("dose" in tables for _, tables, _ in SEEN.values())
    counting = lambda _: "SELECT COUNT(*) FROM note"  # noqa: E731, gold's own, whose result the database decides
    rows: list[list[object]] = []
    for on in ("", str(other)):
        run = evaluate(benchmark_file, counting, RunOptions(out=tmp_path / f"c{len(rows)}", on=on, **options))
        rows.append([r.rows.rows[0][0] for r in run.records() if r.id == "q2" and r.rows])
    assert rows == [[0], [1]]
    moved = evaluate(benchmark_file, "offline", RunOptions(out=tmp_path / "moved", on=str(other), **options))
    assert contrast([own.folder, moved.folder]).pairs[0].correct.n == 3


def test_the_gap_is_a_figure(tmp_path: Path, threads: Executor) -> None:
    """The offline method on some of BIRD's questions: with evidence, without, with the gold schema."""
    bird = needed("bird")
    choice = QuestionSelection(databases=("financial",), sample=12, seed=1)

    def run(name: str, **options: Any) -> Run:
        return evaluate(
            bird,
            "offline",
            RunOptions(split="dev", choice=choice, out=tmp_path / name, executor=threads, **options),
        )

    runs = [run("given"), run("none", evidence="none"), run("gold", schema="gold")]
    found = contrast([r.folder for r in runs])
    assert len(found.pairs) == 3
    write_report([r.folder for r in runs], tmp_path / "r.md")
    page = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "### Evidence: the gap" in page
    assert "### Gold schema: the gap" in page
