from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.biotools.catalogue import SERVICES, check, endpoints, request_for
from fathom.errors import CallRefused, UnknownName

HERE = Path(__file__).parent
VALID = yaml.safe_load((HERE / "valid_calls.yaml").read_text(encoding="utf-8"))
INVALID = yaml.safe_load((HERE / "invalid_calls.yaml").read_text(encoding="utf-8"))
RULES = yaml.safe_load((HERE / "rules.yaml").read_text(encoding="utf-8"))


def test_every_endpoint_has_three_calls_of_both_sorts() -> None:
    for table in (VALID, INVALID):
        counts = Counter(name for name, *_ in table)
        assert {name: counts[name] for name in endpoints() if counts[name] < 3} == {}


@pytest.mark.parametrize(
    ("name", "arguments", "address"), VALID, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_valid_call_leads_to_its_address(
    name: str, arguments: dict[str, object], address: str | None
) -> None:
    request = request_for(check(name, arguments))
    if address is None:
        assert request.method == "POST"
        assert dict(request.form)["CMD"] == "Put"
    else:
        assert request.url().split("/", 3)[3] == address


@pytest.mark.parametrize(
    ("name", "arguments", "wrong"), INVALID, ids=lambda v: v if isinstance(v, str) else ""
)
def test_an_invalid_call_is_refused_for_the_right_reason(
    name: str, arguments: dict[str, object], wrong: str
) -> None:
    with pytest.raises(CallRefused) as caught:
        check(name, arguments)
    assert set(caught.value.problems) == {wrong}
    assert len(caught.value.problems[wrong]) > 8


@pytest.mark.parametrize("row", RULES, ids=lambda r: f"{r['endpoint']}-{r['wrong']}")
def test_arguments_that_do_not_go_together_are_refused(row: dict[str, object]) -> None:
    with pytest.raises(CallRefused) as caught:
        check(str(row["endpoint"]), row["arguments"])  # type: ignore[arg-type]
    assert str(row["says"]) in caught.value.problems[str(row["wrong"])]


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(CallRefused) as caught:
        check("get_ld_region", {"species": "gaot", "r2": 7, "colour": "blue"})
    assert set(caught.value.problems) == {"species", "r2", "colour", "region", "population_name"}
    assert "'goat'" in caught.value.problems["species"]


def test_an_unknown_endpoint_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="get_ld_region"):
        check("get_ld_regoin", {})


def test_none_is_left_out() -> None:
    assert check("get_disease_by_id", {"id": "DI-00394", "fields": None}).arguments == {"id": "DI-00394"}


HOSTILE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "../../admin",
            "..",
            ".",
            "a/b",
            "a?x=1",
            "a#b",
            "a&b=c",
            "%2e%2e",
            "\r\nHost: evil",
            "//evil.org",
            "a b",
            "\\",
        ]
    ),
    st.integers(),
    st.floats(),
    st.booleans(),
)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(sorted(endpoints())), st.data())
def test_no_argument_gets_a_malformed_address_out(name: str, data: st.DataObject) -> None:
    """Whatever passes the check stays inside its own path segment or query value."""
    endpoint = endpoints()[name]
    arguments = dict(endpoint.example)
    for changed in data.draw(st.lists(st.sampled_from(sorted(endpoint.parameters)), max_size=3)):
        arguments[changed] = data.draw(HOSTILE)
    try:
        call = check(name, arguments)
        request = request_for(call)
    except CallRefused:
        return
    base = urlsplit(SERVICES[endpoint.service])
    url = request.url()
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.fragment) == (base.scheme, base.netloc, "")
    assert url.isascii()
    assert not any(c.isspace() or c in '"<>\\^`{|}' for c in url)
    segments = parts.path.removeprefix(base.path).split("/")
    assert len(segments) <= len(endpoint.path.split("/"))
    assert not {".", ".."} & set(segments)
    for given_segment, declared in zip(segments, endpoint.path.split("/"), strict=False):
        assert declared.startswith("{") or given_segment == declared
    allowed = set(endpoint.parameters) | {"content-type", "retmode", "db"}
    assert {pair.partition("=")[0] for pair in parts.query.split("&") if pair} <= allowed
