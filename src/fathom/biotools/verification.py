"""Check every endpoint against the services that the client calls: its example is called, and told about."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fathom.biotools.catalogue import endpoints
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from fathom.errors import FathomError


@dataclass(frozen=True, slots=True)
class ExampleCheck:
    """How the example of an endpoint fared. `told` is the error, or how large the answer was."""

    endpoint: str
    provider: str
    answered: bool
    seconds: float
    told: str


def verify(client: Client, names: Iterable[str] = ()) -> Iterator[ExampleCheck]:
    """Call each endpoint's example, freshly, and reduce the answer; all endpoints unless some are named."""
    for name in names or endpoints():
        endpoint = endpoints()[name]
        began = time.monotonic()
        try:
            response = client.call(name, endpoint.example, fresh=True)
            observe(response)
            answered, told = True, f"{len(response.body):,} bytes, {response.media_type}"
        except FathomError as error:
            answered, told = False, str(error)
        yield ExampleCheck(name, endpoint.provider, answered, time.monotonic() - began, told)
