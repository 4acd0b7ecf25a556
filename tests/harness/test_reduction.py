"""Reduced state spaces of `ballesta linearize --reduce`, beside those that python-control and SLICOT find for the full matrices.

SLICOT's AB09MD balances the part whose eigenvalues are left of `alpha` and keeps the rest, AB13DD computes H-infinity norms by bisection."""

import json
import subprocess

import control
import numpy as np
import pytest
import slycot
from scipy import linalg

from gallery import PROGRAM, ROOT

# Model, options, channels of the reduced model, orders; all have motions without stiffness, or light damping, or both.
CASES = {
    "slewing_arm": ([], ["hub.torque"], ["payload.y"], [4, 6, 9]),
    "bushing_mount": (["--trim"], None, None, [6, 8]),
    "space_frame": ([], None, None, [8, 10]),
}
# A decay rate above this (1/s) is that of a motion without stiffness.
ALPHA = -1e-3


def linearize(model, *options, code=0):
    done = subprocess.run([PROGRAM, "linearize", ROOT / "models" / model, *options, "--json"], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if code == 0 else done.stderr


def matrices(found, inputs=None, outputs=None):
    """A, B, C, D with the selected columns and rows."""
    n, m, p = (len(found[name]) for name in ("states", "inputs", "outputs"))
    shapes = {"a": (n, n), "b": (n, m), "c": (p, n), "d": (p, m)}
    a, b, c, d = (np.array(found[name], dtype=float).reshape(shape) for name, shape in shapes.items())
    columns = [found["inputs"].index(name) for name in inputs or found["inputs"]]
    rows = [found["outputs"].index(name) for name in outputs or found["outputs"]]
    return a, b[:, columns], c[rows], d[np.ix_(rows, columns)]


def response(system, omega):
    a, b, c, d = system
    return c @ np.linalg.solve(1j * omega * np.eye(len(a)) - a, b) + d


def stable_part(system):
    """The part whose eigenvalues decay, by scipy's ordered Schur form and Sylvester equation."""
    a, b, c, _ = system
    t, q, kept = linalg.schur(a, output="complex", sort=lambda value: value.real > ALPHA)
    x = linalg.solve_sylvester(t[:kept, :kept], -t[kept:, kept:], -t[:kept, kept:])
    return t[kept:, kept:], q[:, kept:].conj().T @ b, c @ (q[:, kept:] + q[:, :kept] @ x)


def gain(matrix):
    return np.linalg.norm(matrix, 2)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    options, inputs, outputs, orders = CASES[request.param]
    full = linearize(request.param, *options)
    return request.param, options, full, inputs, outputs, orders


def channels(inputs, outputs):
    return [word for name in inputs or [] for word in ("--from", name)] + [word for name in outputs or [] for word in ("--to", name)]


def frequencies(full):
    """Between the resonances and on them, rad/s."""
    on = {abs(value["im"]) for value in full["eigenvalues"] if value["im"] > 0}
    return sorted(on | set(np.logspace(-1, 4, 60)))


def test_balanced_reduction_is_that_of_slicot(case):
    model, options, full, inputs, outputs, orders = case
    a, b, c, d = matrices(full, inputs, outputs)
    for order in orders:
        found = linearize(model, *options, *channels(inputs, outputs), "--reduce", str(order))
        names = found["inputs"], found["outputs"]
        a, b, c, d = matrices(full, *names)
        nr, ar, br, cr, stable, hsv = slycot.ab09md("C", "B", "S", len(a), b.shape[1], len(c), a, b, c, alpha=ALPHA, nr=order)
        report = found["reduction"]
        own = np.array(report["hankel_singular_values"])
        assert nr == order == len(found["states"])
        assert stable == len(own) == len(a) - report["kept_states"]
        large = hsv[:stable] > 1e-9 * own[0]
        np.testing.assert_allclose(own[large], hsv[:stable][large], rtol=1e-5)
        theirs, mine, whole = (ar, br, cr, d), matrices(found), (a, b, c, d)
        for omega in frequencies(full):
            scale = gain(response(whole, omega)) + own[0]
            difference = gain(response(mine, omega) - response(theirs, omega))
            assert difference <= 1e-6 * scale, f"{model}, order {order}, {omega} rad/s: {difference} of {scale}"


def test_the_error_lies_below_the_bound_and_is_the_norm(case):
    model, options, full, inputs, outputs, orders = case
    for order, extra in [(order, extra) for order in orders[:2] for extra in ([], ["--static-correction"], ["--reduction", "modal"])]:
        found = linearize(model, *options, *channels(inputs, outputs), "--reduce", str(order), *extra)
        report = found["reduction"]
        whole, part = matrices(full, found["inputs"], found["outputs"]), matrices(found)
        (a, b, c), (ar, br, cr) = stable_part(whole), stable_part(part)
        # The parts that do not decay are the same and cancel.
        error = control.ss(*real(linalg.block_diag(a, ar), np.vstack([b, br]), np.hstack([c, -cr])), whole[3] - part[3])
        norm, _ = control.linfnorm(error)
        where = f"{model}, order {order} {extra}: norm {norm}, reported {report['error']}, bound {report['error_bound']}"
        assert norm <= report["error_bound"] * (1 + 1e-6), where
        assert abs(norm - report["error"]) <= 1e-3 * norm + 1e-9 * report["stable_gain"], where


def real(a, b, c):
    """The same transfer function with real matrices: each complex state as its real and imaginary part."""
    both = lambda x: np.block([[x.real, -x.imag], [x.imag, x.real]])
    # Of a real transfer function the mean of z and its conjugate is needed: C z = Re(C) Re(z) - Im(C) Im(z).
    return both(a), np.vstack([b.real, b.imag]), np.hstack([c.real, -c.imag])
