"""Prepares, locks, probes and builds an environment from plan.json, which lies beside this file.

Started by the environment's own python in the tree's folder. The project itself is installed
from a copy of the tree, so that the tree stays as it is, and then reduced to its metadata and a
path that points into the tree. Runs on Python 3.6 and later.
"""
from __future__ import print_function

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from email.parser import HeaderParser

HERE = os.path.dirname(os.path.abspath(__file__))
ENV = os.path.dirname(HERE)
TREE = os.path.abspath(os.environ.get("TASKMILL_TESTBED") or os.getcwd())
SITE = sysconfig.get_paths()["purelib"]
PLAT = sysconfig.get_paths()["platlib"]
FACTS = os.path.join(HERE, "facts.json")


def plan():
    # An empty list is null in the plan's JSON.
    with io.open(os.path.join(HERE, "plan.json"), encoding="utf-8") as f:
        return {k: [] if v is None else v for k, v in json.load(f).items()}


def norm(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pip(*args):
    cmd = [sys.executable, "-m", "pip"] + list(args)
    print("+ pip " + " ".join(args), flush=True)
    return subprocess.call(cmd) == 0


def install_args(*args):
    return ("install", "--no-input", "--no-cache-dir", "--disable-pip-version-check", "--no-warn-script-location") + args


class copied(object):
    """A copy of the tree without its history and without following links."""

    def __enter__(self):
        self.top = tempfile.mkdtemp(prefix="taskmill-")
        self.path = os.path.join(self.top, "tree")
        shutil.copytree(TREE, self.path, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        return self.path

    def __exit__(self, *exc):
        shutil.rmtree(self.top, ignore_errors=True)


def name_of(requirement):
    m = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", requirement)
    return norm(m.group(1)) if m else ""


def new_pip():
    import pip as module
    major = int(module.__version__.split(".")[0])
    if major < 21:
        pip(*install_args("--upgrade", "pip"))


def install():
    p = plan()
    new_pip()
    wanted = list(p["requirements"])
    if not any(name_of(r) == "pytest" for r in wanted) and "pytest" not in p["self"]:
        wanted.append("pytest")
    if p["build"] and not pip(*install_args(*p["build"])):
        sys.exit("install build requirements: pip ended with an error")
    with copied() as tree:
        project = tree if p["project"] else None
        full = [project + "[" + ",".join(p["extras"]) + "]"] if project and p["extras"] else [project] if project else []
        if not pip(*install_args(*(full + wanted))):
            # One bad requirement must not cost the rest: the project and pytest must install,
            # everything else where it can.
            core = ([project] if project else []) + [r for r in wanted if name_of(r) == "pytest"]
            if not pip(*install_args(*core)):
                if not pip(*install_args(*([project] if project else []) + ["pytest"])):
                    sys.exit("install the project: pip ended with an error")
            for extra in p["extras"]:
                pip(*install_args(project + "[" + extra + "]"))
            for r in wanted:
                if name_of(r) != "pytest" and not pip(*install_args(r)):
                    print("left out: " + r, flush=True)
        if subprocess.call([sys.executable, "-c", "import pytest"], cwd=HERE) != 0 and "pytest" not in p["self"]:
            sys.exit("install pytest: it cannot be imported")
    reduce(p)


def from_lock():
    p = plan()
    new_pip()
    if not pip(*install_args("--no-deps", "-r", os.path.join(ENV, "lock"))):
        sys.exit("install from the lock: pip ended with an error")
    if p["project"]:
        with copied() as tree:
            if not pip(*install_args("--no-deps", tree)):
                sys.exit("install the project: pip ended with an error")
    reduce(p)


def dist_infos():
    seen = set()
    for base in (SITE, PLAT):
        if base in seen or not os.path.isdir(base):
            continue
        seen.add(base)
        for entry in sorted(os.listdir(base)):
            if entry.endswith(".dist-info"):
                folder = os.path.join(base, entry)
                meta = os.path.join(folder, "METADATA")
                if os.path.isfile(meta):
                    with io.open(meta, encoding="utf-8", errors="replace") as f:
                        yield base, folder, HeaderParser().parse(f)


def read_text(path):
    if os.path.isfile(path):
        with io.open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    return ""


def code(rel):
    return not (rel.startswith("..") or os.path.isabs(rel) or ".dist-info/" in rel or ".data/" in rel)


def find_roots(files):
    """Maps each top-level name of files to the folder of the tree that holds it, "" for the
    tree itself, by the folder in which most of its files are."""
    tops = {}
    for f in files:
        if f.endswith((".py", ".pyi", ".pyx")):
            tops.setdefault(f.split("/")[0], []).append(f)
    candidates = ["src", "", "lib", "python", "source"]
    for base, dirs, names in os.walk(TREE):
        rel = os.path.relpath(base, TREE).replace(os.sep, "/")
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d not in ("node_modules", "build", "dist"))
        if rel.count("/") >= 4:
            dirs[:] = []
        if rel != "." and rel not in candidates:
            candidates.append(rel)
    out = {}
    for top, names in sorted(tops.items()):
        best, most = None, 0
        for root in candidates:
            if not os.path.exists(os.path.join(TREE, root, top)):
                continue
            n = sum(1 for f in names if os.path.isfile(os.path.join(TREE, root, f)))
            if n > most:
                best, most = root, n
        if best is not None:
            out[top] = best
    return out


def reduce(p):
    """Takes everything of the project's own tree out of the environment but its metadata."""
    files, scripts = [], []
    own = set(p["self"])
    for base, folder, meta in list(dist_infos()):
        if not p["project"] or norm(meta.get("Name") or "") not in own:
            continue
        with io.open(os.path.join(folder, "RECORD"), encoding="utf-8", newline="") as f:
            record = [row[0].replace("\\", "/") for row in csv.reader(f) if row]
        entry_points = read_text(os.path.join(folder, "entry_points.txt"))
        commands = set(re.findall(r"(?m)^\s*([^\s=\[\]#;]+)\s*=", entry_points))
        for rel in record:
            path = os.path.normpath(os.path.join(base, rel))
            if code(rel):
                files.append(rel)
            elif os.path.basename(path) in commands and not rel.split("/")[0].endswith(".dist-info"):
                continue  # a console script: a wrapper that holds nothing of the project
            if path.startswith(ENV + os.sep) and (os.path.isfile(path) or os.path.islink(path)):
                os.remove(path)
            if rel.endswith(".py"):
                cache = os.path.join(os.path.dirname(path), "__pycache__")
                stem = os.path.basename(path)[:-3] + "."
                if os.path.isdir(cache):
                    for c in os.listdir(cache):
                        if c.startswith(stem):
                            os.remove(os.path.join(cache, c))
        empty(base, record)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with io.open(os.path.join(folder, "METADATA"), "w", encoding="utf-8", newline="\n") as f:
            for key in ("Metadata-Version", "Name", "Version", "Requires-Python", "Provides-Extra", "Requires-Dist"):
                for value in meta.get_all(key) or []:
                    f.write(u"%s: %s\n" % (key, str(value).replace("\n", " ")))
        with io.open(os.path.join(folder, "INSTALLER"), "w", encoding="utf-8") as f:
            f.write(u"taskmill\n")
        # The project is installed as its tree: the description is no release of it.
        with io.open(os.path.join(folder, "direct_url.json"), "w", encoding="utf-8") as f:
            f.write(u'{"dir_info": {"editable": true}, "url": "file:///testbed"}\n')
        if entry_points:
            with io.open(os.path.join(folder, "entry_points.txt"), "w", encoding="utf-8", newline="\n") as f:
                f.write(entry_points)
    roots = find_roots(files)
    if not p["project"]:
        order = [r for r in p["roots"]]
    else:
        order = sorted(set(roots.values()), reverse=True) or p["roots"]
    missing = sorted(f for f in files if f.split("/")[0] in roots and not f.endswith(".pyc")
                     and not os.path.exists(os.path.join(TREE, roots[f.split("/")[0]], f)))
    modules = sorted(t[:-3] if t.endswith(".py") else t for t in roots)
    with io.open(FACTS, "w", encoding="utf-8", newline="\n") as f:
        f.write(json.dumps({"roots": order, "modules": modules, "missing": missing}, indent=1, sort_keys=True) + u"\n")
    # TASKMILL_TESTBED says where the tree lies now; the place of preparing is the default.
    with io.open(os.path.join(SITE, "_taskmill_tree.pth"), "w", encoding="utf-8", newline="\n") as f:
        f.write(u"import os, sys; sys.path.extend(os.path.normpath(os.path.join("
                u"os.environ.get('TASKMILL_TESTBED') or %r, r)) for r in %r)\n" % (TREE, [str(r) for r in order]))
    if missing and not p["build"]:
        print("not in the tree: " + " ".join(missing[:20]), flush=True)


def empty(base, record):
    folders = set()
    for rel in record:
        if code(rel):
            d = os.path.dirname(rel)
            while d:
                folders.add(d)
                d = os.path.dirname(d)
    for d in sorted(folders, key=len, reverse=True):
        path = os.path.join(base, d)
        for extra in (os.path.join(path, "__pycache__"), path):
            if os.path.isdir(extra) and not os.listdir(extra):
                os.rmdir(extra)


def lock():
    own = set(plan()["self"])
    out = subprocess.check_output([sys.executable, "-m", "pip", "--disable-pip-version-check", "freeze", "--all"])
    lines = set()
    for line in out.decode("utf-8").splitlines():
        line = line.strip()
        if not line or line.startswith(("#", "-e ")) or name_of(line) in own:
            continue
        name, sep, version = line.partition("==")
        if " @ file:" in line:
            continue
        lines.add(norm(name) + "==" + version if sep else line)
    sys.stdout.write("".join(l + "\n" for l in sorted(lines)))


def facts():
    with io.open(FACTS, encoding="utf-8") as f:
        return json.load(f)


def probe():
    """Every top-level module of the project must come from the tree."""
    import importlib
    import importlib.util
    real = os.path.realpath(TREE) + os.sep
    bad = []
    sys.path[:] = [d for d in sys.path if os.path.abspath(d or ".") != os.path.abspath(HERE)]
    for name in facts()["modules"]:
        try:
            spec = importlib.util.find_spec(name)
        except Exception as e:
            bad.append("%s: %s" % (name, type(e).__name__))
            continue
        places = []
        if spec is not None:
            places = [spec.origin] if spec.origin and spec.origin != "namespace" else list(spec.submodule_search_locations or [])
        if not places or not all((os.path.realpath(p) + os.sep).startswith(real) for p in places):
            bad.append("%s: %s" % (name, ", ".join(places) or "not found"))
            continue
        try:
            file = getattr(importlib.import_module(name), "__file__", None)
        except BaseException:  # an optional dependency; where it would come from is known
            continue
        if file and not os.path.realpath(file).startswith(real):
            bad.append("%s: %s" % (name, file))
    if bad:
        sys.exit("not loaded from the tree: " + "; ".join(bad))


def build():
    """Builds a wheel of the tree and lays what the tree lacks (extension modules, generated
    sources) beside its sources. Nothing is written outside the tree and the temporary folder."""
    with copied() as tree:
        out = tempfile.mkdtemp(prefix="taskmill-wheel-")
        try:
            if not pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "--no-cache-dir",
                       "--disable-pip-version-check", "-w", out, tree):
                sys.exit(1)
            for wheel in sorted(os.listdir(out)):
                overlay(os.path.join(out, wheel))
        finally:
            shutil.rmtree(out, ignore_errors=True)


def overlay(wheel):
    with zipfile.ZipFile(wheel) as z:
        names = [n for n in z.namelist() if code(n) and not n.endswith("/") and ".." not in n.split("/")]
        roots = find_roots(names)
        for n in names:
            top = n.split("/")[0]
            root = roots.get(top)
            if root is None:
                # a module that is an extension alone lies beside the packages
                if "/" in n or not roots:
                    continue
                root = sorted(roots.values())[0]
            path = os.path.join(TREE, root, n)
            if os.path.lexists(path):
                continue
            folder = os.path.dirname(path)
            if not os.path.realpath(folder).startswith(os.path.realpath(TREE)):
                continue
            if not os.path.isdir(folder):
                os.makedirs(folder)
            with open(path, "wb") as f:
                f.write(z.read(n))


if __name__ == "__main__":
    {"install": install, "from-lock": from_lock, "lock": lock, "probe": probe, "build": build}[sys.argv[1]]()
