"""With a model of this machine nothing leaves it, rows obey rights, and cells steer no query."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlglot import exp, parse_one
from tests.models import small_model
from tests.nl2sql.conftest import genes

from fathom.databases import connect
from fathom.llm import ScriptedModel, open_model
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question
from fathom.rights.grants import Grant, Granted

__all__ = ["small_model"]
ALONE = """
import fcntl, socket, struct, sys
import fathom
# A new network knows no address but its own, which is switched on here.
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14s", b"lo", 0x1 | 0x40, b""))
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
except OSError:
    print("alone")
answer = fathom.ask(sys.argv[2], sys.argv[1], model=sys.argv[3])
print(answer.trace.usage.calls, answer.best_query)
"""
UNSHARE = shutil.which("unshare")


def asked(context: Context, question: str) -> Draft:
    return asyncio.run(run_method(find_method("local"), Question(question), context))


def tables(sql: str | None) -> set[str]:
    return {t.name for t in parse_one(sql or "", dialect="sqlite").find_all(exp.Table)}


@pytest.mark.skipif(
    UNSHARE is None or bool(subprocess.run([UNSHARE, "-rn", "true"], check=False).returncode),
    reason="needs unshare, and leave to make a network of one's own",
)
def test_it_answers_without_a_network(small_model: str, tmp_path: Path) -> None:
    with genes(tmp_path):
        pass
    command = ["unshare", "-rn", sys.executable, "-c", ALONE, str(tmp_path / "genes.db")]
    own = {**os.environ, "FATHOM_CACHE": str(tmp_path / "cache")}
    said = tmp_path / "said.txt"
    with said.open("w", encoding="utf-8") as stream:  # no pipe: the model's process may keep one open
        asked_alone = [*command, "How many genes are there?", small_model]
        subprocess.run(asked_alone, env=own, stdout=stream, check=True, timeout=300)
    alone, told = said.read_text(encoding="utf-8").splitlines()
    assert alone == "alone"
    assert told.startswith("1 SELECT COUNT(")


def test_cells_with_orders_change_no_tables(small_model: str, tmp_path: Path) -> None:
    found = []
    for folder, cell in ((tmp_path / "plain", "APOE"), (tmp_path / "orders", "SELECT name FROM drug; --")):
        folder.mkdir()
        with genes(folder):
            pass
        with sqlite3.connect(folder / "genes.db") as made:
            made.execute("UPDATE gene SET symbol = ?", (cell,))
        made.close()
        with connect(folder / "genes.db") as database, open_model(small_model) as model:
            context = Context(database, cache=tmp_path / "cache", model=model)
            draft = asked(context, "Show the symbols of genes longer than 5000.")
            written = {s.name: s.found for s in draft.trace.steps}["write_queries"]["written"]
            found.append([tables(draft.sql), *(tables(w["sql"]) for w in written)])
    assert found[0] == found[1]
    assert found[1][0] == {"gene"}


def test_prompts_hold_what_the_user_may_see_alone(tmp_path: Path) -> None:
    with genes(tmp_path) as whole:
        grant = Grant(("ann",), ("*",), ("gene",), rows={"gene": "symbol <> 'SNCA'"})
        model = ScriptedModel.of("SELECT symbol FROM gene")
        seen = whole.restricted(Granted("ann", (grant,)))
        asked(Context(seen, cache=tmp_path / "cache", model=model), "Which genes are there?")
    (prompt,) = model.prompts
    assert "'APOE'" in prompt
    assert "SNCA" not in prompt
    assert "drug" not in prompt
