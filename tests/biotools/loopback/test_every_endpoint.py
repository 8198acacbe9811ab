import json

import pytest

from fathom.biotools.catalogue import endpoints
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from tests.biotools.catalogue.test_argument_checks import VALID


@pytest.mark.parametrize("name", sorted(endpoints()))
def test_the_real_client_calls_every_endpoint(client: Client, name: str) -> None:
    """Every valid call of the table is made, over HTTP, and answered in the service's shape."""
    for _, arguments, _ in (row for row in VALID if row[0] == name):
        response = client.call(name, arguments)
        assert response.body
        if response.media_type == "application/json":
            assert response.json not in (None, {}, [])
        seen = observe(response)
        assert seen.response is response
        assert len(json.dumps(seen.content)) > 2
