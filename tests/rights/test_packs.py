"""Knowledge packs and solved examples as a restricted user gets them."""

import pytest

from fathom.answering import ask
from fathom.answering.preparation import prepare
from fathom.errors import ModelNeeded, RightsError
from fathom.knowledge import KnowledgePack
from fathom.llm import ScriptedModel
from fathom.records import SolvedExample
from tests.rights.conftest import Shop
from tests.rights.test_restricted import grant
from tests.rights.world import leaks

PACK = KnowledgePack.model_validate(
    {
        "name": "shop",
        "description": "Customers, and their xylomancies.",
        "tables": {
            "customers": {
                "description": "Who buys; see also xylomancy.",
                "synonyms": ["clients", "quorvex people"],
                "columns": {
                    "city": {
                        "description": "Where they live.",
                        "note": "Ask xylo bonus people.",
                        "values": {"Paris": "the capital", "Ulmengard": "far away"},
                    },
                    "quorvex": {"description": "secret"},
                },
            },
            "xylomancy": {"description": "secret"},
        },
        "glossary": [
            {"term": "Parisian", "column": "customers.city", "value": "Paris"},
            {"term": "outlander", "column": "customers.city", "value": "Ulmengard"},
            {"term": "stranger", "tables": ["customers"], "condition": "country = 'Vrakhund'"},
            {"term": "gifted", "column": "customers.quorvex"},
            {"term": "magic", "tables": ["xylomancy"]},
            {"term": "bonus", "meaning": "what xylomancy is for"},
            {"term": "cheap", "tables": ["products"], "condition": "price < 50"},
        ],
        "conventions": [
            {"name": "a", "rule": "Leave the xylomancy out."},
            {
                "name": "b",
                "rule": "Cheap first.",
                "adds": {"order_by": "price"},
                "when": {"tables": ["products"]},
            },
            {"name": "c", "rule": "No strangers.", "adds": {"conditions": "country <> 'Vrakhund'"}},
        ],
        "joins": [
            {
                "table": table,
                "columns": "customer_id",
                "target_table": "customers",
                "target_columns": "id",
            }
            for table in ("orders", "xylomancy")
        ],
        "examples": [
            {"question": "Who lives in Paris?", "sql": "SELECT name FROM customers WHERE city = 'Paris'"},
            {"question": "Who lives afar?", "sql": "SELECT name FROM customers WHERE city = 'Ulmengard'"},
            {"question": "How much magic?", "sql": "SELECT count(*) FROM xylomancy"},
            {"question": "Who is gifted?", "sql": "SELECT name FROM customers WHERE quorvex IS NOT NULL"},
            {"question": "How many quorvex?", "sql": "SELECT count(*) FROM customers"},
        ],
    }
)  # fmt: skip


def test_a_pack_says_nothing_of_what_is_hidden(shop: Shop) -> None:
    own = tuple(SolvedExample(e.question, e.sql) for e in PACK.examples)
    context = prepare(shop.seen, packs=[PACK], examples=own).context
    known = context.knowledge
    assert not leaks(known.model_dump_json())
    assert not leaks(context.examples)
    assert known.tables["customers"].synonyms == ("clients",)
    assert known.tables["customers"].columns["city"].values.keys() == {"Paris"}
    assert [t.term for t in known.glossary] == ["Parisian", "cheap"]
    assert [c.name for c in known.conventions] == ["b"]
    assert [j.table for j in known.joins] == ["orders"]
    assert [e.question for e in known.examples] == ["Who lives in Paris?"]
    assert [e.question for e in context.examples] == ["Who lives in Paris?"]


def test_without_rights_a_pack_stays_whole(shop: Shop) -> None:
    assert prepare(shop.whole, packs=[PACK]).context.knowledge.glossary == PACK.glossary


def test_a_question_solved_for_others_is_not_recalled(sqlite_shop: Shop) -> None:
    assert "Zambrokwist" in ask("Who lives afar?", sqlite_shop.whole, packs=[PACK]).text
    assert not leaks(ask("Who lives afar?", sqlite_shop.seen, packs=[PACK]).text)


def test_a_model_is_asked_only_where_it_may_be(sqlite_shop: Shop) -> None:
    mute = sqlite_shop.whole.restricted(grant(models=False))
    with pytest.raises(RightsError, match="no language model"):
        prepare(mute, model=ScriptedModel.of("x"))
    with pytest.raises(ModelNeeded):
        prepare(mute, method="din-sql")


def test_an_answer_tells_that_rows_were_left_out(sqlite_shop: Shop) -> None:
    assumed = ask("How many customers are there?", sqlite_shop.seen).assumptions
    assert [a.text for a in assumed if a.kind == "rights"] == [
        "Only the rows of customers that you may see were used."
    ]
    assert not [
        a for a in ask("How many products are there?", sqlite_shop.seen).assumptions if a.kind == "rights"
    ]
