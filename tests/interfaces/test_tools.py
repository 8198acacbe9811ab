import json

import pytest

from fathom.interfaces.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["tools", *arguments])
    told = capsys.readouterr()
    return int(str(ended.value.code)), told.out, told.err


def test_list_names_every_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--json")
    assert code == 0
    assert len(json.loads(out)) == 127


def test_search_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert "get_ld_pairwise" in run(capsys, "search", "linkage")[1]
    shown = run(capsys, "show", "get_ld_region")[1]
    assert "population_name (needed)" in shown
    assert "https://rest.ensembl.org/ld/capra_hircus/region/29:707234-757234/NextGen:All" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("show", "get_ld_regon"), "get_ld_region"), (("search", "xyzzy"), "No endpoint fits"),
     (("show",), "Name one endpoint"), (("lits",), "Did you mean 'list'"), (("blast",), "tools show NAME"),
     (("search",), "Say what to look for")],
)  # fmt: skip
def test_what_is_wrong_is_told(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    code, _, err = run(capsys, *arguments)
    assert code == 1
    assert told in err
