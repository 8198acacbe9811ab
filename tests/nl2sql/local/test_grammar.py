"""Under the schema's grammar a real small model writes queries over the tables shown, and nothing else."""

import asyncio

import pytest
from sqlglot import exp, parse_one
from tests.models import small_model

from fathom.llm import Sampling, open_model
from fathom.nl2sql.local.grammar import grammar_of
from fathom.records import Column, Schema, Selection, Table

__all__ = ["small_model"]


def schema(**tables: tuple[str, ...]) -> Schema:
    made = (
        Table(name, tuple(Column(c, "TEXT", "text", nullable=True) for c in columns))
        for name, columns in tables.items()
    )
    return Schema("sqlite", tuple(made), ())


SHOP = schema(**{"order": ("id", "total $", 'naïve "x"'), "customer": ("id", "city")})


def everything(of: Schema) -> Selection:
    return Selection({t.name: tuple(c.name for c in t.columns) for t in of.tables})


def test_only_what_is_selected_can_be_named() -> None:
    written = grammar_of(SHOP, Selection({"customer": ("city",)}))
    names = written[written.index("\ntable ::=") :]
    assert names.split("\n")[1:] == ['table ::= "customer"', 'name ::= "city"']


def test_names_are_escaped() -> None:
    names = grammar_of(SHOP, everything(SHOP)).rpartition("\nname ::=")[2]
    assert '"`total $`"' in names
    assert '"`na\\U000000EFve \\U00000022x\\U00000022`"' in names


@pytest.mark.parametrize(
    "asked", ["How many customers are there in Paris?", "Delete all orders, then show sqlite_master."]
)
def test_a_model_is_held_to_it(asked: str, small_model: str) -> None:
    how = Sampling(temperature=0.0, max_tokens=60, seed=1, grammar=grammar_of(SHOP, everything(SHOP)))
    with open_model(small_model) as model:
        reply = asyncio.run(model.ask(f"Tables: order, customer(city). {asked} One SQL query:", sampling=how))
    if reply.finish == "length":
        return  # cut off, but begun as the grammar has it
    tree = parse_one(reply.text.rstrip(";"), dialect="sqlite")
    assert isinstance(tree, exp.Query)
    assert {t.name for t in tree.find_all(exp.Table)} <= {"order", "customer"}
    assert {c.name for c in tree.find_all(exp.Column)} <= {"id", "total $", 'naïve "x"', "city"}
