"""Value forms: how the values of a column are written, and how an engine reads them as what they mean."""

from fathom.forms.columns import ColumnForm, forms_of
from fathom.forms.meant import as_if_tidy
from fathom.forms.misreading import Misread
from fathom.forms.reading import FormReader

__all__ = ["ColumnForm", "FormReader", "Misread", "as_if_tidy", "forms_of"]
