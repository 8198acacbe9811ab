"""Records made of the parts of others: the fields that two of them share, by their names."""

from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def shared_fields(
    source: "DataclassInstance", kind: "type[DataclassInstance]", *, but: Collection[str] = ()
) -> dict[str, Any]:
    """The values of the fields of `source` that `kind` has under the same name, without those in `but`."""
    known = {f.name for f in fields(kind) if f.init}.difference(but)
    return {f.name: getattr(source, f.name) for f in fields(source) if f.name in known}
