from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from fathom.biotools.client.response import failure
from fathom.errors import RateLimited

URL = "https://rest.uniprot.org/uniprotkb/P02649"
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("told", "wait"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),  # over already
        ("Wed, 21 Oct 2015 07:28:00", 0.0),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("\N{SUPERSCRIPT TWO}", None),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
        ("Wed, 21 Oct 2015 07:28:00 +999999999999999", None),
    ],
)
def test_the_pause_that_is_asked_for_is_read(told: str, wait: float | None) -> None:
    assert failure(429, b"", URL, retry_after=told).wait == wait
    assert failure(400, b"", URL, retry_after=told).wait is None


def test_a_pause_until_a_date_is_counted_from_now() -> None:
    error = failure(429, b"", URL, retry_after=format_datetime(datetime.now(UTC) + HOUR, usegmt=True))
    assert isinstance(error, RateLimited)
    assert error.wait is not None
    assert HOUR.total_seconds() - 600 < error.wait <= HOUR.total_seconds()
