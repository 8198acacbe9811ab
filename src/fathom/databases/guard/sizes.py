"""Checks for queries that grow beyond measure, made without a run: giant builders, endless recursion."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from math import prod
from operator import add, mul, sub

from sqlglot import exp

from fathom.databases.guard.words import Refused

MOST_CHARACTERS = 100_000  # that the builders of one query may make between them, for one row
MOST_IN_ALL = 100_000_000  # characters, where generators are seen to make many such rows
MOST_ELEMENTS = 1_000_000  # of lists that are values, which have to fit into memory at once
MOST_ROWS = 10_000_000  # that the generators of one query may make between them
_FEW_CHARACTERS = 1_000  # what pads and bars take; they count for nothing
_WIDEST_DIGITS = 5  # of a width inside a format

# Functions that build text or bytes, and the place of the argument that says how long.
_BUILDERS = {"repeat": 1, "lpad": 1, "rpad": 1, "space": 0, "zeroblob": 0, "randomblob": 0, "array_resize": 1}
_BUILDERS |= {"list_resize": 1, "random_bytes": 0, "array_fill": 1, "array_repeat": 1, "polygon": 0}
_GENERATORS = frozenset(("generate_series", "range"))

# Types whose values are filled up to the length that they name.
_PADDED = (
    exp.DataType.Type.CHAR,
    exp.DataType.Type.BPCHAR,
    exp.DataType.Type.NCHAR,
    exp.DataType.Type.BINARY,
    exp.DataType.Type.BIT,
)

# Functions whose result may be as long as the product of what they are given.
_MULTIPLIERS = frozenset("replace regexp_replace array_to_string group_concat string_agg listagg".split())
# Functions that take widths inside a text; MySQL's FORMAT takes none.
_FORMATTERS = frozenset(("format", "printf", "sformat"))


_MEASURED = {*_BUILDERS, "pad", *_GENERATORS, "exploding_generate_series", "generator"}
_MEASURED |= {*_MULTIPLIERS, *_FORMATTERS}
"""All names of calls whose size is looked at."""
_KIND_NAMES: dict[type, str] = {}
"""sqlglot's names of the kinds of call that were met."""


def check_sizes(nodes: Sequence[exp.Expr], dialect: str) -> None:
    """Raises `Refused` for builders, generators and recursion that are seen to be without measure.

    `nodes` are all of a tree, from the root on.
    """
    rows, characters = Decimal(1), Decimal(0)
    lists = _Lists()
    for node in nodes:
        if isinstance(node, exp.Func):
            if name_of(node) not in _MEASURED:
                continue
            characters += _built(node)
            lists.add(node)
            _check_product(node)
            if not (dialect == "mysql" and name_of(node) == "format"):
                _check_format(node)
            rows *= max(generated(node), Decimal(1))
        elif isinstance(node, exp.DataType):
            characters += _padded(node)
        elif isinstance(node, exp.Table) and dialect == "mysql":
            rows *= max(_sequence_table(node.name.casefold()), Decimal(1))
        elif isinstance(node, exp.CTE):
            _check_recursion(node)
            continue
        else:
            continue
        if rows > MOST_ROWS:
            raise Refused("size", f"its generators make more than {MOST_ROWS:,} rows.")
        if characters > MOST_CHARACTERS or characters * rows > MOST_IN_ALL:
            raise Refused("size", f"it would build {characters * rows:,.0f} characters or more.")
    lists.check()


class _Lists:
    """The sizes of generators and builders inside one value, where nothing is given row by row."""

    def __init__(self) -> None:
        self._elements, self._by_each, self._characters = Decimal(0), Decimal(1), Decimal(0)

    def add(self, call: exp.Func) -> None:
        """Count a call; those inside a lambda or comprehension run once for each element."""
        made, lengths = generated(call), _lengths(call)
        if not (made or lengths):
            return
        in_each = call.find_ancestor(exp.Lambda, exp.Comprehension) is not None
        if made and in_each and not isinstance(call.parent, exp.Comprehension):
            self._by_each *= made
        elif made and not isinstance(call.parent, (exp.Table, exp.Lateral, exp.From)):
            self._elements += made
        if in_each and (known := [n for a in lengths if (n := _constant(a)) is not None]):
            self._characters += max(known)

    def check(self) -> None:
        """Raises `Refused` where a value is seen to grow beyond measure."""
        if self._elements * self._by_each > MOST_ELEMENTS:
            raise Refused("size", f"it makes a list of more than {MOST_ELEMENTS:,} elements.")
        if self._elements * self._characters > MOST_IN_ALL:
            raise Refused("size", f"it would build {self._elements * self._characters:,.0f} characters.")


def name_of(call: exp.Func) -> str:
    """Name a function as sqlglot does, or as the query does where sqlglot doesn't know it; in lower case."""
    if isinstance(call, exp.Anonymous):
        return call.name.casefold()
    if (kind := type(call)) not in _KIND_NAMES:
        _KIND_NAMES[kind] = call.sql_name().casefold()
    return _KIND_NAMES[kind]


def _arguments(call: exp.Func) -> list[exp.Expr]:
    if isinstance(call, exp.Anonymous):
        return list(call.expressions)
    found = (call.args.get(key) for key in call.arg_types)
    return [a for v in found for a in (v if isinstance(v, list) else [v]) if isinstance(a, exp.Expr)]


def readings_of(call: exp.Func) -> list[list[exp.Expr]]:
    """The arguments; after a dot also with what stands before it, for DuckDB takes `x.f(y)` for `f(x, y)`."""
    arguments = _arguments(call)
    if isinstance(call.parent, exp.Dot) and call.parent.expression is call:
        return [arguments, [call.parent.this, *arguments]]
    return [arguments]


def _lengths(call: exp.Func) -> list[exp.Expr]:
    """The arguments of a builder that may say how long its value gets; none for any other function."""
    place = _BUILDERS.get("lpad" if isinstance(call, exp.Pad) else name_of(call))
    return [] if place is None else [a[place] for a in readings_of(call) if place < len(a)]


def _built(call: exp.Func) -> Decimal:
    """How many characters a builder makes; 0 for few, and where that can't be seen."""
    lengths = _lengths(call)
    if lengths and any(_lengths(inner) for a in readings_of(call) for inner in a[0].find_all(exp.Func)):
        raise Refused(
            "size", f"{name_of(call)}() of a value that is built the same way grows beyond measure."
        )
    made = max((n for a in lengths if (n := _constant(a)) is not None), default=Decimal(0))
    return made if made > _FEW_CHARACTERS else Decimal(0)


def _padded(kind: exp.DataType) -> Decimal:
    """How many characters a value of a type gets, at the least; 0 for few."""
    if kind.this not in _PADDED:
        return Decimal(0)
    length = _constant(next((p.this for p in kind.find_all(exp.DataTypeParam)), None)) or Decimal(0)
    return length if length > _FEW_CHARACTERS else Decimal(0)


def is_long(argument: exp.Expr) -> bool:
    """True if a builder in it makes many characters, or nobody sees how many."""
    lengths = (_constant(a) for call in argument.find_all(exp.Func) for a in _lengths(call))
    return any(length is None or length > _FEW_CHARACTERS for length in lengths)


def _check_product(call: exp.Func) -> None:
    name = name_of(call)
    if name in _MULTIPLIERS and sum(map(is_long, readings_of(call)[-1])) > 1:
        raise Refused("size", f"{name}() of several built values grows beyond measure.")


def _check_format(call: exp.Func) -> None:
    """A format may ask for any width, so it has to stand there to be read."""
    name = name_of(call)
    if name not in _FORMATTERS or not (arguments := readings_of(call)[-1]):
        return
    if not (isinstance(arguments[0], exp.Literal) and arguments[0].is_string):
        raise Refused("size", f"write the format of {name}() as one text in quotes.")
    text = arguments[0].name
    digits = "".join(c if c.isdigit() else " " for c in text).split()
    starred = any("*" in _flags(part) for part in text.replace("%%", "").split("%")[1:])
    nested = any("}" not in part for part in text.replace("{{", "").split("{")[1:])
    if any(len(run) > _WIDEST_DIGITS for run in digits) or starred or nested or any(map(is_long, arguments)):
        raise Refused("size", f"the widths in the format of {name}() may grow beyond measure.")


def _flags(part: str) -> str:
    """Give the signs between a percent sign and its letter, whichever signs the engine takes there."""
    return part[: next((place for place, sign in enumerate(part) if sign.isalpha()), None)]


def generated(call: exp.Func) -> Decimal:
    """How many rows or elements a generator makes, 0 where that can't be seen."""
    if isinstance(call, exp.Generator):
        return _rows_of(call)
    if not (
        isinstance(call, (exp.GenerateSeries, exp.ExplodingGenerateSeries)) or name_of(call) in _GENERATORS
    ):
        return Decimal(0)
    return max(map(_spanned, readings_of(call)))


def _rows_of(generator: exp.Generator) -> Decimal:
    """The rows of Snowflake's GENERATOR, which may also run for a time."""
    if generator.args.get("timelimit") or (rows := _constant(generator.args.get("rowcount"))) is None:
        raise Refused("size", "GENERATOR takes ROWCOUNT => a number, and no TIMELIMIT.")
    return rows


def _spanned(arguments: list[exp.Expr]) -> Decimal:
    """How many numbers or times lie between a generator's bounds, 0 where that can't be seen."""
    if times := _spanned_times(arguments):
        return times
    numbers = [number for a in arguments[:3] if (number := _constant(a)) is not None]
    if not numbers or len(numbers) < min(2, len(arguments)):
        return Decimal(0)
    start, end, step, *_ = [Decimal(0), *numbers, Decimal(1)] if len(numbers) == 1 else [*numbers, Decimal(1)]
    return abs((end - start) / (step or 1))


def _spanned_times(arguments: list[exp.Expr]) -> Decimal:
    """How many steps lie between two dates or times that stand there, 0 where that can't be seen."""
    if len(arguments) < 3:
        return Decimal(0)
    start, end, step = _moment(arguments[0]), _moment(arguments[1]), _seconds_of(arguments[2])
    return abs(end - start) / step if start is not None and end is not None and step else Decimal(0)


def _moment(node: exp.Expr) -> Decimal | None:
    """The seconds of a date or time as a literal."""
    while isinstance(node, (exp.Cast, exp.Paren)):
        node = node.this
    if not (isinstance(node, exp.Literal) and node.is_string):
        return None
    try:
        found = datetime.fromisoformat(node.name.strip())
    except ValueError:
        return None
    return Decimal((found.replace(tzinfo=None) - datetime.min).total_seconds())


_SECONDS = {
    "microsecond": Decimal("0.000001"),
    "millisecond": Decimal("0.001"),
    "second": Decimal(1),
    "sec": Decimal(1),
    "minute": Decimal(60),
    "min": Decimal(60),
    "hour": Decimal(3600),
}


def _seconds_of(node: exp.Expr) -> Decimal:
    """The length of a short interval that stands there; a day for longer ones, 0 where none does."""
    text = " ".join(literal.name for literal in node.find_all(exp.Literal))
    if isinstance(node, exp.Interval):
        text += f" {node.text('unit')}"
    number, _, unit = text.strip().casefold().partition(" ")
    try:
        count = Decimal(number)
    except InvalidOperation:
        return Decimal(0)
    return abs(count) * _SECONDS.get(unit.strip().removesuffix("s"), Decimal(86_400))


def _sequence_table(name: str) -> Decimal:
    """How many rows MariaDB's tables such as seq_1_to_100_step_2 have."""
    match name.split("_"):
        case ["seq", start, "to", end, *step] if start.isdecimal() and end.isdecimal():
            by = Decimal(step[1]) if len(step) == 2 and step[1].isdecimal() else Decimal(1)
            return abs(Decimal(end) - Decimal(start)) / (by or 1)
    return Decimal(0)


def _constant(node: exp.Expr | None) -> Decimal | None:
    """The number that an expression of literals comes to, None for any other."""
    if isinstance(node, exp.Literal):
        return Decimal(node.name) if node.is_number or node.name.isdecimal() else None
    if isinstance(node, (exp.Paren, exp.Cast)):
        return _constant(node.this)
    if isinstance(node, exp.Neg):
        inner = _constant(node.this)
        return None if inner is None else -inner
    if isinstance(node, exp.Array):
        return _product(node.expressions)
    combine = _ARITHMETIC.get(type(node))
    if combine is None or node is None:
        return None
    left, right = _constant(node.this), _constant(node.expression)
    return None if left is None or right is None else combine(left, right)


def _product(nodes: list[exp.Expr]) -> Decimal | None:
    numbers = [_constant(node) for node in nodes]
    return prod((n for n in numbers if n is not None), start=Decimal(1)) if all(numbers) else None


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    return base**exponent if base > 0 and abs(exponent) < 100 else Decimal("Infinity")


_ARITHMETIC: dict[type, Callable[[Decimal, Decimal], Decimal]] = {
    exp.Add: add,
    exp.Sub: sub,
    exp.Mul: mul,
    exp.Pow: _power,
}


def _check_recursion(cte: exp.CTE) -> None:
    name = cte.alias.casefold()
    query = cte.this
    if not isinstance(query, exp.SetOperation) or not isinstance(cte.parent, exp.With):
        return
    if not cte.parent.args.get("recursive") or query.args.get("limit"):
        return
    outer = cte.parent.parent
    if outer is not None and outer.args.get("limit"):
        return
    for step in _steps(query):
        if _reads(step, name) and not _may_end(step):
            raise Refused(
                "recursion",
                f"nothing ends the recursion of {cte.alias!r}; add a WHERE that does, or a LIMIT.",
            )


def _steps(query: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(query, exp.SetOperation):
        yield from _steps(query.this)
        yield from _steps(query.expression)
    elif isinstance(query, exp.Subquery):
        yield from _steps(query.this)
    else:
        yield query


def _reads(step: exp.Expr, name: str) -> bool:
    return any(t.name.casefold() == name for t in step.find_all(exp.Table))


def _may_end(step: exp.Expr) -> bool:
    """True if a step of a recursion has a condition on a column, or draws on another table's rows."""
    if step.args.get("limit") or step.args.get("having"):
        return True
    conditions = [step.args.get("where"), *(j.args.get("on") for j in step.args.get("joins") or ())]
    if any(c is not None and c.find(exp.Column) for c in conditions):
        return True
    return any(j.args.get("using") or j.method == "NATURAL" for j in step.args.get("joins") or ())
