"""The refusal of a query that reads a column otherwise than its values are written."""

from fathom.forms.columns import ColumnForm


class Misread(Exception):
    """A query that can't be read by the form of a column; `form` is the column's, `reason` what to say."""

    def __init__(self, form: ColumnForm, reason: str) -> None:
        self.form, self.reason = form, reason
        super().__init__(reason)
