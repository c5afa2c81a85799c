"""Writes what pytest does as one JSON object a line, exactly, as it happens.

Loaded with ``-p taskmill_pytest``. The report's path comes from TASKMILL_REPORT, which is taken
out of the environment at once. Runs on Python 3.6 and later and pytest 5 and later.
"""
import json
import os
import random
import re
import sys

import pytest

VERSION = 1
_LIMIT = 2000  # characters of a message
_out = None
_root = os.environ.get("TASKMILL_TESTBED") or None  # before pytest says: a conftest.py may fail first
_owner = os.getpid()


def _open():
    global _out
    path = os.environ.pop("TASKMILL_REPORT", "")
    if path:
        _out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def _write(event, **fields):
    if _out is None or os.getpid() != _owner:
        return
    fields["event"] = event
    line = (json.dumps(fields, sort_keys=True) + "\n").encode("ascii")
    while line:  # unbuffered: what a dying process did stands in the report
        line = line[os.write(_out, line):]


_open()

# Options of other plugins and of the cache that would change what runs, in which process, or
# the exit status. They are taken out of addopts, so that they need not be known either.
_WITH_VALUE = (
    "-n", "--numprocesses", "--dist", "--tx", "--maxprocesses", "--rsyncdir",
    "--cov-config", "--cov-fail-under", "--cov-context", "--maxfail",
    "--reruns", "--reruns-delay", "--only-rerun", "--random-order-seed", "--random-order-bucket",
)
_OPTIONAL_VALUE = ("--cov", "--cov-report")
_BARE = (
    "-x", "--exitfirst", "--no-cov-on-fail", "--no-cov", "--cov-append", "--cov-branch", "--cov-reset",
    "--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--new-first", "--sw", "--stepwise",
    "--sw-skip", "--stepwise-skip", "--cache-clear", "--random-order", "--looponfail", "-f",
)


def _strip(args):
    out, i = [], 0
    while i < len(args):
        a = args[i]
        if not isinstance(a, str):
            out.append(a)
        elif a in _BARE:
            pass
        elif a in _WITH_VALUE:
            i += 1
        elif a in _OPTIONAL_VALUE:
            # --cov takes its value only where the next word is none of ours: an option,
            # or a path that exists and holds tests, ends it.
            if a == "--cov-report" and i + 1 < len(args) and not str(args[i + 1]).startswith("-"):
                i += 1
            elif a == "--cov" and i + 1 < len(args) and not str(args[i + 1]).startswith("-") \
                    and not str(args[i + 1]).split("::")[0].endswith(".py"):
                i += 1
        elif any(a.startswith(o + "=") for o in _WITH_VALUE + _OPTIONAL_VALUE if o.startswith("--")):
            pass
        elif re.match(r"^-n(\d+|auto|logical)$", a):
            pass
        else:
            out.append(a)
        i += 1
    return out


def pytest_addoption(parser):
    group = parser.getgroup("taskmill")
    group.addoption("--taskmill-only", action="append", default=[], metavar="PATH::FUNCTION",
                    help="run only these test functions of that file")
    group.addoption("--taskmill-skip", action="append", default=[], metavar="PATH::FUNCTION",
                    help="leave out these test functions, with all their parameters")
    group.addoption("--taskmill-seed", action="store", type=int, default=0,
                    help="shuffle the tests of each module with this seed")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    args[:] = _strip(args)
    known = early_config.known_args_namespace
    for name, value in (("cov_source", []), ("no_cov", True), ("numprocesses", None), ("tx", []), ("dist", "no")):
        if hasattr(known, name):
            setattr(known, name, value)
    outcome = yield
    if outcome.excinfo is not None:
        _fault("configure", "", outcome.excinfo[1])


def pytest_configure(config):
    global _root
    _root = str(getattr(config, "rootpath", None) or config.rootdir)
    if hasattr(config.option, "maxfail"):
        config.option.maxfail = 0


def pytest_sessionstart(session):
    _write("start_session", version=VERSION, pytest=pytest.__version__,
           python=".".join(map(str, sys.version_info[:3])))


def _function(nodeid):
    at = nodeid.find(".py::")
    at = at + 5 if at >= 0 else nodeid.find("::") + 2
    cut = nodeid.find("[", at)
    return nodeid if cut < 0 else nodeid[:cut]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session, config, items):
    only, skip = config.getoption("taskmill_only"), set(config.getoption("taskmill_skip"))
    files = {o.split("::", 1)[0] for o in only}
    wanted = set(only)
    keep, drop = [], []
    for item in items:
        f = _function(item.nodeid)
        if f in skip or (f.split("::", 1)[0] in files and f not in wanted):
            drop.append(item)
        else:
            keep.append(item)
    if drop:
        config.hook.pytest_deselected(items=drop)
        items[:] = keep
    seed = config.getoption("taskmill_seed")
    if seed:
        items[:] = _shuffle(items, seed)


def _shuffle(items, seed):
    """Modules keep their order; within one the classes (and the functions outside) move as
    blocks and the tests within each block too, so that module and class fixtures are set up
    once as before."""
    rnd = random.Random(seed)
    modules = {}
    order = []
    for item in items:
        path, _, rest = item.nodeid.partition("::")
        owner = _function(item.nodeid).rpartition("::")[0]
        if path not in modules:
            modules[path] = {}
            order.append(path)
        modules[path].setdefault(owner, []).append(item)
    out = []
    for path in order:
        blocks = [modules[path][k] for k in sorted(modules[path])]
        rnd.shuffle(blocks)
        for block in blocks:
            rnd.shuffle(block)
            out.extend(block)
    return out


def pytest_collection_finish(session):
    for item in session.items:
        _write("collected", id=item.nodeid)
    _write("collection_end", count=len(session.items))


def pytest_exception_interact(node, call, report):
    if report is not None and getattr(report, "when", None) == "collect":
        _fault("collect", getattr(node, "nodeid", ""), call.excinfo.value)


def pytest_collectreport(report):
    if report.failed:
        _write("collect_failed", id=report.nodeid)


def pytest_internalerror(excrepr, excinfo):
    _fault("internal", "", excinfo.value)


_NAMES = (
    r"cannot import name '([^']+)'",
    r"has no attribute '([^']+)'",
    r"No module named '([^']+)'",
    r"name '([^']+)' is not defined",
    r"unexpected keyword argument '([^']+)'",
)


def _missing(exc):
    """Names that an exception says are missing."""
    text, names = str(exc), []
    for pattern in _NAMES:
        names += re.findall(pattern, text)
    m = re.search(r"type object '([^']+)' has no attribute '([^']+)'", text)
    if m:
        names.append(m.group(1) + "." + m.group(2))
    m = re.search(r"([\w.]+)\(\) got an unexpected keyword argument '([^']+)'", text)
    if m:
        names.append(m.group(1) + "." + m.group(2))
    name = getattr(exc, "name", None)
    if isinstance(name, str) and isinstance(exc, (AttributeError, NameError)) and name not in names:
        names.append(name)
    return names


def _inside(path):
    if not _root:
        return None
    path = os.path.normcase(os.path.abspath(path))
    root = os.path.normcase(os.path.abspath(_root))
    if path.startswith(root + os.sep):
        rel = path[len(root) + 1:].replace(os.sep, "/")
        if "site-packages/" not in rel:
            return rel
    return None


def _place(exc):
    """The innermost place in the tree that an exception passed through."""
    if isinstance(exc, SyntaxError) and exc.filename and _inside(exc.filename):
        return _inside(exc.filename), exc.lineno or 0
    found, tb = ("", 0), exc.__traceback__
    while tb is not None:
        rel = _inside(tb.tb_frame.f_code.co_filename)
        if rel:
            found = (rel, tb.tb_lineno)
        tb = tb.tb_next
    return found


def _plain(text):
    """Without the tree's place and addresses, so that equal faults have equal texts."""
    if _root:
        text = text.replace(_root + os.sep, "")
    return re.sub(r"0x[0-9a-fA-F]{4,}", "0x", text)


def _fault(stage, nodeid, exc):
    root, seen = exc, 0
    while root.__cause__ is not None and seen < 20:
        root, seen = root.__cause__, seen + 1
    if root is exc and isinstance(getattr(exc, "cause", None), BaseException):
        root = exc.cause  # pytest's ConftestImportFailure
    info = getattr(exc, "excinfo", None)
    if root is exc and isinstance(info, tuple) and len(info) > 1 and isinstance(info[1], BaseException):
        root = info[1]
    path, line = _place(root)
    _write("error", stage=stage, id=nodeid, type=type(root).__name__, message=_plain(str(root))[:_LIMIT],
           path=path, line=line, names=_missing(root))


def pytest_runtest_logstart(nodeid, location):
    _write("start", id=nodeid)


def pytest_runtest_logreport(report):
    outcome = report.outcome
    fields = {}
    wasxfail = getattr(report, "wasxfail", None)
    if wasxfail is not None:
        fields["wasxfail"] = str(wasxfail)[:_LIMIT]
        if report.when == "setup" and "[NOTRUN]" in str(wasxfail):
            fields["notrun"] = True
    if type(report).__name__ in ("SubtestReport", "SubTestReport"):
        fields["sub"] = True
    longrepr = getattr(report, "longrepr", None)
    if outcome == "failed" and isinstance(longrepr, str) and longrepr.startswith("[XPASS(strict)]"):
        fields["strict"] = True
    _write("phase", id=report.nodeid, when=str(report.when), outcome=str(outcome),
           seconds=float(getattr(report, "duration", 0) or 0), **fields)


def pytest_runtest_logfinish(nodeid, location):
    _write("end", id=nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    _write("finish", exit=int(exitstatus), failed=int(session.testsfailed), collected=int(session.testscollected))
