from fathom.biotools.catalogue import endpoints, export, search


def test_the_published_endpoints_are_all_there() -> None:
    published = [e for e in endpoints().values() if not e.extra]
    assert len(published) == 124
    assert len({(e.provider, e.tool) for e in published}) == 34
    assert {p: len([e for e in published if e.provider == p]) for p in ("NCBI", "UniProt", "Ensembl")} == {
        "NCBI": 5,
        "UniProt": 45,
        "Ensembl": 74,
    }


def test_schemas_are_what_function_calling_takes() -> None:
    schemas = export()
    assert [s["function"]["name"] for s in schemas] == sorted(endpoints())
    for schema in schemas:
        function = schema["function"]
        parameters = function["parameters"]
        assert len(function["name"]) <= 64
        assert parameters["additionalProperties"] is False
        assert set(parameters["required"]) <= set(parameters["properties"])
        assert not {"api_key", "email", "tool"} & set(parameters["properties"])
        assert set(endpoints()[function["name"]].example) <= set(parameters["properties"])


def test_search_finds_by_words_and_says_so_when_nothing_fits() -> None:
    assert search("linkage disequilibrium in a region")[0].name == "get_ld_region"
    assert search("binding matrices")[0].name == "get_binding_matrix"
    assert search("xyzzy") == []
