"""Runs taskmill_env.py with a pip that leaves out what was uploaded after a time.

Arguments: the time, and what taskmill_env.py is to do. pip has the option since version 26, and
needs an index that tells upload times; without them dependencies are resolved as of now.
"""
from __future__ import print_function

import os
import subprocess
import sys

OPTION = "PIP_UPLOADED_PRIOR_TO"  # pip reads its options from the environment, also where it builds
INSTALL = [sys.executable, "-m", "pip", "install", "--no-input", "--no-cache-dir", "--disable-pip-version-check"]


def dated(at):
    """The environment with the option, where this pip and index can do it."""
    there = dict(os.environ)
    there[OPTION] = at
    if subprocess.call(INSTALL + ["--upgrade", "pip>=26"]) != 0:
        return None
    asked = ["--dry-run", "--ignore-installed", "--no-deps", "setuptools"]
    return there if subprocess.call(INSTALL + asked, env=there) == 0 else None


def main():
    at, what = sys.argv[1:]
    there = dated(at)
    if there is None:
        print("pip or its index cannot resolve as of " + at + ": dependencies are as of now", flush=True)
        there = dict(os.environ)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "taskmill_env.py")
    sys.exit(subprocess.call([sys.executable, script, what], env=there))


if __name__ == "__main__":
    main()
