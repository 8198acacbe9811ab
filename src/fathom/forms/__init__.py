"""Value forms: how the values of a column are written, and how an engine reads them as what they mean."""

from fathom.forms.columns import ColumnForm, forms_of
from fathom.forms.misreading import Misread
from fathom.forms.reading import FormReader

__all__ = ["ColumnForm", "FormReader", "Misread", "forms_of"]
