"""Writes tests/golden/written/pairwise.json: pairwise votes, and their strengths by two other packages.

python tests/golden/make_pairwise.py    (needs choix 0.4.1 and statsmodels 0.15.0)

Without ties: votes drawn and fitted by choix. With ties: Davidson's model as a log-linear Poisson model of
the counts (one effect per pair), fitted by statsmodels; errors are those of the strengths with mean 0."""

from __future__ import annotations

import json
from pathlib import Path

import choix
import numpy as np
import statsmodels.api as sm

np.random.seed(3)
params = choix.generate_params(6, interval=3.0)
games = choix.generate_pairwise(params, 240)
fitted = choix.opt_pairwise(6, games, alpha=0.0, tol=1e-12)
fitted -= fitted.mean()

rng = np.random.default_rng(5)
n, true, nu = 5, np.array([1.0, 0.4, 0.0, -0.5, -0.9]), -0.3
rows, counts, design = [], [], []
pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
for k, (i, j) in enumerate(pairs):
    odds = np.exp([true[i], nu + (true[i] + true[j]) / 2, true[j]])
    found = rng.multinomial(30 + 3 * k, odds / odds.sum())
    rows.append([i, j, *found.tolist()])
    for count, share in zip(found.tolist(), ((1, 0, 0), (0.5, 0.5, 1), (0, 1, 0)), strict=True):
        x = np.zeros(len(pairs) + n + 1)
        x[k] = 1
        x[len(pairs) + i], x[len(pairs) + j], x[-1] = share
        design.append(x)
        counts.append(count)
# the strength of the first is 0
glm = sm.GLM(counts, np.delete(np.array(design), len(pairs), axis=1), family=sm.families.Poisson()).fit(
    tol=1e-13, maxiter=200
)
theta = np.concatenate([[0.0], glm.params[len(pairs) : -1]])
cov = np.zeros((n, n))
cov[1:, 1:] = glm.cov_params()[len(pairs) : -1, len(pairs) : -1]
centre = np.eye(n) - 1 / n
out = {
    "about": "choix 0.4.1: generate_params, generate_pairwise, opt_pairwise; statsmodels 0.15.0: GLM",
    "bradley_terry": {"winner_loser": [list(map(int, g)) for g in games], "strengths": fitted.tolist()},
    "davidson": {
        "first_second_wins_ties_losses": rows,
        "strengths": (theta - theta.mean()).tolist(),
        "errors": np.sqrt(np.diag(centre @ cov @ centre)).tolist(),
        "tie": float(glm.params[-1]),
    },
}
Path(__file__).with_name("written").joinpath("pairwise.json").write_text(json.dumps(out) + "\n")
