"""One mechanism: beside the evaluation in absolute coordinates, and beside itself after changes."""

import numpy as np

from . import change, compare, draw, program, solve
from .loads import Hidden

STEP, STEPS = 1e-3, 20
# The communication points: the start, and two after it.
POINTS = 10


class Failure(Exception):
    pass


def law(number, ballesta, folder):
    """The mechanism in the program and in absolute coordinates: the worst difference, of what, and the class."""
    model, states = draw.mechanism(number)
    file = folder / f"law_{number}.toml"
    run = program.Run(model, ballesta, file, STEPS * STEP, POINTS * STEP)
    if run.code != 0 or not run.values:
        raise Failure(f"{file}: exit code {run.code}: {run.messages}")
    code, report, messages = program.check(model, ballesta, file)
    worst = (0.0, None, 0.0)
    for k, found in enumerate(run.values):
        now = run.states(k)
        if k == 0:
            for name, state in states.items():
                if name in now:
                    apart = max(np.abs(state.p - now[name].p).max(), np.abs(state.r - now[name].r).max(), np.abs(state.v - now[name].v).max(),
                                np.abs(state.w - now[name].w).max())
                    if not apart < 1e-9:
                        raise Failure(f"{file}: {name} starts {apart:.1e} from where its joints are told to stand")
        try:
            solution = solve.solve(model, now, found["time"])
        except Hidden:
            # At the start everything is known.
            if k == 0:
                raise
            break
        if not max(solution.gap, solution.rate) < 1e-9:
            raise Failure(f"{file}: open by {solution.gap:.1e}, {solution.rate:.1e} per s at {found['time']} s")
        if not solution.inconsistency < 1e-9 * (1 + np.abs(solution.acceleration).max(initial=0.0)):
            raise Failure(f"{file}: equations contradict each other by {solution.inconsistency:.1e}")
        if solution.dof != report.get("dof"):
            raise Failure(f"{file}: {report.get('dof')} degrees of freedom, by rank {solution.dof} ({messages})")
        wanted = {what: value for what, value in solution.quantities.items() if what in found}
        missing = [what for what in program.wanted(model) if what not in wanted and not (what[0] == "body" and what[2] not in ("acceleration", "angular_acceleration"))]
        if missing:
            raise Failure(f"{file}: not evaluated: {missing}")
        error, of = compare.worst(wanted, found, solution.unique)
        if error > worst[0] or not error <= worst[0]:
            worst = (error, of, found["time"])
    return worst, model, file


def changes(number, ballesta, folder, vehicle=False):
    """The mechanism, or vehicle, and its changed forms: per change the worst difference and of what."""
    model, states = draw.vehicle(number) if vehicle else draw.mechanism(number)
    kind = "vehicle" if vehicle else "change"
    file = folder / f"{kind}_{number}.toml"
    run = program.Run(model, ballesta, file, STEPS * STEP, POINTS * STEP)
    if run.code != 0 or not run.values:
        raise Failure(f"{file}: exit code {run.code}: {run.messages}")
    # Two welded bodies are a joint more to share what redundant equations leave open.
    loads = [values["tyre", item["name"], "force"][2] for values in run.values for item in model.get("tyre", [])]
    if vehicle and not np.mean(loads) > 100.0:
        raise Failure(f"{file}: wheels in the air")
    unique = {} if vehicle else {"split": solve.solve(model, run.states(0), 0.0).unique}
    found = {}
    for k, name in enumerate(change.OF_VEHICLES if vehicle else change.CHANGES):
        random = np.random.default_rng((number, k, 77))
        new, back = change.CHANGES[name](model, states, random)
        other_file = folder / f"{kind}_{number}_{name}.toml"
        step = new["model"]["step"]
        other = program.Run(new, ballesta, other_file, STEPS * step, POINTS * step)
        if other.code != 0 or len(other.values) != len(run.values):
            found[name] = ((np.inf, f"exit code {other.code}: {other.messages}", 0.0), other_file)
            continue
        worst = (0.0, None, 0.0)
        for k, values in enumerate(run.values):
            led = back(other.values[k], run.states(k))
            error, of = compare.worst({what: value for what, value in values.items() if what != "time"}, led, unique.get(name, {}))
            if error > worst[0] or not error <= worst[0]:
                worst = (error, of, values["time"])
        found[name] = (worst, other_file)
    return found, model, file
