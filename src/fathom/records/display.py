"""Values that a notebook shows richly."""

from importlib import import_module
from typing import Any

_SHOWN_BY = "fathom.interfaces.notebook"
"""Named, not imported: a value lies below what shows it, and loads that only in a notebook."""


class Displayed:
    """A value that notebooks show as HTML, with its text and its JSON beside.

    Jupyter, VS Code, Colab and marimo ask for `_repr_mimebundle_`; nothing has to be loaded or switched on.
    """

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The value by MIME type; `include` and `exclude` are types that the notebook wants or doesn't."""
        made: dict[str, Any] = import_module(_SHOWN_BY).mime_bundle(self)
        wanted = set(include or made) - set(exclude or ())
        return {kind: content for kind, content in made.items() if kind in wanted}
