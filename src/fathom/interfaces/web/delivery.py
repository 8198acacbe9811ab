"""Answers sent to where the settings say: by mail, or to a webhook.

Nobody names an address in a page: a schedule has a name of the settings, where the owner alone wrote what
that leads to. So no request goes anywhere else, and redirects aren't followed.
"""

import json
import smtplib
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from urllib.parse import SplitResult, unquote, urlsplit

from fathom.answering import cell_as_json
from fathom.answering.documents import as_html
from fathom.config import Settings
from fathom.errors import FathomError
from fathom.records import Answer, shown_column

SECONDS = 20.0
ROWS, MAIL_ROWS = 50, 20
_LATER = frozenset((408, 409, 425, 429))
"""Answers of a webhook after which the same may be taken later, beside those of a server at fault."""


HandingOver = Callable[[], None]


class DeliveryFailed(FathomError):
    """Something wasn't taken. `retryable` says that it may be later."""

    def __init__(self, why: str, *, retryable: bool) -> None:
        self.retryable = retryable
        super().__init__(why)


class DeliveryUnknown(FathomError):
    """Nobody knows whether something arrived."""


@dataclass(frozen=True, slots=True)
class Letter:
    """An answer to send under a title, with the key that it has whenever it is sent."""

    key: str
    title: str
    answer: Answer
    url: str


def is_mail(address: str) -> bool:
    """True for the address of a mail."""
    return address.startswith("mailto:")


def deliver(letter: Letter, address: str, settings: Settings, handing_over: HandingOver) -> None:
    """Send a letter to an address of the settings; `handing_over` is called right before it may arrive.

    Raises `DeliveryFailed`, and `DeliveryUnknown`.
    """
    if is_mail(address):
        _mail(letter, address.removeprefix("mailto:"), settings, handing_over)
    else:
        handing_over()
        _post(letter, address)


def _post(letter: Letter, url: str) -> None:
    import httpx2  # noqa: PLC0415, slow to import

    headers = {"idempotency-key": letter.key, "content-type": "application/json", "user-agent": "fathom"}
    content = json.dumps(_content(letter), ensure_ascii=False).encode()
    try:
        with (
            httpx2.Client(timeout=SECONDS, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, content=content, headers=headers) as told,
        ):
            status = told.status_code
    except httpx2.HTTPError as error:
        raise DeliveryFailed(
            f"The webhook wasn't reached ({type(error).__name__}).", retryable=True
        ) from None
    if not 200 <= status < 300:
        retryable = status >= 500 or status in _LATER
        raise DeliveryFailed(f"The webhook answered {status}.", retryable=retryable)


def _content(letter: Letter) -> dict[str, object]:
    rows = letter.answer.shown or letter.answer.result
    return {
        "text": f"{letter.title}: {letter.answer.text}",
        "key": letter.key,
        "title": letter.title,
        "answer": letter.answer.text,
        "columns": list(rows.columns) if rows else [],
        "rows": [[cell_as_json(c) for c in row] for row in rows.rows[:ROWS]] if rows else [],
        "url": letter.url,
    }


def _mail(letter: Letter, to: str, settings: Settings, handing_over: HandingOver) -> None:
    if settings.smtp is None:
        raise DeliveryFailed("The settings name no smtp to send mails by.", retryable=False)
    server = urlsplit(settings.smtp)
    sender = settings.mail_from or unquote(server.username or "")
    text = written(letter, to, sender).as_bytes(policy=SMTP)
    try:
        post = _opened(server)
    except OSError as error:  # also those of smtplib
        told = f"The server of mails wasn't reached ({type(error).__name__})."
        raise DeliveryFailed(told, retryable=not isinstance(error, smtplib.SMTPAuthenticationError)) from None
    try:
        _hand_over(post, sender, to, text, handing_over)
    finally:
        post.close()


def _hand_over(post: smtplib.SMTP, sender: str, to: str, text: bytes, handing_over: HandingOver) -> None:
    """Give a server a mail in the steps of its protocol: until the last one it can't have arrived."""
    try:
        post.ehlo_or_helo_if_needed()
        for code, _ in (post.mail(sender), post.rcpt(to)):
            _check(code)
    except OSError as error:
        why = f"The connection to the server of mails broke ({type(error).__name__})."
        raise DeliveryFailed(why, retryable=True) from None
    handing_over()
    try:
        code, _ = post.data(text)
    except smtplib.SMTPDataError as error:
        code = error.smtp_code
    except OSError:
        told = "The connection broke while the mail was sent: it may have arrived."
        raise DeliveryUnknown(told) from None
    _check(code)


def _check(code: int) -> None:
    """Raise `DeliveryFailed` where a server of mails says no."""
    if not 200 <= code < 300:
        raise DeliveryFailed(f"The server of mails answered {code}.", retryable=code < 500)


def _opened(server: SplitResult) -> smtplib.SMTP:
    """A connection to a server of mails, logged in, over TLS where there is a password."""
    context = ssl.create_default_context()
    host = server.hostname or ""
    if server.scheme == "smtps":
        post: smtplib.SMTP = smtplib.SMTP_SSL(host, server.port or 465, timeout=SECONDS, context=context)
    else:
        post = smtplib.SMTP(host, server.port or (587 if server.username else 25), timeout=SECONDS)
    with ExitStack() as unless_it_opens:
        unless_it_opens.callback(post.close)
        if server.scheme == "smtp" and server.username:
            post.starttls(context=context)
        if server.username:
            post.login(unquote(server.username), unquote(server.password or ""))
        unless_it_opens.pop_all()
    return post


def written(letter: Letter, to: str, sender: str) -> EmailMessage:
    """A letter as a mail: the sentence and the first rows, and the whole answer as one HTML file."""
    message = EmailMessage()
    message["From"], message["To"] = sender, to
    message["Subject"] = " ".join(letter.title.split())[:200]
    message["Date"] = format_datetime(datetime.now(UTC))
    domain = sender.rpartition("@")[2].strip("<> ") or "fathom"
    message["Message-ID"] = (
        make_msgid(domain=domain) if not letter.key else f"<{_plain(letter.key)}@{domain}>"
    )
    link = f"\n\n{letter.url}\n" if letter.url else "\n"
    message.set_content(f"{letter.answer.text}{_rows(letter.answer)}{link}")
    page = as_html([letter.answer])
    message.add_attachment(page, subtype="html", filename="answer.html")
    return message


def _plain(key: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in key)


def _rows(answer: Answer) -> str:
    rows = answer.shown or answer.result
    if rows is None or (len(rows.rows) <= 1 and len(rows.columns) == 1):
        return ""
    first = rows.rows[:MAIL_ROWS]
    columns = [
        [heading, *shown_column(heading, [row[i] for row in first])] for i, heading in enumerate(rows.columns)
    ]
    widths = [max(map(len, column)) for column in columns]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip()
        for line in zip(*columns, strict=True)
    ]
    more = f"\n… and {len(rows.rows) - len(first):,} more rows" if len(rows.rows) > len(first) else ""
    return "\n\n" + "\n".join(lines) + more
