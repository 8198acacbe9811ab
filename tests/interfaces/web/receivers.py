"""A webhook and a server of mails on this machine, which note what they are sent."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Received:
    """All that came, in its order: of webhooks their headers and JSON, of mails their text."""

    url: str
    posts: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    status: Callable[[], int] = lambda: 200


@contextmanager
def webhook() -> Iterator[Received]:
    """A webhook until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.posts.append(({k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
            status = received.status()
            with suppress(OSError):  # whoever sent it may have been killed
                self.send_response(status)
                self.send_header("content-length", "0")
                self.send_header("location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    received = Received(f"http://127.0.0.1:{server.server_port}/hook")
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def mail_server(*, breaks: bool = False, refuses: bool = False) -> Iterator[Received]:
    """A server of mails; one that `breaks` takes a mail and hangs up before it says so."""
    listening = socket.create_server(("127.0.0.1", 0))
    received = Received(f"smtp://127.0.0.1:{listening.getsockname()[1]}")

    def talk(opened: socket.socket) -> None:
        with opened, opened.makefile("rwb") as line:

            def say(text: str) -> None:
                line.write(f"{text}\r\n".encode())
                line.flush()

            say("220 here")
            while command := line.readline():
                word = command[:4].upper()
                if word == b"DATA":
                    say("354 go on")
                    text = b""
                    while (read := line.readline()) not in (b".\r\n", b""):
                        text += read
                    received.mails.append(text.decode())
                    if breaks:
                        return
                    say("250 taken")
                elif word == b"RCPT" and refuses:
                    say("550 nobody")
                elif word == b"QUIT":
                    say("221 bye")
                    return
                else:
                    say("250 yes")

    def serve() -> None:
        with suppress(OSError):
            while True:
                opened, _ = listening.accept()
                with suppress(OSError):
                    talk(opened)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)
