"""Reports: each sentence of a hundred is supported when judged afresh; a changed one isn't."""

import asyncio
import json
import re
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
from fathom.answering.report import report
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
        *product(every[:2], ("predictive", "prescriptive")),
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
        "recommendation",
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


def test_a_forecast_takes_the_place_of_rows_that_are_not_there_yet(shop: Path) -> None:
    with connect(shop) as database:
        made = asyncio.run(report(Question("Will the number of orders rise next year?"), prepare(database)))

    assert made.kind == "predictive"
    assert "The number of orders will rise over the next 6 months." in made.text
    assert made.answer not in made.answered
    assert made.beside


def test_the_command(fathom: Fathom, shop: Path) -> None:
    done = fathom("ask", str(shop), "How many orders are there?", "--report")
    assert done.code == 0
    assert "- The number of orders is 3690." in done.out
    told = json.loads(fathom("ask", str(shop), "How many orders are there?", "--report", "--json").out)
    assert told["findings"][0]["checks"][0]["queries"]
