"""Saved questions as tools: their query with the values that an assistant gives."""

from typing import Any

import pytest
from mcp import Client
from tests.interfaces.mcp_client import called, definitions, failed, using

from fathom.answering.parameters import SavedParameter, condition_values
from fathom.answering.saved_queries import query_of
from fathom.answering.store import Origin
from fathom.answering.store.store import new_id
from fathom.interfaces.mcp.server import make_server
from fathom.interfaces.web.site import Site
from fathom.records import Answer, Question

QUERY = "SELECT title FROM album WHERE artist = 'Joni' AND price > 1"
TOOL = "saved_albums_of_an_artist"


@pytest.fixture
def site(site: Site) -> Site:
    """With a saved question that asks for an artist and a price, and one that asks for nothing."""
    store, schema = site.store, site.database("shop").schema
    for title, sql in (("Albums of an artist", QUERY), ("All", "SELECT count(*) FROM album")):
        id_, given = new_id(), Answer(Question(title), "yes", sql=sql)
        store.keep(id_, given, "shop", origin=Origin.EDITED, asked_by="", seconds=0)
        store.save(id_, title)
    artist, price = condition_values(QUERY, schema)
    store.filled.define(
        "albums-of-an-artist",
        QUERY,
        [
            SavedParameter("The artist!", "choice", artist.place, artist.value, "album", "artist"),
            SavedParameter("Price", "number", price.place, price.value, "album", "price"),
        ],
    )
    return site


def test_saved_questions_are_listed_with_their_values(site: Site) -> None:
    tools = {t.name: t for t in using(make_server(site), definitions)}
    assert [name for name in tools if name.startswith("saved_")] == [TOOL, "saved_all"]
    schema = tools[TOOL].input_schema
    assert schema["properties"]["the_artist"]["description"] == "The artist!; Joni unless given"
    assert schema["properties"]["price"]["type"] == "number"
    assert tools[TOOL].annotations.read_only_hint


def test_a_saved_question_is_asked_with_values(site: Site) -> None:
    reply = called(site, TOOL, the_artist="Miles", price=2)
    assert (reply["status"], reply["rows"]) == ("answered", [["Kind"]])
    assert reply["sql"] == "SELECT title FROM album WHERE artist = 'Miles' AND price > 2"
    assert called(site, TOOL)["rows"] == [["Blue"]]
    assert called(site, TOOL, the_artist=None, price="")["rows"] == [["Blue"]]
    assert called(site, "saved_all")["rows"] == [[3]]
    kept = site.store.get(reply["answer_id"])
    assert (kept.question, kept.asked_by) == ("Albums of an artist: The artist! Miles, Price 2", "mcp")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"artist": "Joni"}, "takes no argument 'artist'"),
        ({"price": "1 OR 1"}, "is no number"),
        ({"the_artist": "x" * 501}, "at most 500"),
        ({"price": True}, "is no number"),
    ],
)
def test_values_that_don_t_fit_are_told(site: Site, arguments: dict[str, Any], why: str) -> None:
    assert why in failed(site, TOOL, **arguments)


def test_a_value_is_a_value(site: Site) -> None:
    reply = called(site, TOOL, the_artist="x' OR 1=1 --")
    assert reply.get("rows", []) == []
    assert "'x'' OR 1=1 --'" in reply["sql"]


def test_questions_of_databases_that_aren_t_served_are_no_tools(site: Site) -> None:
    other = Site(site.settings, site.rules, site.store, {"elsewhere": site.served["shop"]})
    assert not [t.name for t in using(make_server(other), definitions) if t.name.startswith("saved_")]
    assert "Unknown tool" in failed(other, TOOL)


def test_a_query_is_filled_anew_each_time(site: Site) -> None:
    saved = site.store.saved("albums-of-an-artist")
    assert query_of(saved, "sqlite") == QUERY

    async def twice(client: Client) -> Any:
        first = await client.call_tool(TOOL, {"the_artist": "Miles"})
        return first, await client.call_tool(TOOL, {})

    first, second = using(make_server(site), twice)
    assert (first.structured_content["rows"], second.structured_content["rows"]) == ([["Kind"]], [["Blue"]])
