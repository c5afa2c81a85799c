#!/bin/sh
# Reads every table of a corpus with DuckDB, pandas, polars and pyarrow.
# usage: scripts/readers/run.sh CORPUS
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${READERS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/taskmill/readers}
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import duckdb, pandas, polars, pyarrow, pytz' 2>/dev/null; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet duckdb pandas polars pyarrow pytz
fi
exec "$venv/bin/python" "$here/readers.py" "$@"
