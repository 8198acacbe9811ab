"""What docs/operation.md says of containers, metrics and copies holds."""

import json
import os
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import httpx2
from bench.parts.served import Served, shop

TEXT = Path("docs/operation.md").read_text(encoding="utf-8")
CONTAINER = Path("Containerfile").read_text(encoding="utf-8")


def instruction(word: str) -> list[str]:
    """What follows an instruction of the container file, line by line."""
    return re.findall(rf"^{word} (.+)$", CONTAINER, re.MULTILINE)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_the_container_starts_as_its_file_says(tmp_path: Path) -> None:
    """Its environment and entry point, with a folder and a port of this machine for the container's."""
    kept = dict(pair.split("=", 1) for pair in shlex.split(instruction("ENV")[0]))
    kept = {name: value.replace("/data", str(tmp_path)) for name, value in kept.items()}
    command = json.loads(instruction("ENTRYPOINT")[0])
    assert command[0] == "fathom"
    assert command[command.index("--port") + 1] == instruction("EXPOSE")[0] == "8765"
    command[command.index("--port") + 1] = port = str(free_port())
    secret = {"FATHOM_TOKEN": "s" * 30, "FATHOM_PUBLIC_URL": "https://fathom.example.org"}
    process = subprocess.Popen(
        [sys.executable, "-m", *command, str(shop(tmp_path))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | kept | secret,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "https://fathom.example.org/\n"
        assert httpx2.get(f"http://127.0.0.1:{port}/healthz", timeout=60).json() == {"ok": True}
        assert httpx2.get(f"http://127.0.0.1:{port}/", timeout=60).status_code == 401
    finally:
        process.terminate()
        _, told = process.communicate(timeout=60)
    assert secret["FATHOM_TOKEN"] not in told
    assert '"route": "/healthz"' in told
    assert (tmp_path / "fathom.sqlite").exists()


def test_the_image_has_the_extras_that_there_are() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extras in re.findall(r"\[([a-z,]+)\]\"", CONTAINER):
        assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert not instruction("USER")[0].startswith("root")


def test_the_health_check_asks_what_answers(tmp_path: Path) -> None:
    check = json.loads(instruction("HEALTHCHECK CMD")[0])
    with Served(tmp_path, str(shop(tmp_path))) as served:
        there = [sys.executable, *check[1:-1], check[-1].replace("8765", str(served.port))]
        assert subprocess.run(there, check=False, timeout=60).returncode == 0
    assert subprocess.run(there, check=False, timeout=60, stderr=subprocess.DEVNULL).returncode != 0


def test_every_metric_of_the_table_is_given(tmp_path: Path) -> None:
    with Served(tmp_path, str(shop(tmp_path))) as served:
        headers = {"authorization": f"Bearer {served.token}"}
        given = httpx2.get(f"{served.url}/metrics", headers=headers, timeout=60).text
    for name in re.findall(r"^\| `(fathom_\w+)`", TEXT, re.MULTILINE):
        assert f"# TYPE {name.removesuffix('_total')}" in given, name


def test_a_copy_of_a_running_server_is_whole_and_is_served_again(tmp_path: Path) -> None:
    (statement,) = re.findall(r'sqlite3 \S+ "(VACUUM INTO \'[^\']+\')"', TEXT)
    copied, there = tmp_path / "copied.sqlite", tmp_path / "there"
    there.mkdir()
    with Served(tmp_path, str(shop(tmp_path))) as served, served.client() as client:
        asked = [threading.Thread(target=_ask, args=(client, i)) for i in range(6)]
        for thread in asked:
            thread.start()
        with sqlite3.connect(tmp_path / "fathom.sqlite") as store:
            store.execute(re.sub(r"'[^']+'", f"'{copied}'", statement))
        store.close()
        for thread in asked:
            thread.join()
    with sqlite3.connect(copied) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store.close()
    copied.rename(there / "fathom.sqlite")
    with Served(there, str(tmp_path / "shop.db")) as served, served.client() as client:
        assert client.get("/history").status_code == 200
        _ask(client, 7)


def _ask(client: httpx2.Client, year: int) -> None:
    made = client.post("/api/ask/shop", json={"question": f"How many sales are there in {2010 + year}?"})
    assert made.status_code == 201, made.text
