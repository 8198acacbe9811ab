"""Value forms: how the values of a column are written, and how an engine reads them as what they mean."""

from fathom.forms.columns import ColumnForm, forms_of
from fathom.forms.meant import as_if_tidy
from fathom.forms.reading import FormReader

__all__ = ["ColumnForm", "FormReader", "as_if_tidy", "forms_of"]
