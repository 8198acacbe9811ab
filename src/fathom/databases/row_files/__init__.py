"""Files of rows as a database: CSV, TSV, JSON, Parquet, Excel, one file or the files of a folder.

They are read once into a DuckDB file in the cache, in a child process, and again when one of them changed.
"""
