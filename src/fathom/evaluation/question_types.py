"""BIRD's nine types of questions, told from gold SQL and evidence (Li et al. 2023).

Five are told from the query, four from the evidence (numeric computing from both). BIRD's annotators tagged
by reading; these tags are rules that anybody can check, so shares differ from the published ones.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from fathom.evaluation.parsing import parsed

FUNDAMENTAL = ("match", "ranking", "comparison", "counting", "aggregation")
EVIDENCE_KINDS = ("domain knowledge", "numeric computing", "synonym", "value illustration")
QUESTION_TYPES = FUNDAMENTAL + EVIDENCE_KINDS
_COMPARED = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_MATCHED = (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike, exp.Is)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_FORMULAS = {"divide", "multiply", "subtract", "add", "percentage", "difference", "sum", "avg", "average"}
_SAYS = (" refers to ", " refer to ", " means ", " mean ", " stands for ", " represents ", " is ", " are ")
_SIGNS = {TokenType.PLUS, TokenType.STAR, TokenType.SLASH}
_ORDERS = {TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE, TokenType.BETWEEN}
_EQUALS = {TokenType.EQ, TokenType.NEQ, TokenType.IN, TokenType.LIKE, TokenType.IS}
_LITERALS = {TokenType.STRING, TokenType.NUMBER, TokenType.NULL}


def question_types(gold: str, evidence: str) -> tuple[str, ...]:
    """The types of one question, in the order of `QUESTION_TYPES`; a question can be of several."""
    tree = parsed(gold)
    found = set(_of_query(tree)) if tree is not None else set()
    found |= set(evidence_kinds(evidence))
    return tuple(name for name in QUESTION_TYPES if name in found)


@lru_cache(maxsize=20_000)
def evidence_kinds(evidence: str) -> tuple[str, ...]:
    """List the kinds of knowledge in an evidence text: knowledge, a formula, another name, a value's
    meaning."""
    found = {_kind(part) for part in evidence.replace("\n", ";").split(";") if part.strip(" .")}
    return tuple(name for name in EVIDENCE_KINDS if name in found)


def _of_query(tree: exp.Expr) -> Iterator[str]:
    wheres = tree.find_all(exp.Where, exp.Having)
    conditions = [part for where in wheres for part in where.find_all(exp.Predicate)]
    if any(isinstance(c, _MATCHED) and c.find(exp.Literal, exp.Null) for c in conditions):
        yield "match"
    if any(q.args.get("limit") and q.args.get("order") for q in tree.find_all(exp.Query)) or any(
        c.find(exp.Query) and c.find(exp.Max, exp.Min) for c in conditions
    ):
        yield "ranking"
    if any(isinstance(c, _COMPARED) for c in conditions):
        yield "comparison"
    if tree.find(exp.Count):
        yield "counting"
    if any(not isinstance(a, exp.Count) for a in tree.find_all(exp.AggFunc)):
        yield "aggregation"
    if any(p.find(*_ARITHMETIC) for select in tree.find_all(exp.Select) for p in select.expressions):
        yield "numeric computing"


def _kind(part: str) -> str:
    """The kind of one statement, by its tokens: most are half words and half SQL, and can't be parsed."""
    text = f" {part.strip().rstrip('.')} "
    tokens = _tokens(text)
    kinds = {t.token_type for t in tokens}
    called = {t.text.casefold() for t, then in pairwise(tokens) if then.token_type is TokenType.L_PAREN}
    if called & _FORMULAS or kinds & _SIGNS or "percent" in text.casefold():
        return "numeric computing"
    if kinds & _ORDERS:
        return "domain knowledge"
    if kinds & _EQUALS and kinds & _LITERALS:
        return "value illustration"
    at, says = max((text.rfind(says), says) for says in _SAYS)
    return "synonym" if at >= 0 and _is_name(text[at + len(says) :]) else "domain knowledge"


def _is_name(text: str) -> bool:
    """True if a text is the name of one column or table, maybe quoted, maybe with its table."""
    return len(_tokens(text.replace(".", "_"))) == 1


def _tokens(text: str) -> Sequence[Token]:
    """The tokens of a text as SQL; words that can't be (a lone quote) are split at blanks."""
    try:
        return sqlglot.tokenize(text.replace("''", "'"), read="sqlite")
    except SqlglotError:
        return [Token(TokenType.VAR, word) for word in text.split()]
