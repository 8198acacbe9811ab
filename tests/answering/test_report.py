"""Reports: each sentence of a hundred is supported when judged afresh; a changed one isn't."""

import asyncio
import json
import re
import sqlite3
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from tests.analysis.shop import CHANNELS, COUNTRIES, COURIERS, make_shop
from tests.command import Fathom

from fathom.analysis import Figures, Quantity, Reader, RowCondition, Vocabulary, check
from fathom.analysis.findings import Kind, findings, kind_of, subject
from fathom.answering import prepare
from fathom.answering.report import Report, report
from fathom.databases import connect
from fathom.records import Question


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("shop") / "shop.sqlite")


@pytest.fixture(scope="module")
def figures(shop: Path) -> Iterator[Figures]:
    with connect(shop) as database:
        yield Figures(Vocabulary(database))


def quantities(vocabulary: Vocabulary) -> list[Quantity]:
    fields = {f.column: f for f in vocabulary.groups}
    values = {"country": COUNTRIES, "channel": CHANNELS, "courier_name": COURIERS}
    named = [(fields[column], v) for column, held in values.items() for v in held]
    where = [(), *((RowCondition(f, v),) for f, v in named)]
    return [Quantity(m, w) for m, w in product(vocabulary.measures("orders"), where)]


def test_a_hundred_reports_say_what_their_check_supports(figures: Figures, shop: Path) -> None:
    reader = Reader(figures.vocabulary)
    every = quantities(figures.vocabulary)
    asked = [
        *product(every[:2], ("predictive",)),
        *product(every, ("descriptive", "diagnostic")),
    ]
    asked = asked[:100]
    kinds: set[str] = set()
    with connect(shop) as database:
        fresh = Vocabulary(database)
        afresh, judge = Figures(fresh), Reader(fresh)
        for quantity, kind in asked:
            found = findings(quantity, kind, figures, reader)  # type: ignore[arg-type]
            assert found
            for finding in found:
                verdicts = [check(c, afresh) for c in judge.read(finding.sentence).claims]
                assert {v.verdict for v in verdicts} == {"supported"}, finding.sentence
                kinds |= {v.kind for v in verdicts}
    assert len(asked) == 100
    assert kinds >= {
        "number",
        "comparison",
        "share",
        "trend",
        "association",
        "group difference",
    }


def test_a_changed_figure_isn_t_supported(figures: Figures) -> None:
    reader = Reader(figures.vocabulary)
    found = findings(quantities(figures.vocabulary)[0], "descriptive", figures, reader)
    wrong = re.sub(r"3690", "3700", found[0].sentence)

    assert wrong != found[0].sentence
    assert check(reader.read(wrong).claims[0], figures).verdict == "contradicted"


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many orders are there?", "descriptive"),
        ("Why does freight differ by courier?", "diagnostic"),
        ("Will the number of orders rise?", "predictive"),
        ("Which countries should we focus on to raise orders?", "prescriptive"),
    ],
)
def test_kinds_of_questions(question: str, kind: str, figures: Figures) -> None:
    assert kind in get_args(Kind)
    assert kind_of(question) == kind
    assert subject(question, figures) is not None


def made(shop: Path, question: str) -> Report:
    with connect(shop) as database:
        return asyncio.run(report(Question(question), prepare(database)))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        # The data ends in December 2023: what comes next is January 2024, and the year 2024.
        (
            "How many orders will there be next month?",
            r"The number of orders will be about [\d.]+ in January 2024\.",
        ),
        ("How many orders will there be next year?", r"The number of orders will be about [\d,]+ in 2024\."),
        (
            "Why did the number of orders rise from 2022 to 2023?",
            r"The number of orders rose from 884 in 2022 to 1023",
        ),
        ("Why did orders drop in 2023?", r"The number of orders rose from 884 in 2022 to 1023 in 2023\."),
        (
            "Why do delivery days differ between couriers?",
            r"The delivery days differs significantly between courier",
        ),
        (
            "Which countries should we focus on to increase orders?",
            r"Consider country Norway first because Norway has",
        ),
        (
            "Which couriers should we review to reduce delivery days?",
            r"Consider courier name Slow first because Slow",
        ),
        (
            "Which couriers should we use to reduce delivery days?",
            r"Consider courier name Swift first because Swift",
        ),
    ],
)
def test_the_answer_comes_first(shop: Path, question: str, first: str) -> None:
    found = made(shop, question)

    assert re.match(first, found.text)
    assert found.missing == ""


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Which couriers should we use for urgent orders?", "“urgent” names no measure and no group here"),
        ("Which channels should we drop to increase freight?", "There are fewer than 3 to choose among"),
        ("Which countries should we focus on to increase countries?", "“countries” names no measure"),
        ("Why did the number of orders change from 2023 to 2024?", "covers only a part of 2024"),
        (
            "How many orders will there be in 2022?",
            "2022 is in the data already, which ends on 27 December 2023",
        ),
        ("Why does the freight differ between channels?", ""),
    ],
)
def test_what_is_missing_is_said(shop: Path, question: str, missing: str) -> None:
    found = made(shop, question)

    assert missing in found.missing
    if missing:
        assert found.text.startswith("I can't answer this. ")


def test_nobody_is_recommended_on_a_tie(tmp_path: Path) -> None:
    file = tmp_path / "ties.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE sales (id INTEGER PRIMARY KEY, shop TEXT, amount REAL, day DATE)")
        rows = [(f"Shop {n % 4}", 10.0 + 0.1 * (n % 4 == 3), f"2024-01-{n + 1:02d}") for n in range(20)]
        connection.executemany("INSERT INTO sales (shop, amount, day) VALUES (?, ?, ?)", rows)
    connection.close()

    assert (
        "Consider shop Shop 3 first"
        in made(file, "Which shops should we promote to increase the amount?").text
    )
    told = made(file, "Which shops should we drop to reduce the number of sales?")
    assert "tie for the" in told.missing


def test_the_command(fathom: Fathom, shop: Path) -> None:
    done = fathom("ask", str(shop), "How many orders are there?", "--report")
    assert done.code == 0
    assert "\nThe number of orders is 3690.\n" in done.out
    told = json.loads(fathom("ask", str(shop), "How many orders are there?", "--report", "--json").out)
    assert told["findings"][0]["checks"][0]["queries"]
