"""Text: what every part that reads or shows it shares."""

from fathom.text.secrets import without_passwords, without_secrets
from fathom.text.stems import stem_of
from fathom.text.terminal import is_hidden, visible

__all__ = ["is_hidden", "stem_of", "visible", "without_passwords", "without_secrets"]
