import json
import re
from pathlib import Path
from statistics import fmean

from tests.command import Fathom
from tests.data import needed

from fathom.authoring.description import describe
from fathom.benchmarks import load_benchmark


def test_birds_own_figures_are_found_again() -> None:
    """Counted here by other means than the code does."""
    file = needed("bird", "dev.json")
    entries = json.loads(file.read_text(encoding="utf-8"))
    found = describe(load_benchmark(needed("bird"), "dev"), with_databases=False)
    assert found["counts"]["questions"] == 1_534 == sum(found["by"]["database"].values())
    assert found["by"]["difficulty"] == {"simple": 925, "moderate": 464, "challenging": 145}
    assert list(found["by"]["difficulty"]) == ["simple", "moderate", "challenging"]
    upper = [" ".join(e["SQL"].upper().split()) for e in entries]
    assert found["by"]["keyword"]["GROUP BY"] == sum("GROUP BY" in s for s in upper)
    assert abs(found["by"]["keyword"]["JOIN"] - sum(" JOIN " in s for s in upper)) <= 10  # joins by comma
    joins = fmean(s.count(" JOIN ") for s in upper)
    assert abs(found["means"]["joins of a gold query"] - joins) < 0.05
    assert found["by"]["function family"]["window"] == sum(" OVER (" in s for s in upper)
    assert sum(found["by"]["joins of a query"].values()) == found["counts"]["gold queries that parse"]
    assert abs(found["by"]["joins of a query"]["0"] - sum(" JOIN " not in s for s in upper)) <= 10
    assert list(found["by"]["joins of a query"])[-1] == "4 or more"
    plain = [re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "x", s) for s in upper]
    patterns = {
        "aggregation": r"\b(AVG|COUNT|MAX|MIN|ROUND|SUM)\b",
        "comparison": r"[<>=]",
        "join": r"\b(JOIN|ON|AS)\b",
    }
    for name, pattern in patterns.items():
        expected = sum(bool(re.search(pattern, s)) for s in plain)
        assert abs(found["by"]["class of keywords"][name] - expected) <= 3, name
    # The bins hold all, and their middles give back the mean.
    spread = found["by"]["tokens of a query"]
    assert sum(spread.values()) == 1_534
    middles = {b: (int(b.split()[0]) + int(b.split()[-1])) / 2 for b in spread}
    assert (
        abs(sum(n * middles[b] for b, n in spread.items()) / 1_534 - found["means"]["tokens of a gold query"])
        < 1
    )
    tokens = {w for s in plain for w in re.findall(r"[\w.]+|[^\w\s]", s)}
    assert 0.5 * len(tokens) < found["counts"]["different 1-grams of queries"] < 4 * len(tokens)
    assert found["counts"]["different 2-grams of queries"] > found["counts"]["different 1-grams of queries"]


def test_the_databases_at_hand_are_described(tmp_path: Path, fathom: Fathom) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "g.sqlite") as made:
        made.execute("CREATE TABLE gene (a, b, c)")
        made.execute("INSERT INTO gene VALUES (1, 2, 3), (1, 2, 3)")
    made.close()
    lines = [
        {"id": "1", "question": "How many genes are there?", "database": "g.sqlite",
         "gold": ["SELECT COUNT(*) FROM gene", "SELECT 2"], "tags": ["x"]},
        {"id": "2", "question": "Which planets are there?", "database": "g.sqlite", "gold": [],
         "answerable": False},
    ]  # fmt: skip
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = json.loads(fathom("benchmarks", "describe", file, "--json").out)
    means = found["means"]
    assert (means["tables of a database"], means["columns of a database"], means["rows of a database"]) == (
        1,
        3,
        2,
    )
    assert means["words of a question"] == 4.5
    assert means["gold queries of a question"] == 2
    assert (found["counts"]["questions"], found["counts"]["answerable"]) == (2, 1)
    assert found["counts"]["different 1-grams of questions"] == 7
    told = fathom("benchmarks", "describe", file)
    assert told.code == 0
    assert "counting" in told.out


def test_tool_questions_have_biotools_distributions(tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    symbol = {"species": "human", "symbol": "BRCA2"}
    rows = [
        {"query": "Where is BRCA2?", "endpoint": "lookup_by_symbol", "arguments": symbol},
        {"query": "Search", "endpoint": "esearch", "arguments": {"db": "gene", "term": "x"}},
        {"query": "Search again", "endpoint": "esearch", "arguments": {"db": "gene", "term": "y"}},
    ]  # fmt: skip
    file.write_text(json.dumps(rows), encoding="utf-8")
    by = describe(load_benchmark(f"biotool:{file}"))["by"]
    assert by["service"] == {"NCBI": 2, "Ensembl": 1}
    assert by["endpoint"] == {"esearch": 2, "lookup_by_symbol": 1}
    assert by["kind of call"] == {"esearch": 2, "lookup": 1}
    assert set(by["domain"]) == {"literature and sequence records", "genomes and variation"}


def test_what_to_describe_must_be_said(fathom: Fathom) -> None:
    done = fathom("benchmarks", "describe")
    assert done.code == 1
    assert "fathom benchmarks describe NAME" in done.err
