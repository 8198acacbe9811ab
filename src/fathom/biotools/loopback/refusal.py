"""How a loopback service refuses."""

from typing import Any

from fathom.errors import FathomError


class ServiceRefused(FathomError):
    """A status other than 200, with its body and further headers."""

    def __init__(self, status: int, body: Any, **headers: str) -> None:
        self.status, self.body = status, body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        super().__init__(str(body))
