"""The HTML templates of a package, opened the one way that escapes all they are filled with."""

from jinja2 import Environment, PackageLoader, StrictUndefined


def html_templates(package: str) -> Environment:
    """The templates of a package (its folder `templates`): what fills them is escaped.

    A name that a template uses and nobody gives raises `jinja2.UndefinedError`.
    """
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
