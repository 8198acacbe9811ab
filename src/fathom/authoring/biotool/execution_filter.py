"""The execution filter: every candidate is called, politely; what gives nothing goes no further."""

from collections.abc import Callable

from fathom.authoring.journal import Item, rejected
from fathom.authoring.maker import Made
from fathom.biotools.catalogue import check
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from fathom.errors import CallFailed, FathomError

PATIENCE = 3
"""Calls in a row that a service doesn't answer, after which the step stops rather than go on knocking."""


def execution(client: Client) -> Callable[[Item], Made]:
    """Give a function that calls a candidate. An outage rejects nothing: its calls are made another time.

    It raises the failure itself from the `PATIENCE`th in a row on.
    """
    unanswered = 0

    def execute(item: Item) -> Made:
        nonlocal unanswered
        try:
            found = observe(client.make(check(item["endpoint"], item["arguments"]))).content
        except CallFailed as error:
            unanswered = unanswered + 1 if error.retryable else 0
            if unanswered >= PATIENCE:
                raise
            return None if error.retryable else [rejected(item, f"{type(error).__name__}: {error}")]
        except FathomError as error:  # the catalogue changed since the candidate was drawn
            return [rejected(item, f"refused: {error}")]
        unanswered = 0
        return [{**item, "observation": found}]

    return execute
