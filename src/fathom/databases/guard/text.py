"""A check that the server splits a text as sqlglot did: plain strings, plain comments, nothing invisible.

Every token and every gap between two is held against a form that all tokenizers read alike; what has another
form is refused, so that the parsed query is the executed one.
"""

import re
import unicodedata
from collections.abc import Sequence
from threading import local

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from fathom.databases.guard.words import Refused, dialect_of
from fathom.errors import ErrorClass

MOST_COMMENTS = 1_000
"""PostgreSQL reads comments in time that grows with the square of their number, and can't be stopped then."""
_BLANK = " \t\n\r"
_QUOTES = "'\"`"
# Where a backslash may end a string as the standard has it (PostgreSQL: its default, which sessions keep).
_PLAIN_BACKSLASH = frozenset(("sqlite", "duckdb", "postgres", "trino"))
_HASH_COMMENTS = frozenset(("mysql", "bigquery"))
# Where `--` begins a comment whatever follows.
_BARE_DASHES = _PLAIN_BACKSLASH | {"bigquery", "snowflake"}
_SIGNS = ("--", "/*", "*/", "U&'", 'U&"', "u&'", 'u&"')
"""The signs that begin or end a comment or another kind of string where it runs together."""
_PREFIXED = re.compile(r"(?i)(?:r|b|rb|br)(?=['\"])")
_BRACKET_NAMES = frozenset(("sqlite",))
# Where a backslash always escapes what follows it: the session has it settled.
_ESCAPED = frozenset(("spark", "databricks"))
# Marks that the server replaces by its settings and environment before it reads a text, inside quotes as
# well.
_FILLED = {"spark": "${", "databricks": "${"}
_SIGNS_ALONE = frozenset("(),.;:+-*/%<>=[]{}|&!?@~^#")
# To some engines names may begin with digits; `1.from` and `1e5from` are a number and a word to others.
_NAME_BY_DIGIT = re.compile(r"[0-9]+(?![eE][0-9])[^\W0-9]\w*")
_kept = local()


def split(sql: str, dialect: str) -> list[Token]:
    """The tokens of a text. Raises `Refused` where the server could split it differently."""
    if "\0" in sql:
        raise Refused("encoding", "it holds a NUL character.")
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise Refused("encoding", "it holds half of a surrogate pair, which is no character.") from None
    try:
        tokens = _tokenizer(dialect).tokenize(sql)
    except TokenError as error:
        raise Refused("syntax", f"it can't be read as SQL: {error}", ErrorClass.SYNTAX) from error
    return list(tokens)


def _tokenizer(dialect: str) -> Tokenizer:
    """A tokenizer of this thread, as one is in the middle of its text while it works."""
    if not hasattr(_kept, "tokenizers"):
        _kept.tokenizers = dict[str, Tokenizer]()
    tokenizers: dict[str, Tokenizer] = _kept.tokenizers
    if dialect not in tokenizers:
        tokenizers[dialect] = dialect_of(dialect).tokenizer()
    return tokenizers[dialect]


def check_text(sql: str, tokens: Sequence[Token], dialect: str) -> None:
    """Hold every token and gap against its plain form. Raises `Refused` at the first that differs."""
    if sql.count("/*") > MOST_COMMENTS:
        raise Refused("size", f"it has more than {MOST_COMMENTS:,} comments.")
    if (sign := _FILLED.get(dialect)) and sign in sql:
        raise Refused("variable", f"{sign} stands for variables of the server, inside quotes as well.")
    at, before = 0, None
    for token in tokens:
        start, end = token.start, token.end + 1
        if start < at:
            if dialect in _ESCAPED and before is not None and at == end:
                continue  # `1L`, of which sqlglot makes 1::BIGINT
            raise Refused("syntax", "it can't be split into words for certain.", ErrorClass.SYNTAX)
        if start > at:
            if (gap := sql[at:start]) != " ":
                _check_gap(gap, dialect, last=False)
        elif at and _clings(sql[at - 1], sql[at]) and not _stands_apart(sql, at, before, token, dialect):
            if before == TokenType.NUMBER and sql[at] == "_":
                raise Refused("quoting", "write numbers without _, which not all servers read as one.")
            raise Refused("quoting", f"put a space before {sql[at : at + 12]!r}.", ErrorClass.SYNTAX)
        text = sql[start:end]
        if text not in _SIGNS_ALONE and not (text.isascii() and (text.isidentifier() or text.isdecimal())):
            _check_token(text, token, dialect)
        at, before = end, token.token_type
    _check_gap(sql[at:], dialect, last=True)
    # Signs that touch outside quotes touch in the text as well, which is quicker to search.
    if any(sign in sql for sign in _SIGNS) and any(sign in "".join(_bare(sql, tokens)) for sign in _SIGNS):
        raise Refused("comment", "signs run together so that they may begin or end a comment or string.")


def _stands_apart(sql: str, at: int, before: TokenType | None, token: Token, dialect: str) -> bool:
    """True for a token that another one may touch, though both together look like one."""
    is_text = token.token_type == TokenType.STRING
    charset = before == TokenType.INTRODUCER and is_text
    # 'it''s' is two texts to sqlglot there, and to older servers; whoever joins them, they end alike.
    twice = dialect in _ESCAPED and before == TokenType.STRING and is_text and sql[at - 1] == sql[at] == "'"
    numbered = dialect == "snowflake" and sql[at - 1] == "$" and token.token_type == TokenType.NUMBER
    return charset or twice or numbered


def _bare(sql: str, tokens: Sequence[Token]) -> list[str]:
    """The text without what stands in quotes and gaps; one space for each gap."""
    parts, at = [], 0
    for token in tokens:
        text = sql[token.start : token.end + 1]
        parts.append((" " if token.start > at else "") + (text if text[:1] not in _QUOTES else text[0]))
        at = token.end + 1
    return parts


def _clings(before: str, after: str) -> bool:
    """True if two touching tokens might be one, or be cut elsewhere, for another tokenizer."""
    return (before.isalnum() or before in "_'\"`$") and (after.isalnum() or after in "_'\"`$")


def _check_gap(gap: str, dialect: str, *, last: bool) -> None:
    if not gap.strip(_BLANK):
        return
    at = 0
    while at < len(gap):
        if gap[at] in _BLANK:
            at += 1
        elif gap.startswith("/*", at):
            at = _block_comment_end(gap, at)
        elif gap.startswith("--", at) or (gap[at] == "#" and dialect in _HASH_COMMENTS):
            at = _line_comment_end(gap, at, dialect, last=last)
        else:
            name = unicodedata.name(gap[at], f"U+{ord(gap[at]):04X}")
            raise Refused("encoding", f"{name} stands where only spaces and comments may.")


def _line_comment_end(gap: str, at: int, dialect: str, *, last: bool) -> int:
    follower = gap[at + 2 : at + 3]
    if gap[at] == "-" and dialect not in _BARE_DASHES and follower and follower not in _BLANK:
        raise Refused("comment", "'--' without a space after it is a comment to some engines only.")
    end = gap.find("\n", at)
    if end < 0 and not last:
        raise Refused("comment", "a comment has no certain end.")
    comment = gap[at:] if end < 0 else gap[at:end]
    if comment.rstrip("\r").endswith("\\") and dialect in _ESCAPED:
        raise Refused("comment", "a backslash at a comment's end makes the next line a part of it.")
    if "\r" in comment.removesuffix("\r"):
        raise Refused("comment", "a carriage return inside a comment ends it for some engines only.")
    return len(gap) if end < 0 else end + 1


def _block_comment_end(gap: str, at: int) -> int:
    end = gap.find("*/", at + 2)
    if end < 0:
        raise Refused("comment", "a comment isn't closed.", ErrorClass.SYNTAX)
    comment = gap[at + 2 : end]
    if comment.startswith(("!", "M!", "m!", "+")):
        raise Refused("comment", "the server would execute what stands in this comment (/*! or /*+).")
    if "/*" in comment:
        raise Refused("comment", "one comment stands inside another, which not all engines allow.")
    return end + 2


def _check_token(text: str, token: Token, dialect: str) -> None:
    first = text[:1]
    if text.startswith("/*"):
        raise Refused("comment", "hints in comments (/*+) may change settings.")
    position = dialect == "snowflake" and text == "$"  # `$1`, which is judged in the tree
    if token.token_type == TokenType.HEREDOC_STRING or (first == "$" and not position):
        raise Refused("quoting", "strings in dollar signs and $ parameters aren't taken; write '...'.")
    prefix = _PREFIXED.match(text) if dialect == "bigquery" else None
    if prefix or (dialect == "bigquery" and first in _QUOTES):
        _check_escaped(
            text[prefix.end() if prefix else 0 :], is_raw="r" in text[: prefix.end() if prefix else 0].lower()
        )
    elif first in _QUOTES:
        _check_quoted(text, first, dialect)
    elif text[1:2] == "'" and len(text) > 2:
        _check_quoted(text[1:], "'", "")
    elif first == "[" and len(text) > 1:
        if dialect not in _BRACKET_NAMES or text[-1] != "]" or "]" in text[1:-1]:
            raise Refused("quoting", f"the name {text[:40]} has brackets that engines read differently.")
    elif any(c in text for c in _QUOTES):
        raise Refused("quoting", f"{text[:40]!r} is quoted in a form that isn't taken; write '...'.")
    elif not position:
        kind = token.token_type
        by_digit = kind == TokenType.VAR and text[0].isdigit() and not _NAME_BY_DIGIT.fullmatch(text)
        no_number = (kind == TokenType.NUMBER and text[-1] in "eE") or (
            dialect == "mysql" and text.startswith(("0X", "0B"))  # names there, unlike 0x and 0b
        )
        if by_digit or no_number:
            raise Refused("quoting", f"put a space behind the number in {text[:40]!r}, or quote the name.")
        _check_word(text)
        # libpg_query leaves such letters as they are; a server in a single-byte encoding may fold them.
        if dialect == "postgres" and any(not c.isascii() and c != c.lower() for c in text):
            raise Refused("encoding", f"{text[:40]} may stand for two names; put it in double quotes.")


def _check_quoted(text: str, quote: str, dialect: str) -> None:
    body = text[1:-1]
    if dialect in _ESCAPED and quote != "`":
        body = _without_escapes(body)
        if len(text) < 2 or text[-1] != quote or quote in body or body.endswith("\\"):
            raise Refused("quoting", f"write a {quote} inside quotes as \\{quote}.")
        return
    if len(text) < 2 or text[-1] != quote or quote in body.replace(quote * 2, ""):
        raise Refused("quoting", f"write a {quote} inside quotes as {quote * 2}.")
    ends = body.endswith("\\") and dialect not in _PLAIN_BACKSLASH and quote != "`"
    inside = f"\\{quote}" in body and dialect not in {"sqlite", "duckdb", "trino"} and quote != "`"
    if ends or inside:
        raise Refused(
            "quoting",
            f"a backslash before {quote} ends the string or not, by the server's settings; "
            f"write {quote * 2} for a {quote} inside it.",
        )


def _without_escapes(body: str) -> str:
    """A text without each backslash and the character after it; the last one stays if it is alone."""
    parts, at = [], 0
    while at < len(body):
        alone = body[at] != "\\" or at + 1 == len(body)
        parts.append(body[at] if alone else "")
        at += 1 if alone else 2
    return "".join(parts)


def _check_escaped(text: str, *, is_raw: bool) -> None:
    """BigQuery has no doubled quotes: a backslash goes before a quote, in a text as in a name."""
    quote, body = text[0], text[1:-1]
    if len(text) < 2 or text[-1] != quote or text.startswith(quote * 3):
        raise Refused("quoting", f"write a text in one pair of {quote}, on one line.")
    plain = body if is_raw or quote == "`" else re.sub(r"\\.", "", body)
    if quote in plain or "\n" in plain or "\r" in plain or plain.endswith("\\"):
        raise Refused("quoting", f"write a {quote} inside {quote} as \\{quote}, and no line break.")
    if quote == "`" and "\\" in body:
        raise Refused("quoting", "a backslash in a name is read in more than one way.")


def _check_word(text: str) -> None:
    if text.isascii() and text.isidentifier():
        return
    for c in text:
        if c == "$":
            raise Refused("quoting", "$ outside quotes begins strings or parameters on some engines.")
        if c == "\\":
            raise Refused("client_command", "backslash commands belong to database clients, not to SQL.")
        if c.isascii():
            if not (c.isprintable() or c in _BLANK):
                raise Refused("encoding", f"it holds the control character U+{ord(c):04X}.")
        elif not (c.isalnum() or unicodedata.category(c)[0] == "M"):
            raise Refused("encoding", f"{unicodedata.name(c, hex(ord(c)))} stands outside quotes.")
        elif unicodedata.normalize("NFKC", c).isascii():
            raise Refused("encoding", f"{unicodedata.name(c, hex(ord(c)))} looks like a plain letter.")
    if not text.isascii() and all(c.isascii() or _is_plain_in_another_case(c) for c in text):
        raise Refused("encoding", f"{text!r} turns into plain letters in another case; put it in quotes.")


def _is_plain_in_another_case(c: str) -> bool:
    """True if a server's rules may make one plain letter of a character, as Turkish ones make i of U+0130."""
    return (len(c.upper()) == 1 and c.upper().isascii()) or c.lower()[0].isascii()
