"""The catalogue's endpoints on this machine, with made records: for tests and for trying things out."""

from fathom.biotools.loopback.faults import Faults
from fathom.biotools.loopback.server import Loopback

__all__ = ["Faults", "Loopback"]
