from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.biotools.client import Client, ClientOptions
from fathom.biotools.loopback import Loopback

FAST = {"eutils": 2000.0, "blast": 2000.0, "uniprot": 2000.0, "ensembl": 2000.0}


@pytest.fixture(scope="module")
def loopback() -> Iterator[Loopback]:
    with Loopback() as server:
        yield server


def quick(folder: Path, server: Loopback, **more: Any) -> ClientOptions:
    """Options for a server, quick enough for tests."""
    pauses = {"first_pause": 0.01, "poll_seconds": 0.01, "least_wait_seconds": 0.01, "timeout": 5.0}
    return ClientOptions(folder=folder, bases=server.bases, **{"rates": FAST, **pauses, **more})


@pytest.fixture(scope="module")
def client(loopback: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Client(quick(tmp_path_factory.mktemp("client"), loopback)) as opened:
        yield opened
