"""`fathom rewrite` on a small database: what was tried is told, what can't be run is an error or a reason."""

import json
from pathlib import Path

from tests.command import Fathom

EITHER = "SELECT symbol FROM gene WHERE chromosome = 2 OR chromosome = 19"


def test_what_was_tried_is_told(fathom: Fathom, genes: Path) -> None:
    found = json.loads(fathom("rewrite", genes, EITHER, "--budget", 5, "--json").out)
    assert found["tried"]
    shown = fathom("rewrite", genes, EITHER, "--budget", 5, "--tried")
    assert shown.code == 0
    said = " ".join(shown.out.split())
    assert "chromosome IN (2, 19)" in said


def test_a_query_that_no_rule_fits_is_said_to_be_so(fathom: Fathom, genes: Path) -> None:
    done = fathom("rewrite", genes, "SELECT symbol FROM gene")
    assert (done.code, done.out.strip()) == (0, "No faster form was found: no rule applies.")


def test_a_query_that_writes_is_not_run(fathom: Fathom, genes: Path) -> None:
    done = fathom("rewrite", genes, "DELETE FROM gene")
    assert "delete rows" in done.out + done.err
