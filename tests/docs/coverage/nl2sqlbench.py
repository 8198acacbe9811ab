"""The figures of the page's rows for NL2SQLBench, worked out from records and files by other code."""

import json
import re
import sqlite3
import tomllib
from collections import Counter
from contextlib import closing
from pathlib import Path
from statistics import fmean

from tests.data import DATA, ROOT
from tests.docs.coverage.reading import (
    FINANCIAL,
    RowChecks,
    before,
    bird,
    final,
    first,
    groups,
    is_mean,
    is_p,
    is_rates,
    is_share,
    lines,
    mcnemar,
    number,
    outcome,
    predicted,
    read_by,
    records,
    row,
    selection_scores,
    table,
    used,
)

CHECKS = RowChecks()
LEVELS = ("simple", "moderate", "challenging")
_ABSENT = re.compile(r"no such (column|table)|ambiguous column")


@CHECKS.of(
    "§3.1.1 precision, recall and F1 of tables and of columns", "Tab. 4, 12-14 table of schema selection"
)
def selection(shown: str) -> None:
    for run, of in (("mac", "mac-sql"), ("offline", "offline")):
        cells = row(shown, "Schema selection", of)
        kept = records(run)
        scores = [selection_scores(r) for r in kept]
        for name in scores[0]:
            is_mean(cells[name], [s[name] for s in scores], percent=True)
        is_mean(cells["calls"], [used(r, "calls", "selection") for r in kept])
        is_mean(cells["prompt tokens"], [used(r, "prompt_tokens", "selection") for r in kept])


@CHECKS.of("§3.2 gold schema from gold SQL", "§3.2 collecting agent: JSON of each question")
def exported(shown: str) -> None:
    kept = {r["id"]: r for r in records("mac")}
    files = {f.stem: json.loads(f.read_text(encoding="utf-8")) for f in Path("records").glob("*.json")}
    assert files.keys() == kept.keys()
    for name, nodes in files.items():
        real = next(n["real_schema"] for n in nodes if "real_schema" in n)
        tables, columns = read_by(bird()[name]["SQL"])
        assert {t.casefold() for t in real} == tables
        assert {f"{t}.{c}".casefold() for t, listed in real.items() for c in listed} == columns
        calls = sum(n.get("llm_calls") or 0 for n in nodes)
        assert calls == used(kept[name], "calls")
        assert str(calls) in shown


def dail_outcomes() -> dict[str, str]:
    asked = {i: q for i, q in bird().items() if q["db_id"] == "financial"}
    queries = predicted("dev/DAILSQL.sql")
    return {i: outcome(queries[i], q["SQL"]) for i, q in asked.items()}


@CHECKS.of("§3.1.2 CR, IR, ER")
def outcomes(shown: str) -> None:
    counted = Counter(dail_outcomes().values())
    told = re.search(r"(\d+) correct, (\d+) incorrect, (\d+) error", shown)
    assert told
    assert list(map(int, told.groups())) == [counted[k] for k in ("correct", "incorrect", "error")]


@CHECKS.of("§3.1.2 error classes of the final query")
def error_classes(shown: str) -> None:
    classes: Counter[str] = Counter()
    for name, found in dail_outcomes().items():
        if found == "error":
            said = _sqlite_error(predicted("dev/DAILSQL.sql")[name])
            classes["no_such_function" if "function" in said else "no_such_table_or_column"] += 1
    told = {name: int(n) for n, name in re.findall(r"(\d+) (no_such_\w+)", shown)}
    assert told == classes


def _sqlite_error(sql: str) -> str:
    with closing(sqlite3.connect(f"file:{FINANCIAL}?mode=ro", uri=True)) as opened:
        try:
            opened.execute(sql).fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            return str(error)
    return ""


@CHECKS.of("Tab. 15-18 error classes of the first candidate")
def first_error_classes(shown: str) -> None:
    cells = row(shown, "Errors of the first candidate, by class", "mac-sql")
    said = [_sqlite_error(r["candidates"][0]["sql"]) for r in records("mac")]
    assert int(number(cells.get("no such table or column", "0"))) == sum(
        bool(_ABSENT.search(s)) for s in said
    )
    assert sum(int(number(v)) for k, v in cells.items() if k not in ("run", "N")) == sum(map(bool, said))


@CHECKS.of("§3.1.2 Pass@k", "Fig. 3 curves of pass@k")
def pass_at_k(shown: str) -> None:
    hits = dict.fromkeys((1, 5, 10, 15, 20), 0)
    kept = records("offline")
    for r in kept:
        found = [outcome(c["sql"], r["gold"][0]) == "correct" for c in r["candidates"]]
        for k in hits:
            hits[k] += any(found[:k])
    if "<svg" in shown:
        drawn = shown.split('aria-label="pass@k')[1].split("</svg>", maxsplit=1)[0].split("of-run-1")[1]
        heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', drawn)]
        # The lines at 0 and 80 per cent tell what a height means.
        scale = shown.split('aria-label="pass@k')[1]
        zero, eighty = (float(groups(rf'y="([\d.]+)"[^>]*>{n} %<', scale)[0]) for n in (0, 80))
        assert [round((zero - 4 - y) / (zero - eighty) * 80) for y in heights] == [
            round(100 * n / len(kept)) for n in hits.values()
        ]
        return
    cells = row(shown, "Candidate generation", "offline")
    for k in (5, 10, 15, 20):
        is_share(cells[f"pass@{k}"], hits[k], len(kept))


def moves_of(pairs: list[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """What revision repaired and broke, each with how many entered so."""
    entered = Counter(a for a, _ in pairs)
    moved = Counter(pairs)
    kinds = {"I2C": ("incorrect", "correct"), "E2C": ("error", "correct"),
             "C2I": ("correct", "incorrect"), "C2E": ("correct", "error")}  # fmt: skip
    return {name: (moved[pair], entered[pair[0]]) for name, pair in kinds.items()}


def _is_revision(cells: dict[str, str], pairs: list[tuple[str, str]]) -> None:
    is_rates(cells, ("before: CR", "before: IR", "before: ER"), [a for a, _ in pairs])
    is_rates(cells, ("after: CR", "after: IR", "after: ER"), [b for _, b in pairs])
    for name, (hits, of) in moves_of(pairs).items():
        is_share(cells[name], hits, of)
    right = [sum(p[i] == "correct" for p in pairs) for i in (0, 1)]
    assert abs(number(cells["CI"]) - 100 * (right[1] - right[0]) / right[0]) < 0.06


@CHECKS.of("§3.1.3 CI, I2C, E2C, C2I, C2E")
def published_revision(shown: str) -> None:
    entered, left = (
        predicted(f"rsl_sql_gpt4o/{file}") for file in ("step3/step_3_binary.txt", "step4/final_sql.txt")
    )
    golds = {r["id"]: bird()[r["id"]]["SQL"] for r in records("rsl")}
    pairs = [(outcome(entered[i], sql), outcome(left[i], sql)) for i, sql in golds.items()]
    _is_revision(row(shown, "Query revision", "final_sql"), pairs)


@CHECKS.of("Tab. 7/8/19-22 table of revision")
def revision(shown: str) -> None:
    for run, of in (("mac", "mac-sql"), ("offline", "offline")):
        _is_revision(row(shown, "Query revision", of), [(before(r), final(r)) for r in records(run)])


@CHECKS.of("Fig. 4/5 CR, IR, ER before and after revision")
def before_and_after(shown: str) -> None:
    drawn = shown.split('aria-label="Before and after revision"')[1].split("</svg>", maxsplit=1)[0]
    kept = records("mac")
    told = re.findall(r"<title ?>(correct|incorrect|error): (\d+) %</title>", drawn.split("of-run-1")[0])
    for place, rule in enumerate((before, final)):
        found = [rule(r) for r in kept]
        shares = {k: round(100 * found.count(k) / len(found)) for k in ("correct", "incorrect", "error")}
        assert {k: int(v) for k, v in told[3 * place : 3 * place + 3]} == shares


@CHECKS.of("§3.1.4 tokens and calls by module")
def by_module(shown: str) -> None:
    kept = records("mac")
    for module in ("selection", "generation", "revision", "total"):
        cells = row(shown, "Tokens, cost and time by module", "mac-sql", module=module)
        for measure in ("calls", "tokens", "prompt_tokens", "completion_tokens"):
            spent = [used(r, measure, "" if module == "total" else module) for r in kept]
            is_mean(cells[measure.replace("_", " ")], spent)


@CHECKS.of("Tab. 9/10 cost with half of the prompt tokens cached")
def priced(shown: str) -> None:
    # GPT-4o a million tokens: 2.50 US$ of prompts, 1.25 where they are cached, 10 of replies.
    asked = {r["id"]: r for r in records("mac")}
    costs = []
    for r in records("priced"):
        prompts, replies = (used(asked[r["id"]], f"{kind}_tokens") for kind in ("prompt", "completion"))
        costs.append((prompts / 2 * 2.5 + prompts / 2 * 1.25 + replies * 10) / 1e6)
        assert abs(r["usage"]["total"]["cost_usd"] - costs[-1]) < 1e-9
    assert f"${sum(costs):.4f}" in shown or f"${fmean(costs):.4f}" in shown, (sum(costs), shown[:1500])


@CHECKS.of("§3.2 post-processing agent")
def imported(_: str) -> None:
    asked = {r["id"]: r for r in records("mac")}
    for r in records("priced"):
        assert r["outcome"] == final(asked[r["id"]])
        assert set(r["gold_schema"]) == read_by(r["gold"][0])[0]


@CHECKS.of("§3.2 benchmarking agent, all by difficulty")
def figures_by_difficulty(shown: str) -> None:
    for level in LEVELS:
        found = [final(r) == "correct" for r in records("mac") if r["difficulty"] == level]
        told = re.search(rf"^mac-sql.*,dev,difficulty,{level},correct_rate,([\d.]+),", shown, re.MULTILINE)
        assert told
        assert abs(float(told[1]) - fmean(found)) < 1e-9


@CHECKS.of("§3.2 orchestration agent", "§4.1 ten methods")
def grid(_: str) -> None:
    told = json.loads(Path("runs/ten/comparison.json").read_text(encoding="utf-8"))["runs"]
    methods = tomllib.loads(Path("ten.toml").read_text(encoding="utf-8"))["methods"]
    assert {one["method"].removesuffix(" without examples") for one in told.values()} == set(methods)
    for one in told.values():
        (record,) = lines(Path(one["folder"]) / "records.jsonl")
        assert one["correct"] == (final(record) == "correct")
        assert record["gold"][0] == bird()[record["id"]]["SQL"]


@CHECKS.of("§4.1 BIRD dev")
def published_questions(shown: str) -> None:
    assert f"questions: {len(json.loads((DATA / 'bird/dev.json').read_text(encoding='utf-8'))):,}" in shown


@CHECKS.of("§4.1 ScienceBenchmark")
def registered(shown: str) -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    told = set(re.findall(r"^([\w-]+): ", shown, re.MULTILINE))
    assert told == set(points["fathom.benchmarks"])


@CHECKS.of("§4.1 another model by a setting, embeddings too")
def embedded(_: str) -> None:
    told = json.loads(Path("runs/embedded/run.json").read_text(encoding="utf-8"))["configuration"]
    assert told["settings"]["embeddings"].endswith("#embed")
    # One call that writes; to compare meanings calls none.
    assert [used(r, "calls") for r in records("embedded")] == [
        r["usage"]["total"]["calls"] for r in records("embedded")
    ]


@CHECKS.of("Fig. 2 gold against selected schema")
def gold_schema(shown: str) -> None:
    (cells,) = table(shown, "Gold schema: the gap")
    ours, theirs = ([final(r) == "correct" for r in records(run)] for run in ("offline", "gold-schema"))
    is_share(cells["with the whole schema"], sum(ours), len(ours))
    is_share(cells["with the gold schema"], sum(theirs), len(theirs))
    gap = 100 * (sum(theirs) - sum(ours)) / len(ours)
    assert abs(number(cells["gap"]) - gap) < 0.06
    moved = [
        sum(a > b for a, b in zip(ours, theirs, strict=True)),
        sum(a < b for a, b in zip(ours, theirs, strict=True)),
    ]
    is_p(cells["McNemar p"], mcnemar(*moved))


@CHECKS.of("Tab. 5/6 candidate generation")
def candidates(shown: str) -> None:
    for run, of in (("mac", "mac-sql"), ("offline", "offline")):
        cells, kept = row(shown, "Candidate generation", of), records(run)
        is_rates(cells, ("first: correct (CR)", "incorrect (IR)", "error (ER)"), [first(r) for r in kept])
        is_mean(cells["tokens"], [used(r, "tokens", "generation") for r in kept])
