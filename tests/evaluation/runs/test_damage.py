"""Files of a run that were put together by hand, or broken: counted once, or refused with their line."""

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.command import Fathom
from tests.evaluation.runs.bench import QUESTIONS, make_benchmark
from tests.evaluation.runs.test_run import right

from fathom.errors import InputError
from fathom.evaluation.runs.folder import RECORDS
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import Run, evaluate

ALL = QUESTIONS + 1


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def run(tmp_path: Path, threads: Executor) -> Run:
    return evaluate(make_benchmark(tmp_path), right, RunOptions(out=tmp_path / "run", executor=threads))


def _lines(run: Run) -> list[bytes]:
    return (run.folder / RECORDS).read_bytes().splitlines(keepends=True)


def _again(run: Run, threads: Executor) -> Run:
    return evaluate(run.folder.parent / "genes.jsonl", right, RunOptions(out=run.folder, executor=threads))


def test_a_doubled_record_is_counted_once(run: Run, threads: Executor, fathom: Fathom) -> None:
    lines = _lines(run)
    other = json.loads(lines[3]) | {"outcome": "incorrect"}
    doubled = [*lines, lines[2], json.dumps(other).encode() + b"\n"]
    (run.folder / RECORDS).write_bytes(b"".join(doubled))
    assert run.summary().all["n"] == run.summary().all["correct"] == ALL
    assert [r.id for r in run.records()] == [json.loads(line)["id"] for line in lines]
    assert _again(run, threads).summary().all["n"] == ALL
    told = fathom("report", run.folder, "--out", run.folder.parent / "report.html")
    assert told.code == 0, told.err
    exported = run.folder.parent / "exported.jsonl"
    assert fathom("export", run.folder, "--as", "jsonl", "--out", exported).code == 0
    assert len(exported.read_text().splitlines()) == ALL


STRAY = '{"id": "nobody", "question": "?", "database": "x", "outcome": "correct"}'


@pytest.mark.parametrize("line", ['{"id": "nobody"}', '{"id": 7, "outcome": "correct"}', "[]", "\x00\x00"])
def test_a_line_that_is_no_record_is_refused_everywhere(
    run: Run, threads: Executor, fathom: Fathom, line: str
) -> None:
    (run.folder / RECORDS).write_bytes(b"".join([*_lines(run), line.encode() + b"\n"]))
    place = f"line {ALL + 1}"
    for read in (run.summary, lambda: list(run.records()), lambda: _again(run, threads)):
        with pytest.raises(InputError, match=place):
            read()
    for out in ("report.html", "report.csv"):
        told = fathom("report", run.folder, "--out", run.folder.parent / out)
        assert (told.code, place in told.err) == (1, True), told.err


def test_a_record_of_another_question_is_refused(run: Run, threads: Executor) -> None:
    lines = _lines(run)
    (run.folder / RECORDS).write_bytes(b"".join([*lines[:5], STRAY.encode() + b"\n", *lines[5:]]))
    with pytest.raises(InputError, match="line 6: is of a question 'nobody', which isn't asked here"):
        _again(run, threads)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"starts": "x"}, "its starts are no list of JSON objects"),
        ({"starts": ["x"]}, "its starts are no list of JSON objects"),
        ({"configuration": {"method": "m"}}, "its configuration has no benchmark"),
        ({"configuration": []}, "there is no configuration in it"),
    ],
)
def test_a_description_that_is_none_is_told(
    run: Run, threads: Executor, fathom: Fathom, content: dict[str, object], told: str
) -> None:
    file = run.folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | content))
    with pytest.raises(InputError, match=told):
        _again(run, threads)
    said = fathom("report", run.folder, "--out", run.folder.parent / "report.html")
    assert (said.code, told in said.err) == (1, True)
