"""`python -m fathom`: the command line, where its script isn't on the path."""

from fathom.interfaces.cli import main

main()
