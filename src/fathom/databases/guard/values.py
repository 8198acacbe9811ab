"""The size of values when a statement runs, reckoned along its steps from what stands there.

PostgreSQL bounds no query's memory: a value takes what it takes, up to 1 GB, and many of them stand beside
each other. `x||x||x||x` in ten steps that are kept makes a million copies of `x`. So each expression is given
a length, the characters of its largest value, and a total, those of all rows together. Both start from
assumptions about tables: far less than what one may hold, and more than what most cells hold.
"""

from collections.abc import Callable, Sequence
from math import log10, prod

from sqlglot import exp

from fathom.databases.guard.sizes import generated, name_of, readings_of
from fathom.databases.guard.value_sizes import (
    CELL,
    DIGITS,
    ELEMENT,
    MOST,
    NOTHING,
    NUMBERED,
    ROOM,
    ROWS,
    SHORT,
    Value,
    one_of,
    times,
)

_FANNED = 100  # characters of a cell that is taken apart into rows, for each of them
_FEWEST = 2  # characters of a built value that is, for each
_SPLIT = 64  # times what a text takes while it is made a list, JSON or XML
_APART = 8  # times what it takes as such
_NESTED = 1_000  # times what a path of JSON gives that goes down into each part of each part


Given = Callable[[object], Value]
"""The size of a part of an expression; of what is none, `NOTHING`."""

_WRAPPERS = (
    *(exp.Paren, exp.Alias, exp.Order, exp.Ordered, exp.Filter, exp.Collate, exp.Window),
    *(exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.SplitPart, exp.Nullif, exp.Bracket),
    *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.Dot),
    *(exp.Max, exp.Min, exp.AnyValue, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue),
    *(exp.AtTimeZone, exp.RegexpSubstr, exp.Trim, exp.ArrayRemove, exp.Translate, exp.If, exp.Aliases),
)
"""Nodes whose value is no longer than the one that they begin with."""
_GENERATORS = (exp.GenerateSeries, exp.ExplodingGenerateSeries)
_MEASURES = frozenset("octet_length cardinality array_upper array_position bit_length".split())
_COLLECTORS = frozenset(
    """
    array_agg group_concat j_s_o_n_array_agg jsonb_agg json_agg j_s_o_n_object_agg j_s_o_n_b_object_agg
    json_object_agg jsonb_object_agg xmlagg range_agg json_arrayagg json_objectagg
    """.split()
)
_JSON = frozenset(
    """
    j_s_o_n_array_agg jsonb_agg json_agg j_s_o_n_object_agg j_s_o_n_b_object_agg json_object_agg
    jsonb_object_agg json_arrayagg json_objectagg json_build_object jsonb_build_object json_build_array
    jsonb_build_array to_json to_jsonb row_to_json array_to_json jsonb_set jsonb_insert json_array json_object
    j_s_o_n_object jsonb_object jsonb_path_query_array jsonb_strip_nulls j_s_o_n_strip_nulls
    """.split()
)
_SPLITTERS = frozenset("string_to_array regexp_split_to_array regexp_matches to_tsvector".split())
_ESCAPED = {"quote_literal": 2, "quote_ident": 2, "quote_nullable": 2, "convert_to": 2, "row": 2, "array": 2}
_ESCAPED |= {"encode": 4, "xmlelement": 6, "x_m_l_element": 6, "xmlforest": 6, "xmlattributes": 6}
_ESCAPED |= dict.fromkeys(_SPLITTERS, _APART)
_ESCAPED |= {"time_to_str": 12, "to_char": 12, "jsonb_pretty": 16}
_TABLE_SPLITTERS = frozenset("string_to_table regexp_split_to_table".split())
_SPLIT_TYPES = {exp.DType.JSON: _APART, exp.DType.JSONB: _APART, exp.DType.XML: 1}
_SPLIT_TYPES[exp.DType.ARRAY] = 4 * _APART
"""How many times what a text takes it takes as one of another type."""
_ROOMY_TYPES = frozenset(kind for kind in exp.DType if kind.name.endswith("RANGE"))
_ROOMY_TYPES |= {exp.DType.POINT, exp.DType.JSONB, exp.DType.USERDEFINED}
_ROOMY = frozenset(
    """
    daterange int4range int8range numrange tsrange tstzrange multirange datemultirange int4multirange
    int8multirange nummultirange tsmultirange tstzmultirange range_merge box bound_box center circle
    diagonal line lseg path point polygon row jsonb_build_array jsonb_build_object jsonb_object to_jsonb
    """.split()
)
"""Functions whose values are of such a type."""
_TEXTS = frozenset((*exp.DataType.TEXT_TYPES, exp.DType.BINARY, exp.DType.VARBINARY, *_SPLIT_TYPES))
_TEXTS |= _ROOMY_TYPES
GROWERS = frozenset(
    """
    array_fill array_replace array_to_string concat_ws format jsonb_path_query jsonb_path_query_array
    jsonb_pretty lpad pad polygon regexp_replace repeat replace rpad ts_headline
    """.split()
)
"""Functions whose values may be far longer than what they are given."""
_PLAIN_ESCAPES = "sdwSDW.,;:-_/()[]"
_BETWEEN = "*?{|(^$\\"  # signs by which a pattern may match between two characters


def is_collector(call: exp.Expr) -> bool:
    """True for an aggregate that puts the values of many rows into one."""
    return isinstance(call, exp.Func) and name_of(call) in _COLLECTORS


def of_node(node: exp.Expr, given: Given, rows: float) -> Value:
    """The size of what an expression makes of the sizes of its parts; `rows` are those of its query."""
    rule = _CHOSEN.get(node.__class__)
    if rule is None:
        rule = next((rule for kinds, rule in _RULES if isinstance(node, kinds)), _put_together)
        _CHOSEN[node.__class__] = rule
    return rule(node, given, rows)


def weighed(node: exp.Expr, value: Value) -> float:
    """The characters that a value takes while it is made."""
    if isinstance(node, exp.Cast):
        taken = _SPLIT_TYPES.get(node.to.this, _SPLIT)
    else:
        taken = _APART if isinstance(node, exp.Func) and name_of(node) in _SPLITTERS else _SPLIT
    return value.length * _SPLIT / taken


def fan_out(call: exp.Expr, given: Given) -> float:
    """The number of rows that a function makes of one."""
    if isinstance(call, exp.Func) and (made := generated(call)):
        return min(float(made), MOST)
    if isinstance(call, _GENERATORS):
        start, end, step = (call.args.get(key) for key in ("start", "end", "step"))
        if any(not text.is_number for bound in (start, end) if bound for text in bound.find_all(exp.Literal)):
            return ROWS
        by = given(step).number if isinstance(step, exp.Literal) else 1
        return max(1.0, (given(start).number + given(end).number) / (by or 1))
    longest = max((given(part).length for part in call.iter_expressions()), default=1)
    if isinstance(call, exp.Func) and name_of(call) in _TABLE_SPLITTERS:
        longest *= _APART
    return max(1.0, min(longest, CELL) / _FANNED + max(0.0, longest - _APART * CELL) / _FEWEST)


def number_in(text: str) -> float:
    """The largest number in a text that stands there."""
    try:
        number = abs(float(text))
    except ValueError:  # such as `{"a": 1000}`, of which a part may be taken
        digits = "".join(c if c.isdecimal() else " " for c in text).split()
        number = float(max(digits, key=len, default="0")[:300])
    return number if number < MOST else MOST


def _literal(node: exp.Expr, given: Given, rows: float) -> Value:
    length, _, exponent = float(len(node.name)), *node.name.casefold().rpartition("e")[1:]
    if _ and exponent.lstrip("+-").isdecimal():  # 1e100000, which has so many digits
        length = max(length, min(float(exponent.lstrip("+-")[:9]), DIGITS))
    return Value(length, length * rows, number_in(node.name))


def _digits(node: exp.Expr, given: Given, rows: float) -> Value:
    length = float(len(node.name))
    return Value(length, length * rows)


def _condition(node: exp.Expr, given: Given, rows: float) -> Value:
    return Value(1, rows, 1)


def _type(node: exp.Expr, given: Given, rows: float) -> Value:
    return NOTHING


def _first(node: exp.Expr, given: Given, rows: float) -> Value:
    return given(node.this)


def _case(node: exp.Expr, given: Given, rows: float) -> Value:
    return one_of([given(one) for one in (*node.args["ifs"], node.args.get("default"))])


def _then(node: exp.Expr, given: Given, rows: float) -> Value:
    return given(node.args.get("true"))


def _window(node: exp.Expr, given: Given, rows: float) -> Value:
    inner = given(node.this)
    return inner.of_total(times(inner.length, rows))


def _choice(node: exp.Expr, given: Given, rows: float) -> Value:
    return one_of([given(part) for part in node.iter_expressions()])


def _least(node: exp.Expr, given: Given, rows: float) -> Value:
    parts = [given(part) for part in node.iter_expressions()]
    return one_of(parts)._replace(number=min(part.number for part in parts))


def _arithmetic(node: exp.Expr, given: Given, rows: float) -> Value:
    left, right = given(node.this), given(node.expression)
    found = one_of([left, right])
    match node:
        case exp.Mul():
            number, found = times(left.number, right.number), left + right
        case exp.Div():
            divides = isinstance(node.expression, exp.Literal) and right.number
            number = min(left.number / right.number, MOST) if divides else left.number
        case exp.Mod():
            number = right.number
        case exp.Pow():
            small = right.number < 100 and left.number < 1_000
            number = min(left.number**right.number, MOST) if small else MOST
            found = _of_digits(right.number * log10(max(left.number, 10)), rows)
        case _:
            number = min(left.number + right.number, MOST)
    return found._replace(number=number)


def _of_digits(digits: float, rows: float) -> Value:
    """The size of numbers with so many digits."""
    length = max(SHORT, min(digits, DIGITS))
    return Value(length, times(length, rows))


def _joined(node: exp.Expr, given: Given, rows: float) -> Value:
    left, right = given(node.this), given(node.expression)
    return (left + right)._replace(number=MOST, is_json=left.is_json and right.is_json)


def _cast(node: exp.Expr, given: Given, rows: float) -> Value:
    value, kind = given(node.this), node.args["to"].this
    if kind in _TEXTS or not isinstance(kind, exp.DType):
        factor = _SPLIT_TYPES.get(kind, 1)
        is_json = kind in (exp.DType.JSON, exp.DType.JSONB)
        found = value.times(factor)._replace(number=value.number, is_json=is_json)
        return _roomy(found, rows) if kind in _ROOMY_TYPES else found
    if kind == exp.DType.DECIMAL and not node.args["to"].expressions:
        unknown = value.number >= MOST and not isinstance(node.this, exp.Extract)  # such as '1e' || name
        if unknown or value.length > CELL:
            return _of_digits(DIGITS if unknown else value.length, rows)._replace(number=value.number)
    return Value(min(value.length, SHORT), min(value.total, SHORT * rows), value.number)


def _cut(node: exp.Expr, given: Given, rows: float) -> Value:
    value = given(node.this)
    most = node.args.get("length" if isinstance(node, exp.Substring) else "expression")
    if not isinstance(most, exp.Literal) or not most.name.isdecimal():
        return value
    return value._replace(length=min(value.length, number_in(most.name))).at_most(rows)


def _numbered(node: exp.Expr, given: Given, rows: float) -> Value:
    return Value(SHORT, SHORT * rows, max(rows, NUMBERED))


def _measured(node: exp.Expr, given: Given, rows: float) -> Value:
    return Value(SHORT, SHORT * rows, max(given(part).length for part in node.iter_expressions()))


def _rounded(node: exp.Expr, given: Given, rows: float) -> Value:
    value, decimals = given(node.this), given(node.args.get("decimals")).number
    return _of_digits(decimals + (value.length if value.length > CELL else 0), rows)._replace(
        number=value.number
    )


def _summed(node: exp.Expr, given: Given, rows: float) -> Value:
    return _rounded(node, given, rows)._replace(number=times(given(node.this).number, rows))


def _extracted(node: exp.Expr, given: Given, rows: float) -> Value:
    return Value(SHORT, SHORT * rows, MOST if node.name.casefold() in ("epoch", "milliseconds") else 10_000)


def _series(node: exp.Expr, given: Given, rows: float) -> Value:
    values = [given(part) for part in node.iter_expressions()]
    return _of_digits(max(value.length for value in values), rows)._replace(
        number=max(value.number for value in values)
    )


def _put_together(node: exp.Expr, given: Given, rows: float) -> Value:
    parts = [given(part) for part in node.iter_expressions()]
    return sum(parts[1:], parts[0]) if parts else Value(1, rows, 0)


def _row(node: exp.Expr, given: Given, rows: float) -> Value:
    return _roomy(_put_together(node, given, rows).times(2), rows)


def _roomy(value: Value, rows: float) -> Value:
    """The value at the size that it has where it is shown as one of many."""
    return value._replace(length=max(value.length, ROOM), total=max(value.total, ROOM * rows))


def _called(call: exp.Expr, given: Given, rows: float) -> Value:
    assert isinstance(call, exp.Func)
    name, arguments = name_of(call), readings_of(call)[-1]
    values = [given(argument) for argument in arguments]
    if name in _MEASURES:
        return _measured(call, given, rows)
    if name in _COLLECTORS:
        total = sum((value.times(_escapes(name, value)) for value in values), NOTHING).total
        total = min(total + ELEMENT * rows * (16 if name == "range_agg" else 1), MOST)
        return Value(total, total, is_json=name in _JSON)
    if not values:
        return Value(SHORT, SHORT * rows, 1 if isinstance(call, exp.Rand) else MOST)
    built = _built(name, arguments, values, rows)
    return (_roomy(built, rows) if name in _ROOMY else built)._replace(is_json=name in _JSON)


def _escapes(name: str, value: Value) -> float:
    """The times that a character may be written when a value is put into JSON or the like."""
    return 2 if name in _JSON and not value.is_json else _ESCAPED.get(name, 1)


def _built(name: str, arguments: Sequence[exp.Expr], values: Sequence[Value], rows: float) -> Value:
    """The size of what a function builds that may give more than it is given."""
    first, second = values[0], values[1] if len(values) > 1 else NOTHING
    element = Value(ELEMENT, ELEMENT * rows)
    match name:
        case "repeat":
            found = first.times(second.number)
        case "pad" | "lpad" | "rpad":
            found = Value(second.number, times(second.number, rows))
        case "exp" | "factorial":
            found = _of_digits(5 * first.number, rows)
        case "polygon" if len(values) > 1:
            found = element.times(first.number)
        case "array_fill":
            found = (first + element).times(second.number)
        case "array" if not isinstance(arguments[0], exp.Query):
            sizes = min(prod(value.number for value in values), MOST)
            found = sum(values[1:], first).times(2)._replace(number=sizes)
        case "replace" | "regexp_replace":
            found = first.times(_replaced(name, arguments, values))
        case "format":
            signs = arguments[0].name.count("%") * (1 + any(c in arguments[0].name for c in "LI"))
            found = first + one_of(values[1:]).times(signs)
        case "concat_ws":
            found = sum(values[1:], first.times(len(values)))
        case "array_to_string" | "ts_headline" | "array_replace":  # at each place of the first
            found = first.times(1 + sum(value.length for value in values[1:]))
        case "jsonb_path_query" | "jsonb_path_query_array" if len(values) > 1:
            path = arguments[1].name if isinstance(arguments[1], exp.Literal) else "**"
            found = first.times(_NESTED if "**" in path else 1 + path.count(","))
        case _:
            found = sum((value.times(_escapes(name, value)) for value in values), NOTHING)
    return found


def _replaced(name: str, arguments: Sequence[exp.Expr], values: Sequence[Value]) -> float:
    """The times that a text may get longer when parts of it are replaced."""
    new = values[2].length if len(values) > 2 else 0.0
    old = arguments[1] if len(arguments) > 1 else None
    pattern = old.name if isinstance(old, exp.Literal) else ""
    if name == "replace":
        return max(1.0, new / max(1, len(pattern)))
    plain = pattern.replace("[^", "[")
    for sign in _PLAIN_ESCAPES:
        plain = plain.replace(f"\\{sign}", "x")
    between = not plain or any(sign in plain for sign in _BETWEEN)
    return max(1.0, new + between) if new else 1.0


_Rule = Callable[[exp.Expr, Given, float], Value]
_CHOSEN: dict[type, _Rule] = {}
_RULES: tuple[tuple[tuple[type[exp.Expr], ...], _Rule], ...] = (
    ((exp.Literal,), _literal),
    ((exp.HexString, exp.BitString), _digits),
    ((exp.DataType,), _type),
    ((exp.Case,), _case),
    ((exp.If,), _then),
    ((exp.Window,), _window),
    ((exp.Least,), _least),
    ((exp.Coalesce, exp.Greatest), _choice),
    (_WRAPPERS, _first),
    ((exp.DPipe,), _joined),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Pow), _arithmetic),
    ((exp.Predicate, exp.Connector, exp.Not), _condition),
    ((exp.Cast,), _cast),
    ((exp.Substring, exp.Left, exp.Right), _cut),
    ((exp.RowNumber, exp.Rank, exp.DenseRank, exp.Count), _numbered),
    ((exp.Length, exp.StrPosition, exp.ArraySize), _measured),
    ((exp.Round, exp.Floor, exp.Ceil, exp.Trunc, exp.Abs, exp.Neg, exp.Avg, exp.Sqrt), _rounded),
    ((exp.Sum,), _summed),
    ((exp.Extract,), _extracted),
    (_GENERATORS, _series),
    ((exp.Func,), _called),
    ((exp.Tuple,), _row),
)
