"""Models are fetched whole or not at all, gone on with where they broke off, and checked."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fathom.errors import ModelNotConfigured
from fathom.llm.local.catalogue import FOLDER, LocalModel, catalogue, find_local, preferred
from fathom.llm.local.fetching import FetchFailed, fetch
from fathom.llm.local.removing import remove
from tests.command import Fathom

CONTENT = bytes(range(256)) * 9000
MODEL = LocalModel(
    name="tiny",
    title="Tiny",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="MIT",
    address="",
    context=512,
    memory=1,
)


class Publisher:
    """A server of one file: what it was asked for, how much of it it gives, and whether it knows ranges."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.content, self.gives, self.ranges, self.status = CONTENT, len(CONTENT), True, 0

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        wanted = handler.headers.get("range", "")
        self.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.ranges else 0
        handler.send_response(self.status or (206 if start else 200))
        body = self.content[start:]
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: self.gives])


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    told = Publisher()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told.address = f"http://127.0.0.1:{server.server_port}/tiny.gguf"  # type: ignore[attr-defined]
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_settings: None) -> Path:
    monkeypatch.setenv(FOLDER, str(tmp_path / "models"))
    return tmp_path / "models"


def published(publisher: Publisher) -> LocalModel:
    return replace(MODEL, address=publisher.address)  # type: ignore[attr-defined]


def test_a_model_is_fetched_for_its_owner_alone(publisher: Publisher, folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    file = fetch(published(publisher), progress=lambda done, of: seen.append((done, of)))
    assert file.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    fetch(published(publisher))
    assert publisher.asked == [""]  # what is there is fetched no more


@pytest.mark.parametrize("ranges", [True, False])
def test_what_broke_off_is_gone_on_with(publisher: Publisher, ranges: bool) -> None:
    publisher.gives = 1_500_000
    with pytest.raises(FetchFailed, match="MB are kept"):
        fetch(published(publisher))
    assert not MODEL.path.exists()
    publisher.gives, publisher.ranges = len(CONTENT), ranges
    assert fetch(published(publisher)).read_bytes() == CONTENT
    assert publisher.asked[0] == ""
    assert 0 < int(publisher.asked[1].removeprefix("bytes=").rstrip("-")) <= 1_500_000


def test_another_file_is_refused_and_deleted(publisher: Publisher, folder: Path) -> None:
    publisher.content = CONTENT[:-1] + b"!"
    with pytest.raises(FetchFailed, match=r"isn't tiny\.gguf as published"):
        fetch(published(publisher))
    assert not [f for f in folder.iterdir() if f.suffix != ".lock"]


def test_errors_say_what_to_do(publisher: Publisher) -> None:
    publisher.status = 404
    with pytest.raises(FetchFailed, match=r"HTTP 404.*--from FILE"):
        fetch(published(publisher))
    with pytest.raises(FetchFailed, match=r"can't be reached.*--from FILE"):
        fetch(replace(MODEL, address="http://127.0.0.1:9/tiny.gguf"))
    with pytest.raises(FetchFailed, match=r"There is no file nowhere\.gguf"):
        fetch(MODEL, "nowhere.gguf")
    with pytest.raises(FetchFailed, match="GB more on the disk"):
        fetch(replace(published(publisher), size=10**15))
    with pytest.raises(ModelNotConfigured, match=r"huggingface\.co isn't this machine"):
        fetch(find_local("qwen2.5-coder-0.5b"))


def test_a_model_is_taken_from_a_file_and_removed(tmp_path: Path) -> None:
    given = tmp_path / "given.gguf"
    given.write_bytes(CONTENT)
    assert fetch(MODEL, str(given)).read_bytes() == CONTENT
    assert remove(MODEL) == len(CONTENT)
    assert not MODEL.is_fetched
    assert remove(MODEL) == 0


def test_local_alone_is_the_preferred_one_that_is_there(folder: Path) -> None:
    first, *others = catalogue().values()
    with pytest.raises(ModelNotConfigured, match=f"fathom models fetch {first.name}"):
        preferred()
    folder.mkdir()
    for model in (*others, first):
        with model.path.open("wb") as stream:
            stream.truncate(model.size)
        assert preferred() == model


def test_commands_name_what_is_missing(fathom: Fathom, folder: Path) -> None:
    code, shown, _ = fathom("models", "--json")
    assert code == 0
    assert '"fetched": false' in shown
    code, _, error = fathom("ask", "demo:biomed", "How many genes are there?", "--model", "local")
    assert code == 1
    assert "fathom models fetch qwen2.5-coder-1.5b" in error
    code, _, error = fathom("models", "fetch", "local:qwen2.5-coder-0.7b")
    assert code == 1
    assert "Did you mean" in error
