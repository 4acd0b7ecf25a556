"""Times of the derivatives of a motion: A, B, C, D of `Simulator.linearize` in Python, beside Pinocchio's derivatives of the dynamics and MuJoCo's of a
step by differences (mjd_transitionFD), with the models of compare.py.

Ours are whole calls, names of states, matrices of Python and search for the independent coordinates with them; theirs fill arrays that
exist.
"""

import argparse
import statistics
import time
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

import ballesta
import in_mujoco
import in_pinocchio
from compare import EXACT, FOLDER, MASSLESS, Ours, load

MODELS = ["van", "truck", "windows_10", "chain_10", "chain_50", "chain_200"]


def quietest(function, rounds=5, seconds=0.3):
    """µs of a call: the median of a round, of the quietest."""
    function()
    medians = []
    for _ in range(rounds):
        times, end = [], time.perf_counter() + seconds
        while len(times) < 5 or time.perf_counter() < end:
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        medians.append(statistics.median(times) * 1e6)
    return min(medians)


def in_ours(path):
    simulator = ballesta.load(str(path)).simulator()
    found = simulator.linearize()
    return len(found.states), quietest(simulator.linearize)


def in_pin(peer):
    q, v, torque = peer.rest, peer.start, np.zeros(peer.model.nv)
    if not len(peer.closures):
        return quietest(lambda: pin.computeABADerivatives(peer.model, peer.data, q, v, torque))
    pin.constraintDynamics(peer.model, peer.data, q, v, torque, peer.closures, peer.closures_data, peer.settings)
    return quietest(lambda: (pin.constraintDynamics(peer.model, peer.data, q, v, torque, peer.closures, peer.closures_data, peer.settings),
                             pin.computeConstraintDynamicsDerivatives(peer.model, peer.data, peer.closures, peer.closures_data)))


def in_mj(peer):
    peer.reset()
    model, data = peer.model, peer.data
    n = 2 * model.nv + model.na
    a = np.zeros((n, n))
    return quietest(lambda: mujoco.mjd_transitionFD(model, data, 1e-6, True, a, None, None, None))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("target/fmu/ballesta"), help="ballesta")
    parser.add_argument("--models", nargs="+", default=MODELS)
    options = parser.parse_args()
    options.program = options.program.resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("| model | states | ballesta µs | Pinocchio µs | MuJoCo µs |\n|---|---|---|---|---|")
    for name in options.models:
        exact = load(options.program, name)
        if exact.springs:
            exact.tumbling()
        massless = exact.massless_rods()
        same = Ours(options.program, massless if exact.rods else exact, MASSLESS if exact.rods else EXACT)
        twists, _ = same.start()
        twists_exact, _ = Ours(options.program, exact, EXACT).start()
        states, ours = in_ours(same.path)
        theirs = in_pin(in_pinocchio.Peer(exact, twists_exact)), in_mj(in_mujoco.fastest(massless if exact.rods else exact, twists, "implicitfast"))
        print(f"| {name} | {states} | {ours:.0f} | {theirs[0]:.0f} | {theirs[1]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
