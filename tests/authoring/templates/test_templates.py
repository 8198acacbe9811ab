"""Triples from templates: what ships, over the sample knowledge base, and another lab's file and database."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command import Fathom
from tests.data import needed

from fathom.authoring.maker import make
from fathom.authoring.templates import TemplatePlan, TemplateSet, read_templates, template_maker
from fathom.authoring.templates.answer_text import answer_in_words
from fathom.authoring.templates.checks import problems
from fathom.authoring.templates.fillings import Fillings, allotted, filled_sql, filled_text
from fathom.authoring.templates.sql_categories import parsed, sql_categories
from fathom.benchmarks.biomed.knowledge_base import build
from fathom.databases import connect
from fathom.errors import InputError, InputErrors
from fathom.evaluation.categories import REASONING, SQL_CATEGORIES
from fathom.records import Result

SHOP = Path(__file__).with_name("shop.yaml")
FAULTS = yaml.safe_load(Path(__file__).with_name("faults.yaml").read_text(encoding="utf-8"))


def made(plan: TemplatePlan, folder: Path, *steps: str) -> Mapping[str, Any]:
    with ThreadPoolExecutor(2) as executor, template_maker(plan, executor) as maker:
        return asyncio.run(make(maker, folder, steps))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def chinook() -> str:
    return str(needed("samples", "chinook.sqlite"))


@pytest.fixture(scope="module")
def biomed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, Any], Path]:
    folder = tmp_path_factory.mktemp("biomed")
    return made(TemplatePlan(read_templates("biomed"), "demo:biomed", count=400, sample=50), folder), folder


def test_the_forty_templates_are_sound_and_cover_every_category(biomed: Any) -> None:
    figures, _ = biomed
    assert len(read_templates("biomed").templates) == figures["templates"] == 40
    assert "templates_rejected" not in figures
    assert set(figures["by_sql_category"]) == set(SQL_CATEGORIES)
    assert set(figures["by_category"]) == {c.name for c in read_templates("biomed").categories}
    assert len(figures["by_category"]) == 9
    assert set(figures["by_reasoning"]) == set(REASONING)
    assert 0.05 < figures["negative_share"] < 0.5


def test_a_question_comes_without_what_its_template_takes_for_granted_unless_asked(
    biomed: Any, tmp_path: Path
) -> None:
    _, folder = biomed
    assert not any("evidence" in q for q in lines(folder / "questions.jsonl"))
    plan = TemplatePlan(read_templates("biomed"), "demo:biomed", count=80, evidence=True)
    made(plan, tmp_path)
    contexts = {t.id: t.context for t in plan.templates.templates}
    told = {q["template"]: q["evidence"] for q in lines(tmp_path / "questions.jsonl")}
    assert told == contexts
    assert sum(map(bool, contexts.values())) >= 10


def test_the_forty_templates_fill_their_slots_alike_on_sqlite(tmp_path: Path) -> None:
    templates, file = read_templates("biomed"), tmp_path / "kb.sqlite"
    build(file, rows=20_000)
    made(TemplatePlan(templates, str(file), count=80), tmp_path / "out", "check")
    assert not any("rejected" in line for line in lines(tmp_path / "out/check.jsonl"))
    with connect(file) as database:
        fillings = Fillings(templates, database, 0)
        cells = database.run("SELECT tradeNames_string FROM DrugGeneTargets_ComprehensiveAnnotations_updated")
        names = {name for (cell,) in cells.rows if cell for name in re.split(", ", cell)}
        assert {row["trade"] for row in fillings.rows("trade_name")} == names
        cells = database.run("SELECT genes FROM AlzheimerDisease_GeneAssoc_Pathways_UUID")
        genes = {gene for (cell,) in cells.rows for gene in cell.split(";")}
        assert {row["gene"] for row in fillings.rows("ad_pathway_gene")} == genes
        places = database.run(
            "SELECT chr_38, bp_38 FROM AlzheimerDisease_CombinedGeneData_UUID WHERE chr_38 > 0"
        )
        regions = {(c, int(b) // 2_000_000 * 2_000_000) for c, b in places.rows}
        found = {(row["chromosome"], row["start"]) for row in fillings.rows("region")}
        assert found == regions
        assert all(row["stop"] - row["start"] == 2_000_000 for row in fillings.rows("region"))


def test_triples_are_different_and_split_by_template(biomed: Any) -> None:
    figures, folder = biomed
    questions = lines(folder / "questions.jsonl")
    assert len({q["question"].casefold() for q in questions}) == len(questions) == figures["triples"] >= 380
    assert len({q["id"] for q in questions}) == len(questions)
    train, test = ({q["template"] for q in lines(folder / f"{s}.jsonl")} for s in ("train", "test"))
    assert (len(train), len(test), train & test) == (32, 8, set())
    assert len(lines(folder / "sample.jsonl")) == figures["splits"]["sample"] == 50
    assert not any("{" in q["question"] + q["answer"] + q["sql"] for q in questions)
    for held in ("sql", "tables", "category", "answer", "template", "database"):
        assert all(q[held] for q in questions), held


def test_answers_say_what_the_rows_hold(biomed: Any) -> None:
    _, folder = biomed
    rows = {r["id"]: r for r in lines(folder / "results.jsonl")}
    with connect("demo:biomed") as database:
        for question in lines(folder / "questions.jsonl")[::10]:
            found = database.run(question["sql"])
            held = rows[question["id"]]
            assert held["columns"] == list(found.columns)
            assert Counter(map(str, held["rows"])) == Counter(str(list(r)) for r in found.rows)
    by_template = {q["template"]: q for q in lines(folder / "questions.jsonl")}
    phase = by_template["highest-phase-of-drug"]
    ((value,),) = rows[phase["id"]]["rows"]
    assert re.search(rf"\bis {value:g}\.", phase["answer"])


def test_one_seed_gives_one_benchmark(biomed: Any, tmp_path: Path) -> None:
    _, folder = biomed
    plan = TemplatePlan(read_templates("biomed"), "demo:biomed", count=400, sample=50)
    made(plan, tmp_path / "again")
    assert (tmp_path / "again/questions.jsonl").read_bytes() == (folder / "questions.jsonl").read_bytes()
    made(replace(plan, seed=1), tmp_path / "other", "check", "review", "expand")
    assert (tmp_path / "other/expand.jsonl").read_bytes() != (folder / "expand.jsonl").read_bytes()


def test_another_labs_file_and_database(chinook: str, tmp_path: Path) -> None:
    figures = made(TemplatePlan(read_templates(SHOP), chinook, count=10_000), tmp_path)
    questions = {q["question"]: q for q in lines(tmp_path / "questions.jsonl")}
    assert figures["triples"] == len(questions) == 25 * 2 * 2 + 275 + 25
    assert questions["How many albums does AC/DC have?"]["answer"] == "AC/DC has 2."
    assert questions["How many albums does Guns N' Roses have?"]["answer"] == "Guns N' Roses has 3."
    assert "Which three Opera tracks cost the most?" in questions
    assert questions["Are there long Opera tracks?"]["answer"] == "No."
    assert questions["Are there long Opera tracks?"]["category"][-2:] == [
        "Long Tracks",
        "implicit convention",
    ]
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "Licence: CC0-1.0." in card
    assert "| execute | sqlite | 400 | 400 |" in card


def test_a_killed_run_goes_on_where_it_was(chinook: str, tmp_path: Path) -> None:
    plan = TemplatePlan(read_templates(SHOP), chinook, count=10_000)
    whole = made(plan, tmp_path / "whole")
    made(plan, tmp_path / "cut")
    file = tmp_path / "cut/execute.jsonl"
    file.write_bytes(file.read_bytes()[:5_000])  # as a kill leaves it: a torn last line
    assert made(plan, tmp_path / "cut") == whole
    assert file.read_bytes() == (tmp_path / "whole/execute.jsonl").read_bytes()


def test_people_correct_phrasings_and_drop_templates(chinook: str, tmp_path: Path) -> None:
    plan = TemplatePlan(read_templates(SHOP), chinook, count=1_000)
    made(plan, tmp_path, "check", "review")
    reviews = lines(tmp_path / "review.jsonl")
    assert [r["id"] for r in reviews] == ["tracks-of-genre", "albums-of-artist", "long-tracks"]
    reviews[0] |= {"decision": "drop", "reviewer": "ada", "note": "dull"}
    reviews[2] |= {"decision": "keep", "questions": ["Which {genre} tracks are long?"]}
    text = "".join(json.dumps(r) + "\n" for r in reviews)
    (tmp_path / "review.jsonl").write_text(text, encoding="utf-8")
    figures = made(plan, tmp_path)
    assert figures["by_template"] == {"albums-of-artist": 275, "long-tracks": 25}
    assert "Which Jazz tracks are long?" in {q["question"] for q in lines(tmp_path / "questions.jsonl")}


def changed(change: Mapping[str, Any]) -> TemplateSet:
    shop = read_templates(SHOP)
    if "domain" in change:
        domain = replace(shop.domains[change["domain"]], query=change["query"])
        return replace(shop, domains={**shop.domains, domain.name: domain})
    new: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in change.items() if k != "template"
    }
    return replace(
        shop, templates=tuple(replace(t, **new) if t.id == change["template"] else t for t in shop.templates)
    )


@pytest.mark.parametrize("fault", FAULTS, ids=[f["said"][:60] for f in FAULTS])
def test_what_is_wrong_with_a_template_is_told(fault: Mapping[str, Any], chinook: str) -> None:
    shop = changed(fault["change"])
    template = next(t for t in shop.templates if t.id == fault["change"]["template"])
    with connect(chinook) as database:
        found = problems(template, shop, Fillings(shop, database, 0), database)
    assert fault["said"] in "; ".join(found)


def test_a_template_at_fault_is_left_out_with_the_reason(chinook: str, tmp_path: Path) -> None:
    shop = changed({"template": "long-tracks", "sql_categories": ["Select"]})
    figures = made(TemplatePlan(shop, chinook, count=100), tmp_path)
    assert "its categories of queries" in figures["templates_rejected"]["long-tracks"]
    assert figures["templates"] == 2


def test_a_template_at_fault_shows_in_the_exit_code(chinook: str, tmp_path: Path, fathom: Fathom) -> None:
    making = ("author", "templates", "--database", chinook, "--count", 40, "--workers", 1)
    assert fathom(*making, SHOP, "-o", tmp_path / "sound").code == 0
    text = SHOP.read_text(encoding="utf-8")
    (tmp_path / "shop.yaml").write_text(text.replace("FROM Track", "FROM Tracks", 1), encoding="utf-8")
    faulty = fathom(*making, tmp_path / "shop.yaml", "-o", tmp_path / "faulty")
    assert faulty.code == 1
    assert "1 of 3 templates gave nothing: tracks-of-genre" in faulty.err
    assert (tmp_path / "faulty/questions.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a list", "must be a mapping"),
        ("templates: [", "is not YAML"),
        ("templates: []", "there are no templates"),
        ("templats: []", "Did you mean 'templates'"),
        ("limit: many\ntemplates: []", "must be a whole number"),
        ("domains: {a: {}}\ntemplates: []", "needs either a query or a list of values"),
        ("domains: {a: {values: [[1]]}}\ntemplates: []", "neither text, a number"),
        ("domains: {a: {values: [1], split: x}}\ntemplates: []", "is text, and goes with a query"),
        ("categories: {a: {}}\ntemplates: []", "needs columns, conditions"),
        ("templates: [{id: a, question: b}]", "Did you mean 'questions'"),
        (
            "templates: [{id: a, questions: b, sql: c, answer: {none: d}}]",
            "needs an answer for none and for some",
        ),
    ],
)
def test_a_file_that_cant_be_read_is_told_with_all_its_problems(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_templates(file)


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("domains: {a: {}}\ncategories: {b: {}}\ntemplates: [{id: c d}]", encoding="utf-8")
    with pytest.raises(InputErrors) as raised:
        read_templates(file)
    assert len(raised.value.problems) == 6
    with pytest.raises(InputError, match="Did you mean 'biomed'"):
        read_templates("biomedd")


def test_slots_are_literals_whatever_they_hold() -> None:
    filling = {"a": "x' OR 1=1 --", "a_said": "the {b}", "b": 5e-8}
    sql = filled_sql("SELECT 1 WHERE n = {a} AND p < {b}", filling, "duckdb")
    assert sql == "SELECT 1 WHERE n = 'x'' OR 1=1 --' AND p < 5e-08"
    assert filled_text("{a} below {b}, {first.x}", filling) == "the {b} below 5e-8, {first.x}"
    assert filled_sql("{a}", {"a": "\\' OR 1 --"}, "mysql") == r"'\\'' OR 1 --'"


def test_triples_are_spread_as_evenly_as_slots_allow() -> None:
    assert allotted([5, 1_000, 20, 1_000], 225) == [5, 100, 20, 100]
    assert allotted([5, 10], 100) == [5, 10]
    assert sum(allotted([7, 100, 3, 100, 100], 200)) == 200


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((), "none"),
        (((0,),), "none"),
        (((None,),), "none"),
        (((3,),), "one: 3"),
        (((3,), (1,), (3,)), "3: 1 and 3"),
        (tuple((n,) for n in range(100)), "at least 100: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 90 more"),
    ],
)
def test_answers_are_worded_from_the_rows(rows: Any, said: str) -> None:
    wordings = {"none": "none", "one": "one: {first.x}", "some": "{n}: {list.x}"}
    assert answer_in_words(wordings, {}, Result(("x",), rows, "", 0.0), 100) == said


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT a FROM t", "Select"),
        ("SELECT DISTINCT a FROM t WHERE b = 1 OR c = 2", "Select Distinct Multi-Filter"),
        ("SELECT COUNT(*) FROM t JOIN u ON t.a = u.a WHERE b > 3", "Join Threshold Calculate"),
        (
            "SELECT a, b - c AS d FROM t WHERE e LIKE 'x%' ORDER BY a",
            "Select Calculate Order-By Similarity Search",
        ),
        ("SELECT a FROM t WHERE b BETWEEN 1 AND 2 AND c < d", "Select Multi-Filter Threshold"),
        ("WITH x AS (SELECT a FROM t) SELECT a FROM x", "Select"),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u)", "Select Join"),
    ],
)
def test_categories_of_queries_are_derived(sql: str, found: str) -> None:
    assert " ".join(sql_categories(parsed(sql, "duckdb"))) == found
