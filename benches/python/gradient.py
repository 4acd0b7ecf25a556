"""Springs and dampers by scipy's BFGS, with the gradient of `Result.sensitivity` and with scipy's own differences.

    PYTHONPATH=target/python python3 benches/python/gradient.py

Spring and damper of the quarter car of the package on its rise, and the front dampers of the van of the gallery, bump and rebound, on its
first speed bump: what shakes body and tyres least. Prints evaluations, seconds of processor time and the result of both ways. The van's rates
are made tunable in a copy of its files; left and right have the same values.
"""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import ballesta

ROOT = Path(__file__).resolve().parents[2]

def van(folder):
    """The van on bumps, with tunable dampers in its front corners."""
    copy = Path(folder, "van")
    shutil.copytree(ROOT / "models" / "van", copy)
    part = copy / "parts" / "front_corner_forces.toml"
    text, tables = part.read_text(encoding="utf-8"), ""
    for name, line in (("bump_damping", "bump_damping = 9500"), ("rebound_damping", "rebound_damping = 20600")):
        key, value = line.split(" = ")
        assert line in text
        text = text.replace(line, f'{key} = "front.{name}"')
        tables += f'\n[[parameter]]\nname = "front.{name}"\nvalue = {value}\nunit = "N.s/m"\ntunable = true\nmin = 0\n'
    part.write_text(text + tables, encoding="utf-8")
    return ballesta.load(copy / "bumps.toml")


def fit(model, stop, groups, units):
    """Both ways, one after the other. `groups`: names of parameters that have one value; `units` of the outputs that are to change little."""
    values = {parameter.name: parameter.value for parameter in model.parameters}
    start = np.array([values[group[0]] for group in groups])
    counts = {}

    def simulate(logarithms):
        counts["runs"] += 1
        factors = np.exp(logarithms)
        return model.run(stop=stop, set={name: s * f for group, s, f in zip(groups, start, factors) for name in group})

    def changes(result):
        return {name: (result[name] - result[name][0]) / unit for name, unit in units.items()}

    def cost(logarithms):
        return sum(np.mean(change**2) for change in changes(simulate(logarithms)).values())

    def cost_and_gradient(logarithms):
        result = simulate(logarithms)
        found, parts = result.sensitivity(*(name for group in groups for name in group)), changes(result)
        counts["derivatives"] += 1

        def slope(name):
            along = {output: found[name, output] - found[name, output][0] for output in units}
            return sum(np.mean(2 * parts[output] * along[output] / units[output]) for output in units)

        gradient = np.array([sum(slope(name) for name in group) for group in groups])
        return sum(np.mean(part**2) for part in parts.values()), gradient * start * np.exp(logarithms)

    for way, function, jac in (("our gradient", cost_and_gradient, True), ("differences", cost, None)):
        counts.update(runs=0, derivatives=0)
        begin = time.process_time()
        found = minimize(function, np.zeros(len(groups)), jac=jac, method="BFGS", options={"gtol": 1e-6})
        seconds = time.process_time() - begin
        print(
            f"{model.name}, {way}: {found.nit} iterations, {counts['runs']} runs, {counts['derivatives']} with derivatives, {seconds:.1f} s, "
            f"cost {found.fun:.8f}, gradient left {abs(found.jac).max():.1e}, at {start * np.exp(found.x)}: {found.message}",
            flush=True,
        )


if __name__ == "__main__":
    quarter = ballesta.load("quarter-car")
    fit(
        quarter,
        None,
        [["spring.stiffness"], ["damper.damping"]],
        {"body.acceleration": 0.3, "tyre.force": 1e3, "suspension.length": 0.01},
    )
    with tempfile.TemporaryDirectory() as folder:
        sides = ("axle1.left.front", "axle1.right.front")
        groups = [[f"{side}.{name}" for side in sides] for name in ("bump_damping", "rebound_damping")]
        fit(van(folder), 1.5, groups, {"chassis.acceleration.z": 1.0, "axle1.left.tyre.Fz": 3e3})
