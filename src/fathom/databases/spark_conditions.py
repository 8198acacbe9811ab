"""Error conditions of Spark and Databricks: the first word of a message, in brackets."""

from fathom.errors import ErrorClass

_CONDITIONS = {
    **dict.fromkeys(
        (
            *("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "UNRESOLVED_COLUMN", "UNRESOLVED_FIELD"),
            *("FIELD_NOT_FOUND", "UNRESOLVED_USING_COLUMN_FOR_JOIN", "CANNOT_RESOLVE_STAR_EXPAND"),
        ),
        ErrorClass.NO_SUCH_NAME,
    ),
    **dict.fromkeys(
        ("UNRESOLVED_ROUTINE", "ROUTINE_NOT_FOUND", "UNRESOLVABLE_TABLE_VALUED_FUNCTION"),
        ErrorClass.NO_SUCH_FUNCTION,
    ),
    "PARSE_SYNTAX_ERROR": ErrorClass.SYNTAX,
    "PARSE_EMPTY_STATEMENT": ErrorClass.SYNTAX,
    "OPERATION_CANCELED": ErrorClass.TIMEOUT,
}
_AFTER_THE_POINT = ("\n\nJVM stacktrace:", "\n== SQL", ";\n", "\nSearch path:")


def class_of(condition: str) -> ErrorClass:
    """The class of an error condition such as `UNRESOLVED_COLUMN.WITH_SUGGESTION`."""
    return _CONDITIONS.get(condition.split(".", maxsplit=1)[0], ErrorClass.OTHER)


def condition_in(message: str) -> str:
    """The condition that a message names in brackets first; "" for none."""
    name, found, _ = message.partition("[")[2].partition("]")
    return name if found and name.replace("_", "").replace(".", "").isalnum() else ""


def without_plan(message: str) -> str:
    """A message on one line, without the query's plan, the text around the fault, or the server's stack."""
    for mark in _AFTER_THE_POINT:
        message = message.split(mark, maxsplit=1)[0]
    return " ".join(message.split())
