"""Tables made by a seed, with values in the forms that people's data have, and questions with gold."""

from bench.made_forms.cells import CELLS
from bench.made_forms.dates import DATES
from bench.made_forms.rows import ROWS
from bench.made_forms.tables import ENGINES, MadeQuestion, MadeTables, Maker, written

__all__ = ["ENGINES", "FORMS", "MadeQuestion", "MadeTables", "Maker", "written"]

FORMS: dict[str, Maker] = {**DATES, **CELLS, **ROWS}
"""What makes the tables of each form, by its name."""
