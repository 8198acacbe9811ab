"""What docs/browser.md shows is there: its pages, its keys, its program, and what it says of proxies."""

import re
import socket
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import httpx2
import pytest
from bench.parts.served import Served

from tests.command import Fathom
from tests.docs.test_pages import blocks

PAGE = "docs/browser.md"
TEXT = Path(PAGE).read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    part = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines[1:]]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served"), "--demo") as started:
        yield started


def test_every_page_of_the_table_is_there(served: Served) -> None:
    with served.client() as client:
        for first, _ in rows("What you see"):
            for path in re.findall(r"`([^`]+)`", first):
                assert client.get(path).status_code == 200, path


def test_the_keys_are_those_of_the_help_page() -> None:
    template = files("fathom.interfaces.web").joinpath("templates", "help.html").read_text(encoding="utf-8")
    known = dict(re.findall(r"\('([^']+)', '([^']+)'\)", template))
    assert {key.strip("`"): does for key, does in rows("Keys")} == known


def test_the_program_asks_and_prints(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FATHOM_TOKEN", served.token)
    (program,) = blocks(PAGE, "python no-run")
    exec(compile(program.replace("8765", str(served.port)), PAGE, "exec"), {})
    printed = capsys.readouterr().out
    assert "9" in printed
    assert "SELECT COUNT(*)" in printed


def test_another_host_needs_a_token_and_an_address(fathom: Fathom) -> None:
    code, _, told = fathom("serve", "--host", "0.0.0.0", "--token", "mine")
    assert code == 1
    assert "--public-url" in told


def test_behind_a_proxy_only_its_name_is_answered_and_the_cookie_wants_https(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ("--public-url", "https://fathom.example.org")
    with Served(tmp_path, "--demo", *options, port=port) as started:
        url = f"http://127.0.0.1:{port}/login"
        proxied = {"host": "fathom.example.org"}
        let_in = httpx2.get(url, params={"t": started.token}, headers=proxied)
        assert let_in.status_code == 303
        assert "__Host-" in let_in.headers["set-cookie"]
        assert "Secure" in let_in.headers["set-cookie"]
        assert httpx2.get(url, headers={"host": "elsewhere.example.org"}).status_code == 421
