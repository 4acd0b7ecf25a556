"""Rollouts beside `mujoco.rollout`: steps per second of many instances, on one and on two threads.

Models are those of benches/peers: the four-bar linkage of the gallery, and the van without tyres, roads and drives, which flies and tumbles with its
suspensions; both programs compute models made from the same file, with rods without mass. The van of the gallery as it is, with
tyres and speed control, stands beside them. Steps are 1 ms, all instances begin in one state. The quietest of several rounds counts, programs by turns;
on a machine with other work the processor time, of all threads together, tells more than the clock.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
import in_mujoco  # noqa: E402
from mechanism import expand  # noqa: E402

import ballesta  # noqa: E402

STEP = 1e-3
FOLDER = Path("target/bench-peers/rollout")


def ours(model, instances, steps, threads):
    state = model.simulator().save()
    keep = [model.outputs[0].name]

    def run():
        clock, used = time.perf_counter(), time.process_time()
        found = model.rollout([state] * instances, steps=steps, step=STEP, threads=threads, outputs=keep)
        seconds, used = time.perf_counter() - clock, time.process_time() - used
        assert found.faults == [None] * instances and np.isfinite(found.outputs).all()
        return instances * steps / seconds, instances * steps / used

    return run


def theirs(peer, instances, steps, threads):
    peer.reset()
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros(mujoco.mj_stateSize(peer.model, kind))
    mujoco.mj_getState(peer.model, peer.data, state, kind)
    scratch = [mujoco.MjData(peer.model) for _ in range(threads)]
    pool = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)

    def run():
        clock, used = time.perf_counter(), time.process_time()
        states, _ = pool.rollout(peer.model, scratch, np.tile(state, (instances, 1)), nstep=steps)
        seconds, used = time.perf_counter() - clock, time.process_time() - used
        assert states.shape[:2] == (instances, steps) and np.isfinite(states).all()
        return instances * steps / seconds, instances * steps / used

    return run


def twists(model, mechanism):
    """Velocities of the bodies at the start by name: of the centre of mass, m/s, and of rotation, rad/s."""
    result = model.run(stop=STEP)
    bodies = enumerate(mechanism.moving())
    return {body.name: (result[f"b{i}.velocity"][0], result[f"b{i}.angular_velocity"][0]) for i, body in bodies}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="target/release/ballesta")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=50)
    typed = parser.parse_args()
    print(json.dumps({"processors": os.cpu_count(), "mujoco": mujoco.__version__, "ballesta": ballesta.__version__}))
    steps = typed.steps
    for name, instances in (("four_bar", 1000), ("van", 100)):
        FOLDER.mkdir(parents=True, exist_ok=True)
        exact = expand(typed.program, f"models/{name}", FOLDER / f"{name}.toml")
        if exact.springs:
            exact.tumbling()
        massless = exact.massless_rods()
        massless.write(FOLDER / f"{name}_massless_rods.toml", "rk4")
        models = {"ballesta": ballesta.load(FOLDER / f"{name}_massless_rods.toml")}
        begin = twists(models["ballesta"], massless)
        peers = {f"mujoco {kind}": in_mujoco.fastest(massless, begin, kind) for kind in ("RK4", "implicitfast")}
        if name == "van":
            models["ballesta, with tyres"] = ballesta.load(f"models/{name}")
        timed = {(label, threads): ours(model, instances, steps, threads) for label, model in models.items() for threads in (1, 2)}
        timed |= {(label, threads): theirs(peer, instances, steps, threads) for label, peer in peers.items() for threads in (1, 2)}
        best = dict.fromkeys(timed, (0.0, 0.0))
        for _ in range(typed.rounds):
            for key, run in timed.items():
                best[key] = tuple(map(max, best[key], run()))
        for (label, threads), (wall, used) in best.items():
            print(f"{name:9} {instances:5} instances × {steps} steps  {label:22} {threads} threads  {wall:9.0f} steps/s"
                  f" by the clock, {used:9.0f} per second of processor time")


if __name__ == "__main__":
    main()
