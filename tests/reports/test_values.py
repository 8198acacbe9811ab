"""The figures in reports, on runs small enough to count by hand."""

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chi2_contingency, pearsonr, spearmanr

from fathom.evaluation.categories import BIOLOGY_CATEGORIES, SQL_CATEGORIES
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import JudgedQuery, QuestionRecord, SelectionScore
from fathom.reports.report_files import write_report
from tests.reports.stored import judge, write_run

_LETTERS = {"c": Outcome.CORRECT, "i": Outcome.INCORRECT, "e": Outcome.ERROR}
Rows = list[dict[str, str]]


def tables(runs: Sequence[Path]) -> dict[str, Rows]:
    """The tables of a report of runs by title, each row by heading."""
    file = runs[0].parent / "report.md"
    write_report(runs, file)
    found: dict[str, Rows] = {}
    for part in file.read_text(encoding="utf-8").split("\n### ")[1:]:
        lines = [[cell.strip() for cell in line.strip("|").split("|")]
                 for line in part.splitlines() if line.startswith("|")]  # fmt: skip
        found[part.splitlines()[0]] = [dict(zip(lines[0], row, strict=True)) for row in lines[2:]]
    return found


def values(row: dict[str, str]) -> list[str]:
    """A row without intervals and counts."""
    return [cell.split(" (")[0] for cell in row.values()]


def page(runs: Sequence[Path]) -> str:
    write_report(runs, runs[0].parent / "report.html")
    return (runs[0].parent / "report.html").read_text(encoding="utf-8")


def chart(text: str, title: str) -> str:
    """The drawing under a title of the page."""
    return text.split(f"<figure><h3>{title}</h3>")[1].split("</svg>", maxsplit=1)[0]


def drilled(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The page's list of questions, and what is seen of each when it is opened."""
    (index,) = re.findall(r'<script type="application/json" id="index">(.*?)</script>', text)
    chunks = re.findall(r'<script type="text/plain" id="chunk-\d+">(.*?)</script>', text)
    return json.loads(index), [q for c in chunks for q in json.loads(zlib.decompress(base64.b64decode(c)))]


def corners(drawn: str) -> list[float]:
    """How far out each corner of a radar's one shape is, of all the way."""
    (shape,) = re.findall(r'<polygon points="([^"]+)" class="shape"', drawn)
    places = [[float(n) for n in corner.split(",")] for corner in shape.split()]
    return [hypot(x - 200, y - 150) / 104 for x, y in places]


def staged(
    folder: Path, before: str, after: str, *, f1: float = 0.9, recalls: Sequence[float] = (), **more: object
) -> Path:
    """A run of eight questions about two databases: outcomes before and after revision, a letter each."""
    records: list[QuestionRecord] = []
    for i, (was, now) in enumerate(zip(before, after, strict=True)):
        kind = ("no_such_table_or_column" if i < 7 else "syntax_error") if was == "e" else None
        first = JudgedQuery("SELECT 1", _LETTERS[was], error_class=kind)
        second = [JudgedQuery("SELECT 2", Outcome.CORRECT)] if i == 2 else []
        recall = recalls[i] if recalls else 1.0
        records.append(
            QuestionRecord(
                str(i), "?", f"db{i // 4}", _LETTERS[now], gold=("SELECT 2",), sql="SELECT 1",
                candidates=(first, *second), before_revision=first,
                selection_score=SelectionScore(1.0, 1.0, max(0.9 * (f1 > 0.5), f1), f1, recall, f1),
                error_class="timeout" if now == "e" else None,
            )
        )  # fmt: skip
    return write_run(folder, records, **({"method": folder.name} | more))


RECALLS = (1, 1, 0.5, 1, 0.5, 0.5, 0.5, 0.5)


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return staged(tmp_path / "m", "ceicceie", "cccieece", recalls=RECALLS)


def test_outcomes_before_and_after_revision(one: Path) -> None:
    before, after = tables([one])["Before and after revision"]
    assert values(before) == ["A: m", "before", "37.5 %", "25.0 %", "37.5 %"]
    assert values(after) == ["A: m", "after", "50.0 %", "12.5 %", "37.5 %"]
    (row,) = tables([one])["Query revision"]
    assert row["CI"] == "+33.3 %"
    counted = {name: re.search(r"\d+ of \d+", row[name])[0] for name in ("I2C", "E2C", "C2I", "C2E")}  # type: ignore[index]
    assert counted == {"I2C": "2 of 2", "E2C": "1 of 3", "C2I": "1 of 3", "C2E": "1 of 3"}
    drawn = re.findall(r"<title >(\w+): (\d+) %</title><rect [^>]*width=\"([\d.]+)\"",
                       chart(page([one]), "Before and after revision"))  # fmt: skip
    assert [(name, share) for name, share, _ in drawn] == [
        ("correct", "38"), ("incorrect", "25"), ("error", "38"),
        ("correct", "50"), ("incorrect", "12"), ("error", "38"),
    ]  # fmt: skip
    assert float(drawn[3][2]) / float(drawn[4][2]) == pytest.approx(4, rel=0.01)


def test_correctness_and_recall_after_each_module(one: Path) -> None:
    rows = {(row["after"], row["of"]): row for row in tables([one])["Correctness and recall of the schema"]}
    columns = [values(rows[stage, "columns"])[3:] for stage in ("CG@1", "CG@5", "QR")]
    assert columns == [
        ["66.7 %", "20.0 %", "83.3 %", "60.0 %"],
        ["66.7 %", "40.0 %", "75.0 %", "62.5 %"],
        ["66.7 %", "40.0 %", "75.0 %", "62.5 %"],
    ]
    assert rows["CG@1", "columns"]["correct, recall partial"].endswith("1 of 5)")
    assert rows["QR", "tables"]["correct, recall full"].endswith("4 of 8)")
    assert rows["QR", "tables"]["correct, recall partial"].startswith("not defined")


def test_bottlenecks_are_marked_where_they_are(tmp_path: Path) -> None:
    runs = [
        staged(tmp_path / "nothing", "cccccccc", "cccccccc", f1=0.75),
        staged(tmp_path / "selects", "cccccccc", "cccccccc", f1=0.74),
        staged(tmp_path / "generates", "ceicceie", "cccccccc"),
        staged(tmp_path / "idle", "ccccccce", "ccccccce", f1=0.75),
        staged(tmp_path / "revises", "ccccccce", "ccccccic", f1=0.75),
        staged(tmp_path / "breaks", "cccccccc", "ccccccci"),
        staged(tmp_path / "all", "ceicceie", "ceicceie", f1=0.1),
    ]
    found = {row["run"].split(": ")[1]: row for row in tables(runs)["Bottlenecks"]}
    assert {name: row["bottleneck"] for name, row in found.items()} == {
        "nothing": "none", "selects": "selection", "generates": "generation", "breaks": "revision",
        "idle": "generation", "revises": "generation, revision", "all": "selection, generation",
    }  # fmt: skip
    assert found["selects"]["column F1"].endswith("[selection]")
    assert not found["selects"]["table F1"].endswith("[selection]")
    assert found["generates"]["ER, first candidate"].startswith("37.5 %")
    assert (found["revises"]["CI"], found["revises"]["E2C"]) == (
        "0.0 % (N = 8) [revision]", "100.0 % (20.7 to 100.0; 1 of 1)",
    )  # fmt: skip
    assert found["all"]["table F1"].endswith(
        "[selection]"
    )  # of two marks of a module the last cell tells one
    assert sorted(re.findall(r'class="flag">◀ (\w+)<', page(runs))) == [
        *["generation"] * 4, *["revision"] * 2, *["selection"] * 3,
    ]  # fmt: skip


def test_errors_of_the_first_candidate_and_of_the_final_query_by_class(one: Path) -> None:
    found = tables([one])
    assert found["Errors of the first candidate, by class"] == [
        {"run": "A: m", "N": "8", "no such table or column": "2", "syntax error": "1"}
    ]
    assert found["Errors of the final query, by class"] == [{"run": "A: m", "N": "8", "timeout": "3"}]


def test_methods_against_databases(one: Path, tmp_path: Path) -> None:
    other = staged(tmp_path / "other", "iiiiiiii", "iciicccc")
    first, second = tables([one, other])["Correct by database"]
    assert values(first) == ["db0", "4", "75.0 %", "25.0 %"]
    assert values(second) == ["db1", "4", "25.0 %", "100.0 %"]
    assert list(first) == ["database", "N", "A", "B"]
    cells = page([one, other]).split("<caption>Correct by database<")[1].split("</table>")[0]
    assert re.findall(r'style="--h:([\d.]+)">(\d+)', cells) == [
        ("0.75", "75"), ("0.25", "25"), ("0.25", "25"), ("1.0", "100"),
    ]  # fmt: skip


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("settings", "title", "heads"),
    [
        ({"schema": "gold"}, "Gold schema: the gap", ("with the whole schema", "with the gold schema")),
        ({"evidence": "none"}, "Evidence: the gap", ("without evidence", "with evidence")),
        (
            {"on": "demo:biomed20"},
            "Another database: the gap",
            ("on its own database", "on the other database"),
        ),
    ],
)
def test_runs_that_differ_in_one_setting_show_what_it_is_worth(
    tmp_path: Path, settings: dict[str, str], title: str, heads: tuple[str, str], turned: bool
) -> None:
    without, given = 4, 1 if turned else 6
    outcomes = {heads[0]: "cccciiii", heads[1]: "c" * given + "i" * (8 - given)}
    plain, special = heads[::-1] if title.startswith("Evidence") else heads
    runs = [
        staged(tmp_path / "whole", outcomes[plain], outcomes[plain], method="m"),
        staged(tmp_path / "special", outcomes[special], outcomes[special], method="m", settings=settings),
        staged(tmp_path / "another", "iiiiiiii", "iiiiiiii", method="n", settings=settings),
    ]
    (row,) = tables(runs[::-1] if turned else runs)[title]
    told = [row[name].split(" (")[0] for name in ("N", *heads, "gap", "relative")]
    gap, relative = (given - without) / 8, (given - without) / without
    assert told == ["8", f"{without / 8:.1%}".replace("%", " %"), f"{given / 8:.1%}".replace("%", " %"),
                    f"{100 * gap:+.1f} points", f"{100 * relative:+.1f} %"]  # fmt: skip
    assert float(row["McNemar p"]) == pytest.approx(0.5 ** (abs(given - without) - 1), rel=0.01)


def test_equal_runs_have_a_gap_without_a_sign(tmp_path: Path) -> None:
    runs = [staged(tmp_path / name, "ccii" * 2, "ccii" * 2, method="m", settings=settings)
            for name, settings in (("whole", {}), ("bare", {"evidence": "none"}))]  # fmt: skip
    (row,) = tables(runs)["Evidence: the gap"]
    assert (row["gap"], row["relative"]) == ("0.0 points", "0.0 %")
    (row,) = tables(runs)["Paired tests"]
    assert row["correct"] == "0.0 points"


def test_candidates_say_how_many_questions_could_have_been_right(tmp_path: Path) -> None:
    """Of eight questions a revision repairs the one that no candidate solves, and loses one that some do."""
    runs = [
        staged(tmp_path / "several", "cciiiiie", "ciiiiiic"),
        staged(tmp_path / "one", "ci" * 4, "ci" * 4),
    ]
    file = runs[1] / "records.jsonl"
    alone = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for record in alone:
        record["candidates"] = record["candidates"][:1]
    file.write_text("".join(json.dumps(record) + "\n" for record in alone), encoding="utf-8")
    rows = {row["run"]: row for row in tables(runs)["Candidate generation"]}
    several = rows["A: several"]
    # Candidates solve the questions 0, 1 and, by the second one, 2; revision solves 7, and loses 1.
    told = [
        several[name].split(" (")[0] for name in ("pass@5", "any query", "final: correct", "lost in choosing")
    ]
    assert told == ["37.5 %", "50.0 %", "25.0 %", "+25.0 points"]
    assert "pass@10" not in several
    assert rows["B: one"]["pass@5"] == "–"
    for row in rows.values():
        best, final = (float(row[name].split(" ")[0]) for name in ("any query", "final: correct"))
        assert best >= final


SCORES = [3.0, 2.0, 1.0, -1.0, 0.0, 2.5] * 3
OUTCOMES = "ccie" * 4 + "cc"


@pytest.fixture
def biomedical(tmp_path: Path) -> Path:
    """Eighteen questions of BiomedSQL's eight categories and nine, judged by a model and a person."""
    records = [
        QuestionRecord(str(i), "?", "d", _LETTERS[letter], gold=("SELECT 1",), sql="SELECT 2", words="x",
                       jaccard=i % 5 / 4, tags=(SQL_CATEGORIES[i % 8], BIOLOGY_CATEGORIES[i % 9]))
        for i, letter in enumerate(OUTCOMES)
    ]  # fmt: skip
    run = write_run(tmp_path / "b", records, comparison="biomedsql")
    judge(run, count=18)
    judge(run, "ann", person=True, count=18)
    return run


def test_biomedsqls_categories_have_a_radar_each(biomedical: Path) -> None:
    text, found = page([biomedical]), tables([biomedical])
    for family, names in (("SQL category", SQL_CATEGORIES), ("biology category", BIOLOGY_CATEGORIES)):
        for title in (f"By {family}", f"Response quality by {family}, judged by judge"):
            drawn = chart(text, title)
            assert re.findall(r"<g ><title >([^<]+)<", drawn) == list(names), title
            assert len(corners(drawn)) == len(names)
    (below,) = re.findall(r'<text x="200" y="([\d.]+)"[^>]*>Status<', chart(text, "By biology category"))
    assert float(below) < 150 - 104  # the second line of the name at the top doesn't reach the ring
    assert corners(chart(text, "By SQL category")) == pytest.approx([1, 1, 0, 0, 1, 1, 0, 0], abs=0.01)
    quality_drawn = corners(chart(text, "Response quality by SQL category, judged by judge"))
    assert quality_drawn == pytest.approx([1 / 3, 2 / 3, 0, 1 / 2, 1 / 2, 1, 1 / 2, 1 / 2], abs=0.01)
    select = [row for row in found["Correct by SQL category"] if row["SQL category"] == "Select"]
    assert select[0]["A"].endswith("3 of 3)")  # the questions 0, 8 and 16
    quality = {row["SQL category"]: row["A"] for row in
               found["Response quality by SQL category, judged by judge"]}  # fmt: skip
    assert quality["Select"].endswith("1 of 3)")  # 3, 1 and 0
    assert quality["Similarity Search"].endswith("1 of 2)")  # 2 and -1


def test_scores_against_execution_and_people_in_a_report(biomedical: Path) -> None:
    found = tables([biomedical])
    counts = {title: [list(row.values()) for row in rows] for title, rows in found.items()}
    # In the order of the scores: -1, 0, 0.5, 1, 1.5, 2, 2.5, 3; N comes first.
    assert counts["EX against the BioScores of judge: m"] == [
        ["correct", "10", "1", "2", "0", "1", "0", "2", "2", "2"],
        ["incorrect", "4", "0", "1", "0", "2", "0", "0", "0", "1"],
        ["error", "4", "2", "0", "0", "0", "0", "1", "1", "0"],
    ]
    assert counts["JAC against the BioScores of judge: m"] == [
        ["0", "4", "1", "1", "0", "0", "0", "0", "1", "1"],
        ["(0, 0.5)", "4", "0", "1", "0", "0", "0", "1", "1", "1"],
        ["[0.5, 1)", "7", "1", "0", "0", "2", "0", "2", "1", "1"],
        ["1", "3", "1", "1", "0", "1", "0", "0", "0", "0"],
    ]
    assert counts["ann against the BioScores of judge: m"][0] == ["-1", "3", "3", *"0000000"]
    related = {row["of"]: row for row in found["Judges, people and execution"]}
    for name in ("EX", "JAC"):
        matrix = [[int(n) for n in row[2:]] for row in counts[f"{name} against the BioScores of judge: m"]]
        used = [column for column in zip(*matrix, strict=True) if any(column)]
        chi2, p, *_ = chi2_contingency(used, correction=False)
        v = (chi2 / 18 / (len(matrix) - 1)) ** 0.5
        told = related[f"{name} and judge"]
        of = ("V of three outcomes", "p of it") if name == "EX" else ("Cramér's V", "p of V")
        assert (*(told[n] for n in of), told["N"]) == (f"{v:.2f}", f"{p:.2g}", "18")
        assert (told["Spearman"], told["alike"]) == ("–", "–")
    right = [int(letter == "c") for letter in OUTCOMES]
    pairs = Counter(zip(right, SCORES, strict=True))
    binary = [[pairs[one, score] for score in set(SCORES)] for one in (1, 0)]
    chi2, p, *_ = chi2_contingency(binary, correction=False)
    assert related["EX and judge"]["Cramér's V"] == f"{(chi2 / 18) ** 0.5:.2f}"
    assert related["EX and judge"]["p of V"] == f"{p:.2g}"
    theirs = [SCORES[(i + (i % 7 == 0)) % 6] for i in range(18)]
    told = related["judge and ann"]
    for coefficient, by in (("Spearman", spearmanr), ("Pearson", pearsonr)):
        value, p = by(SCORES, theirs)
        assert (told[coefficient], told[f"p of {coefficient}"]) == (f"{value:.2f}", f"{p:.2g}")
    assert (told["alike"], told["Cramér's V"]) == ("83.3 %", "–")
    tinted = (
        page([biomedical]).split("<caption>EX against the BioScores of judge: m<")[1].split("</table>")[0]
    )
    assert re.findall(r'style="--h:([\d.]+)">(\d)', tinted)[:4] == [
        ("0.5", "1"), ("1.0", "2"), ("0.0", "0"), ("0.5", "1"),
    ]  # fmt: skip


GWAS = 'SELECT UUID FROM `kb.omics.gwas` WHERE p < 5e-8 AND trait = "AD"'
PLAIN = "SELECT UUID FROM gwas WHERE p < 5e-8 AND trait = 'AD'"
PEOPLE = "SELECT name FROM person WHERE sex = 'F' AND age > 30"
FAILURES = {
    "BiomedSQL": {
        "no query": [""],
        "syntax": ["SELECT UUID FROM gwas WHERE", "SELECT MEDIAN(UUID) FROM other"],
        "incorrect tables": ["SELECT UUID FROM smr", "SELECT COUNT(*) FROM gwas JOIN smr ON p = q"],
        "missing threshold": ["SELECT UUID FROM gwas", "SELECT COUNT(*) FROM gwas WHERE n > 2"],
        "incorrect threshold": [PLAIN.replace("5e-8", "0.05"), "SELECT COUNT(*) FROM gwas WHERE p < 1"],
        "incorrect aggregation": [PLAIN.replace("UUID", "COUNT(*)")],
        "other": [PLAIN.replace("UUID", "gene")],
    },
    "BIRD": {
        "no query": [""],
        "syntax": ["SELECT name FROM", "SELECT MEDIAN(city) FROM people WHERE sex = 'f'"],
        "evidence": [PEOPLE.replace("'F'", "'female'"), "SELECT city FROM people WHERE sex = 'woman'"],
        "database content": [PEOPLE.replace("30", "31")],
        "schema linking": [PEOPLE.replace("name", "city")],
        "other": [PEOPLE.replace("name", "DISTINCT name")],
    },
}


@pytest.mark.parametrize("taxonomy", FAILURES)
def test_each_failure_has_one_class_with_examples_to_open(taxonomy: str, tmp_path: Path) -> None:
    gold, evidence = (GWAS, "") if taxonomy == "BiomedSQL" else (PEOPLE, "women refers to sex = 'F'")
    records: list[QuestionRecord] = []
    for name, queries in FAILURES[taxonomy].items():
        for sql in queries:
            failed = Outcome.ERROR if name in {"no query", "syntax"} else Outcome.INCORRECT
            kind = "no_such_function" if "MEDIAN" in sql else None
            at = len(records)
            records.append(
                QuestionRecord(f"{name} {at}", "?", "d", failed, at, evidence, gold=(gold,), sql=sql,
                               error_class=kind)
            )  # fmt: skip
    right = QuestionRecord("right", "?", "d", Outcome.CORRECT, 99, gold=(gold,), sql=gold)
    run = write_run(tmp_path / "b", [*records, right], comparison="biomedsql")
    (row,) = tables([run])[f"Failures by {taxonomy}'s classes"]
    assert row.pop("failures") == str(len(records))
    assert list(row) == ["run", *FAILURES[taxonomy]]  # in the order of precedence
    classes = {record.id: record.id.rsplit(" ", 1)[0] for record in records}
    for name in FAILURES[taxonomy]:
        ids = [i for i, of in classes.items() if of == name]
        assert row[name] == f"{len(ids)} ({len(ids) / len(records):.1%}; such as {', '.join(ids)})"
    index, opened = drilled(page([run]))
    told = {q["i"]: [k for k in q["k"] if k.startswith(taxonomy)] for q in index["questions"]}
    assert told == {i: [f"{taxonomy}: {name}"] for i, name in classes.items()} | {"right": []}
    shown = {q["id"]: q["runs"][0]["classes"].get(taxonomy, "") for q in opened}
    assert shown == classes | {"right": ""}
