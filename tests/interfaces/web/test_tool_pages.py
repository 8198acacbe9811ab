from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.biotools.conftest import quick
from tests.interfaces.web.conftest import ORIGIN, TOKEN, made_site

from fathom.biotools.catalogue import endpoints
from fathom.biotools.client import Client
from fathom.biotools.loopback import Loopback
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import DEMO

GOATS = {"species": "goat", "region": "chr29:707,234-757,234", "population_name": "NextGen goats"}


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture(scope="module")
def tools(server: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A browser at a site whose tools are answered on this machine."""
    folder = tmp_path_factory.mktemp("tools")
    site = made_site(folder, tools=Client(quick(folder / "kept", server)), jobs_a_minute=1_000)
    with TestClient(make_app(site), base_url=ORIGIN) as opened:
        opened.get("/", params={"t": TOKEN})
        opened.headers["sec-fetch-site"] = "same-origin"
        yield opened


def form(arguments: dict[str, str]) -> dict[str, str]:
    return {f"argument.{name}": value for name, value in arguments.items()}


def test_all_endpoints_are_listed_and_searched(tools: TestClient) -> None:
    page = tools.get("/api/tools").json()
    assert page["found"] == len(endpoints())
    assert sum(len(g["endpoints"]) for g in page["groups"]) == len(endpoints())
    assert "not by https://rest.ensembl.org" in str(page["notes"])
    found = tools.get("/api/tools?q=linkage disequilibrium").json()
    assert 0 < found["found"] < len(endpoints())
    assert "No endpoint fits" in tools.get("/tools?q=qqqqzzzz").text


@pytest.mark.parametrize("name", sorted(endpoints()))
def test_every_form_is_made_and_its_example_can_be_called(tools: TestClient, name: str) -> None:
    page = tools.get(f"/api/tools/{name}").json()
    html = tools.get(f"/tools/{name}", params=page["example"]).text
    for argument in page["arguments"]:
        assert f'name="argument.{argument["name"]}"' in html
    called = tools.post(f"/api/tools/{name}", json={"arguments": page["example"]})
    assert called.status_code == 200, called.text
    assert called.json()["observation"] is not None


def test_a_form_shows_what_a_call_gave(tools: TestClient) -> None:
    page = tools.post("/tools/get_ld_region", data=form(GOATS))
    assert page.status_code == 200
    assert "NextGen:All" in page.text
    assert "/ld/capra_hircus/region/29:707234-757234/NextGen:All" in page.text
    assert "Cite: Yates" in page.text


def test_what_is_wrong_is_told_beside_its_field_and_nothing_is_sent(
    tools: TestClient, server: Loopback
) -> None:
    came = len(server.times["ensembl"])
    page = tools.post("/tools/get_ld_region", data=form({**GOATS, "species": "gaot<script>"}))
    assert "Nothing was sent" in page.text
    assert 'aria-invalid="true"' in page.text
    assert "gaot&lt;script&gt;" in page.text
    assert "<script>" not in page.text.replace('<script type="module"', "")
    assert len(server.times["ensembl"]) == came
    told = tools.post("/api/tools/get_ld_region", json={"arguments": {"species": "gaot"}})
    assert told.status_code == 400
    assert tools.post("/api/tools/nothing", json={"arguments": {}}).status_code == 404


def test_a_question_is_answered_by_calls_and_a_link_runs_none(tools: TestClient, server: Loopback) -> None:
    page = tools.post(
        "/tools", data={"question": "Which phenotypes are associated with the gene BRCA2 in human?"}
    )
    assert "Answered" in page.text
    assert "/tools/" in page.text
    reply = tools.post("/api/tools", json={"question": "What will the weather be tomorrow?"}).json()
    assert reply["declined"]
    assert not reply["calls"]
    came = sum(map(len, server.times.values()))
    tools.get("/tools/get_ld_region", params=GOATS)
    assert sum(map(len, server.times.values())) == came


def test_made_up_records_are_shown_as_such_and_never_as_those_of_the_services(
    tmp_path: Path, server: Loopback
) -> None:
    site = made_site(tmp_path, tools=Client(quick(tmp_path / "kept", server)), is_demo=True)
    with TestClient(make_app(site), base_url=ORIGIN) as demo:
        demo.get("/", params={"t": TOKEN})
        demo.headers["sec-fetch-site"] = "same-origin"
        question = {"question": "Which phenotypes are associated with the gene BRCA2 in human?"}
        pages = [
            demo.get("/tools").text,
            demo.post("/tools/get_ld_region", data=form(GOATS)).text,
            demo.post("/tools", data=question).text,
        ]
        for page in pages:
            assert page.count("Made-up demo records") == 1
            assert "127.0.0.1" not in page
            assert 'href="https://' not in page
            assert "Cite" not in page
            assert "Answered" not in page
            assert "made, not science" not in page  # the shop's rows are a user's own
        assert "<s>https://rest.ensembl.org/phenotype" in pages[-1]
        assert demo.post("/api/tools", json=question).json()["made_up"]


def test_a_sample_is_named_beside_a_database_of_ones_own(tmp_path: Path) -> None:
    for own, told in (
        ({}, "Sample data: made, not science"),
        ({"mine": str(tmp_path / "shop.db")}, "The data of biomed are a sample: made, not science"),
    ):
        folder = tmp_path / str(len(own))
        folder.mkdir()
        site = replace(made_site(folder), served={"biomed": DEMO, **own})
        with TestClient(make_app(site), base_url=ORIGIN) as opened:
            assert told in opened.get("/", params={"t": TOKEN}).text


def test_calls_are_limited_like_questions(tmp_path: Path, server: Loopback) -> None:
    site = made_site(tmp_path, tools=Client(quick(tmp_path / "kept", server)), jobs_a_minute=1)
    with TestClient(make_app(site), base_url=ORIGIN) as opened:
        opened.get("/", params={"t": TOKEN})
        opened.headers["sec-fetch-site"] = "same-origin"
        told = [opened.post("/tools/get_ld_region", data=form(GOATS)).status_code for _ in range(2)]
        assert told == [200, 429]
