import json

import pytest
from tests.command import Fathom


def test_list_names_every_endpoint(fathom: Fathom) -> None:
    code, out, _ = fathom("tools", "--json")
    assert code == 0
    assert len(json.loads(out)) == 127


def test_search_and_show(fathom: Fathom) -> None:
    assert fathom("tools").err.strip() == "127 endpoints in 36 tools."
    assert "get_ld_pairwise" in fathom("tools", "search", "linkage")[1]
    shown = fathom("tools", "show", "get_ld_region")[1]
    assert "population_name (needed)" in shown
    assert "https://rest.ensembl.org/ld/capra_hircus/region/29:707234-757234/NextGen:All" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("show", "get_ld_regon"), "get_ld_region"), (("search", "xyzzy"), "No endpoint fits"),
     (("show",), "Name one endpoint"), (("lits",), "Did you mean 'list'"), (("blast",), "tools show NAME"),
     (("search",), "Say what to look for")],
)  # fmt: skip
def test_what_is_wrong_is_told(fathom: Fathom, arguments: tuple[str, ...], told: str) -> None:
    code, _, err = fathom("tools", *arguments)
    assert code == 1
    assert told in err
