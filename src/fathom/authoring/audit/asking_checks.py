"""Checks of a query's aggregates, order and columns against what the question asks for."""

import re
from collections.abc import Iterator

from sqlglot import exp

from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.gold_parts import ColumnOf, GoldParts
from fathom.authoring.audit.question_words import QuestionWords, plain
from fathom.offline.linking.text import alike, stem, tokenize

_COUNTING = ("how many", "number of", "numbers of", "count", "how much", "amount of")
_SHARE = ("percentage", "percent", "ratio", "proportion", "rate", "%")
_AVERAGE = ("average", "averaged", "averages", "mean", "avg")
_TOTAL = ("total", "sum", "altogether", "combined", "overall")
_EXTREME = (
    "top first last max min earliest latest limit recent initial best worst order rank ranked one maximum "
    "minimum"
).split()
_OTHER = ("other", "except", "excluding", "without", "!=", "<>", "non")
_ORDER = ("ascending order", "descending order", "alphabetical order", "sort", "sorted", "in order of")
_GROUPS = ("every", "by", "most", "least", "more than", "at least", "average", "total")
"""Words after which a query may group although the question asks for one thing."""
_RATES = re.compile(r"rate|percent|ratio|pct")
_KEY = re.compile(r"(id|code|key)$")
_KEYS = ("id", "ids", "code", "codes", "number", "identifier", "identification", "identify", "key", "keys")
_DENYING = frozenset(("0", "-", "N", "F"))
"""Values that stand for no."""
_ASK = re.compile(
    r"\b(?:list|state|give|provide|include|indicate|show|mention|write down|along with|together with|"
    r"what (?:is|are|was|were))\b\s+(?:(?:out|down|me|us|also|the|their|his|her|its|all)\s+)*"
    r"(?P<items>[^?.;:]+)",
    re.IGNORECASE,
)
_ITEMS_END = re.compile(
    r"\b(?:of|for|in|who|whose|that|which|where|with|from|on|by|when|if|to|belonging|located|along)\b",
    re.IGNORECASE,
)
_ARTICLES = frozenset("the their his her its a an all please".split())
_LONGEST_ITEM = 3


def check_asking(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """Where a query does what isn't asked for, or doesn't do what is."""
    yield from _aggregates(parts, asked)
    yield from _groups(parts, asked)
    yield from _negation(parts, asked)
    yield from _order(parts, asked)
    yield from _columns(parts, asked)
    yield from _items(parts, asked)
    yield from _passed(parts, asked)


def _aggregates(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    used = " ".join(c.name for c in parts.used)
    share, average = asked.says(*_SHARE), asked.says(*_AVERAGE)
    if share and not parts.has(exp.Div) and not _RATES.search(used):
        yield "share_lacking", "the question asks for a share, and the query divides nothing", {}
    asked_sum = share or average or asked.says(*_TOTAL, *_COUNTING)
    if parts.has(exp.Sum) and not parts.has(exp.If, exp.Case) and not asked_sum:
        yield "sum_unasked", "the query sums, and the question doesn't ask for it", {}
    if asked.says("difference") and not parts.has(exp.Sub):
        yield "difference_lacking", "the question asks for a difference, and the query subtracts nothing", {}


def _groups(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    if asked.says("each", "per", "respective", "respectively"):
        if parts.has(exp.AggFunc) and not parts.has(exp.Group, exp.Window):
            yield "group_lacking", "the question asks for something of each, and the query doesn't group", {}
    elif parts.has(exp.Group) and not asked.extreme and not asked.says(*_GROUPS):
        yield "group_unasked", "the query groups, and the question asks for no groups", {}


def _negation(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    denies = parts.has(exp.Not, exp.NEQ, exp.Except, exp.Null)
    denies = denies or any(t.value in _DENYING or t.operator in ("<", "<=") for t in parts.tests)
    if asked.negated and not denies:
        yield "negation_lacking", "the question denies something, and the query doesn't", {}
    if parts.has(exp.NEQ, exp.Except) and not asked.negated and not asked.says(*_OTHER, "different"):
        yield "negation_unasked", "the query denies something, and the question doesn't", {}


def _order(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    extreme, limit = parts.has(exp.Max, exp.Min), parts.limit
    if asked.extreme and not extreme and not parts.has(exp.Ordered, exp.Window, exp.Avg):
        yield "extreme_lacking", "the question asks for an extreme, and the query takes none", {}
    if (limit or extreme) and not asked.extreme and not asked.says(*_EXTREME):
        yield "extreme_unasked", "the query takes an extreme, and the question asks for none", {}
    if asked.asks(*_ORDER) and not parts.has(exp.Ordered):
        yield "order_lacking", "the question asks for an order, and the query has none", {}
    rows = asked.shape.rows
    if limit and rows is not None and limit != rows:
        yield "limit_off", f"the question asks for {rows} rows, and the query gives {limit}", {}
    elif limit and limit > 1 and rows is None and float(limit) not in asked.told_numbers:
        yield "limit_off", f"the query gives {limit} rows, a number that nobody says", {}


def _columns(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    keys = [c for e in parts.returned if (c := parts.column(e)) is not None and _KEY.search(c.name)]
    if keys and len(parts.returned) > 1 and not asked.says(*_KEYS):
        yield "id_extra", f"the query also returns {keys[0].key}, and nobody asks for it", {}
    told = plain(asked.told)
    for column in sorted(parts.tested):
        values = [plain(t.value) for t in parts.tests if t.column == column]
        if (
            values
            and not asked.says_name_of(column.table, column.name)
            and not any(v in told for v in values)
        ):
            said = f"the query compares {column.key}, and nobody says its name or its values"
            yield "condition_unasked", said, {"column": column.key}


def _items(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """Things listed as asked for that are named as a column of the tables read, which isn't returned."""
    returned = {c.name for c in parts.returned_columns}
    if not returned or parts.has(exp.Star):
        return
    read = {t for _, t in parts.tables}
    for match in _ASK.finditer(asked.question.text):
        for item in re.split(r",|\band\b", _ITEMS_END.split(match["items"])[0]):
            stems = [stem(w) for w in plain(item).split() if w not in _ARTICLES]
            if not 0 < len(stems) <= _LONGEST_ITEM:
                continue
            names = {c for t, c in asked.columns_named(stems) if t in read}
            if names and not names & returned:
                told = f"the question asks for {item.strip()!r}, and the query doesn't return {min(names)}"
                yield "item_not_returned", told, {"column": min(names)}
                return


def _passed(parts: GoldParts, asked: QuestionWords) -> Iterator[Evidence]:
    """A column that the query doesn't use, though all its words are said, and nothing accounts for one."""
    every: set[ColumnOf] = {*parts.used, *(c for pair in parts.joined for c in pair)}
    known = {s for c in every for s in asked.meaning(c.table, c.name)}
    known |= {s for _, t in parts.tables for s in asked.meaning(t, None)}
    left = asked.left_over(known | {t.stem for x in parts.literals for t in tokenize(x.name)})
    names, read = {c.name for c in every}, {t for _, t in parts.tables}
    for table in asked.schema.tables:
        for column in table.columns:
            words = asked.words_of(table.name, column.name)
            # A single word of a table that the query doesn't read says too little.
            if column.name.casefold() in names or (len(words) < 2 and table.name.casefold() not in read):
                continue
            unaccounted = any(alike(w, x) for w in words for x in left)
            if unaccounted and asked.says_whole_name_of(table.name, column.name):
                name = f"{table.name}.{column.name}"
                yield "column_passed", f"the words of {name} are said, and it isn't used", {"column": name}
                return
