"""The values that transforms/stats is tested against, by scipy and statsmodels.

usage: scripts/statistics/run.sh > transforms/stats/testdata/reference.json

Counts are drawn from a fixed seed. Only where a library has no such function is the value made
from its definition, and then over the single pairs rather than over the counts.
"""

import json
import sys

import numpy as np
import scipy
import scipy.stats
import statsmodels
import statsmodels.api as sm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

rng = np.random.default_rng(20260131)


def number(x):
    x = float(x)
    return x if np.isfinite(x) else None


def wilson(k, n):
    low, high = proportion_confint(k, n, alpha=0.05, method="wilson")
    other = scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
    assert abs(low - other.low) < 1e-12 and abs(high - other.high) < 1e-12
    return {"k": k, "n": n, "low": number(low), "high": number(high)}


def sides(table):
    """The outcomes of A and B, pair by pair."""
    both, only_a, only_b, neither = table
    a = np.repeat([1, 1, 0, 0], [both, only_a, only_b, neither])
    b = np.repeat([1, 0, 1, 0], [both, only_a, only_b, neither])
    return a, b


def interval(difference, groups=None):
    """The normal interval of the mean of the pairs' differences, by an ordinary least squares fit
    of a constant: robust to heteroscedasticity (HC0), or to groups without correction."""
    fit = sm.OLS(difference.astype(float), np.ones(len(difference)))
    if groups is None:
        fit = fit.fit(cov_type="HC0")
    else:
        fit = fit.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    return [number(max(-1, min(1, v))) for v in fit.conf_int(0.05)[0]]


def paired(table):
    both, only_a, only_b, neither = table
    a, b = sides(table)
    out = {"both": both, "only_a": only_a, "only_b": only_b, "neither": neither}
    out["agreement"] = number(np.mean(a == b))
    kappa = cohens_kappa(np.array([[both, only_a], [only_b, neither]])).kappa if len(set(a) | set(b)) > 1 else None
    out["kappa"] = kappa if kappa is None else number(kappa)
    solved_a, solved_b = set(np.flatnonzero(a)), set(np.flatnonzero(b))
    union = len(solved_a | solved_b)
    out["jaccard"] = len(solved_a & solved_b) / union if union else None
    total = len(solved_a) + len(solved_b)
    out["positive_agreement"] = 2 * len(solved_a & solved_b) / total if total else None
    out["difference"] = number(np.mean(b) - np.mean(a))
    out["wald"] = interval(b - a)
    p = mcnemar([[both, only_a], [only_b, neither]], exact=True).pvalue if only_a + only_b else 1.0
    if only_a + only_b:
        assert abs(p - scipy.stats.binomtest(only_a, only_a + only_b, 0.5).pvalue) < 1e-9
    out["mcnemar"] = number(p)
    return out


def clustered(tasks):
    """tasks: a table each."""
    difference, groups = [], []
    for i, table in enumerate(tasks):
        a, b = sides(table)
        difference.append(b - a)
        groups.append(np.full(len(a), i))
    return {
        "tasks": [list(map(int, t)) for t in tasks],
        "interval": interval(np.concatenate(difference), np.concatenate(groups)),
    }


def main():
    proportions = [(900, 1130), (0, 1), (1, 1), (0, 12), (12, 12), (1, 2), (81, 621), (387, 621), (500, 621)]
    for _ in range(40):
        n = int(rng.integers(1, 10 ** int(rng.integers(1, 7))))
        proportions.append((int(rng.integers(0, n + 1)), n))
    tables = [
        (1292, 186, 186, 1936), (1, 0, 0, 0), (0, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), (5, 0, 0, 5), (3, 9, 0, 0),
        (10, 0, 1200, 10), (100, 700, 500, 100), (0, 30000, 29000, 0), (2, 1, 1, 0), (0, 600, 599, 3),
    ]
    for _ in range(40):
        scale = 10 ** int(rng.integers(0, 4))
        table = tuple(int(v) for v in rng.integers(0, 3 * scale + 1, size=4))
        if sum(table):
            tables.append(table)
    clusters = [[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 1, 1)]]
    for _ in range(8):
        clusters.append([tuple(rng.multinomial(int(rng.integers(1, 5)), [0.3, 0.2, 0.3, 0.2])) for _ in range(int(rng.integers(3, 60)))])
    json.dump(
        {
            "made_by": f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}, numpy {np.__version__}",
            "wilson": [wilson(*p) for p in proportions],
            "paired": [paired(t) for t in tables],
            "clustered": [clustered(c) for c in clusters],
        },
        sys.stdout,
        indent=1,
    )
    print()


if __name__ == "__main__":
    main()
