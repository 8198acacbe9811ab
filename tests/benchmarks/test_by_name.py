import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom import registry
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.benchmarks.by_name import Published
from fathom.benchmarks.layouts.layout import Layout
from fathom.errors import InputError, UnknownName
from tests.data import DATA, needed


@pytest.mark.parametrize(
    ("name", "split", "count", "comparison", "dialect"),
    [
        ("bird", None, 1534, "bird", "sqlite"),
        ("bird-train", None, 1051, "bird", "sqlite"),
        ("mini-dev", None, 500, "bird", "sqlite"),
        ("mini-dev", "mini_dev_mysql", 500, "bird", "mysql"),
        ("mini-dev", "mini_dev_postgresql", 500, "bird", "postgres"),
        ("spider", None, 7000, "spider", "sqlite"),
        ("geoquery", None, 49, "spider", "sqlite"),
        ("geoquery", "train", 549, "spider", "sqlite"),
        ("geoquery", "all", 598, "spider", "sqlite"),
        ("sql-eval", None, 210, "sql_eval", "sqlite"),
        ("sql-eval", "postgres", 210, "sql_eval", "postgres"),
        ("sql-eval-idk", None, 52, "sql_eval", "sqlite"),
        ("bi-bench", None, 273, "semantic", "sqlite"),
    ],
)
def test_published_benchmarks_load_as_they_are(
    name: str, split: str | None, count: int, comparison: str, dialect: str
) -> None:
    needed("bird", "dev.json")
    benchmark = load_benchmark(name, split, data=DATA)
    questions = list(benchmark)
    assert (len(questions), benchmark.comparison, benchmark.dialect) == (count, comparison, dialect)
    assert len({q.id for q in questions}) == count
    assert len(benchmark.digest) == 64
    assert all(q.gold or not q.answerable or name == "bi-bench" for q in questions)


def test_a_folder_is_recognised_by_its_files() -> None:
    needed("spider")
    found = {
        name: load_benchmark(DATA / name).comparison for name in ("bird", "spider", "geoquery", "sql_eval")
    }
    assert found == {"bird": "bird", "spider": "spider", "geoquery": "spider", "sql_eval": "sql_eval"}


def test_bird_offers_schemas_descriptions_and_training_examples() -> None:
    needed("bird", "dev.json")
    benchmark = load_benchmark("bird", data=DATA)
    schema = benchmark.schemas()["financial"]
    assert schema.table("loan").column("amount").kind in ("integer", "number")
    assert any(key.table == "loan" and key.target_table == "account" for key in schema.foreign_keys)
    assert [path.name for path in benchmark.packs("financial")] == ["financial"]
    assert sum(1 for _ in benchmark.examples()) == 1051
    assert {example.source for example in benchmark.examples("books")}


def test_geoquery_placeholders_are_filled_and_splits_do_not_leak() -> None:
    needed("geoquery")
    dev = load_benchmark("geoquery", data=DATA)
    assert not any("name0" in q.text or "name0" in q.gold[0] for q in dev)
    assert {q.id for q in dev}.isdisjoint(example.source for example in dev.examples())


def write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines), encoding="utf-8")
    return path


GOOD: dict[str, Any] = {
    "id": "a",
    "question": "How many?",
    "database": "t.sqlite",
    "gold": ["SELECT count(*) FROM t"],
}


def test_own_format(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "t.sqlite").close()
    more = GOOD | {"id": 2, "evidence": "x", "difficulty": "simple", "tags": ["t"]}
    unanswerable = {
        "id": "c",
        "question": "Why?",
        "database": "sqlite:///x.db",
        "gold": [],
        "answerable": False,
    }
    file = write(tmp_path / "own.jsonl", GOOD, "", more, unanswerable)
    benchmark = load_benchmark(file)
    first, second, third = benchmark
    assert first.database == str(tmp_path / "t.sqlite")
    assert (second.id, second.evidence, second.tags) == ("2", "x", ("t",))
    assert (third.answerable, third.gold, third.database) == (False, (), "sqlite:///x.db")
    assert (benchmark.name, benchmark.comparison) == ("own", "semantic")


@pytest.mark.parametrize(
    ("bad", "line", "field"),
    [
        ({k: v for k, v in GOOD.items() if k != "id"}, 2, "id"),
        ({k: v for k, v in GOOD.items() if k != "question"}, 2, "question"),
        ({k: v for k, v in GOOD.items() if k != "gold"}, 2, "gold"),
        (GOOD | {"id": "b", "gold": []}, 2, "gold"),
        (GOOD | {"id": "b", "gold": [1]}, 2, "gold"),
        (GOOD | {"id": "b", "question": 3}, 2, "question"),
        (GOOD | {"id": "b", "answerable": "no"}, 2, "answerable"),
        (GOOD | {"id": "b", "quesiton": "x"}, 2, "quesiton"),
        (GOOD, 2, "id"),
        ("{not json", 2, None),
        ("[1]", 2, None),
    ],
)
def test_what_is_malformed_is_told_by_file_line_and_field(
    tmp_path: Path, bad: Any, line: int, field: str | None
) -> None:
    file = write(tmp_path / "own.jsonl", GOOD, bad)
    with pytest.raises(InputError) as caught:
        list(load_benchmark(file))
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)


def test_a_json_array_tells_the_line_of_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "dev_databases").mkdir()
    good = {"question_id": 0, "db_id": "x", "question": "q", "SQL": "SELECT 1"}
    text = json.dumps([good, {"question_id": 1, "db_id": "x", "question": "q"}], indent=1)
    file = write(tmp_path / "dev.json", text)
    with pytest.raises(InputError, match="SQL") as caught:
        list(load_benchmark(tmp_path))
    assert (caught.value.line, caught.value.field) == (8, "SQL")
    file.write_text(text.replace('"q"\n }', '"q" "\n }'), encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        list(load_benchmark(tmp_path))


def test_long_json_arrays_are_read_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "database").mkdir()
    entries = [{"db_id": "x", "question": f"{'é' * 997} {i}", "query": "SELECT 1"} for i in range(3000)]
    write(tmp_path / "dev.json", json.dumps(entries, ensure_ascii=False, indent=2))
    assert [q.text[-4:].strip() for q in load_benchmark(tmp_path)][-1] == "2999"


def test_repeated_ids_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "dev_databases").mkdir()
    entry = {"question_id": 7, "db_id": "x", "question": "q", "SQL": "SELECT 1"}
    write(tmp_path / "dev.json", json.dumps([entry, entry]))
    assert [q.id for q in load_benchmark(tmp_path)] == ["7", "7#2"]


def test_a_csv_row_with_an_open_brace_is_told(tmp_path: Path) -> None:
    rows = ["question,query,db_name,query_category,instructions", "q,SELECT {a FROM t,x,c,"]
    write(tmp_path / "questions_gen_sqlite.csv", *rows)
    with pytest.raises(InputError) as caught:
        list(load_benchmark(tmp_path))
    assert (caught.value.line, caught.value.field) == (2, "query")


def test_biomedsql_csv(tmp_path: Path) -> None:
    header = "question,sql_query,execution_results,answer,sql_category,bio_category"
    row = 'q,"SELECT UUID FROM t",[{}],yes,"Select, Join",Effect'
    write(tmp_path / "dev.csv", header, row)
    (question,) = load_benchmark(tmp_path)
    assert (question.tags, question.answer) == (("Select", "Join", "Effect"), "yes")


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [("spyder", UnknownName, "Did you mean 'spider'"), ("no/such/file.jsonl", InputError, "no such file")],
)
def test_unknown_names_say_what_there_is(name: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        load_benchmark(name)


def test_a_folder_without_a_benchmark_says_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="known layout"):
        load_benchmark(tmp_path)
    with pytest.raises(InputError, match=r"bird needs a folder with dev\.json"):
        load_benchmark("bird", data=tmp_path)


def test_a_registered_benchmark_brings_its_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "asked.txt").write_text("How many?\n")
    layout = Layout("lines", "semantic", "asked.txt", lambda folder: {"dev": folder / "asked.txt"}, _lines)
    names = registry.names("benchmarks")
    monkeypatch.setattr(registry, "names", lambda kind: (*names, "lines"))
    load = registry.load
    monkeypatch.setattr(
        registry,
        "load",
        lambda kind, name: Published(layout, "lines", "") if name == "lines" else load(kind, name),
    )
    assert [q.text for q in load_benchmark(tmp_path)] == ["How many?"]


def _lines(folder: Path, file: Path, split: str) -> Iterator[BenchmarkQuestion]:
    for number, line in enumerate(file.read_text().splitlines()):
        yield BenchmarkQuestion(str(number), line, "shop", ())
