"""The execution filter: every candidate is called, politely; what gives nothing goes no further."""

from collections.abc import Iterable

from fathom.authoring.biotool.journal import Item, Journal, rejected
from fathom.biotools.catalogue import check
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from fathom.errors import CallFailed, FathomError

PATIENCE = 3
"""Calls in a row that a service doesn't answer, after which the step stops rather than go on knocking."""


def execute(candidates: Iterable[Item], client: Client, journal: Journal) -> None:
    """Call what isn't called yet. A service that is down rejects nothing: its calls are made another time.

    Raises the failure itself from the `PATIENCE`th in a row on.
    """
    unanswered = 0
    for item in candidates:
        if item["id"] in journal.items:
            continue
        try:
            found = observe(client.make(check(item["endpoint"], item["arguments"]))).content
        except CallFailed as error:
            unanswered = unanswered + 1 if error.retryable else 0
            if unanswered >= PATIENCE:
                raise
            if not error.retryable:
                journal.add(rejected(item, f"{type(error).__name__}: {error}"))
            continue
        except FathomError as error:  # the catalogue changed since the candidate was drawn
            journal.add(rejected(item, f"refused: {error}"))
            continue
        unanswered = 0
        journal.add({**item, "observation": found})
