"""Advice about a model that gave no reply, by the reason."""

from fathom.errors import ModelNotConfigured
from fathom.llm.providers import ADDRESS_KEY, find_provider

_ADVICE = {
    "authentication": "The provider doesn't take the key in {keys}.",
    "no_such_model": "The provider has no model of that name, or the key may not use it.",
    "quota": "The account has no credit left.",
    "unreachable": "Nothing answers there. Is the server running, and is there a network?",
    "connection": "The connection broke off: ask again, or look into the server's log if it is your own.",
    "timeout": "It took too long; a server of your own may still be loading the model.",
    "too_long": "The prompt is too long for it: name a model with a longer context, or a method that shows "
    "less of the schema (fathom methods).",
    "rate_limit": "The provider turns requests away: ask again later, or fewer questions at once.",
    "overloaded": "The provider is busy: ask again later.",
    "unavailable": "The provider is out of order: ask again later.",
}


def advice(model: str, reason: str) -> str:
    """A sentence on what to do, "" where there is nothing to say beyond the problem itself."""
    try:
        keys = find_provider(model)[0].keys
    except ModelNotConfigured:  # not one of a provider
        keys = ()
    return _ADVICE.get(reason, "").format(keys=" or ".join(keys) or ADDRESS_KEY)
