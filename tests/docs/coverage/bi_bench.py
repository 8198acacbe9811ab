"""The figures of the page's rows for BI-Bench, worked out from questions and databases by other code."""

import json
import math
import re
import sqlite3
from collections import Counter
from contextlib import closing
from statistics import fmean
from typing import Any

from tests.data import DATA
from tests.docs.coverage.made_files import WIDE
from tests.docs.coverage.people_work import DROPPED
from tests.docs.coverage.reading import RowChecks, lines

CHECKS = RowChecks()
KINDS = ("descriptive", "diagnostic", "predictive", "prescriptive")


def _rows(sql: str, file: str = "chinook.sqlite") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as opened:
        return opened.execute(sql).fetchall()


def _published() -> list[dict[str, Any]]:
    files = (DATA / "bibench" / f"{kind.title()}.json" for kind in KINDS)
    return [one | {"kind": f.stem} for f in files for one in json.loads(f.read_text(encoding="utf-8"))]


@CHECKS.of("Tab. 1 form of a record, 273 questions")
def published(shown: str) -> None:
    assert f"questions: {len(_published())}\n" in shown


def _told(shown: str, name: str) -> int:
    found = re.search(rf"^  {re.escape(name)} +([\d,]+) ", shown, re.MULTILINE | re.IGNORECASE)
    assert found, (name, shown[:3000])
    return int(found[1].replace(",", ""))


@CHECKS.of("Tab. 2 statistics")
def statistics(shown: str) -> None:
    asked = _published()
    for name, n in Counter(one["kind"].casefold() for one in asked).items():
        assert _told(shown, name) == n
    key = next(k for k in asked[0] if k.casefold() == "complexity")
    for name, n in Counter(str(one[key]).casefold() for one in asked).items():
        assert _told(shown, name) == n


@CHECKS.of("§3.1 nine questions a category")
def nine(shown: str) -> None:
    made = lines("business/questions.jsonl")
    told = Counter(one["category"][0] for one in made)
    assert ", ".join(f"{k} {told[k]}" for k in KINDS) in shown
    assert all(_rows(one.get("sql") or one["figures"]) for one in made)
    for one in made:  # gold gives the same figures as the query that is shown
        for gold in one.get("gold", ()):
            figures = {round(v, 6) for r in _rows(gold) for v in r if isinstance(v, int | float)}
            assert figures <= {
                round(v, 6) for r in _rows(one["sql"]) for v in r if isinstance(v, int | float)
            }


@CHECKS.of("§3.1 questions added that have SQL")
def added(_: str) -> None:
    published_ = {
        q["question"]: q
        for q in json.loads((DATA / "bird" / "train_questions" / "train.json").read_text(encoding="utf-8"))
    }
    made = [one for one in lines("added/questions.jsonl") if one["question"] in published_]
    assert len(made) == 3
    for one in made:
        sql = published_[one["question"]]["SQL"]
        named = {t.casefold() for t in re.findall(r"(?:FROM|JOIN)\s+[`\"]?(\w+)", sql, re.IGNORECASE)}
        assert {t.casefold() for t in one["tables"]} == named


def _kept(step: str) -> list[dict[str, Any]]:
    return [i for one in lines(f"by-model/{step}.jsonl") for i in one["items"] if not i.get("rejected")]


@CHECKS.of("§3.2 answerability")
def answerable(shown: str) -> None:
    # The second model of this page calls each question about the weather unanswerable.
    asked = _kept("check")
    kept = _kept("answerability")
    assert {one["question"] for one in kept} == {
        one["question"] for one in asked if "weather" not in one["question"]
    }
    assert len(asked) > len(kept) > 0
    assert f"{len(asked)} of {len(asked)}" in shown


@CHECKS.of("§3.3 the smallest set of tables")
def smallest(_: str) -> None:
    for one in lines("business/questions.jsonl"):
        named = set(re.findall(r'(?:FROM|JOIN)\s+"(\w+)"', one.get("sql") or one["figures"]))
        assert set(one["tables"]) == named, one


@CHECKS.of("§3.4 completeness")
def complete(_: str) -> None:
    before, after = ({one["id"]: one["tables"] for one in _kept(step)} for step in ("tables", "completeness"))
    assert set(before.values().__iter__().__next__()) == {"Invoice"}
    # The second model adds a table to each list.
    assert all(set(after[i]) - set(before[i]) == {"Customer"} for i in after)


@CHECKS.of("§3.5 people accept, edit or drop")
def people(shown: str) -> None:
    told = Counter(one["decision"] for one in lines("read/review.jsonl"))
    asked = [one["question"] for one in lines("business/questions.jsonl")]
    dropped = sum(len(q) % DROPPED == 0 for q in asked)
    assert told == {"drop": dropped, "keep": len(asked) - dropped}
    assert f"{len(asked)} items written" in shown


def _sentences(file: str) -> list[dict[str, Any]]:
    return [s for one in lines(file) for s in one["sentences"]]


def _said() -> list[str]:
    return [s for one in lines("said.jsonl") for s in re.split(r"(?<=[.!?])\s+", one["answer"])]


@CHECKS.of("§4.1 sentences, and questions about each")
def sentences(_: str) -> None:
    told = _sentences("judged.jsonl")
    assert [s["sentence"] for s in told] == _said()
    asked = [a["question"] for s in told for r in s["rounds"] for a in r["answers"]]
    assert asked
    assert set(asked) <= {"What is the total of invoices?", "How much is the total of invoices?"}


@CHECKS.of("§4.1 a weak expert")
def weak_expert(_: str) -> None:
    answers = [a for s in _sentences("judged.jsonl") for r in s["rounds"] for a in r["answers"] if a["sql"]]
    assert answers
    for one in answers:
        found = _rows(one["sql"])
        assert one["row_count"] == len(found)
        assert [
            [round(float(v), 6) if isinstance(v, int | float) else v for v in r] for r in one["rows"]
        ] == [[round(float(v), 6) if isinstance(v, int | float) else v for v in r] for r in found[:20]]


@CHECKS.of("§4.1 inference")
def inference(_: str) -> None:
    told = {s["sentence"]: s["inference"] for s in _sentences("by-rule.jsonl")}
    totals = dict(_rows("SELECT BillingCountry, ROUND(SUM(Total), 2) FROM Invoice GROUP BY 1"))
    assert told["Canada brought in 303.96 and the USA 523.06."] == "true"
    assert (totals["Canada"], totals["USA"]) == (303.96, 523.06)
    assert told["Brazil brought in 303.96."] == "false"
    assert totals["Brazil"] != 303.96
    assert told["Sales rose sharply because of the campaign."] == "not judged"  # a cause that no data holds


@CHECKS.of("§4.1 paraphrase, the majority of three")
def majority(_: str) -> None:
    asked = [s for s in _sentences("judged.jsonl") if s["rounds"]]
    assert asked
    for s in asked:  # the model of this page says "false" each time, so that it is asked three times
        said = [r["inference"] for r in s["rounds"]]
        assert len(said) == 3
        assert s["inference"] == ("false" if said.count("false") > 1 else said[0])


@CHECKS.of("§4.1 factual correctness from FC and FIC")
def factual(shown: str) -> None:
    rates = []
    for one in lines("by-rule.jsonl"):
        said = [s["inference"] for s in one["sentences"]]
        right, wrong = said.count("true"), said.count("false")
        if right + wrong:
            share = right / (right + wrong)
            rates.append(1.0 if share > 0.75 else 0.5 if share > 0.25 else 0.0)
            assert one["factual_correctness"] == rates[-1]
    assert f"Factual correctness  {fmean(rates):.2f} (N = {len(rates)}" in shown


def _score(right: float, wrong: float, penalty: float) -> float:
    """ans_FC · (1 − penalty · ans_FIC), rounded to 0, 0.5 or 1, half-way down."""
    value = right * (1 - penalty * wrong)
    return 1.0 if value > 0.75 else 0.5 if value > 0.25 else 0.0


@CHECKS.of("§4.2 answerability of an answer", "§4.3 relevance")
def rated(_: str) -> None:
    # The model of this page says: the right ones answer it partly, the wrong ones fully, in partial conflict.
    for one in lines("judged.jsonl"):
        right, wrong = (0.5 if one["right"] else 0.0), (1.0 if one["wrong"] else 0.0)
        for dimension in ("answerability", "relevance"):
            assert one[dimension] == _score(right, wrong, 0.5), one


@CHECKS.of("§4.4 presentation")
def presentation(_: str) -> None:
    value = 0.4 * 3 / 3 + 0.3 * 2 / 3 + 0.3 * 1 / 3
    for one in lines("judged.jsonl"):
        assert one["presentation"] in (1.0 if value > 0.75 else 0.5, 0.5), value


@CHECKS.of("§5.1 baseline system")
def baseline(shown: str) -> None:
    totals = _rows("SELECT BillingCountry, SUM(Total) FROM Invoice GROUP BY 1 ORDER BY 2 DESC LIMIT 2")
    assert f"{totals[0][1]:.2f}" in shown
    assert shown.index(totals[0][0]) < shown.index(totals[1][0])


@CHECKS.of("§5.2 people rate four dimensions")
def raters(shown: str) -> None:
    assert shown.startswith("Begun: raters.")


def _people() -> list[dict[str, dict[str, float]]]:
    return [{one["id"]: one for one in lines(f"{name}-rates.jsonl")} for name in ("ann", "ben")]


@CHECKS.of(
    "§5.3 agreement of two people", "§5.3 accuracy on what both agree on", "§5.3 Pearson's correlation with p"
)
def agreement(shown: str) -> None:
    ann, ben = _people()
    judged = {one["id"]: one for one in lines("by-rule.jsonl")}
    for name in ("factual_correctness", "answerability", "relevance", "presentation"):
        known = [i for i in ann if judged[i][name] is not None]
        agreed = [i for i in known if ann[i][name] == ben[i][name]]
        right = sum(judged[i][name] == ann[i][name] for i in agreed)
        told = re.search(
            rf"^{name}: right on (\d+) of (\d+) that people agree on, kappa (-?[\d.]+|–)", shown, re.MULTILINE
        )
        assert told, (name, shown[:2000])
        assert (int(told[1]), int(told[2])) == (right, len(agreed))
    name = "factual_correctness"
    agreed = [i for i in ann if ann[i][name] == ben[i][name]]
    pairs = [(float(judged[i][name]), float(ann[i][name])) for i in agreed]
    means = [fmean(p[k] for p in pairs) for k in (0, 1)]
    shared = sum((a - means[0]) * (b - means[1]) for a, b in pairs)
    spread = math.sqrt(math.prod(sum((p[k] - means[k]) ** 2 for p in pairs) for k in (0, 1)))
    first = re.search(
        rf"{name}: right.*\n +those agreed on: Pearson (-?[\d.]+) \(p = [\d.e-]+, N = (\d+)\)", shown
    )
    assert first, shown[:2000]
    assert (float(first[1]), int(first[2])) == (round(shared / spread, 2), len(agreed))


@CHECKS.of("§6 checks of the other three kinds")
def trend(_: str) -> None:
    (claim,) = (c for s in _sentences("by-rule.jsonl") for c in s["claims"] if c["kind"] == "trend")
    months = [
        v
        for _, v in _rows(
            "SELECT strftime('%Y-%m', InvoiceDate) AS m, SUM(Total) FROM Invoice GROUP BY 1 ORDER BY 1"
        )
    ]
    rises = sum((b > a) - (b < a) for i, a in enumerate(months) for b in months[i + 1 :])
    n = len(months)
    z = rises / math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    p = math.erfc(abs(z) / math.sqrt(2))
    assert (claim["verdict"] == "supported") == (p > 0.2), (p, claim)


@CHECKS.of("§6 long schemas")
def long_schemas(_: str) -> None:
    parts = {r["schema_parts"] for s in _sentences("wide.jsonl") for r in s["rounds"]}
    assert parts
    assert min(parts) > 1
    # A part is at most some 60,000 letters, and each of the tables takes more than 400.
    assert max(parts) <= WIDE
