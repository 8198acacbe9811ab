"""The web app: ask in a browser, look at databases, knowledge, tools and runs; the same as JSON."""
