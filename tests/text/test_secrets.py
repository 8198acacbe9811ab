import pytest

from fathom.text import without_passwords


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://reader:s3cret@host/shop", "postgresql://reader:***@host/shop"),
        ("can't reach 'mysql://r:a/b:c@host:3306/x'.", "can't reach 'mysql://r:***@host:3306/x'."),
        ("postgresql://reader:s3@cret@host/shop", "postgresql://reader:***@host/shop"),
        (
            "postgresql://host/x?password=s3cret&sslmode=require",
            "postgresql://host/x?password=***&sslmode=require",
        ),
        ("http://host/v1?Api_Key=abc#NAME", "http://host/v1?Api_Key=***#NAME"),
        ("https://:s3cret@host/v1", "https://:***@host/v1"),
        ("postgresql://reader@host/shop", "postgresql://reader@host/shop"),
        ("postgresql://host:5432/shop", "postgresql://host:5432/shop"),
        ("Is a:b@c an address?", "Is a:b@c an address?"),
    ],
)
def test_no_password_is_shown(text: str, shown: str) -> None:
    assert without_passwords(text) == shown
