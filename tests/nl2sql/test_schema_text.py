import asyncio

import pytest
from sqlglot import exp, parse

from fathom.databases import Database
from fathom.methods import Context
from fathom.nl2sql import selections
from fathom.nl2sql.samples import common_values, first_rows
from fathom.nl2sql.schema_text import ShownSchema, Style, descriptions, foreign_keys, render
from fathom.records import Selection

STYLES: tuple[Style, ...] = ("create", "commented", "lines", "tuples", "meanings", "sentences", "list")


@pytest.mark.parametrize("style", STYLES)
def test_every_style_shows_the_selection_and_nothing_else(context: Context, style: Style) -> None:
    selection = Selection({"gene": ("symbol",), "drug": ("trade name",)})
    text = render(ShownSchema(context.database.schema, selection, {("gene", "symbol"): ["APOE"]}), style)
    assert "symbol" in text
    assert "trade name" in text
    assert "chromosome" not in text
    assert "target" not in text
    assert ("APOE" in text) is (style not in {"create", "meanings"})


@pytest.mark.parametrize("style", STYLES)
def test_what_is_known_of_a_column_is_shown_where_the_style_has_room(context: Context, style: Style) -> None:
    text = render(ShownSchema(context.database.schema, knowledge=context.knowledge), style)
    assert ("length in base pairs" in text) is (style not in {"create", "lines", "tuples"})


def test_create_statements_are_sql_that_says_the_same(context: Context) -> None:
    shown = ShownSchema(context.database.schema, samples={("gene", "symbol"): ["multi\nline -- value"]})
    for style in ("create", "commented"):
        trees = parse(render(shown, style), dialect="sqlite")
        assert [t.this.this.name for t in trees if isinstance(t, exp.Create)] == ["drug", "gene", "target"]
    assert "FOREIGN KEY (gene_id) REFERENCES gene (id)" in render(shown)
    assert "`trade name` TEXT" in render(shown)
    assert set(foreign_keys(shown).splitlines()) == {"target.drug_id = drug.id", "target.gene_id = gene.id"}
    assert descriptions(ShownSchema(context.database.schema, knowledge=context.knowledge)) == (
        "gene.length: length in base pairs"
    )


def test_samples(context: Context) -> None:
    rows = asyncio.run(first_rows(context, rows=2))
    assert rows["gene", "symbol"] == ["APOE", "LRRK2"]
    common = asyncio.run(common_values(context))
    assert ("gene", "id") not in common
    assert ("target", "drug_id") not in common
    assert common["target", "action"] == ["inhibitor"]
    assert common["gene", "length"][0] is None


def test_selections_are_read_united_and_closed(database: Database) -> None:
    schema = database.schema
    named = selections.select(schema, {"GENE": ["Symbol", "gene.length", "nothing"], "nowhere": ["x"]})
    assert named == Selection({"gene": ("symbol", "length")})
    assert selections.from_items(schema, ["`gene`.`symbol`", "drug", "drug.name", "target"]) == Selection(
        {"gene": ("symbol",), "drug": ("name",), "target": ()}
    )
    joined = selections.united(schema, named, Selection({"target": ("action",)}))
    assert selections.with_keys(schema, joined).tables == {
        "gene": ("id", "symbol", "length"),
        "target": ("drug_id", "gene_id", "action"),
    }
    used = selections.used_by(schema, "SELECT g.symbol FROM gene g JOIN target t ON t.gene_id = g.id")
    assert used.tables == {"gene": ("id", "symbol"), "target": ("gene_id",)}
    assert selections.used_by(schema, "SELEC nothing (").tables == {}
    assert set(selections.mentioned_in(schema, "SELECT symbol FROM gene").tables) == {"gene"}
    assert selections.mentioned_in(schema, "PHASE", folded=True).tables == {"drug": ("phase",)}
    assert selections.or_everything(schema, Selection({})) == selections.everything(schema)
