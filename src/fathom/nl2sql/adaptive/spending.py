"""What a spent budget means for a question."""

from fathom.errors import BudgetExceeded


def within(error: BudgetExceeded) -> str:
    """Why no more is asked for this question. A spent budget of the run is raised: it stops the run."""
    if error.lasting:
        raise error
    return str(error)
