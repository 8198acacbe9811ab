"""The queries that the method builds: read from SQL, written as SQL, joined over the keys of a database."""
