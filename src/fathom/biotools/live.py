"""The three services as evaluation sees them: what their endpoints take, and what calls of them observe."""

from collections.abc import Mapping
from typing import Any

from fathom.biotools.callers import Caller, Chain, follow
from fathom.biotools.catalogue import Endpoint, EndpointCall, check, endpoint
from fathom.biotools.client import Client
from fathom.biotools.observations import observe


class LiveTools:
    """The real client at the addresses it is set to; registered as `biotool` in the group `fathom.tools`."""

    def __init__(self, client: Client | None = None) -> None:
        self.client = client or Client()

    @property
    def about(self) -> str:
        """A remark on the services that belongs beside figures; empty for the public ones."""
        own = sorted(self.client.options.bases)
        return f"own addresses for {', '.join(own)}" if own else ""

    def endpoint(self, name: str) -> Endpoint:
        """The endpoint of a name. Raises `UnknownName`."""
        return endpoint(name)

    def check(self, name: str, arguments: Mapping[str, Any]) -> EndpointCall:
        """Arguments in the API's form. Raises `UnknownName` and `CallRefused`."""
        return check(name, arguments)

    def observe(self, call: EndpointCall) -> Any:
        """The observation of a call, as JSON values. Raises `CallFailed`."""
        return observe(self.client.make(call)).content

    async def follow(self, question: str, caller: Caller) -> Chain:
        """The calls that a caller makes for a question, one after the other. Raises as `follow` does."""
        return await follow(question, caller, self.client)

    def close(self) -> None:
        """Close the client's connections."""
        self.client.close()
