"""Prints the columns of Parquet files as JSON: read_parquet.py duckdb|pyarrow PATTERN."""

import glob
import json
import math
import sys
from datetime import datetime, timedelta, timezone

reader, pattern = sys.argv[1:]

if reader == "duckdb":
    import duckdb

    relation = duckdb.sql(f"from read_parquet('{pattern}')")
    names = relation.columns
    types = dict(zip(names, map(str, relation.types)))
    times = [name for name in names if types[name].startswith("TIMESTAMP")]
    columns = ", ".join(f"epoch_us({name})" if name in times else f'"{name}"' for name in names)
    rows = duckdb.sql(f"select {columns} from read_parquet('{pattern}')").fetchall()
else:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.concat_tables(pyarrow.parquet.read_table(path) for path in sorted(glob.glob(pattern)))
    names = table.column_names
    types = {field.name: str(field.type) for field in table.schema}
    for index, field in enumerate(table.schema):
        if pyarrow.types.is_timestamp(field.type):
            table = table.set_column(index, field.name, table.column(index).cast(pyarrow.int64()))
    rows = zip(*(column.to_pylist() for column in table.columns))


def text(value):
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return value
    return str(value)


print(json.dumps({"types": types, "rows": [[text(value) for value in row][6:] for row in rows]}))
