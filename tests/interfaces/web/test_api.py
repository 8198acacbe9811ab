"""The API against its own description, with requests that nobody would write by hand."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.biotools.conftest import quick
from tests.interfaces.web.conftest import TOKEN, shop
from tests.interfaces.web.live import Live, serving
from tests.reports.stored import make_run

from fathom.biotools.client import Client
from fathom.biotools.loopback import Loopback

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)
EXAMPLES = 8
"""Of each operation: enough to try every parameter left out, odd and hostile, in less than a minute."""
TOLD = {"authorization": f"Bearer {TOKEN}".encode().decode("latin-1")}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("api")
    make_run(folder / "runs" / "first", seed=1, count=5)
    rules = {"runs": folder / "runs", "jobs_a_minute": 10_000}
    with (
        Loopback() as server,
        Client(quick(folder / "kept", server)) as tools,
        serving(folder, str(shop(folder)), tools=tools, **rules) as served,
    ):
        served.ask("shop", "How many sales are there?")
        yield served


def test_what_is_answered_is_as_described_and_never_a_fault(live: Live) -> None:
    described = schemathesis.openapi.from_url(f"{live.url}/openapi.json", headers=TOLD)
    operations = [found.ok() for found in described.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) > 30
    faults = [told for one in operations for told in _faults(one, things_there(live))]
    assert not faults, "\n".join(faults)


def _faults(operation: Any, known: dict[str, Any]) -> list[str]:
    """What is wrong with the answers of one operation, asked for things that are there and others."""

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), of_what_is_there=st.booleans())
    def answers_as_described(case: Any, of_what_is_there: bool) -> None:
        if of_what_is_there:
            found = {**known, "id": known["conversation"]} if "/c/" in case.path else known
            case.path_parameters = {n: found.get(n, v) for n, v in (case.path_parameters or {}).items()}
        case.call_and_validate(headers=TOLD, checks=list(CHECKS), timeout=20)

    try:
        answers_as_described()
    except BaseExceptionGroup as group:
        return [f"{operation.label}: {error}" for error in group.exceptions]
    return []


def things_there(live: Live) -> dict[str, Any]:
    """Names for the parts of addresses that lead somewhere; the answer is new, for it may be deleted."""
    id_ = live.ask("shop", "How many sales are there per city?")
    saved = live.api.post(f"/api/a/{id_}/save", json={"title": "Sales"}).json()
    conversation = live.api.get(f"/api/a/{id_}").json()["entry"]["conversation"]
    return {
        "database": "shop", "id": id_, "conversation": conversation, "table": "sale", "name": "get_ld_region",
        "run": "first", "number": 1, "slug": saved["url"].rpartition("/")[2],
    }  # fmt: skip
