"""Writes a table as Parquet with DuckDB: copy_parquet.py NDJSON TARGET. Prints the seconds."""

import sys
import time

import duckdb

source, target = sys.argv[1:]
start = time.monotonic()
duckdb.sql(f"copy (from read_json('{source}')) to '{target}' (format parquet, compression zstd)")
print(time.monotonic() - start)
