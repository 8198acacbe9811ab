"""The figures of the page's rows for BIRD, worked out from published files and records by other code."""

import itertools
import json
import math
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any

from tests.data import DATA
from tests.docs.coverage.people_work import RATED, SALES, WRITTEN
from tests.docs.coverage.reading import (
    FINANCIAL,
    RowChecks,
    bird,
    final,
    groups,
    is_mean,
    is_p,
    is_share,
    lines,
    mcnemar,
    number,
    outcome,
    predicted,
    records,
    row,
    table,
)
from tests.evaluation import restated

CHECKS = RowChecks()
LEVELS = ("simple", "moderate", "challenging")


@CHECKS.of("§3/§4 layout, descriptions, dirty text")
def layout(shown: str) -> None:
    asked = bird().values()
    assert f"with evidence: {sum(bool(q['evidence'].strip()) for q in asked):,}" in shown
    assert f"databases here: {len(list((DATA / 'bird/dev_databases').glob('*/*.sqlite')))}" in shown
    for name, n in Counter(q["db_id"] for q in asked).items():
        assert re.search(rf"^  {name} +{n} ", shown, re.MULTILINE), name


@CHECKS.of("§3.3 evidence handed to methods")
def handed_over(shown: str) -> None:
    assert bird()["90"]["evidence"] in shown.replace('\\"', '"')


@CHECKS.of("§6.5 Tab. 2/3 with and without evidence")
def evidence_gap(shown: str) -> None:
    (cells,) = table(shown, "Evidence: the gap")
    with_it, without = ([final(r) == "correct" for r in records(run)] for run in ("offline", "bare"))
    is_share(cells["with evidence"], sum(with_it), len(with_it))
    is_share(cells["without evidence"], sum(without), len(without))
    assert abs(number(cells["gap"]) - 100 * (fmean(with_it) - fmean(without))) < 0.06
    lost = sum(a > b for a, b in zip(with_it, without, strict=True))
    won = sum(a < b for a, b in zip(with_it, without, strict=True))
    is_p(cells["McNemar p"], mcnemar(lost, won))


def _told(shown: str, heading: str, name: str) -> int:
    section = shown.split(f"\n{heading}\n")[1].split("\n\n", maxsplit=1)[0]
    found = re.search(rf"^  {re.escape(name)} +([\d,]+) ", section, re.MULTILINE)
    return int(found[1].replace(",", "")) if found else 0


@CHECKS.of("§3.3 four kinds of evidence")
def evidence_kinds(shown: str) -> None:
    # A plain count of what can't be taken for another kind: a sign of arithmetic or the word for it.
    formulas = re.compile(
        r"\b(divide|subtract|multiply|percent\w*|avg|average|sum)\b *\(| / | \* ", re.IGNORECASE
    )
    least = sum(bool(formulas.search(q["evidence"])) for q in bird().values())
    assert least <= _told(shown, "evidence kind", "numeric computing") <= least * 1.3
    # "X refers to name = 'text'", and nothing else said.
    value = re.compile(r"refers? to [\w .`()%-]+ = '[^']*'$")
    plain = sum(
        bool(value.search(q["evidence"].strip())) and ";" not in q["evidence"] for q in bird().values()
    )
    assert plain <= _told(shown, "evidence kind", "value illustration") <= len(bird())


@CHECKS.of("§4 Fig. 7/8 nine categories of questions")
def question_types(shown: str) -> None:
    patterns = {"counting": r"\bCOUNT\s*\(", "aggregation": r"\b(SUM|AVG|MIN|MAX)\s*\("}
    letters = {r["run"].split(": ")[1]: r["run"][0] for r in table(shown, "Leaderboard")}
    for name, pattern in patterns.items():
        cells = next(r for r in table(shown, "Correct by question type") if r["question type"] == name)
        for run, label in (("dail", "DAILSQL"), ("rsl", "final_sql")):
            kept = [r for r in records(run) if re.search(pattern, bird()[r["id"]]["SQL"], re.IGNORECASE)]
            is_share(cells[letters[label]], sum(final(r) == "correct" for r in kept), len(kept))


@CHECKS.of("B.1 difficulty, figures by it")
def by_difficulty(shown: str) -> None:
    letters = {r["run"].split(": ")[1]: r["run"][0] for r in table(shown, "Leaderboard")}
    for cells in table(shown, "Correct by difficulty"):
        for run, label in (("dail", "DAILSQL"), ("rsl", "final_sql")):
            kept = [r for r in records(run) if bird()[r["id"]]["difficulty"] == cells["difficulty"]]
            is_share(cells[letters[label]], sum(final(r) == "correct" for r in kept), len(kept))


@CHECKS.of("B.1 rating by four dimensions, ranked 30/60/10")
def ranked(_: str) -> None:
    means = {q: fmean(marks.values()) for q, marks in RATED.items()}
    told = {f"Question {one['id']}": one["difficulty"] for one in lines("rated/difficulty.jsonl")}
    assert Counter(told.values()) == {"simple": 3, "moderate": 6, "challenging": 1}
    for easier, harder in itertools.pairwise(LEVELS):
        highest = max(means[q] for q, level in told.items() if level == easier)
        assert highest <= min(means[q] for q, level in told.items() if level == harder)


@CHECKS.of("§5 EX")
def execution_accuracy(shown: str) -> None:
    found = [
        outcome(predicted("dev/DAILSQL.sql")[i], q["SQL"])
        for i, q in bird().items()
        if q["db_id"] == "financial"
    ]
    right = found.count("correct")
    assert f"{100 * right / len(found):.2f} % correct, {right} of {len(found)}" in shown


@CHECKS.of("§5/B.8 VES, 100 runs, 3 standard deviations")
def reference_ves(shown: str) -> None:
    # 100 executions of each of the two queries of a right answer.
    right = [r for r in records("adaptive") if final(r) == "correct"]
    told = re.search(r"(\d+) right answers timed in (\d+) executions", shown)
    assert told
    assert (int(told[1]), int(told[2])) == (len(right), 200 * len(right))
    assert f"N = {len(records('adaptive'))})" in shown


@CHECKS.of("mini-dev R-VES", "Tab. 4 VES by difficulty")
def ves(shown: str) -> None:
    kept = records("rsl")
    levels = {level: [r for r in kept if r["difficulty"] == level] for level in LEVELS}
    overall = list(map(float, groups(r"^VES +([\d.]+) %.*\nR-VES +([\d.]+) %", shown)))
    parts = [list(map(float, groups(rf"^{n}: VES ([\d.]+) %.*R-VES ([\d.]+) %", shown))) for n in LEVELS]
    for place in (0, 1):  # the whole is the mean of the levels, each weighed by its questions
        mean = sum(p[place] * len(levels[level]) for p, level in zip(parts, LEVELS, strict=True)) / len(kept)
        assert abs(overall[place] - mean) < 0.02
    for (_, rewarded), level in zip(parts, LEVELS, strict=True):
        right = sum(final(r) == "correct" for r in levels[level])
        most, least = math.sqrt(1.25), math.sqrt(0.25)
        assert (
            100 * least * right / len(levels[level]) - 0.01
            <= rewarded
            <= 100 * most * right / len(levels[level]) + 0.01
        )


def _soft_f1(ours: list[tuple[Any, ...]], gold: list[tuple[Any, ...]]) -> float:
    """Soft F1 as BIRD's mini-dev has it: rows paired by place, cells counted by their share."""
    if not ours and not gold:
        return 1.0
    ours, gold = list(dict.fromkeys(ours)), list(dict.fromkeys(gold))
    match, only_ours, only_gold = [], [], []
    for i, row_ in enumerate(gold):
        if i >= len(ours):
            match.append(0.0)
            only_gold.append(1.0)
            continue
        both = ours[i]
        match.append(sum(v in row_ for v in both) / len(row_))
        only_ours.append(sum(v not in row_ for v in both) / len(row_))
        only_gold.append(sum(v not in both for v in row_) / len(row_))
    only_ours += [1.0] * (len(ours) - len(gold))
    tp, fp, fn = sum(match), sum(only_ours), sum(only_gold)
    precision, recall = tp / (tp + fp) if tp + fp else 0.0, tp / (tp + fn) if tp + fn else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@CHECKS.of("mini-dev soft F1")
def soft_f1(shown: str) -> None:
    for run, label in (("dail", "DAILSQL"), ("rsl", "final_sql")):
        values = []
        for r in records(run):
            ours, gold = (restated.run_once(FINANCIAL, sql) for sql in (r["sql"], r["gold"][0]))
            values.append(_soft_f1(ours[0], gold[0]) if ours and gold else 0.0)
        is_mean(row(shown, "Leaderboard", label)["soft F1"], values, percent=True)


@CHECKS.of("mini-dev in three dialects")
def mini_dev(shown: str) -> None:
    folder = DATA / "bird"
    asked = json.loads((folder / "mini_dev_sqlite.json").read_text(encoding="utf-8"))
    queries = predicted("mini_dev/predict_mini_dev_gpt-4_sqlite.json")
    found = [outcome(queries[str(i)], q["SQL"]) for i, q in enumerate(asked) if q["db_id"] == "financial"]
    right = found.count("correct")
    assert f"{100 * right / len(found):.2f} % correct, {right} of {len(found)}" in shown


@CHECKS.of("Tab. 4 EX by difficulty")
def ex_by_difficulty(shown: str) -> None:
    asked = {i: q for i, q in bird().items() if q["db_id"] == "financial"}
    right = {i for i, q in asked.items() if outcome(predicted("dev/DAILSQL.sql")[i], q["SQL"]) == "correct"}
    for level in LEVELS:
        of = {i for i, q in asked.items() if q["difficulty"] == level}
        assert f"{level} {len(of & right)}/{len(of)}" in shown


@CHECKS.of("B.8 spread of VES over trials")
def spread(shown: str) -> None:
    told = re.search(r"VES of 2 trials: ([\d.]+) ± ([\d.]+) % \(([\d.]+), ([\d.]+)\)", shown)
    assert told
    mean, deviation, *trials = map(float, told.groups())
    assert abs(mean - fmean(trials)) < 0.01
    assert abs(deviation - abs(trials[0] - trials[1]) / math.sqrt(2)) < 0.01


@CHECKS.of("§6.1/B.4 zero-shot and chain-of-thought prompts", "§6.1 DIN-SQL")
def prompted(shown: str) -> None:
    kept = records("din" if "runs/din" in shown else "cot")
    right = sum(final(r) == "correct" for r in kept)
    assert re.search(rf"^correct .*{right} of {len(kept)}\)", shown, re.MULTILINE)


@CHECKS.of("§6.1 fine-tuned T5")
def training(shown: str) -> None:
    told = json.loads((DATA / "bird" / "train_questions" / "train.json").read_text(encoding="utf-8"))
    golds = {q["SQL"].strip().rstrip(";").strip() for q in told}
    counts = []
    for part in ("train", "test"):
        written = lines(f"training-sql/{part}.chat.jsonl")
        counts.append(len(written))
        for one in written:
            assert one["messages"][-1]["content"].strip().rstrip(";").strip() in golds
    assert f"{counts[0]} for train, {counts[1]} for test" in shown


@CHECKS.of("§6.3 Fig. 6 one system on two benchmarks")
def two_benchmarks(shown: str) -> None:
    kept = records("offline")
    (cells,) = table(shown, "Leaderboard: bird dev")
    is_share(cells["correct (EX, CR)"], sum(final(r) == "correct" for r in kept), len(kept))
    own = records("mine")
    right = 0
    for r in own:
        right += any(restated.bird("chinook.sqlite", r["sql"], g) for g in r["gold"])
    (cells,) = table(shown, "Leaderboard: mine")
    is_share(cells["correct (EX, CR)"], right, len(own))


@CHECKS.of("§6.4/B.5 two-stage optimisation")
def rewritten(shown: str) -> None:
    faster = shown.splitlines()[0]
    asked = "SELECT Title FROM Album a WHERE EXISTS (SELECT 1 FROM Track t WHERE t.Name = a.Title)"
    rows = [restated.run("chinook.sqlite", sql) for sql in (faster, asked)]
    assert rows[0]
    assert rows[1]
    assert Counter(rows[0][0]) == Counter(rows[1][0])
    assert f"the same {len(rows[0][0])} rows" in shown


@CHECKS.of("§6.4 chat with the database, indexes")
def indexes(shown: str) -> None:
    made = re.findall(r"^CREATE INDEX .*;$", shown, re.MULTILINE)
    queries = Path("queries.sql").read_text(encoding="utf-8").strip().splitlines()
    with closing(sqlite3.connect("chinook.sqlite")) as opened, closing(sqlite3.connect(":memory:")) as copy:
        opened.backup(copy)
        for statement in made:
            copy.execute(statement)
        used = {re.search(r'INDEX "?(\w+)', s)[1] for s in made}  # type: ignore[index]
        plans = " ".join(str(r) for q in queries for r in copy.execute(f"EXPLAIN QUERY PLAN {q}"))
    assert made
    assert all(name in plans for name in used)


@CHECKS.of("§6.6 error classes")
def failure_classes(shown: str) -> None:
    for run, label in (("dail", "DAILSQL"), ("rsl", "final_sql")):
        cells = row(shown, "Failures by BIRD's classes", label)
        wrong = {r["id"] for r in records(run) if final(r) != "correct"}
        assert int(cells.pop("failures")) == len(wrong)
        cells.pop("run")
        assert sum(int(number(c)) for c in cells.values()) == len(wrong)
        assert {
            i for c in cells.values() for i in re.findall(r"\b\d+\b(?=[,)])", c.partition("such as")[2])
        } <= wrong


@CHECKS.of("B.9 human performance")
def human_performance(shown: str) -> None:
    # Both are right on the database itself: the copies, which an exam looks at too, are no part of EX.
    written = {one["question"]: one["sql"] for one in lines("quiz/people/A1.jsonl")}
    assert set(written.values()) in (set(WRITTEN["Ann"]), set(WRITTEN["Ben"]))
    right = sum(restated.bird("sales.sqlite", sql, SALES[q]) for q, sql in written.items())
    assert f"% correct, {right} of {len(SALES)};" in shown


@CHECKS.of("§3.4 double-blind annotation, an expert settles, the faster query wins")
def double_blind(_: str) -> None:
    # Two questions whose queries agree on changed copies too; the third waits for an expert.
    told = {one["question"]: one["gold"] for one in lines("out/questions.jsonl")}
    assert set(told) == set(list(SALES)[:2])
    for place, (question, golds) in enumerate(told.items()):
        assert set(golds) <= {WRITTEN[p][list(SALES).index(question)] for p in WRITTEN}, place


@CHECKS.of("§3.4 validity of gold: it runs, and not to nothing")
def gold_runs(shown: str) -> None:
    told = json.loads((DATA / "bird" / "train_questions" / "train.json").read_text(encoding="utf-8"))[:30]
    empty = 0
    for q in told:
        path = DATA / "bird" / "train_databases" / q["db_id"] / f"{q['db_id']}.sqlite"
        found = restated.run(str(path), q["SQL"], ignore_invalid=True)
        empty += found is None or not found[0]
    assert f"{empty} returns nothing" in shown


@CHECKS.of("§3.4 question, evidence and SQL in accord")
def aligned(shown: str) -> None:
    told = re.search(r"([\d,]+) questions, ([\d,]+) with evidence: ", shown)
    assert told
    first = list(bird().values())[:300]
    assert (int(told[1]), int(told[2])) == (300, sum(bool(q["evidence"].strip()) for q in first))
    for value in re.findall(r"and the query has no '([^']+)'", shown):
        assert any(value not in q["SQL"] for q in first)


@CHECKS.of("B.2 entrance exams")
def exams(shown: str) -> None:
    # Ann's last query is right on the database and wrong on a copy with other rows.
    assert re.search(r"Ann\b.*2 of 3|2 of 3.*\bAnn", shown), shown
    assert re.search(r"Ben\b.*3 of 3|3 of 3.*\bBen", shown), shown


@CHECKS.of("Tab. 1, Fig. 3/4, B.11, B.12 statistics")
def statistics(shown: str) -> None:
    asked = list(bird().values())
    words = fmean(len(re.findall(r"\S+", q["question"])) for q in asked)
    told = re.search(r"words of a question: ([\d.]+)", shown)
    assert told
    assert abs(float(told[1]) - words) < 0.7
    for keyword in ("ORDER BY", "GROUP BY", "DISTINCT", "BETWEEN", "HAVING"):
        n = sum(
            bool(re.search(rf"\b{keyword.replace(' ', chr(92) + 's+')}\b", q["SQL"], re.IGNORECASE))
            for q in asked
        )
        assert abs(_told(shown, "keyword", keyword) - n) <= 1, keyword
    with closing(sqlite3.connect(f"file:{FINANCIAL}?mode=ro", uri=True)) as opened:
        tables = [
            t
            for (t,) in opened.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        count = sum(opened.execute(f'SELECT COUNT(*) FROM "{t}"').fetchone()[0] for t in tables)
        types = Counter(
            "text" if "TEXT" in declared.upper() else "other"
            for t in tables
            for (declared,) in opened.execute("SELECT type FROM pragma_table_info(?)", (t,))
        )
    assert _told(shown, "type of column", "text") == types["text"]
    aggregated = re.compile(r"\b(AVG|COUNT|MAX|MIN|ROUND|SUM)\b", re.IGNORECASE)
    unquoted = [re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "", q["SQL"]) for q in asked]
    n = sum(bool(aggregated.search(sql)) for sql in unquoted)
    assert abs(_told(shown, "class of keywords", "aggregation") - n) <= 2
    joins = Counter(min(len(re.findall(r"\bJOIN\b", sql, re.IGNORECASE)), 4) for sql in unquoted)
    for k in range(4):
        assert abs(_told(shown, "joins of a query", str(k)) - joins[k]) <= 3
    assert f"tables of a database: {len(tables)}" in shown
    assert f"rows of a database: {count:,}" in shown


@CHECKS.of("B.7 DISTINCT and ORDER BY in doubt")
def extra_rows(shown: str) -> None:
    found = 0
    for i, q in bird().items():
        if q["db_id"] == "financial":
            ours, gold = (
                restated.run_once(FINANCIAL, sql) for sql in (predicted("dev/DAILSQL.sql")[i], q["SQL"])
            )
            if ours and gold and ours[1] == gold[1] and len(ours[0]) > len(gold[0]):
                found += Counter(gold[0]) <= Counter(ours[0])
    assert f"{found} extra_rows" in shown
