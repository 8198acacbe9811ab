"""How the client behaves: who calls, where, how fast, how patiently."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from fathom.biotools.catalogue import SERVICES
from fathom.config import Settings, read_settings
from fathom.errors import ConfigError

RATES = {"eutils": 3.0, "blast": 0.1, "uniprot": 10.0, "ensembl": 15.0}
"""Requests a second (arXiv 2605.05758). UniProt states no figure; ours is modest."""

EUTILS_RATE_WITH_KEY = 10.0
MEGABYTE = 1_000_000
_THIS_MACHINE = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Who calls and how. `folder` holds the paces and the kept responses; seconds throughout.

    `email` tells NCBI and UniProt whom to write to; `api_key` is NCBI's. `poll_seconds` and
    `least_wait_seconds` are BLAST's: how often to ask, and how long to wait before asking at all.
    """

    folder: Path
    bases: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    email: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 30.0
    attempts: int = 6
    first_pause: float = 0.5
    longest_pause: float = 120.0
    most_bytes: int = 50 * MEGABYTE
    keep_seconds: float = 24 * 3600.0
    poll_seconds: float = 60.0
    least_wait_seconds: float = 10.0
    blast_seconds: float = 3600.0

    def base(self, service: str) -> str:
        """The address of a service, without a slash at its end."""
        return self.bases.get(service, SERVICES[service]).rstrip("/")

    def rate(self, service: str) -> float:
        """Requests a second that a service gets at most."""
        usual = EUTILS_RATE_WITH_KEY if service == "eutils" and self.api_key else RATES[service]
        return self.rates.get(service, usual)


def read_options(
    environment: Mapping[str, str] = os.environ, *, settings: Settings | None = None
) -> ClientOptions:
    """Options from the environment: NCBI_API_KEY, FATHOM_EMAIL, and FATHOM_BASE_EUTILS, _BLAST, _UNIPROT,
    _ENSEMBL for other addresses. A BLAST on this machine, as `fathom tools serve` has one, is asked each
    second. Raises `ConfigError` for an address that is none.
    """
    bases = {}
    for service in SERVICES:
        if address := environment.get(f"FATHOM_BASE_{service.upper()}"):
            if not address.startswith(("http://", "https://")):
                name = f"FATHOM_BASE_{service.upper()}"
                raise ConfigError(f"{name} must be an address such as {SERVICES[service]}.")
            bases[service] = address
    own = urlsplit(bases.get("blast", "")).hostname in _THIS_MACHINE
    options = ClientOptions(
        folder=(settings or read_settings()).cache / "biotools",
        bases=bases,
        email=environment.get("FATHOM_EMAIL", ""),
        api_key=environment.get("NCBI_API_KEY", ""),
    )
    if own:
        options = replace(options, rates={"blast": 2.0}, poll_seconds=1.0, least_wait_seconds=1.0)
    return options
