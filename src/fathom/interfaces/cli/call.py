"""`fathom call`: call one endpoint of a biomedical API with given arguments."""

from pathlib import Path

from fathom.biotools.catalogue import check, request_for
from fathom.biotools.catalogue import endpoint as named_endpoint
from fathom.biotools.client import Client, read_options
from fathom.biotools.observations import observe
from fathom.errors import InputError
from fathom.interfaces.cli.display import console, notices, plain, print_json


def call(
    endpoint: str,
    /,
    *arguments: str,
    raw: bool = False,
    fresh: bool = False,
    dry_run: bool = False,
    output: Path | None = None,
) -> None:
    """Call an endpoint of NCBI, UniProt or Ensembl and print its observation as JSON.

    For example: fathom call lookup_by_symbol species=goat symbol=BRCA2

    Arguments are checked first; nothing is sent when one is wrong. `fathom tools show ENDPOINT` explains
    them.

    Parameters
    ----------
    endpoint
        Its name; `fathom tools` lists them.
    arguments
        Such as species=goat; names people use become what the service wants. One that takes several values is
        repeated (feature=gene feature=transcript) or given with commas.
    raw
        Print the whole response instead of the observation.
    fresh
        Ask the service even if a response from the last day is kept.
    dry_run
        Print the address that would be asked, and ask nothing.
    output
        Stream the whole response, of any size, into this file.
    """
    checked = check(endpoint, _pairs(endpoint, arguments))
    if dry_run:
        request = request_for(checked)
        console.print(plain(request.url(read_options().base(request.service))), soft_wrap=True)
        return
    with Client() as client:
        if output is not None:
            size = client.save(checked, output)
            notices.print(plain(f"{size:,} bytes are in {output}."))
            return
        response = client.make(checked, fresh=fresh, progress=lambda told: notices.print(plain(told)))
        stand_in = client.stand_in(checked.endpoint.service)
    if raw:
        console.print(plain(response.text), soft_wrap=True)
        return
    observation = observe(response)
    print_json(observation.content)
    kept = " (kept from before; --fresh asks again)" if response.from_cache else ""
    notices.print(plain(f"{response.url}{kept}"), style="dim", soft_wrap=True)
    if stand_in:
        notices.print(plain(stand_in), style="dim", soft_wrap=True)
    for line in observation.left_out:
        notices.print(plain(f"{line}; --raw prints all"), style="dim")


def _pairs(name: str, arguments: tuple[str, ...]) -> dict[str, str | list[str]]:
    """The arguments by name; one that takes several values may be repeated."""
    parameters = named_endpoint(name).callable_parameters
    found: dict[str, str | list[str]] = {}
    for one in arguments:
        key, equals, value = one.partition("=")
        if not equals:
            raise InputError(f"Write arguments as name=value; {one!r} has no '='.")
        if key not in found:
            found[key] = value
        elif key in parameters and parameters[key].type == "list":
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else before.split(",")), value]
        else:
            raise InputError(f"{key} is given twice.")
    return found
