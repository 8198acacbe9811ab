"""The effect of a spent budget on a question."""

from fathom.errors import BudgetExceeded


def within(error: BudgetExceeded) -> str:
    """Why no more is asked for this question. A spent budget of the run is raised: it stops the run."""
    if error.lasting:
        raise error
    return str(error)
