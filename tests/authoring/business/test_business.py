"""Business questions: by the grammar over real databases, by a scripted model, over databases with little."""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.data import needed

from fathom.authoring.business import BusinessPlan, business_maker
from fathom.authoring.business.grammar import CATEGORIES, Grammar, patterns, towards_goal
from fathom.authoring.business.result_checks import has_answer
from fathom.authoring.business.roles import BusinessMeasure, Subject, plural
from fathom.authoring.business.shapes import SHAPES, Binding, accepted
from fathom.authoring.business.steps import without_needless_joins
from fathom.authoring.maker import make
from fathom.benchmarks import load_benchmark
from fathom.databases import connect
from fathom.llm import Request, ScriptedModel
from fathom.records import Limits

HERE = (
    *(
        f"sql_eval/sqlite/{n}.sqlite"
        for n in ("broker", "car_dealership", "derm_treatment", "ewallet", "yelp")
    ),
    "samples/chinook.sqlite",
    "samples/northwind.sqlite",
)


def made(plan: BusinessPlan, folder: Path, *steps: str) -> Mapping[str, Any]:
    with business_maker(plan) as maker:
        return asyncio.run(make(maker, folder, steps))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def business(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, Any], Path]:
    folder = tmp_path_factory.mktemp("business")
    return made(BusinessPlan(tuple(str(needed(n)) for n in HERE)), folder), folder


def test_a_database_gives_nine_questions_a_category(business: Any) -> None:
    figures, folder = business
    assert figures["databases"] == len(HERE)
    assert figures["questions"] == 36 * len(HERE)
    assert set(figures["by_category"].values()) == {9 * len(HERE)}
    assert set(figures["by_complexity"].values()) == {12 * len(HERE)}
    assert figures["rejected"] == {}
    assert "| generate | rule: grammar |" in (folder / "README.md").read_text(encoding="utf-8")


def query_of(question: Mapping[str, Any]) -> str:
    """The query of a published question: gold, or figures for an answer in words."""
    return str(question.get("sql") or question["figures"])


def test_every_question_is_answered_by_its_own_query(business: Any) -> None:
    _, folder = business
    for path, asked in groupby(lines(folder / "questions.jsonl"), key=lambda q: q["database"]):
        with connect(path) as database:
            for question in asked:
                sql = query_of(question)
                rows = database.run(sql).rows
                assert any(value is not None for row in rows for value in row), question["question"]


def test_rows_are_gold_of_descriptive_questions_alone(business: Any) -> None:
    """`evaluate` compares no rows of a question that is answered in words."""
    _, folder = business
    for question in load_benchmark(folder / "questions.jsonl"):
        assert bool(question.gold) == ("descriptive" in question.tags)


def test_rows_decide_what_is_asked(business: Any) -> None:
    """No tie at the cut, nothing asked of two groups, no query twice; and revenue is asked about."""
    _, folder = business
    queries = Counter[tuple[str, str]]()
    for question in lines(folder / "questions.jsonl"):
        sql = query_of(question)
        queries[question["database"], sql] += 1
        if found := re.search(r"(.*) LIMIT (\d+)$", sql):
            with connect(question["database"]) as database:
                rows, most = database.run(found[1]).rows, int(found[2])
            assert len(rows) > max(most, 2), question["question"]
            assert round(rows[most - 1][1], 6) != round(rows[most][1], 6), question["question"]
    assert max(queries.values()) == 1
    told = [q["question"] for q in lines(folder / "questions.jsonl") if "northwind" in q["database"]]
    assert sum("revenue" in text for text in told) >= 3


@pytest.mark.parametrize(
    ("shape", "text", "turned"),
    [
        ("worst_groups", "Which need attention first to reduce the cost?", "highest_groups"),
        ("best_in_each", "Which should be chosen for each to reduce the cost?", "least_in_each"),
        ("best_in_each", "On which should we focus to reduce the cost?", "best_in_each"),
    ],
)
def test_the_goal_turns_the_query(shape: str, text: str, turned: str) -> None:
    def bound(goal: Any) -> Binding:
        return Binding(
            Subject("t", "t", "ts", (), (), None, 1), BusinessMeasure("cost", "cost", "AVG", "c", goal)
        )

    assert towards_goal(shape, "prescriptive", text, bound("less")) == turned
    assert towards_goal(shape, "prescriptive", text, bound("more")) == shape
    assert towards_goal(shape, "descriptive", text, bound("less")) == shape


def test_no_two_questions_of_a_database_share_their_pattern_or_text(business: Any) -> None:
    _, folder = business
    items = [i for line in lines(folder / "completeness.jsonl") for i in line["items"]]
    for held in ("pattern", "question"):
        assert max(Counter((i["database"], i[held]) for i in items).values()) == 1


def test_questions_read_like_those_of_business_people(business: Any) -> None:
    _, folder = business
    for line in lines(folder / "questions.jsonl"):
        text = line["question"]
        assert text[0].isupper() and text.endswith("?") and text.count("?") == 1  # noqa: PT018, one sentence
        assert not re.search(r"[_{}]|  |\b(\w+) \1\b|\ba [aeio]|\ban [^aeiouhx]|[a-z][A-Z]", text), text
        assert line["tables"]


def test_one_seed_gives_the_same_questions(tmp_path: Path) -> None:
    file = str(needed("samples/chinook.sqlite"))
    texts = []
    for seed in (0, 0, 1):
        with connect(file) as database:
            texts.append([q.text for q in Grammar(database, seed).questions()])
    assert texts[0] == texts[1] != texts[2]


def test_a_descriptive_question_accepts_what_its_words_ask_for_in_any_order(tmp_path: Path) -> None:
    file = table(tmp_path / "shop.sqlite", "CREATE TABLE sale (region TEXT, amount REAL)",
                 rows("sale", "('north', 1)", "('north', 2)", "('south', 9)", "('west', 4)"))  # fmt: skip
    which = "SELECT region AS k1, SUM(amount) AS v FROM sale GROUP BY region ORDER BY v DESC, k1"
    whole, names = accepted(f"{which} LIMIT 1", "best_group", "sqlite")
    (each,) = accepted(which, "by_group", "sqlite")
    with connect(file) as database:
        assert list(database.run(whole, Limits()).rows) == [("south", 9.0)]
        assert list(database.run(names, Limits()).rows) == [("south",)]
        assert "ORDER BY" not in each
        assert sorted(database.run(each, Limits()).rows) == [("north", 3.0), ("south", 9.0), ("west", 4.0)]


def test_only_descriptive_questions_have_gold_and_all_of_it_runs() -> None:
    with connect(str(needed("samples/chinook.sqlite"))) as database:
        for question in Grammar(database, 0).questions():
            assert bool(question.gold) == (question.category == "descriptive")
            assert all(has_answer(database.run(sql, Limits())) for sql in question.gold), question


def test_every_pattern_has_a_shape_and_nine_are_there_for_each_category() -> None:
    assert tuple(patterns()) == CATEGORIES
    for category in CATEGORIES:
        for complexity, held in patterns()[category].items():
            assert len(held) >= 6, (category, complexity)
            assert {p["shape"] for p in held} <= set(SHAPES)
            known = {"column", "count", "total", "goal", "mean"}
            assert all({*p.get("needs", ())} <= known and len(p["say"]) >= 1 for p in held)


def table(file: Path, *statements: str) -> str:
    with sqlite3.connect(file) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return str(file)


def rows(name: str, *values: str) -> str:
    return f"INSERT INTO {name} VALUES " + ", ".join(values)


SALES = [
    f"({n}, '{'north south west'.split()[n % 3]}', {n * 7 % 40}, '2021-{n % 12 + 1:02}-03')"
    for n in range(60)
]


@pytest.mark.parametrize(
    ("statements", "fewest", "most"),
    [
        (["CREATE TABLE sale (id INTEGER)", "DROP TABLE sale"], 0, 0),
        (["CREATE TABLE sale (id INTEGER PRIMARY KEY, region TEXT, amount REAL)"], 0, 0),
        (["CREATE TABLE q7x (z1 TEXT, z2 REAL)", rows("q7x", *["('a', 1)", "('b', 2)"] * 9)], 0, 0),
        (["CREATE TABLE 注文 (地域 TEXT, 金額 REAL)", rows("注文", *["('北', 1)", "('南', 2)"] * 9)], 0, 0),
        (["CREATE TABLE sale (id INTEGER PRIMARY KEY, region TEXT, amount REAL, sale_date TEXT)",
          rows("sale", *SALES)], 12, 30),
        (["CREATE TABLE sale (region TEXT, channel TEXT)",
          rows("sale", *["('north', 'web')", "('south', 'shop')", "('north', 'shop')"] * 4,
               *["('west', 'web')", "('west', 'mail')", "('east', 'mail')"] * 2,
               "('south', 'mail')")], 8, 30),
    ],
    ids=["no tables", "no rows", "no words", "another script", "one table", "no numbers and no dates"],
)  # fmt: skip
def test_little_to_ask_for_gives_fewer_questions_and_none_invented(
    statements: list[str], fewest: int, most: int, tmp_path: Path
) -> None:
    file = table(tmp_path / "little.sqlite", *statements)
    figures = made(BusinessPlan((file,)), tmp_path / "out")
    assert fewest <= figures["questions"] <= most
    if not most:
        reasons = {r["rejected"] for r in lines(tmp_path / "out/rejected.jsonl")}
        assert len(reasons) == 1
        assert "nothing in the database can be asked about" in reasons.pop()
    if any("no numbers" in s for s in statements):
        assert not any("average" in q["question"] for q in lines(tmp_path / "out/questions.jsonl"))


def test_thousands_of_tables_are_read_in_a_while_and_asked_about(tmp_path: Path) -> None:
    many = [f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, note TEXT)" for n in range(2_000)]
    sale = ["CREATE TABLE sale (id INTEGER PRIMARY KEY, region TEXT, amount REAL, sale_date TEXT)",
            rows("sale", *SALES)]  # fmt: skip
    file = table(tmp_path / "many.sqlite", *many, *sale)
    assert made(BusinessPlan((file,)), tmp_path / "out")["questions"] >= 12


def test_questions_of_a_benchmark_are_added_with_their_tables(tmp_path: Path) -> None:
    file = str(needed("samples/chinook.sqlite"))
    sql = "SELECT g.Name, COUNT(*) FROM Track AS t JOIN Genre AS g ON t.GenreId = g.GenreId GROUP BY g.Name"
    line = {"id": "1", "question": "How many tracks has each genre?", "database": file, "gold": [sql]}
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps(line) + "\n", encoding="utf-8")
    figures = made(BusinessPlan((), add=(str(own),)), tmp_path / "out")
    (question,) = lines(tmp_path / "out/questions.jsonl")
    assert figures["questions"] == 1
    assert sorted(question["tables"]) == ["Genre", "Track"]
    assert (question["category"], question["complexity"]) == (["descriptive"], "intermediate")


def test_joins_that_nothing_needs_are_deleted() -> None:
    with connect(str(needed("samples/chinook.sqlite"))) as database:
        needless = "SELECT COUNT(*) FROM Track AS t JOIN Genre AS g ON t.GenreId = g.GenreId"
        assert "Genre" not in without_needless_joins(needless, database)
        filtering = "SELECT COUNT(*) FROM Genre AS g JOIN Track AS t ON t.GenreId = g.GenreId"
        assert without_needless_joins(filtering, database) == filtering


MATTERS = "albums artists tracks genres invoices customers employees playlists prices".split()


def nine(request: Request) -> str:
    found = re.search(r"exactly 9 (\w+) questions", request.messages[-1].text)
    asked = found[1] if found else "?"
    levels = ("basic", "intermediate", "advanced")
    made = [f"<question>{asked} {m} {m[::-1]} {m[::2]} said of {m}?</question>" for m in MATTERS]
    return json.dumps([{"question": q, "complexity": levels[n // 3]} for n, q in enumerate(made)])


def verdict(request: Request) -> str:
    ok = not re.search(r"said of (tracks|customers|prices)", request.messages[-1].text)
    return json.dumps({"reasoning": "it lacks weather", "answerable": ok, "missing_tables": ["weather"]})


def test_models_take_each_step_and_everything_is_kept(tmp_path: Path) -> None:
    file = str(needed("samples/chinook.sqlite"))
    completed = json.dumps({"reasons": "prices are by track", "tables": ["track", "Invoice", "Weather"]})
    rules: dict[str, Any] = {
        "questions that business people ask": nine,
        "answered from the database": verdict,
        "smallest set that": json.dumps(["Invoice"]),
        "Somebody says": completed,
    }
    model = ScriptedModel.of(rules=rules)
    figures = made(BusinessPlan((file,), model=model, second=model), tmp_path)
    # Questions on "prescriptive" and "predictive" matters are alike but for these words.
    assert figures["questions"] == 18
    assert figures["rejected"] == {"check": 9, "answerability": 9}
    question = lines(tmp_path / "questions.jsonl")[0]
    assert question["tables"] == ["Track", "Invoice"]
    assert "sql" not in question
    (item,) = lines(tmp_path / "completeness.jsonl")[0]["items"]
    assert item["reason"] == "prices are by track; no such table: Weather"
    assert "it lacks weather" in (tmp_path / "rejected.jsonl").read_text(encoding="utf-8")
    assert next(iter(load_benchmark(tmp_path / "questions.jsonl"))).gold == ()


def test_what_a_model_writes_is_checked(tmp_path: Path) -> None:
    file = str(needed("samples/chinook.sqlite"))
    asked = (
        "What is the sum of everything by month?", "Why did sales of rock fall in spring?", "",
        "How did rock sell?", "How did rock sell? ", "How many albums did we sell by post?",
        "Is jazz popular in Norway?", "Does the medium matter for the price?", "Which tracks are long?",
    )  # fmt: skip
    reply = json.dumps([{"question": t, "complexity": "basic"} for t in asked])
    model = ScriptedModel.of(rules={"business people ask": reply})
    plan = BusinessPlan((file,), model=model)
    with business_maker(plan) as maker:
        asyncio.run(make(maker, tmp_path, ["generate", "check"]))
    items = [i for line in lines(tmp_path / "check.jsonl") for i in line["items"]][:9]
    reasons = [str(i.get("rejected", "")).partition(":")[0] for i in items]
    repeated, reason = "nearly the same as another", "asks a reason of a descriptive question"
    assert reasons == ["", reason, "the question is empty", "", repeated, "", "", "", ""]
    assert "instead of 3 each" in items[0]["reason"]


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("order status", "order statuses"),
        ("city", "cities"),
        ("payment made", "payments made"),
        ("person", "people"),
        ("diagnosis", "diagnoses"),
        ("sales", "sales"),
    ],
)
def test_nouns_have_their_plurals(one: str, many: str) -> None:
    assert plural(one) == many


def test_words_of_letters_are_written_in_capitals(tmp_path: Path) -> None:
    file = tmp_path / "tax.sqlite"
    with closing(sqlite3.connect(file)) as made_here:
        made_here.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, city TEXT, vat_amount REAL)")
        rows = [(("Bern", "Rome", "Oslo")[n % 3], n / 10) for n in range(40)]
        made_here.executemany("INSERT INTO invoice (city, vat_amount) VALUES (?, ?)", rows)
        made_here.commit()
    made(BusinessPlan((str(file),)), tmp_path / "out")
    asked = " ".join(line["question"] for line in lines(tmp_path / "out" / "questions.jsonl"))
    assert re.search(r"\bVAT\b", asked)
    assert not re.search(r"\bvat\b", asked)


def test_slots_stand_apart_from_words() -> None:
    held = [p for levels in patterns().values() for found in levels.values() for p in found]
    said = [text for pattern in held for text in pattern["say"]]
    assert len(said) > 100
    assert [text for text in said if re.search(r"\w\{|\}\w|withfor", text)] == []
