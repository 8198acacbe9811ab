import json
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.benchmarks import QuestionSelection, load_benchmark
from fathom.evaluation.runs.replay import replay
from fathom.evaluation.scoring import Score, ScoreOptions, score, score_files
from tests.disks import FULL, fill, small_disk
from tests.evaluation.scoring.conftest import RIGHT, by_position, lines, made

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"
FLOOD = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 10000000) SELECT i FROM r"


def judged(bench: Path, predictions: dict[str, str], **options: Any) -> tuple[Score, dict[str, Any]]:
    file = lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in predictions.items()])
    details = bench.parent / "details.jsonl"
    total = score(bench, file, ScoreOptions(**options), details=details)
    told = [json.loads(line) for line in details.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in told] == [q.id for q in load_benchmark(bench)]
    assert total.correct + total.incorrect + total.error == total.n
    assert total.n + total.unjudged.total() == total.asked == len(told)
    return total, {line["id"]: line for line in told}


@pytest.mark.parametrize("comparison", ["bird", "spider", "sql_eval", "semantic"])
def test_right_predictions_are_right(bench: Path, comparison: str) -> None:
    total, told = judged(bench, RIGHT, comparison=comparison)
    assert (total.correct, total.vacuous) == (5, 1)
    assert {line["verdict"] for line in told.values()} == {"exact"}


@pytest.mark.parametrize(
    ("sql", "outcome", "error_class", "text"),
    [
        ("SELECT 7", "incorrect", None, ""),
        ("SELEC 1", "error", "syntax_error", "syntax"),
        ("SELECT x FROM nowhere", "error", "no_such_table_or_column", "nowhere"),
        ("SELECT nope(1)", "error", "no_such_function", "nope"),
        ("DELETE FROM t", "error", "other", "Refused"),
        ("DROP TABLE t", "error", "other", "Refused"),
        ("SELECT 1; DELETE FROM t", "error", "other", "Refused"),
        (ENDLESS, "error", "timeout", "stopped after 1 s"),
        (FLOOD, "incorrect", None, ""),
        ("", "error", "missing", "empty"),
    ],
)
def test_each_failure_has_its_own_outcome_and_nothing_else_is_lost(
    bench: Path, sql: str, outcome: str, error_class: str | None, text: str
) -> None:
    before = (bench.parent / "t.sqlite").read_bytes()
    # q2's gold is empty: what deletes the rows would agree with it in the reference.
    seconds = 1.0 if sql == ENDLESS else 60.0
    total, told = judged(bench, RIGHT | {"q2": sql}, comparison="bird", timeout=seconds)
    assert told["q2"]["outcome"] == outcome
    assert told["q2"].get("error_class") == error_class
    assert text in told["q2"]["error"]
    assert total.correct == 4
    assert (bench.parent / "t.sqlite").read_bytes() == before


def test_what_is_missing_or_belongs_nowhere_is_told_instead_of_shifting(bench: Path) -> None:
    partial = {k: v for k, v in RIGHT.items() if k != "q1"} | {"q9": "SELECT 1"}
    total, told = judged(bench, partial)
    assert (total.correct, total.missing) == (4, 1)
    assert "no prediction" in told["q1"]["error"]
    assert "q9" in total.problems[0]


def test_replies_with_fences_are_told(bench: Path) -> None:
    fenced = {k: f"Here it is:\n```sql\n{v}\n```" for k, v in RIGHT.items() if k != "q1"}
    total, _ = judged(bench, fenced | {"q1": RIGHT["q1"]})
    assert total.correct == 1
    assert "4 predictions are replies with Markdown fences" in total.problems[0]
    assert judged(bench, RIGHT)[0].problems == []


def test_the_order_of_a_file_with_ids_does_not_matter(bench: Path) -> None:
    assert judged(bench, dict(reversed(RIGHT.items())))[0].correct == 5


def test_a_malformed_line_costs_one_question(bench: Path) -> None:
    file = lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in RIGHT.items()])
    content = file.read_text().splitlines()
    content[2] = content[2][:-1]
    file.write_text("\n".join(content))
    details = bench.parent / "d.jsonl"
    assert score(bench, file, details=details).correct == 4
    assert "line 3 is not valid JSON" in json.loads(details.read_text().splitlines()[2])["error"]


def bird_folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / "dev_databases" / name).mkdir(parents=True)
        made(tmp_path / "dev_databases" / name / f"{name}.sqlite")
    questions = [
        {"question_id": 90 + i, "db_id": name, "question": "?", "SQL": f"SELECT {i}"}
        for i, name in enumerate("ab")
    ]
    (tmp_path / "dev.json").write_text(json.dumps(questions), encoding="utf-8")
    return tmp_path


def test_bird_files_pair_by_key_whatever_their_order(tmp_path: Path) -> None:
    folder, mark = bird_folder(tmp_path), "\t----- bird -----\t"
    file = tmp_path / "p.json"
    file.write_text(json.dumps({"1": f"SELECT 1{mark}b", "0": f"SELECT 0{mark}a"}))
    assert score(folder, file).correct == 2
    file.write_text(json.dumps({"0": f"SELECT 0{mark}b", "1": f"SELECT 1{mark}a"}))
    shifted = score(folder, file)
    assert (shifted.correct, shifted.error) == (0, 2)


def test_gold_that_fails_is_told_for_every_file(tmp_path: Path) -> None:
    """Also of questions that a file has no prediction for, or one that fails."""
    made(tmp_path / "t.sqlite")
    golds = {"good": "SELECT 1", "broken": "SELECT nope", "none": "SELECT 2"}
    entry = {"question": "?", "database": "t.sqlite"}
    bench = lines(tmp_path / "own.jsonl", [entry | {"id": k, "gold": [sql]} for k, sql in golds.items()])
    fails = lines(tmp_path / "a.jsonl", [{"id": k, "sql": "SELECT x"} for k in ("good", "broken")])
    works = lines(tmp_path / "b.jsonl", [{"id": "good", "sql": "SELECT 1"}])
    for total, right in zip(score_files(bench, [fails, works]), (0, 1), strict=True):
        assert (total.asked, total.n, total.correct, total.missing) == (3, 2, right, 1)
        assert total.unjudged == {"gold": 1}
    assert score(bench, works).unjudged == {"gold": 1}


@pytest.mark.parametrize("kind", ["txt", "json"])
def test_predictions_by_position_stay_with_their_questions(tmp_path: Path, kind: str) -> None:
    """Whatever part of the questions is asked, in which order the file has them, and for a run too."""
    file = by_position(tmp_path, kind)
    for choice, asked in (
        (QuestionSelection(databases=("b",)), 20),
        (QuestionSelection(ids=("91", "125")), 2),
        (QuestionSelection(sample=7, seed=4), 7),
        (QuestionSelection(databases=("a",), sample=9), 9),
        (QuestionSelection(limit=3), 3),
    ):
        total = score(tmp_path, file, ScoreOptions(choice=choice))
        assert (total.asked, total.correct, total.problems) == (asked, asked, [])
        part = load_benchmark(tmp_path).only(choice)
        answers = replay(part, file)
        assert [answers(q.question).sql for q in part] == [q.gold[0] for q in part]


def test_unanswerable_questions_are_right_when_declined(tmp_path: Path) -> None:
    entry = {"id": "a", "question": "?", "database": "x", "gold": [], "answerable": False}
    bench = lines(tmp_path / "own.jsonl", [entry, entry | {"id": "b"}])
    file = lines(tmp_path / "p.jsonl", [{"id": "a", "sql": ""}, {"id": "b", "sql": "SELECT 1"}])
    total = score(bench, file)
    assert (total.correct, total.incorrect) == (1, 1)


@pytest.mark.parametrize("harm", ["missing", "corrupt", "locked"])
def test_a_database_that_cannot_be_used_is_told(bench: Path, harm: str) -> None:
    file = bench.parent / "t.sqlite"
    holder = sqlite3.connect(file)
    if harm == "missing":
        file.unlink()
    elif harm == "corrupt":
        file.write_bytes(file.read_bytes()[:60] + b"\xff" * 8000)
    else:
        holder.execute("BEGIN EXCLUSIVE")
    total, told = judged(bench, RIGHT, timeout=1.0)
    holder.close()
    assert (total.correct, total.n, total.asked) == (0, 0, 5)
    assert all(line["error"] for line in told.values())
    # What opens and can't be read fails its queries; gold's fault it is either way.
    assert set(total.unjudged) <= {"database", "gold"}


def test_a_full_disk_loses_details_and_not_the_score(bench: Path) -> None:
    file = lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in RIGHT.items()])
    total = score(bench, file, details="/dev/full")
    assert total.correct == 5
    assert "No space left" in total.problems[0]


def test_details_are_there_whole_or_not_at_all(bench: Path, tmp_path: Path) -> None:
    file = lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in RIGHT.items()])
    details = tmp_path / "d.jsonl"
    details.write_text("of before\n")

    def stop(done: int) -> None:
        assert details.read_text() == "of before\n"
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score(bench, file, ScoreOptions(watch=stop), details=details)
    assert details.read_text() == "of before\n"
    assert not list(tmp_path.glob(".d.jsonl*"))
    score(bench, file, details=details)
    assert len(details.read_text().splitlines()) == 5


def test_a_disk_that_is_full_keeps_earlier_details(bench: Path) -> None:
    file = lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in RIGHT.items()])
    with small_disk(bench.parent / "disk") as disk:
        details = disk / "d.jsonl"
        details.write_text("of before\n")
        fill(disk)
        total = score(bench, file, details=details)
        assert total.correct == 5
        assert total.problems == [f"the details can't be written to {details}: {FULL}"]
        assert details.read_text() == "of before\n"


def kill_workers(until: threading.Event) -> None:
    """Kill scoring processes a second after they were first seen, as an out-of-memory killer would."""
    seen: dict[int, float] = {}
    while not until.is_set():
        for process in Path("/proc").glob("[0-9]*"):
            try:
                parent = int(process.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1])
                command = process.joinpath("cmdline").read_bytes()
            except OSError:
                continue
            if parent != os.getpid() or b"fathom.evaluation.scoring.worker" not in command:
                continue
            pid = int(process.name)
            if time.monotonic() - seen.setdefault(pid, time.monotonic()) > 1:
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def test_a_prediction_that_crashes_its_process_is_found_out(bench: Path) -> None:
    """The endless query is killed from outside twice; the others get their outcomes all the same."""
    done = threading.Event()
    killer = threading.Thread(target=kill_workers, args=(done,))
    predictions = RIGHT | {"q1": ENDLESS}
    file = lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in predictions.items()])
    details = bench.parent / "details.jsonl"
    killer.start()
    try:
        total = score(bench, file, ScoreOptions(timeout=20.0, workers=1), details=details)
    finally:
        done.set()
        killer.join()
    told = [json.loads(line) for line in details.read_text().splitlines()]
    assert told[1]["error_class"] == "crash"
    assert total.n == 5


def test_several_candidates_give_pass_at_k(bench: Path) -> None:
    entries = [{"id": k, "candidates": ["SELECT 'x'", v]} for k, v in RIGHT.items()]
    total = score(bench, lines(bench.parent / "p.jsonl", entries))
    assert (total.correct, total.pass_at[1], total.pass_at[5]) == (0, 0, 5)


def test_several_files_are_scored_together(bench: Path) -> None:
    first = lines(bench.parent / "a.jsonl", [{"id": k, "sql": v} for k, v in RIGHT.items()])
    second = lines(bench.parent / "b.jsonl", [{"id": k, "sql": RIGHT["q0"]} for k in RIGHT])
    sheets = [bench.parent / "a.out", bench.parent / "b.out"]
    assert [s.correct for s in score_files(bench, [first, second], details=sheets)] == [5, 1]
    assert len(sheets[1].read_text().splitlines()) == 5


@pytest.mark.parametrize("make", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_runs_the_scoring(bench: Path, make: Callable[[int], Executor]) -> None:
    with make(2) as executor:
        total, _ = judged(bench, RIGHT | {"q1": ENDLESS}, executor=executor, timeout=1.0)
    assert (total.correct, total.errors["timeout"]) == (4, 1)


def test_efficiency_counts_wrong_predictions_as_zero(bench: Path) -> None:
    gold = [{"id": q.id, "sql": q.gold[0]} for q in load_benchmark(bench)]
    total = score(bench, lines(bench.parent / "p.jsonl", gold), ScoreOptions(ves=True))
    assert (total.ves, total.r_ves) == (100.0, 100.0)
    gold[0]["sql"] = "SELECT 'wrong'"
    total = score(bench, lines(bench.parent / "p.jsonl", gold), ScoreOptions(ves=True))
    assert (total.ves, total.r_ves) == (80.0, 80.0)
    assert score(bench, bench.parent / "p.jsonl").ves is None


def test_gold_written_otherwise_loses_no_reward(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal queries take times that differ by chance alone; VES shows that, R-VES doesn't."""
    random = Random(7)
    monkeypatch.setattr("fathom.evaluation.timing.seconds_of", lambda *_: 0.01 + random.expovariate(1e4))
    written = [{"id": q.id, "sql": f"select * from ({q.gold[0]}) as same"} for q in load_benchmark(bench)]
    total = score(bench, lines(bench.parent / "p.jsonl", written), ScoreOptions(ves=True))
    assert (total.correct, total.r_ves) == (5, 100.0)
    assert total.ves == pytest.approx(100, abs=2)
    assert total.ves != 100.0


def test_a_call_that_nothing_interrupts_costs_its_limit_and_a_second(bench: Path) -> None:
    deaf = (
        "WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 9000),"
        f" b AS (SELECT group_concat('{'a' * 999}', '') AS s FROM r)"
        " SELECT instr(s, substr(s, 1, 1000000) || 'b') FROM b"
    )
    started = time.monotonic()
    total, told = judged(bench, RIGHT | {"q1": deaf}, comparison="bird", timeout=1.0, workers=1)
    # Together with others it is tried once more, alone, before it is blamed.
    assert time.monotonic() - started < 10
    assert told["q1"]["error_class"] == "timeout"
    assert "after 1 s" in told["q1"]["error"]
    assert total.correct == 4
