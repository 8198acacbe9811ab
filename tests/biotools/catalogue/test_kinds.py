from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.biotools.catalogue.kinds import KINDS, is_nucleotide

CASES = yaml.safe_load(Path(__file__).with_name("kinds.yaml").read_text(encoding="utf-8"))
FORMS = [(kind, said, form) for kind, cases in CASES["forms"].items() for said, form in cases]
REFUSED = [(kind, said, hint) for kind, cases in CASES["refused"].items() for said, hint in cases]


@pytest.mark.parametrize(("kind", "said", "form"), FORMS)
def test_what_people_say_becomes_what_the_api_wants(kind: str, said: str, form: str) -> None:
    assert KINDS[kind](said, {}) == form
    assert KINDS[kind](form, {}) == form, "a normal form stays as it is"


@pytest.mark.parametrize(("kind", "said", "hint"), REFUSED)
def test_what_can_not_be_right_is_refused_with_a_hint(kind: str, said: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        KINDS[kind](said, {})


@pytest.mark.parametrize(
    ("species", "said", "form"),
    [
        ("homo_sapiens", "brca2", "BRCA2"),
        ("mus_musculus", "brca2", "Brca2"),
        ("danio_rerio", "brca2", "brca2"),
        ("mus_musculus", "BRCA2", "BRCA2"),
    ],
)
def test_symbols_get_the_case_of_their_species(species: str, said: str, form: str) -> None:
    assert KINDS["symbol"](said, {"species": species}) == form


@pytest.mark.parametrize(
    ("residues", "nucleotide"),
    [("ACGTNACGT", True), (">q\nACGUACGU\n", True), ("MKTAYIAKQR", False), ("", False)],
)
def test_molecule_of_a_sequence(residues: str, nucleotide: bool) -> None:
    assert is_nucleotide(residues) is nucleotide


def test_every_kind_in_the_catalogue_is_known() -> None:
    from fathom.biotools.catalogue import endpoints

    used: set[Any] = {p.kind for e in endpoints().values() for p in e.parameters.values()} - {None}
    assert used == set(KINDS)
