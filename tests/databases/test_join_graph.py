"""The graph of joins: which edges there are, and the ways over them."""

import pytest

from fathom.databases.join_graph import GUESSED_COST, KEY_COST, JoinGraph, guessed_by_text
from fathom.records.schema import Column, ForeignKey, Schema, Table

NUMBERED = ("a_id", "b_id", "c_id", "boss_id")


def table(name: str, *columns: str) -> Table:
    kinds = tuple(Column(c, "TEXT", "integer" if c in NUMBERED else "text") for c in columns)
    return Table(name, kinds, (columns[0],) if columns[0] in NUMBERED else ())


SCHEMA = Schema(
    "sqlite",
    (
        table("a", "a_id", "boss_id"), table("b", "b_id", "a_id"), table("c", "c_id", "b_id"),
        table("d", "region", "note"), table("e", "region", "c_id"),
    ),
    (
        ForeignKey("b", ("a_id",), "a", ("a_id",)),
        ForeignKey("c", ("b_id",), "b", ("b_id",), inferred=True, confidence=0.75),
        ForeignKey("a", ("boss_id",), "a", ("a_id",)),
        ForeignKey("b", ("gone",), "z", ("id",)),
    ),
)  # fmt: skip


def test_declared_and_inferred_keys_are_edges_seen_from_both_sides() -> None:
    graph = JoinGraph.of(SCHEMA)
    (edge,) = [e for e in graph.neighbours("a") if e.right == "b"]
    assert (edge.pairs, edge.cost) == ((("a_id", "a_id"),), 1.0)
    assert edge.reversed() in graph.neighbours("b")
    assert [e.cost for e in graph.neighbours("c")] == [1.25]
    assert list(graph.joined("a")) == ["b"]  # a key to the own table leads nowhere else
    assert [e.right for e in graph.neighbours("a")] == ["b", "a"]
    assert graph.neighbours("d") == graph.neighbours("nowhere") == ()


def test_names_alone_suggest_joins_where_that_is_asked_for() -> None:
    graph = JoinGraph.guessing(SCHEMA)
    found = {e.right: (e.pairs, e.cost) for e in graph.neighbours("e")}
    assert found.keys() == {"c", "d"}
    assert found["c"] == ((("c_id", "c_id"),), KEY_COST)
    pairs, cost = found["d"]
    assert pairs == (("region", "region"),)
    assert cost == pytest.approx(GUESSED_COST + 0.7)
    region = frozenset((("d", "region"), ("e", "region")))
    assert region in set(guessed_by_text(SCHEMA))
    assert JoinGraph.guessing(SCHEMA, apart={region}).joined("e") == {"c"}
    uniform = {("c", "c_id"), ("e", "c_id")}
    assert JoinGraph.guessing(SCHEMA, uniform=uniform).joined("e") == {"d"}


def test_what_lies_between_tables_is_found_and_the_keys_that_join_them() -> None:
    graph = JoinGraph.of(SCHEMA)
    assert graph.between(["a", "c"]) == ["b"]
    assert graph.between(["a", "b", "c"]) == graph.between(["a", "d"]) == graph.between([]) == []
    assert graph.keys(["a", "b", "c"]) == {"a": ["a_id"], "b": ["a_id", "b_id"], "c": ["b_id"]}
    assert graph.keys(["a", "c"]) == {"a": [], "c": []}


def test_tables_more_than_three_joins_away_are_not_joined() -> None:
    tables = tuple(table(f"t{n}", "a_id") for n in range(6))
    keys = tuple(ForeignKey(f"t{n}", ("a_id",), f"t{n + 1}", ("a_id",)) for n in range(5))
    graph = JoinGraph.of(Schema("sqlite", tables, keys))
    assert graph.between(["t0", "t3"]) == ["t1", "t2"]
    assert graph.between(["t0", "t4"]) == []
