"""`fathom teach`: from the command line to the next answer, and back."""

import json
from pathlib import Path

import pytest
from tests.command import Fathom

pytestmark = pytest.mark.usefixtures("own_settings")


def test_a_word_is_taught_used_listed_and_undone(fathom: Fathom, genes: Path) -> None:
    asked = ("ask", genes, "How many loci are there?")
    assert fathom(*asked).code == 3
    assert "Nothing was taught" in fathom("teach", genes).out
    done = fathom("teach", genes, "--word", "loci", "--means", "gene")
    assert done.code == 0
    assert "0 fixed, 0 broken" in done.out
    assert "3 genes." in fathom(*asked).out
    (lesson,) = json.loads(fathom("teach", genes, "--json").out)["lessons"]
    assert "“loci” is gene" in fathom("teach", genes).out
    assert "synonyms:\n    - loci" in fathom("teach", genes, "--as-pack").out
    assert "Undone" in fathom("teach", genes, "--undo", lesson["id"]).out
    assert fathom(*asked).code == 3
    assert "There is no lesson" in fathom("teach", genes, "--undo", lesson["id"]).err


def test_a_trial_keeps_nothing(fathom: Fathom, genes: Path) -> None:
    done = fathom("teach", genes, "--word", "loci", "--means", "gene", "--dry-run", "--json")
    assert done.code == 0
    assert json.loads(done.out)["kept"] is False
    assert "Nothing was taught" in fathom("teach", genes).out


def test_what_breaks_solved_questions_is_kept_only_if_insisted(fathom: Fathom, genes: Path) -> None:
    count = ("--question", "How many genes are there?", "--sql", "SELECT COUNT(*) FROM gene")
    assert fathom("teach", genes, *count).code == 0
    rule = ("--rule", "Only chromosome 19", "--condition", "chromosome = 19", "--tables", "gene")
    done = fathom("teach", genes, *rule)
    assert done.code == 3
    assert "broken: How many genes are there?" in done.out
    assert "Only chromosome 19" not in fathom("teach", genes).out
    assert fathom("teach", genes, *rule, "--anyway").code == 0
    assert "Only chromosome 19" in fathom("teach", genes).out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--question", "q"), "--sql is missing"),
        (("--word", "w"), "--means is missing"),
        (("--word", "w", "--means", "gene", "--value", "v"), "--means TABLE.COLUMN is missing"),
        (("--rule", "r", "--condition", "a = 1"), "--tables is missing"),
        (("--rule", "r", "--word", "w"), "one thing at a time"),
        (("--word", "w", "--means", "gen"), "Did you mean 'gene'"),
    ],
)
def test_what_is_missing_is_named(
    fathom: Fathom, genes: Path, options: tuple[str, ...], problem: str
) -> None:
    done = fathom("teach", genes, *options)
    assert done.code == 1
    assert problem in done.err


def test_what_another_lesson_denies_is_kept_only_if_insisted(fathom: Fathom, genes: Path) -> None:
    count = ("--question", "How many genes are there?")
    assert fathom("teach", genes, *count, "--sql", "SELECT COUNT(*) FROM gene").code == 0
    other = (*count, "--sql", "SELECT COUNT(DISTINCT symbol) FROM gene")
    done = fathom("teach", genes, *other)
    assert done.code == 3
    assert "another lesson says otherwise: “How many genes are there?” is answered by" in done.out
    assert "DISTINCT" not in fathom("teach", genes).out
    assert fathom("teach", genes, *other, "--anyway").code == 0
    assert "DISTINCT" in fathom("teach", genes).out


def test_a_word_for_a_condition_is_tried_before_it_is_kept(fathom: Fathom, genes: Path) -> None:
    asked = ("ask", genes, "How many genes are distal?")
    declined = fathom(*asked)
    assert declined.code == 3
    assert "fathom teach DATABASE --word distal --means TABLE.COLUMN, or --condition" in declined.out
    said = ("teach", genes, "--tables", "gene", "--condition")
    refused = fathom(*said, "no_such(chromosome) = 1", "--word", "distal")
    assert "the database can't use no_such(chromosome) = 1" in refused.err
    done = fathom(*said, "chromosome > 18", "--word", "distal")
    assert (done.code, "“distal”, said of gene, is chromosome > 18" in done.out) == (0, True)
    assert fathom(*asked).code == 0
    again = fathom(*said, "chromosome > 18", "--word", "distal")
    assert (again.code, "it changes nothing" in again.out) == (3, True)
