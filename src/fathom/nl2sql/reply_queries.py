"""The queries in a model's reply, whatever stands around them.

A query ends where the longest text that parses ends: before prose, fences, tags, labels and tables. Several
dialects are tried, for parsing only says here where a query ends; the guard reads it in the database's own.
"""

import html
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in typeshed

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.parsing import parsed
from fathom.llm.replies import fences, find_json

_DIALECTS = ("sqlite", "postgres", "mysql", "tsql")
_NAME = r"(?:\w+|\"[^\"]+\"|`[^`]+`|\[[^\]]+\])"
_BEGINS = re.compile(
    r"(?:\((?:\s|\\n)*)*(?:(?<!\w)|(?<=\\n)|(?<=\\t))"
    rf"(?:SELECT\b(?!\s+(?:SELECT|WITH)\b)|WITH\s+(?:RECURSIVE\s+)?{_NAME}\s*(?:\([^()]*\)\s*)?AS\b)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*(?:[(),=<>+*/]|\|\||--|(FROM|WHERE|GROUP|ORDER|HAVING|LIMIT|OFFSET|FETCH|UNION|INTERSECT|EXCEPT|LEFT|RIGHT"
    r"|FULL|INNER|CROSS|NATURAL|JOIN|ON|USING|AND|OR|SELECT|AS|WHEN|THEN|ELSE|END|IN|NOT|IS|LIKE|WINDOW)\b)",
    re.IGNORECASE,
)
"""How a line begins that goes on with the query of the line before it."""
_END = re.compile(r";|\)|</\w|<\||\[/\w|\"\s*(?:,\s*\"[\w ]+\"\s*:|[}\]]+\s*\Z)")
_NEXT_TURN = re.compile(
    r"^[#/*\s]*(?:question|user|human|instruction|input)\b[ \d]*:|<\|im_start\|>|/\*\s*answer",
    re.IGNORECASE | re.MULTILINE,
)
"""How a model goes on that has answered, and now plays the asker too."""
_SENTENCE_END = re.compile(r"[.:!?](?=\s|[\"'*}\]]|\Z)|\s(?:--+|[\u2013\u2014]|[=-]>)\s")
_PROSE = re.compile(r"\W*[A-Z][a-z'\u2019]*(?:,? [a-z][a-z'\u2019]*){2}")
_WORDS = re.compile(r"\W*[A-Za-z]+(?:,? [a-z][a-z'\u2019]*){2}")
_QUOTE = re.compile(r"(\"\"\"|'''|\*\*|[\"'`])(?:\s|\\n|\\t)*\Z")
_KEY = re.compile(r"[\"'](\w[\w ]*)[\"']\s*:\s*f?[\"']*(?:\s|\\n)*\Z")
_LABEL = re.compile(
    r"(?:sql|query|answer|final|solution)[\w ]*[*_]*(?::|=|\bis\b)[*_]*\s*[\"'`]*\s*\Z", re.IGNORECASE
)
_TAG = re.compile(r"(?:<\w[\w ]*>|\[\w+\])\s*\Z")
_IN_A_SENTENCE = re.compile(r"[^\W\d_][,:]?[ \t]+[\"'`]?\Z")
_REASONS = re.compile(r"reason|expla|thought|think|step|plan|note|comment|descri", re.IGNORECASE)
_REFUSES = re.compile(
    r"\b(?:can(?: ?not|['\u2019]?t)|unable|impossible|not (?:able|allowed|possible|enough)|won['\u2019]t"
    r"|will not|sorry|refuse|do(?:es)?(?: not|n['\u2019]t) (?:have|contain|include|provide)|insufficient)\b",
    re.IGNORECASE,
)
_DETERMINERS = frozenset(
    ("the", "this", "that", "these", "those", "any", "your", "our", "each", "which", "what")
)
_THOUGHTS = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d+|#x[0-9a-f]+);", re.IGNORECASE)
_SHELL = re.compile(r"(?m)^[ \t]*(?:\w*[=-]?[>#]|\.\.\.>)[ \t]+(?=\(?(?:SELECT|WITH)\b)", re.IGNORECASE)
_SHELL_LINE = re.compile(r"(?m)^[ \t]*(?:\w*[=-]?[>#]|\.\.\.>)(?:[ \t]|$)")


_MOST_LETTERS = 200_000
"""How many letters are parsed for one reply, again and again: one that is no query mustn't take a minute."""
_LEFT: ContextVar[list[int]] = ContextVar("_LEFT")


@dataclass(frozen=True, slots=True)
class ReplyQuery:
    """A query of a reply, where it stands, and how.

    `standing` is 0 in words that reason, 1 in a sentence, 2 on a line of its own, 3 where answers stand: in a
    fence, a tag, a value of JSON, behind a label.
    """

    sql: str
    end: int
    runnable: bool
    standing: int
    fenced: bool = False


def queries(reply: str) -> list[ReplyQuery]:
    """The queries of a reply in their order; those of its thinking only where there are no others."""
    _LEFT.set([_MOST_LETTERS])
    text = _readable(reply)
    outside = _THOUGHTS.sub("\n\n", text)
    if re.search(r"(?i)</think", outside):  # the opening tag stood at the end of the prompt
        outside = re.split(r"(?i)</think\w*>", outside)[-1]
    found = list(_found(outside))
    if said := _in_json(outside):  # found again among its quotes, where reasons look like answers
        found = [*said, *(q for q in found if q.fenced and not q.sql.startswith(tuple(s.sql for s in said)))]
    return found or (list(_found(text)) if outside != text else [])


def answer(found: list[ReplyQuery]) -> str | None:
    """The query that is the answer: of those that stand best the last, which corrects the ones before it.

    A later query that is a part of an earlier one explains it, and corrects nothing.
    """
    kept: list[ReplyQuery] = []
    for query in found:
        flat = _flat(query.sql)
        if not any(
            flat in _flat(k.sql) and (k.standing, k.runnable) >= (query.standing, query.runnable)
            for k in kept
        ):
            kept.append(query)
    ranked = [(q.standing > 1, q.runnable, q.standing, place) for place, q in enumerate(kept)]
    return kept[max(ranked)[-1]].sql if kept else None


def refuses(text: str) -> bool:
    """Say if words tell that a question isn't answered."""
    return _REFUSES.search(text) is not None


@lru_cache(maxsize=4096)
def can_run(sql: str) -> bool:
    """Say if a text parses as a query whose columns come from somewhere: "sorry: no" does not."""
    trees = (parsed(sql, dialect) for dialect in _DIALECTS)
    return any(
        isinstance(t, exp.Query) and t.selects and (t.find(exp.From) or not t.find(exp.Column)) for t in trees
    )


def _runs(text: str) -> bool:
    """As `can_run`, as long as the reply that is read has letters left to be parsed."""
    return _spent(_effort(text)) and can_run(text)


def _effort(text: str) -> int:
    """The letters that a text counts for: parentheses in one another take the parser far longer."""
    return len(text) * (1 + text.count("(") // 20)


def _spent(letters: int) -> bool:
    left = _LEFT.get()
    left[0] -= letters
    return left[0] > 0


def _readable(reply: str) -> str:
    """A reply without what its way left in it: HTML's signs, typographic quotes, a shell's prompts."""
    text = html.unescape(reply) if _ENTITY.search(reply) else reply
    text = re.sub(r"(?i)<br ?/?>|\r\n?", "\n", text).translate({0xA0: " ", 0x200B: None, 0xFEFF: None})
    text = re.sub(r"[\u2018\u2019]([^\u2018\u2019'\n]*)\u2019", r"'\1'", text)
    text = re.sub(r"\u201c([^\u201c\u201d\"\n]*)\u201d", r'"\1"', text)
    if _SHELL.search(text):
        text = _SHELL_LINE.sub("", text)
    if "`" not in text and not re.search(r"(?i)\bescape\b", text):
        text = re.sub(r"\\([_*<>])", r"\1", text)  # Markdown's, outside of code
    return text


def _in_json(text: str) -> list[ReplyQuery]:
    """The queries in the texts of a reply's JSON, as far as that is whole."""
    try:
        value = find_json(text)
    except ValueError:
        return []
    return [
        replace(q, standing=0 if _REASONS.search(key) else 3)
        for key, held in _texts(value, "")
        for q in _found(held)
    ]


def _texts(value: object, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, held in value.items():
            yield from _texts(held, str(name))
    elif isinstance(value, list):
        for held in value:
            yield from _texts(held, key)


def _found(text: str) -> Iterator[ReplyQuery]:
    spans = [(f.start, f.end) for f in fences(text)]
    cuts = sorted({*(m.start() for m in re.finditer(r"`{3,}|~{3,}", text)), len(text)})
    end = 0
    for begins in _BEGINS.finditer(text):
        start = begins.start()
        if start < end:
            continue
        if not _spent(0):
            return
        fenced = any(a <= start < b for a, b in spans)
        query = _at(text, start, next(c for c in cuts if c >= start), fenced)
        if query is None:
            continue
        if end > 0 and _NEXT_TURN.search(text, end, start):
            return
        in_a_row = end > 0 and not text[end:start].strip(" \t\n;")
        end = query.end
        if not in_a_row:  # of statements with nothing said between them the first is the answer
            yield query


def _at(text: str, start: int, cut: int, fenced: bool) -> ReplyQuery | None:
    """The query that begins there; None where the word is one of a sentence."""
    told = re.sub(r"(?i)\bselect\s+\Z", "", text[max(0, start - 80) : start])  # said twice
    line = told[told.rfind("\n") + 1 :]
    quote = _QUOTE.search(told)
    inside = _quoted(text[:cut], start, quote.group(1)) if quote and text[start] != "(" else None
    sql, end = inside or _extent(text[start:cut], bool(_IN_A_SENTENCE.search(line)))
    if inside is None:
        end += start
    sql = _tidy(sql)
    runnable = _runs(sql)
    key = _KEY.search(told)
    if key:
        standing = 0 if _REASONS.search(key.group(1)) else 3
    elif fenced or _LABEL.search(told) or _TAG.search(told):
        standing = 3
    else:
        standing = 1 if _IN_A_SENTENCE.search(line) else 2
    if not sql or _is_told(sql) or (not fenced and _is_prose(text[:start], sql, runnable, standing)):
        return None
    return ReplyQuery(sql, end, runnable, standing, fenced)


def _quoted(text: str, start: int, quote: str) -> tuple[str, int] | None:
    """The query in quotes that begins there, and where it ends; None where none of them closes one."""
    ends = [m.start() for m in re.finditer(re.escape(quote), text[start:])]
    if quote == '"':
        try:
            value, end = scanstring(text, start, False)
        except ValueError:
            value, end = "", 0
        if _runs(value.strip()):
            return value, end
    for end in ends:
        sql = _unescaped(text[start : start + end])
        if _runs(sql.strip()):
            return sql, start + end + len(quote)
    if quote == '"' and _KEY.search(
        text[max(0, start - 80) : start]
    ):  # JSON that is cut off, or a broken query
        return _unescaped(text[start : start + ends[0]] if ends else text[start:]), start + (
            ends or [len(text)]
        )[0]
    return None


def _unescaped(sql: str) -> str:
    for sign, meant in (("\\n", "\n"), ("\\t", " "), ('\\"', '"'), ("\\'", "'")):
        sql = sql.replace(sign, meant)
    return sql


def _extent(text: str, in_a_sentence: bool) -> tuple[str, int]:
    """The query at the beginning of a text, and where it ends."""
    end = next((m.start() for m in _END.finditer(text) if _ends_there(text, m)), len(text))
    text = text[:end]
    best = 0
    for block in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+", text):
        if best and not _goes_on(text, block.group()):
            break
        if _runs(text[: block.end()]):
            best = block.end()
        elif found := _lines(text, block.start(), block.end()):
            best = found
            break
        elif best:
            break
    if not best:
        best = _sentence(text, in_a_sentence)
    return text[:best], best


def _lines(text: str, start: int, end: int) -> int:
    """Where a query ends within a block, before a line that doesn't go on with it; 0 where none does."""
    best, tried = 0, 0
    for line in re.finditer(r"[^\n]+", text[start:end]):
        if best and not _goes_on(text, line.group()):
            return max(best, tried)
        tried = start + line.end()
        if _runs(text[:tried]):
            best = tried
    return 0


def _goes_on(text: str, line: str) -> bool:
    """Say if a line begins as the next one of a query does, its keyword in the case of the query's own."""
    found = _GOES_ON.match(line)
    if found is None or not (word := found.group(1)):
        return found is not None
    begins = text.lstrip("( \n")[:6]
    return word.isupper() if begins.isupper() else word.islower() or not begins.islower()


def _sentence(text: str, in_a_sentence: bool) -> int:
    """Where a query ends within a line, before words about it; the end of its block if it never parses."""
    for found in _SENTENCE_END.finditer(text):
        if _runs(text[: found.start()]):
            return found.start()
    block = re.match(r"(?:[^\n]+(?:\n|\Z))+", text)
    end = block.end() if block else len(text)
    prose = _WORDS if in_a_sentence else _PROSE
    for token in reversed(_tokens(text[:end]) or _tokens(text[: text.find("'")])):
        if prose.match(text[token.end + 1 : end]) and _runs(text[: token.end + 1]):
            return int(token.end) + 1
    for found in re.finditer(r"\n\s*\n", text):
        if not _goes_on(text, text[found.end() :]):
            return found.start()
    return len(text)


def _ends_there(text: str, sign: re.Match[str]) -> bool:
    """Say if a sign ends a query: outside of quotes and comments, a parenthesis where none is open."""
    before = text[: sign.start()]
    tokens = _tokens(before)
    if not tokens or "--" in before[tokens[-1].end + 1 :].rsplit("\n", 1)[-1]:
        return False
    if sign.group() != ")":
        return True
    depth = sum((t.token_type is TokenType.L_PAREN) - (t.token_type is TokenType.R_PAREN) for t in tokens)
    return depth <= 0


def _tokens(text: str) -> list[Token]:
    """The tokens of a text; none where a quote in it isn't closed."""
    if not _spent(len(text) // 10):
        return []
    for dialect in ("sqlite", "mysql"):
        try:
            return tokenize(text, read=dialect)
        except SqlglotError:
            continue
    return []


def _tidy(sql: str) -> str:
    """A query without parentheses around the whole of it, and without comments at its end."""
    sql = sql.strip().strip(";").strip()
    while sql.startswith("(") and _spent(_effort(sql)):
        tree = parsed(sql, "postgres")
        whole = isinstance(tree, exp.Subquery) and not tree.alias and sql.endswith(")")
        if not whole and (tree is not None and not isinstance(tree, exp.Subquery)):
            break
        sql = (sql[1:-1] if whole else sql[1:]).strip()
    tokens = _tokens(sql)
    return sql[: tokens[-1].end + 1].rstrip(";.").rstrip() if tokens else sql


def _is_prose(before: str, sql: str, runnable: bool, standing: int) -> bool:
    """Say if the keyword is a word of a sentence, such as a refusal's, and begins no query."""
    upper, words = sql[:6].isupper(), [w.casefold() for w in sql.split()]
    if not runnable and (refuses(before) or refuses(sql)):
        return True
    if _DETERMINERS & set(words) and not (upper and runnable):
        return True
    if not runnable and "from" not in words:
        said = len(words) > 3 and re.fullmatch(r"[\w\s.,:!?-]+", sql) is not None
        return not upper or standing == 1 or said
    return standing == 1 and not upper and (not runnable or refuses(before[before.rfind("\n") + 1 :]))


def _is_told(sql: str) -> bool:
    """Say if a query reads nothing and says words, as SELECT 'I have no such data' does."""
    tree = parsed(sql, "sqlite") if _spent(len(sql)) else None
    if not isinstance(tree, exp.Select) or tree.args.get("from_") or not tree.expressions:
        return False
    said = [e.unalias() for e in tree.expressions]
    return all(isinstance(s, exp.Literal | exp.Column) and " " in s.name.strip() for s in said)


def _flat(sql: str) -> str:
    return "".join(sql.casefold().split())
