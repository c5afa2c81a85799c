#!/bin/sh
# Prints the reference values of transforms/stats, by scipy and statsmodels.
# usage: scripts/statistics/run.sh > transforms/stats/testdata/reference.json
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${STATISTICS_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/taskmill/statistics}
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import scipy, statsmodels' 2>/dev/null; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet scipy statsmodels
fi
exec "$venv/bin/python" "$here/reference.py"
