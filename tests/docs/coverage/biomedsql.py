"""The figures of the page's rows for BiomedSQL, worked out from triples, tables and records by other code."""

import json
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb

from tests.docs.coverage.made_files import PUBLISHED
from tests.docs.coverage.people_work import DROPPED, SALES
from tests.docs.coverage.reading import (
    RowChecks,
    is_mean,
    is_p,
    is_share,
    lines,
    mcnemar,
    number,
    records,
    row,
    table,
    used,
)
from tests.evaluation import restated

CHECKS = RowChecks()
RUNS = ("baseline", "bmsql")


@cache
def _rows(sql: str, file: str = "kb.duckdb") -> tuple[tuple[str, ...], list[tuple[Any, ...]]] | None:
    """The columns and rows of a query over a knowledge base; None where it fails."""
    with duckdb.connect(file, read_only=True) as opened:
        try:
            found = opened.execute(sql)
            return tuple(d[0] for d in found.description or ()), found.fetchall()
        except duckdb.Error:
            return None


def _compared(table_: tuple[tuple[str, ...], list[tuple[Any, ...]]], by_uuid: bool) -> set[Any]:
    """What BiomedSQL compares of a result: its UUIDs, or its numbers."""
    columns, rows = table_
    if by_uuid:
        places = [i for i, name in enumerate(columns) if name.casefold() == "uuid"]
        return {r[places[0]] for r in rows} if places else set()
    return {
        float(f"{v:.8g}") for r in rows for v in r if isinstance(v, int | float) and not isinstance(v, bool)
    }


def _judged(record: Mapping[str, Any], file: str = "kb.duckdb") -> tuple[str, float]:
    """The outcome of a record's query and its Jaccard index, worked out anew."""
    ours, gold = _rows(record["sql"] or "", file) if record["sql"] else None, _rows(record["gold"][0], file)
    assert gold is not None
    if ours is None:
        return "error", 0.0
    by_uuid = any(name.casefold() == "uuid" for name in gold[0])
    first, second = _compared(ours, by_uuid), _compared(gold, by_uuid)
    if not by_uuid and not second and gold[1]:
        first, second = ({v for r in t[1] for v in r if v is not None} for t in (ours, gold))
    both = first | second
    return "correct" if first == second else "incorrect", len(first & second) / len(both) if both else 1.0


def _triples() -> list[dict[str, Any]]:
    return lines("triples/questions.jsonl")


@CHECKS.of("§4 knowledge base of ten tables, names and columns")
def ten_tables(shown: str) -> None:
    with duckdb.connect("kb.duckdb", read_only=True) as opened:
        names = opened.execute("SELECT table_name FROM information_schema.columns").fetchall()
        count = sum(
            opened.execute(f'SELECT COUNT(*) FROM "{n}"').fetchall()[0][0] for n in {n for (n,) in names}
        )
    assert f"tables of a database: {len(set(names))}\n" in shown
    assert f"columns of a database: {len(names)}\n" in shown
    assert f"rows of a database: {count:,}\n" in shown


@CHECKS.of("§4 scale: 104 M rows, streamed")
def scale(shown: str) -> None:
    with duckdb.connect("kb.duckdb", read_only=True) as opened:
        names = [n for (n,) in opened.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        count = sum(opened.execute(f'SELECT COUNT(*) FROM "{n}"').fetchall()[0][0] for n in names)
    assert f"rows: {count:,} of {count:,}" in shown


@CHECKS.of("§4 published Parquet files")
def parquet(_: str) -> None:
    with duckdb.connect("published.duckdb", read_only=True) as opened:
        for file in Path("parquet").glob("*.parquet"):
            told = opened.execute(f"SELECT COUNT(*) FROM '{file}'").fetchall()
            assert opened.execute(f'SELECT COUNT(*) FROM "{file.stem}"').fetchall() == told


def _plain(sql: str) -> str:
    """A query in BigQuery's form in plain SQL."""
    sql = re.sub(r"`[\w-]+\.\w+\.(\w+)`", r"\1", sql)
    return re.sub(r"SAFE_CAST\((\w+) AS FLOAT64\)", r"TRY_CAST(\1 AS DOUBLE)", sql)


@CHECKS.of("§4 BigQuery's dialect")
def translated(shown: str) -> None:
    predictions = json.loads(Path("published/predictions.json").read_text(encoding="utf-8"))
    right = 0
    for ours, gold in zip(predictions.values(), PUBLISHED.values(), strict=True):
        found = [_rows(_plain(sql)) for sql in (ours, gold)]
        right += found[0] == found[1]
    assert f"{right} of {len(PUBLISHED)}" in shown


@CHECKS.of("§4 published CSV of triples")
def published(shown: str) -> None:
    assert f"questions: {len(PUBLISHED)}\n" in shown
    words = fmean(len(q.split()) for q in PUBLISHED)
    told = re.search(r"words of a question: ([\d.]+)", shown)
    assert told
    assert abs(float(told[1]) - words) < 1.5


@CHECKS.of("§4.1 40 seed questions with gold")
def seeds(shown: str) -> None:
    assert f"templates: {len({t['template'] for t in _triples()})}\n" in shown


@CHECKS.of("§4.2 templates filled, run and worded")
def filled(shown: str) -> None:
    told = {one["id"]: one for one in lines("triples/results.jsonl")}
    for t in _triples():
        found = _rows(t["sql"])
        assert found is not None
        assert len(told[t["id"]]["rows"]) == len(found[1]), t
        assert t["answer"]
    assert f"triples: {len(told)}" in shown


@CHECKS.of("§4.1 two analysts review each query")
def reviewed(shown: str) -> None:
    decided = {one["id"]: one["decision"] for one in lines("triples-read/review.jsonl")}
    for one in lines("triple-readers-Ann.jsonl"):
        assert one["response"]["decision"] == ("drop" if len(one["question"]) % DROPPED == 0 else "keep")
    assert Counter(decided.values()) == Counter(
        one["response"]["decision"] for one in lines("triple-readers-Ann.jsonl")
    )
    assert f"{len(decided)} items written" in shown


def _told(shown: str, heading: str, name: str) -> int:
    section = shown.split(f"\n{heading}\n")[1].split("\n\n", maxsplit=1)[0]
    found = re.search(rf"^  {re.escape(name)} +([\d,]+) ", section, re.MULTILINE)
    return int(found[1].replace(",", "")) if found else 0


@CHECKS.of("Tab. 2 categories of SQL")
def sql_categories(shown: str) -> None:
    # Each is told from the query by a pattern; a threshold is a column held against a number.
    patterns = {
        "Distinct": r"\bDISTINCT\b", "Join": r"\bJOIN\b", "Order-By": r"\bORDER BY\b",
        "Threshold": r"(<=?|>=?|BETWEEN)\s*-?[\d.]",
    }  # fmt: skip
    for name, pattern in patterns.items():
        least = sum(bool(re.search(pattern, t["sql"], re.IGNORECASE)) for t in _triples())
        assert abs(_told(shown, "SQL category", name) - least) <= (8 if name == "Similarity Search" else 2), (
            name
        )


def _categories(*names: str) -> Counter[str]:
    return Counter(c for t in _triples() for c in t["category"] if c in names)


@CHECKS.of("Tab. 6 categories of biology", "§3 three categories of reasoning", "Fig. 2/4 distributions")
def other_categories(shown: str) -> None:
    biology = ("Approval Status", "Trial Phase", "GWAS Significance", "SMR Significance",
               "Functional Significance", "Effect", "Genetic Target", "Allele Frequency",
               "Metadata")  # fmt: skip
    counted = _categories(*biology, "implicit convention", "missing context", "multi-hop")
    for name, n in counted.items():
        heading = "biology category" if name in biology else "reasoning category"
        assert _told(shown, heading, name) == n, name
        assert f"{100 * n / len(_triples()):.1f}%" in shown
    # What the categories mean, by the text of the query.
    for t in _triples():
        assert ("Trial Phase" in t["category"]) <= ("hase" in t["sql"]), t
        assert ("SMR Significance" in t["category"]) <= ("p_SMR_multi" in t["sql"]), t
    longest = max(counted[n] for n in biology)
    bars = {n: len(re.search(rf"^  {n} +\d+ +[\d.]+% (█+)", shown, re.MULTILINE)[1]) for n in biology}  # type: ignore[index]
    assert all(abs(bars[n] - 24 * counted[n] / longest) <= 1 for n in biology)


@CHECKS.of("Tab. 1 statistics")
def statistics(shown: str) -> None:
    tokens = fmean(len(re.findall(r"'[^']*'|\"[^\"]*\"|[\w.]+|[^\s\w]", t["sql"])) for t in _triples())
    told = re.search(r"tokens of a gold query: ([\d.]+)", shown)
    assert told
    assert abs(float(told[1]) - tokens) <= 0.1 * tokens
    assert f"questions: {len(_triples())}\n" in shown


@CHECKS.of("Prompt 4, an answer from rows")
def worded(shown: str) -> None:
    kept = records("baseline")
    assert all(r["words"] for r in kept if r["rows"])
    assert all(used(r, "calls", "answering") == 1 for r in kept if r["words"])
    right = sum(_judged(r)[0] == "correct" for r in kept)
    assert re.search(rf"^correct .*{right} of {len(kept)}\)", shown, re.MULTILINE)


@CHECKS.of(
    "§5.1 eight variants of the prompt", "§5.1 ReAct", "§5.1 schema indexing", "§5.1 DAIL-SQL, adapted",
    "§5.1 BMSQL", "§6 two and three passes",
)  # fmt: skip
def grid(_: str) -> None:
    told = json.loads(Path("runs/biomed/comparison.json").read_text(encoding="utf-8"))["runs"]
    assert len(told) == 13
    for one in told.values():
        (record,) = lines(Path(one["folder"]) / "records.jsonl")
        assert one["correct"] == (_judged(record)[0] == "correct"), one["method"]
        calls = used(record, "calls")
        if one["method"] in (
            "baseline",
            "3-rows",
            "5-rows",
            "1-shot",
            "3-shot",
            "5-shot",
            "stat-instruct",
            "combo",
        ):
            assert calls == (2 if record["words"] else 1), one["method"]
        elif one["method"] == "bmsql":
            assert calls >= 4
        elif one["method"] == "bmsql-3":
            assert calls >= 5


def _outcomes(run: str) -> tuple[list[str], list[float]]:
    judged = [_judged(r) for r in records(run)]
    return [o for o, _ in judged], [j for _, j in judged]


def _scores(run: str, judge: str) -> list[float]:
    """BioScores of a run by the order of its records: the model's, or a person's."""
    if judge == "scores":
        told = {one["id"]: one["score"] for one in lines("scores.jsonl")}
    else:
        told = {one["id"]: one["score"] for one in lines(f"runs/{run}/judgements.jsonl")}
    return [float(told[r["id"]]) for r in records(run)]


def _judges(run: str, shown: str) -> list[str]:
    return [r["judge"] for r in table(shown, "As in BiomedSQL") if r["run"].endswith(run)]


@CHECKS.of("§5.2 EX", "§5.2 JAC", "§5.2 SER", "§5.2 BioScore, RQR, SR", "Tab. 3/4/5/8 in one table")
def one_table(shown: str) -> None:
    for run in RUNS:
        kept, (outcomes, jaccards) = records(run), _outcomes(run)
        for judge in _judges(run, shown):
            cells, scores = row(shown, "As in BiomedSQL", run, judge=judge), _scores(run, judge)
            below = [s for s in scores if s < 2]
            told = {
                "EX": outcomes.count("correct") / len(kept),
                "JAC": fmean(jaccards),
                "SER": outcomes.count("error") / len(kept),
                "RQR": sum(s >= 2 for s in scores) / len(kept),
                "SR": below.count(-1) / len(below) if below else None,
            }
            for name, value in told.items():
                assert cells[name] == ("–" if value is None else f"{100 * value:.1f}"), (run, judge, name)
            is_mean(cells["tokens"], [used(r, "tokens") for r in kept])
            is_share(row(shown, "Answers in words", run, judge=judge)["response quality rate (RQR)"],
                     sum(s >= 2 for s in scores), len(kept))  # fmt: skip


@CHECKS.of("Tab. 3 ± 95 %")
def intervals(shown: str) -> None:
    for run in RUNS:
        outcomes, _ = _outcomes(run)
        n, p, z = len(outcomes), outcomes.count("correct") / len(outcomes), 1.959964
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
        assert f"({100 * low:.1f} to {100 * high:.1f};" in row(shown, "Leaderboard", run)["correct (EX, CR)"]


@CHECKS.of("§5.1 expert baseline, a quiz")
def expert(_: str) -> None:
    kept = records("expert")
    right = [restated.bird("sales.sqlite", r["sql"], SALES[r["question"]]) for r in kept]
    assert [r["outcome"] == "correct" for r in kept] == right
    assert json.loads(Path("runs/expert/run.json").read_text(encoding="utf-8"))["label"] == "expert"


@CHECKS.of("Fig. 3 left: EX by category")
def ex_by_category(shown: str) -> None:
    letters = {r["run"].split(": ")[1]: r["run"][0] for r in table(shown, "Leaderboard")}
    of = {t["id"]: set(t["category"]) for t in _triples()}
    for kind in ("SQL category", "biology category", "reasoning category"):
        for cells in table(shown, f"Correct by {kind}"):
            for run in RUNS:
                letter = next(v for k, v in letters.items() if k.split(" ")[0] == run)
                kept = [r for r in records(run) if cells[kind] in of[r["id"]]]
                is_share(cells[letter], sum(_judged(r)[0] == "correct" for r in kept), len(kept))


@CHECKS.of("Fig. 3 right: RQR by category")
def rqr_by_category(shown: str) -> None:
    of = {t["id"]: set(t["category"]) for t in _triples()}
    for cells in table(shown, "Answers in words by SQL category"):
        run = next(r for r in RUNS if cells["run"].split(": ")[1].startswith(r))
        scores = [
            s for r, s in zip(records(run), _scores(run, cells["judge"]), strict=True)
            if cells["SQL category"] in of[r["id"]]
        ]  # fmt: skip
        is_share(cells["response quality rate (RQR)"], sum(s >= 2 for s in scores), len(scores))


def _tables(sql: str) -> set[str]:
    return set(re.findall(r"(?:FROM|JOIN)\s+\"?(\w+)", sql, re.IGNORECASE))


@CHECKS.of("Tab. 9 classes of errors")
def error_classes(shown: str) -> None:
    for run in RUNS:
        cells = row(shown, "Failures by BiomedSQL's classes", run)
        wrong = [r for r in records(run) if _judged(r)[0] != "correct"]
        assert int(cells["failures"]) == len(wrong)
        other = sum(bool(r["sql"]) and _tables(r["sql"]) != _tables(r["gold"][0]) for r in wrong)
        assert int(number(cells["incorrect tables"])) <= other + int(number(cells["syntax"]))


@CHECKS.of("Tab. 10 twenty tables")
def twenty(shown: str) -> None:
    ours = [o == "correct" for o, _ in (_judged(r) for r in records("baseline"))]
    theirs = [_judged(r, "kb20.duckdb")[0] == "correct" for r in records("twenty")]
    lost = sum(a > b for a, b in zip(ours, theirs, strict=True))
    won = sum(a < b for a, b in zip(ours, theirs, strict=True))
    told = re.search(
        r"([+-][\d.]+)% on (\d+) questions \((\d+) only the first, (\d+) only the second.*p = ([\d.]+)", shown
    )
    assert told, shown[:1500]
    assert (int(told[2]), int(told[3]), int(told[4])) == (len(ours), lost, won)
    is_p(told[5], mcnemar(lost, won))


def _contingency(shown: str, title: str) -> dict[str, list[int]]:
    return {r[next(iter(r))]: [int(v) for v in list(r.values())[2:]] for r in table(shown, title)}


@CHECKS.of("Fig. 5 heat maps")
def heat_maps(shown: str) -> None:
    columns = [-1, 0, 0.5, 1, 1.5, 2, 2.5, 3]
    outcomes, _ = _outcomes("baseline")
    scores = _scores("baseline", "scores")
    told = _contingency(shown, "EX against the BioScores of scores: baseline")
    for kind, counts in told.items():
        assert counts == [
            sum(o == kind and s == c for o, s in zip(outcomes, scores, strict=True)) for c in columns
        ]


def _v(first: Sequence[Any], second: Sequence[Any]) -> float | None:
    rows, columns = sorted(set(first)), sorted(set(second))
    if min(len(rows), len(columns)) < 2:
        return None
    n, pairs = len(first), Counter(zip(first, second, strict=True))
    chi = 0.0
    for a in rows:
        for b in columns:
            expected = first.count(a) * second.count(b) / n
            chi += (pairs[a, b] - expected) ** 2 / expected
    return math.sqrt(chi / n / (min(len(rows), len(columns)) - 1))


@CHECKS.of("A.7 Cramér's V")
def cramers_v(shown: str) -> None:
    for run in RUNS:
        for judge in _judges(run, shown):
            value = _v([o == "correct" for o in _outcomes(run)[0]], _scores(run, judge))
            cell = row(shown, "Judges, people and execution", run, of=f"EX and {judge}")["Cramér's V"]
            assert cell == ("–" if value is None else f"{value:.2f}"), (run, judge)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    return [order.index(v) + (order.count(v) + 1) / 2 for v in values]


@CHECKS.of("A.8/Tab. 7 the judge against an expert")
def judge_and_expert(shown: str) -> None:
    (judge,) = (j for j in _judges("baseline", shown) if j != "scores")
    ours, theirs = (_ranks(_scores("baseline", j)) for j in (judge, "scores"))
    means = fmean(ours), fmean(theirs)
    shared = sum((a - means[0]) * (b - means[1]) for a, b in zip(ours, theirs, strict=True))
    spread = math.sqrt(sum((a - means[0]) ** 2 for a in ours) * sum((b - means[1]) ** 2 for b in theirs))
    cell = row(shown, "Judges, people and execution", "baseline", of=f"{judge} and scores")["Spearman"]
    assert abs(float(cell) - shared / spread) < 0.0051


@CHECKS.of("Tab. 11 time and memory")
def time_and_memory(shown: str) -> None:
    for run in RUNS:
        kept = json.loads(Path("runs", run, "run.json").read_text(encoding="utf-8"))["starts"]
        cells = row(shown, "With which seed, when, and where", run)
        assert abs(number(cells["seconds"]) - sum(s["seconds"] for s in kept)) <= 0.06
        assert abs(number(cells["peak memory"]) - kept[-1]["peak_megabytes"]["own"]) <= 0.6
        is_mean(
            row(shown, "As in BiomedSQL", run, judge=_judges(run, shown)[0])["seconds"],
            [r["seconds"] for r in records(run)],
        )


@CHECKS.of("§7 SQLite")
def on_sqlite(shown: str) -> None:
    made = lines("triples-sqlite/questions.jsonl")
    assert f"templates: {len({t['template'] for t in made})}\n" in shown
    with closing(sqlite3.connect("file:kb.sqlite?mode=ro", uri=True)) as opened:
        counts = {t["id"]: len(opened.execute(t["sql"]).fetchall()) for t in made}
    assert counts == {one["id"]: len(one["rows"]) for one in lines("triples-sqlite/results.jsonl")}


@CHECKS.of("§5 a fixed sample of 546")
def fixed_sample(shown: str) -> None:
    drawn = lines("triples/sample.jsonl")
    assert f"sample {len(drawn)}" in shown
    everything = {json.dumps(t, sort_keys=True) for t in _triples()}
    assert {json.dumps(t, sort_keys=True) for t in drawn} <= everything
    assert len({t["id"] for t in drawn}) == len(drawn) == 12
