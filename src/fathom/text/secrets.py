"""Passwords in addresses, and folders of this machine: taken out of texts that are shown or kept."""

import re

HIDDEN = "***"
SECRET_FIELDS = ("password", "passwd", "pwd", "secret", "token", "api_key", "apikey")
"""A field of an address whose name holds one of these holds a secret: `sslpassword`, `access_token`."""
_IN_FRONT = re.compile(r"(?<=://)([^\s/@:'\"]*):[^\s'\"]*(?=@)")
_AS_FIELD = re.compile(rf"(?i)([?&][\w.-]*(?:{'|'.join(SECRET_FIELDS)})[\w.-]*=)[^\s&#'\"]+")


def without_passwords(text: str) -> str:
    """The text, where every password of an address in it is `***`; a quotation mark ends an address."""
    if "://" not in text:
        return text
    return _AS_FIELD.sub(rf"\1{HIDDEN}", _IN_FRONT.sub(rf"\1:{HIDDEN}", text))


def without_secrets(text: str) -> str:
    """A message for somebody else: no folder of this machine, no password of an address."""
    return re.sub(r"(?<![\w:/])/(?:[^\s/:'\"]+/)+(?=[^\s/])", "…/", without_passwords(text))
