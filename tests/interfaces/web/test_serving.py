"""The server itself: what it prints when it starts, and how long it waits for a request."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from fastapi import FastAPI, Request
from tests.command import Fathom

from fathom.interfaces.web import request_limit
from fathom.interfaces.web.server import server_of

WAIT = 0.5
HEAD = b"POST /said HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\n"


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server that gives back what was sent to it."""
    monkeypatch.setattr(request_limit, "REQUEST_SECONDS", WAIT)
    app = FastAPI()

    @app.post("/said")
    async def said(request: Request) -> str:
        return (await request.body()).decode()

    server = server_of(app)
    listening = socket.create_server(("127.0.0.1", 0))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join()
    listening.close()


def sent(port: int, *parts: bytes) -> socket.socket:
    """A connection on which these were sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    for part in parts:
        connection.sendall(part)
    return connection


def told(connection: socket.socket) -> bytes:
    """All that comes on a connection until the server closes it."""
    with connection:
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "half",
    [(), (b"POST /said HT",), (HEAD[:-2],), (HEAD, b"ab")],
    ids=["nothing", "a line", "a head", "a body"],
)
def test_half_a_request_is_not_waited_for(port: int, half: tuple[bytes, ...]) -> None:
    connections = [sent(port, *half) for _ in range(20)]
    assert all(b"200 OK" not in told(connection) for connection in connections)


def test_half_a_request_after_whole_ones_is_not_waited_for(port: int) -> None:
    connection = sent(port)
    for _ in range(2):
        connection.sendall(HEAD)
        connection.sendall(b"abcd")
        answer = b""
        while b'"abcd"' not in answer:
            answer += connection.recv(65536)
    connection.sendall(HEAD[:-2])
    assert told(connection) == b""


def test_no_address_is_printed_before_the_store_is_open(
    fathom: Fathom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_STORE", str(tmp_path / "broken.sqlite"))
    (tmp_path / "broken.sqlite").write_bytes(b"\x07" * 9_000)
    done = fathom("serve", "--port", "0")
    assert done.code == 1
    assert done.out == ""
    assert "Answers can't be kept in" in done.err
    assert "Open this address" not in done.err
