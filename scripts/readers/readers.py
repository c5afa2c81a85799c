"""Reads every table of a corpus with DuckDB, pandas, polars and pyarrow and compares them.

One line a table and reader; exit status 1 when a reader sees other rows, columns, types or
nulls than pyarrow, or when pyarrow's schema is not what the tables promise.
"""

import json
import pathlib
import sys

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq


def plain(value):
    """A value in one form for all readers: times as milliseconds since 1970, lists as lists."""
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "timestamp"):
        return round(value.timestamp() * 1000)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def promised(schema):
    """What a table breaks of its promises: real lists, UTC milliseconds, doubles, strings."""
    def walk(name, kind):
        if pa.types.is_list(kind):
            yield from walk(name + ".element", kind.value_type)
        elif pa.types.is_struct(kind):
            for field in kind:
                yield from walk(name + "." + field.name, field.type)
        elif pa.types.is_timestamp(kind):
            if (kind.unit, kind.tz) != ("ms", "UTC"):
                yield f"{name} is {kind}"
        elif not (pa.types.is_string(kind) or pa.types.is_int64(kind)
                  or pa.types.is_float64(kind) or pa.types.is_boolean(kind)):
            yield f"{name} is {kind}"
    for field in schema:
        yield from walk(field.name, field.type)


def with_pyarrow(files):
    table = pa.concat_tables([pq.read_table(f) for f in files])
    return table.column_names, table.to_pylist()


def with_duckdb(files):
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    relation = db.read_parquet([str(f) for f in files])
    for name, kind in zip(relation.columns, relation.types):
        if name.endswith("_at") and str(kind) != "TIMESTAMP WITH TIME ZONE":
            raise TypeError(f"{name} is {kind}")
    return relation.columns, [dict(zip(relation.columns, row)) for row in relation.fetchall()]


def with_polars(files):
    frame = polars.concat([polars.read_parquet(f) for f in files])
    for name, kind in frame.schema.items():
        if name.endswith("_at") and kind != polars.Datetime("ms", "UTC"):
            raise TypeError(f"{name} is {kind}")
    return frame.columns, frame.to_dicts()


def with_pandas(files):
    # Its own types: NumPy's have no null for booleans and integers.
    frame = pandas.concat([pandas.read_parquet(f, dtype_backend="pyarrow") for f in files])
    return list(frame.columns), frame.to_dict("records")


def main(corpus):
    corpus = pathlib.Path(corpus)
    manifest = json.loads((corpus / "manifest.json").read_text())
    bad = 0
    for table, parts in sorted(manifest["tables"].items()):
        files = [corpus / p["file"] for p in parts]
        rows = sum(p["rows"] for p in parts)
        want_columns, want = with_pyarrow(files)
        want = [plain(r) for r in want]
        for reader in (with_pyarrow, with_duckdb, with_polars, with_pandas):
            name = reader.__name__.removeprefix("with_")
            try:
                columns, got = reader(files)
                faults = list(promised(pq.read_schema(files[0]))) if reader is with_pyarrow else []
                if len(got) != rows:
                    faults.append(f"{len(got)} rows, the manifest says {rows}")
                if list(columns) != want_columns:
                    faults.append("other columns than pyarrow")
                for i, (a, b) in enumerate(zip(want, map(plain, got))):
                    faults += [f"row {i}: {k} is {b.get(k)!r:.60}, pyarrow has {a[k]!r:.60}" for k in a if a[k] != b.get(k)]
            except Exception as e:  # whatever a reader raises is the finding
                faults = [f"{type(e).__name__}: {e}"]
            bad += bool(faults)
            print(f"{table:12} {name:8} {rows:8} rows  {'; '.join(faults[:3]) or 'ok'}")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: run.sh CORPUS")
    sys.exit(main(sys.argv[1]))
