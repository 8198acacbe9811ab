"""The refusal of a query that reads data otherwise than they are kept."""


class Misread(Exception):
    """A query that can't be read by the forms of what it names; its text says why, for an answer."""

    @property
    def reason(self) -> str:
        """The reason as a sentence."""
        text = str(self)
        return f"{text[:1].upper()}{text[1:]}."
