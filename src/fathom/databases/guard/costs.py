"""Calls whose time or memory outgrows what they are given, inside which no engine can be stopped.

Edit distances take the product of two lengths, patterns with many wildcards try every place for each, and
replacements within replacements multiply. So the texts that they are given have to look short.
"""

from collections.abc import Iterator, Sequence
from math import prod

from sqlglot import exp

from fathom.databases.guard.sizes import is_long, name_of, readings_of
from fathom.databases.guard.words import Refused

LONGEST_PATTERN = 1_000  # characters of LIKE, GLOB and their kin
MOST_WILDCARDS = 50
LONGEST_STRUCTURE = 10_000  # characters of what says into which types JSON is turned
DEEPEST_STRUCTURE = 50
MOST_GROUPED = 30_000  # grouping sets times their columns, 1.5 to 8 kB each

_LIKES = (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo)
_GROUPINGS = (exp.Cube, exp.Rollup, exp.GroupingSets)
_WILDCARDS = "%_*?["
_DISTANCES = frozenset(
    "levenshtein damerau_levenshtein editdist3 jaccard jaro_similarity jaro_winkler_similarity similarity "
    "word_similarity jarowinkler_similarity hamming mismatches".split()
)
_STRUCTURED = frozenset("from_json from_json_strict json_transform json_transform_strict".split())
_JOINERS = (exp.GroupConcat, exp.ArrayToString)
_JOINED = frozenset(
    "string_agg group_concat listagg array_to_string list_string_agg list_aggregate list_aggr "
    "json_group_array json_agg jsonb_agg json_arrayagg xmlagg".split()
)
_SEARCHES = frozenset(
    "str_position strpos locate instr position find_in_set contains regexp_like regexp_instr regexp_substr "
    "regexp_count regexp_matches regexp_extract regexp_extract_all split split_part string_split".split()
)
_CHECKED = _DISTANCES | _STRUCTURED | _SEARCHES | {"replace", "regexp_replace"}


def check_costs(nodes: Sequence[exp.Expr], dialect: str) -> None:
    """Raises `Refused` for calls, among a tree's nodes, that may run beyond any limit of time or memory."""
    distance, joins = "", False
    for node in nodes:
        if isinstance(node, exp.Func):
            name = name_of(node)
            if name in _DISTANCES:
                distance = name
            joins = joins or name in _JOINED or isinstance(node, _JOINERS)
            if name in _CHECKED:
                _check_call(node, name)
        elif isinstance(node, _LIKES):
            _check_pattern(node)
        elif isinstance(node, exp.Group) and dialect == "postgres":
            _check_grouping(node)
    if distance and joins:
        raise Refused("size", f"{distance}() and a function that joins many texts to one may take for ever.")


def _check_pattern(node: exp.Expr) -> None:
    for pattern in node.expression.find_all(exp.Literal):
        text = pattern.name
        if len(text) > LONGEST_PATTERN or sum(map(text.count, _WILDCARDS)) > MOST_WILDCARDS:
            raise Refused(
                "size",
                f"a pattern takes at most {LONGEST_PATTERN:,} characters and {MOST_WILDCARDS} wildcards.",
            )
    if is_long(node.expression):
        raise Refused("size", "a pattern of a built value may take for ever.")


def _check_call(call: exp.Func, name: str) -> None:
    if name in _DISTANCES and any(is_long(a) for a in readings_of(call)[-1]):
        raise Refused("size", f"{name}() of a built value may take for ever.")
    if name in _SEARCHES and sum(map(is_long, readings_of(call)[-1])) > 1:
        raise Refused("size", f"{name}() of several built values may take for ever.")
    if name in _STRUCTURED:
        _check_structure(call, name)
    if name in ("replace", "regexp_replace") and _grows(call):
        inner = (c for a in readings_of(call) for c in a[0].find_all(exp.Func))
        if any(name_of(c) in ("replace", "regexp_replace") and _grows(c) for c in inner):
            raise Refused("size", f"{name}() by a value within {name}() by a value grows beyond measure.")


def _grows(call: exp.Func) -> bool:
    """True if what is put in may be long: it isn't a text that stands there."""
    arguments = readings_of(call)[-1]
    return len(arguments) > 2 and not (
        isinstance(arguments[2], exp.Literal) and len(arguments[2].name) <= LONGEST_PATTERN
    )


def _check_structure(call: exp.Func, name: str) -> None:
    arguments = readings_of(call)[-1]
    structure = arguments[1] if len(arguments) > 1 else None
    if not isinstance(structure, exp.Literal):
        raise Refused("size", f"write the structure of {name}() as one text in quotes.")
    depth = deepest = 0
    for sign in structure.name:
        depth += (sign in "[{(") - (sign in "]})")
        deepest = max(deepest, depth)
    if len(structure.name) > LONGEST_STRUCTURE or deepest > DEEPEST_STRUCTURE:
        raise Refused("size", f"the structure of {name}() is nested too deeply, or too long.")


def _check_grouping(group: exp.Group) -> None:
    """PostgreSQL plans each grouping set for itself, before a limit of time is heeded."""
    sets = prod(map(_sets_of, group.expressions))
    columns = sum(not isinstance(n, (*_GROUPINGS, exp.Tuple, exp.Paren)) for n in _grouped(group))
    if sets * columns > MOST_GROUPED:
        raise Refused(
            "size",
            f"its grouping sets are {sets:,} of {columns:,} columns, which takes the server's memory when it "
            "plans; name fewer columns in CUBE and ROLLUP.",
        )


def _sets_of(part: exp.Expr) -> int:
    if isinstance(part, exp.Cube):
        return 1 << len(part.expressions)
    if isinstance(part, exp.Rollup):
        return len(part.expressions) + 1
    return sum(map(_sets_of, part.expressions)) if isinstance(part, exp.GroupingSets) else 1


def _grouped(group: exp.Expr) -> Iterator[exp.Expr]:
    """Every expression that is grouped by, with what holds it together."""
    left = list(group.expressions)
    while left:
        node = left.pop()
        yield node
        if isinstance(node, (*_GROUPINGS, exp.Tuple)):
            left += node.expressions
