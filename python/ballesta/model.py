"""Models: read from files, simulated, stepped, questioned."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from ballesta import _native, arrays, installation
from ballesta._native import Simulator, State
from ballesta.arrays import Floats
from ballesta.errors import Fault, UsageError, warn
from ballesta.named import Names, suggestion
from ballesta.result import Asked, Page, Result, Sensitivity
from ballesta.rollout import Rollout

Values = Mapping[str, float]
Channels = Union[str, Sequence[str], Mapping[str, float]]
Inputs = Union["os.PathLike[str]", str, Mapping[str, Any]]


class Variable(NamedTuple):
    """An input, output or parameter."""

    name: str
    """By which the package calls it."""
    unit: str
    """Symbol of the unit, `1` or empty for numbers without dimension."""
    kind: str
    """`real`, `integer` or `boolean`; of a parameter `tunable`, which a simulator may set, or `fixed`."""
    value: float | None
    """Value at the start; None for an output."""
    description: str
    """What the file says about it."""
    min: float | None = None
    """Least value, of a parameter that has one."""
    max: float | None = None
    """Largest value, of a parameter that has one."""


class Experiment(NamedTuple):
    """What the model file simulates where nothing else is asked for."""

    start: float
    """Start time in s."""
    stop: float
    """Stop time in s."""
    step: float
    """Communication step in s."""
    trim: bool
    """Whether it starts in the equilibrium near the initial position."""


class Reduction(NamedTuple):
    """What a linear model of fewer states has lost, as `ballesta linearize --reduce` reports it.

    Bound, errors and Hankel singular values are those of channels divided by their scales.
    """

    method: str
    """`balanced` or `modal`."""
    states: list[str]
    """Names of the states x of the full model."""
    kept: int
    """Number of states z that are kept exactly, the first ones: their eigenvalues do not decay."""
    hankel: Floats
    """Hankel singular values of the stable part of the full model, falling."""
    bound: float | None
    """Upper bound of the H-infinity norm of the error; None where undamped modes are left out."""
    error: float | None
    """Largest error that was found over frequency."""
    error_hz: float | None
    """Its frequency."""
    to_full: Floats
    """x ≈ to_full z, shape (states of the full model, states)."""
    from_full: Floats
    """z = from_full x, shape (states, states of the full model)."""


class Linearization:
    """dx/dt = A x + B u + E p, y = C x + D u + F p for small changes about a state, p of the tunable parameters.

    States are the independent coordinates in rad or m, their speeds `der(…)`, and the states of filters and force elements.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.A: Floats = found["a"]
        """Shape (states, states)."""
        self.B: Floats = found["b"]
        """Shape (states, inputs)."""
        self.C: Floats = found["c"]
        """Shape (outputs, states)."""
        self.D: Floats = found["d"]
        """Shape (outputs, inputs)."""
        self.E: Floats = found["e"]
        """Shape (states, parameters)."""
        self.F: Floats = found["f"]
        """Shape (outputs, parameters)."""
        self.states: list[str] = found["states"]
        """Names of the states."""
        self.inputs: list[str] = found["inputs"]
        """Names of the inputs."""
        self.outputs: list[str] = found["outputs"]
        """Names of the scalar outputs."""
        self.parameters: list[str] = found["parameters"]
        """Names of the tunable parameters."""
        self.time: float = found["time"]
        """Time of the state in s."""
        facts = found.get("reduction")
        self.reduction: Reduction | None = Reduction(**{**facts, "hankel": np.array(facts["hankel"])}) if facts else None
        """What was lost, where the model is reduced to fewer states."""

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<ballesta.Linearization at {self.time:g} s: {sizes}>"


class StepDerivatives:
    """x' = A x + B u + P p for small changes: what a step of `length` s makes of changes x of the state at its begin.

    States are the independent coordinates in rad or m, their speeds `der(…)`, and the states of filters and force elements, as in
    `Linearization`; then what an implicit scheme remembers of its last step. Inputs u are held over the step, parameters p are the tunable
    ones. y = C x + D u are changes of the outputs at the begin.

    `method` is `exact` where the scheme itself was differentiated (`rk4`, `heun`), else `differences` for the `reason` that is told; then
    `A_uncertainty`, `B_uncertainty` and `P_uncertainty` estimate the errors of A, B and P, which are 0 otherwise.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.A: Floats = found["a"]
        """Shape (states, states)."""
        self.B: Floats = found["b"]
        """Shape (states, inputs)."""
        self.P: Floats = found["p"]
        """Shape (states, parameters)."""
        self.C: Floats = found["c"]
        """Shape (outputs, states)."""
        self.D: Floats = found["d"]
        """Shape (outputs, inputs)."""
        self.A_uncertainty: Floats = found["a_uncertainty"]
        """Shape of A."""
        self.B_uncertainty: Floats = found["b_uncertainty"]
        """Shape of B."""
        self.P_uncertainty: Floats = found["p_uncertainty"]
        """Shape of P."""
        self.states: list[str] = found["states"]
        """Names of the states."""
        self.inputs: list[str] = found["inputs"]
        """Names of the inputs."""
        self.parameters: list[str] = found["parameters"]
        """Names of the tunable parameters."""
        self.outputs: list[str] = found["outputs"]
        """Names of the scalar outputs."""
        self.time: float = found["time"]
        """Time at the begin of the step in s."""
        self.length: float = found["length"]
        """Length of the step in s."""
        self.reason: str | None = found["reason"]
        """Why A, B and P are by differences; None where they are exact."""

    @property
    def method(self) -> str:
        """`exact` or `differences`."""
        return "exact" if self.reason is None else "differences"

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<ballesta.StepDerivatives of {self.length:g} s at {self.time:g} s, {self.method}: {sizes}>"


class Mode(NamedTuple):
    """A mode of the motion about a state; of a pair of eigenvalues the one with positive imaginary part."""

    eigenvalue: complex
    """In 1/s."""
    frequency_hz: float
    """|λ|/2π: of an oscillation its undamped natural frequency."""
    damping: float
    """−Re λ/|λ|, 0 for λ = 0."""
    shares: dict[str, float]
    """Share of each state in the motion, largest first, sum 1."""
    moves: str
    """What moves most, in words."""
    uncertainty: float
    """Part of itself by which the eigenvalue may be wrong, by rounding."""


def _modes(found: list[dict[str, Any]]) -> list[Mode]:
    def mode(row: dict[str, Any]) -> Mode:
        value, shares = complex(row["re"], row["im"]), dict(row["shares"])
        return Mode(value, row["frequency_hz"], row["damping"], shares, row["moves"], row["uncertainty"])

    return [mode(row) for row in found]


class Model:
    """A compiled model; `ballesta.load` makes it.

    It does not change: parameters are given when it is loaded, inputs when it runs. Threads may share it; other processes, to which it is
    pickled, load it anew from its file.
    """

    def __init__(self, native: _native.Model, loaded: tuple[str, dict[str, float], float | None], folder: str | None = None) -> None:
        self._native = native
        self._loaded = loaded
        if folder is not None:
            # Of a model that comes with the package: its files are there as long as the model is.
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._names = Names([row[:2] for row in native.outputs()], native.vectors())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was loaded from: it is loaded again where it is unpickled."""
        return load, self._loaded

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._native.name

    @property
    def description(self) -> str:
        """What the file says about it."""
        return self._native.description

    @property
    def file(self) -> Path:
        """The model file."""
        return Path(self._native.file)

    @property
    def step(self) -> float:
        """Internal step of the solver in s."""
        return self._native.step

    @property
    def integrator(self) -> str:
        """Name of the integrator."""
        return self._native.integrator

    @property
    def experiment(self) -> Experiment:
        """Start, stop, communication step and trim of the model file."""
        return Experiment(*self._native.experiment)

    @property
    def inputs(self) -> list[Variable]:
        """Inputs, with their start values."""
        return [Variable(*row) for row in self._native.inputs()]

    @property
    def outputs(self) -> list[Variable]:
        """Scalar outputs; vectors are split into `.x`, `.y`, `.z`."""
        return [Variable(*row) for row in self._native.outputs()]

    @property
    def parameters(self) -> list[Variable]:
        """Parameters, with the values that this model has."""
        return [Variable(*row, minimum, maximum) for row, minimum, maximum in self._native.parameters()]

    def __repr__(self) -> str:
        dof, bodies, joints, loops = self._native.sizes
        return f"<ballesta.Model {self.name}: DOF {dof}, bodies {bodies}, joints {joints}, loops {loops}>"

    def view(self, height: int = 600, live: bool = False) -> Page:
        """The model at its start as a 3-D page, `height` pixels high in a notebook; joints can be moved by sliders.

        With `live` the page holds the solver, and the model runs in it: inputs by sliders, keys and gamepad.
        """
        return Page(self._native.page(_own_program() if live else None), height)

    def _inputs(self, inputs: Inputs | None) -> tuple[_native.Inputs | None, list[tuple[str, float]]]:
        """Inputs over time, and constants."""
        if inputs is None:
            return None, []
        if isinstance(inputs, (str, os.PathLike)):
            return self._native.read_inputs(os.fspath(inputs)), []
        if not isinstance(inputs, Mapping):
            raise TypeError(f"inputs: found {type(inputs).__name__}; expected the path of a file, or a dictionary")
        known = [variable.name for variable in self.inputs]
        columns, constants = [], []
        for name, values in inputs.items():
            if name == "time":
                continue
            if name not in known:
                raise UsageError(f"inputs: {name}: no such input; {suggestion(str(name), known)}")
            found = arrays.array(f"inputs: {name}", values, (0, 1))
            if found.ndim == 0:
                constants.append((name, arrays.number(f"inputs: {name}", found)))
            else:
                wrong = np.flatnonzero(~np.isfinite(found))
                if wrong.size:
                    raise UsageError(f"inputs: {name}: value {wrong[0]} is {found[wrong[0]]}; expected finite numbers")
                columns.append((name, found.tolist()))
        if "time" not in inputs:
            if columns:
                raise UsageError(f'inputs: {columns[0][0]} is an array; give its times in s as "time"')
            return None, constants
        times = arrays.array("inputs: time", inputs["time"], (1,))
        for name, values in columns:
            if len(values) != len(times):
                raise UsageError(f"inputs: {name}: found {len(values)} values; expected {len(times)}, one per time")
        return self._native.table(times.tolist(), columns), constants

    def run(
        self,
        stop: float | None = None,
        step: float | None = None,
        inputs: Inputs | None = None,
        set: Values | None = None,  # noqa: A002
        trim: bool = False,
        strict: bool = False,
    ) -> Result:
        """Simulates from the start of the experiment to `stop` in s, with outputs every `step` s, as `ballesta run` does.

        `inputs`: the path of a file of comma-separated values, or a dictionary with the array `time` in s and per input a number or an
        array over these times; between two times inputs are linear, two equal times are a jump. `set`: values of parameters, and of
        inputs that stay as they are. `trim`: start in the equilibrium near the initial position.

        A fault of the solver raises `Fault`, whose `result` has the points up to there. A run that is not to be trusted warns with
        `QuestionableResult`; with `strict` it raises `Fault`.

        >>> import ballesta
        >>> arm = ballesta.load("pendulum")
        >>> result = arm.run(stop=1.0, inputs={"time": [0.0, 1.0], "motor.torque": [0.0, 2.0]})
        >>> bool(result["arm.angle"][0] == 0.0), result.units["arm.angle"]
        (False, 'rad')
        """
        table, constants = self._inputs(inputs)
        asked: Asked = (
            arrays.optional(arrays.number, "stop", stop),
            arrays.optional(arrays.positive, "step", step),
            table,
            constants + arrays.pairs("set", set),
            bool(trim),
        )
        found = self._native.run(*asked, False)
        questionable = found["warnings"]
        found["warnings"] = [f"{self.name}: {text}" for text in found["judgement"]["warnings_at_start"]] + questionable
        result = Result(self, self._names, found, asked)
        if found["fault"] is not None:
            raise Fault(found["fault"], found["fault_time"], result)
        if strict and questionable:
            raise Fault("; ".join(questionable), float(result.time[-1]), result)
        warn(result.warnings)
        return result

    def _page(self, asked: Asked) -> str:
        """A run once more, as a page."""
        return str(self._native.run(*asked, True)["page"])

    def _plot(self, result: Result, columns: list[int]) -> str:
        note = None if result.fault is None else f"stopped: {result.fault}"
        return self._native.plot(result.time.tolist(), np.ascontiguousarray(result.data.T), columns, note)

    def _sensitivity(self, result: Result, asked: Asked, names: tuple[str, ...]) -> Sensitivity:
        """Derivatives of a run, which is made once more."""
        if result.fault is not None:
            raise UsageError(f"the run stopped at {result.time[-1]:g} s, and has no derivatives: {result.fault}")
        wrong = [name for name in names if not isinstance(name, str)]
        if wrong:
            raise TypeError(f"sensitivity: found {wrong[0]!r}; expected names")
        if not names:
            names = tuple(parameter.name for parameter in self.parameters if parameter.kind == "tunable")
            names += tuple(variable.name for variable in self.inputs)
        if not names:
            raise UsageError("sensitivity: the model has no tunable parameters and no inputs; give names")
        found = _native.sensitivity(self._native, *asked, list(names))
        return Sensitivity(names, self._names, result.time, found)

    def simulator(self, start: float | None = None, set: Values | None = None, trim: bool = False) -> Simulator:  # noqa: A002
        """An instance to step, at the start of the experiment or at `start` in s.

        `set`: values of parameters and inputs; `trim`: start in the equilibrium near the initial position.

        >>> import ballesta
        >>> sim = ballesta.load("pendulum").simulator()
        >>> state = sim.save()
        >>> sim.set("motor.torque", 2.0)
        >>> sim.step(0.1)
        >>> sim.time
        0.1
        >>> sim.restore(state)
        >>> sim.time
        0.0
        """
        warn(self._native.warnings)
        return self._native.simulator(arrays.optional(arrays.number, "start", start), arrays.pairs("set", set), bool(trim))

    def rollout(
        self,
        states: State | Sequence[State] | None = None,
        inputs: Mapping[str, Any] | Floats | Sequence[Any] | None = None,
        *,
        steps: int | None = None,
        step: float | None = None,
        threads: int | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Rollout:
        """Steps n instances at once, in threads, without the interpreter's lock.

        `states`: one state for all, or one per instance; None: the start of the model. `inputs`: an array of shape (n, steps, inputs) or
        (steps, inputs), or a dictionary from names to numbers or arrays of shape (steps,) or (n, steps); each value is held over its
        step. Inputs that are not named stay as they are in the states. `steps` is needed where no array tells it. `step`: length of a
        step in s, the communication step of the experiment if None. `outputs`: names of outputs to keep, all if None.

        Instance i at the end of its step k has the bits of a simulator that was restored to its state, set to its inputs, and stepped with
        `step(until=time + (k + 1) * step)`; the number of threads changes nothing. A fault ends its own instance alone: see
        `Rollout.faults`; warnings of instances are in `Rollout.warnings`. Both are raised as one `QuestionableResult` each.

        >>> import ballesta, numpy
        >>> model = ballesta.load("pendulum")
        >>> torques = numpy.linspace(-1.0, 1.0, 4).reshape(4, 1, 1) * numpy.ones((1, 50, 1))
        >>> rollout = model.rollout(inputs=torques, step=0.01)
        >>> rollout["arm.angle"].shape
        (4, 50)
        """
        if states is None:
            states = self.simulator().save()
        begin = [states] if isinstance(states, State) else list(states)
        if not begin:
            raise UsageError("states: there are none; expected at least one")
        for state in begin:
            if not isinstance(state, State):
                raise TypeError(f"states: found {type(state).__name__}; expected ballesta.State")
        indices, values = self._held(inputs, steps)
        n = values.shape[0]
        if len(begin) > 1:
            if n not in (1, len(begin)):
                raise UsageError(f"inputs: found {n} instances; expected {len(begin)}, as many as states")
            n = len(begin)
        kept = list(range(len(self._names.scalars))) if outputs is None else self._names.columns(_texts("outputs", outputs))
        h = self.experiment.step if step is None else arrays.positive("step", step)
        workers = arrays.processors() if threads is None else arrays.count("threads", threads, 1)
        found = _native.rollout(self._native, begin, n, values.shape[1], indices, values, h, kept, workers)
        rollout = Rollout(self._names, kept, h, found)
        stopped = [(index, text) for index, text in enumerate(rollout.faults) if text is not None]
        if stopped:
            index, text = stopped[0]
            warn([f"{len(stopped)} of {n} instances stopped, and have no values from there on; instance {index}: {text}"])
        told = [(index, text) for index, text in enumerate(rollout.warnings) if text is not None]
        if told:
            index, text = told[0]
            warn([f"{len(told)} of {n} instances are not to be trusted; instance {index}: {text}"])
        return rollout

    def _held(self, inputs: Mapping[str, Any] | Floats | Sequence[Any] | None, steps: int | None) -> tuple[list[int], Floats]:
        """Indices of inputs, and their values of shape (n or 1, steps, inputs)."""
        known = [variable.name for variable in self.inputs]
        wanted = None if steps is None else arrays.count("steps", steps, 1)
        if inputs is None or isinstance(inputs, Mapping):
            columns = []
            for name, given in (inputs or {}).items():
                if name not in known:
                    raise UsageError(f"inputs: {name}: no such input; {suggestion(str(name), known)}")
                found = arrays.array(f"inputs: {name}", given, (0, 1, 2))
                columns.append((name, found.reshape((1,) * (2 - found.ndim) + found.shape)))
            # A number fits any count of steps.
            counts = {found.shape[1] for name, found in columns if np.ndim((inputs or {})[name]) > 0}
            counts |= {wanted} - {None}
            instances = {found.shape[0] for _, found in columns} - {1}
            if not counts:
                raise UsageError("steps: not known; give steps, or inputs over the steps")
            if len(counts) > 1 or len(instances) > 1:
                shapes = ", ".join(f"{name} {found.shape}" for name, found in columns)
                raise UsageError(f"inputs: the shapes do not fit each other or steps: {shapes}; expected (steps,) or (n, steps)")
            shape = (instances.pop() if instances else 1, counts.pop())
            values = np.empty((*shape, len(columns)))
            for place, (_, found) in enumerate(columns):
                values[:, :, place] = found
            return [known.index(name) for name, _ in columns], _some_steps(values)
        values = arrays.array("inputs", inputs, (2, 3))
        values = values.reshape((1,) * (3 - values.ndim) + values.shape)
        if values.shape[2] != len(known):
            raise UsageError(f"inputs: found {values.shape[2]} inputs in the last dimension; expected {len(known)}: {', '.join(known)}")
        if wanted is not None and values.shape[1] != wanted:
            raise UsageError(f"inputs: found {values.shape[1]} steps; expected {wanted}")
        if values.shape[0] == 0:
            raise UsageError("inputs: found no instances")
        return list(range(len(known))), _some_steps(values)

    def linearize(
        self,
        set: Values | None = None,  # noqa: A002
        trim: bool = False,
        *,
        reduce: int | None = None,
        reduce_to_error: float | None = None,
        reduction: str = "balanced",
        static_correction: bool = False,
        inputs: Channels | None = None,
        outputs: Channels | None = None,
    ) -> Linearization:
        """A to F at the start, or with `trim` at the equilibrium near it, as `ballesta linearize` gives them.

        `reduce` is a number of states, `reduce_to_error` the largest bound of the error; `reduction` is `balanced` or `modal`. A reduced
        model has the given `inputs` and `outputs`: names, or names with the change that counts as 1.

        >>> import ballesta
        >>> ballesta.load("pendulum").linearize(trim=True).A.shape
        (2, 2)
        """
        at = self.simulator(set=set, trim=trim)
        return at.linearize(
            reduce=reduce,
            reduce_to_error=reduce_to_error,
            reduction=reduction,
            static_correction=static_correction,
            inputs=inputs,
            outputs=outputs,
        )

    def modes(self, set: Values | None = None, trim: bool = False) -> list[Mode]:  # noqa: A002
        """Modes of the motion about the start, or with `trim` about the equilibrium, by ascending |λ|.

        >>> import ballesta
        >>> [round(mode.frequency_hz, 3) for mode in ballesta.load("quarter-car").modes(trim=True) if mode.eigenvalue.imag]
        [1.08, 11.127]
        """
        return self.simulator(set=set, trim=trim).modes()

    def trim(self, set: Values | None = None) -> dict[str, Any]:  # noqa: A002
        """The static equilibrium near the start, or the steady driving of a vehicle on tyres.

        Keys: `coordinates` (all joint positions in rad or m), `forces_left` (along the independent coordinates, N m or N),
        `potential_energy` in J, `unstable_directions`, `iterations`, `driving` (of a vehicle: `speed_m_s`, `turning_rad_s`, `torque_nm`, …;
        None otherwise).
        """
        return self.simulator(set=set).trim()

    def check(self, set: Values | None = None, trim: bool = False) -> dict[str, Any]:  # noqa: A002
        """What `ballesta check --json` finds: degrees of freedom, loops, redundant constraints, groups, longest stable step, weights.

        A start that cannot be had is the text `fault`, and warned of.

        >>> import ballesta
        >>> found = ballesta.load("four-bar").check()
        >>> found["dof"], found["loops"], found["redundant"]
        (0, 1, 3)
        """
        findings, warning, fault = _native.check(self._native, arrays.pairs("set", set), bool(trim))
        warn(text for text in (*findings["assembly"]["warnings"], warning, fault) if text is not None)
        return {**findings, "fault": fault}

    def groups(self) -> dict[str, Any]:
        """Structural groups and the order in which they are solved, as `ballesta groups --json` gives them."""
        return _native.groups(self._native)

    def verify(
        self,
        stop: float | None = None,
        step: float | None = None,
        *,
        internal_step: float | None = None,
        tolerance: float = 1e-3,
        inputs: Inputs | None = None,
        set: Values | None = None,  # noqa: A002
        trim: bool = False,
        one_integrator: bool = False,
    ) -> dict[str, Any]:
        """Errors of all outputs by halved steps and a second integrator, as `ballesta verify --json` gives them.

        `converges` says whether all results meet the relative error `tolerance`; where they do not, `failures` say why, and
        `QuestionableResult` is warned of, as of `warnings`: what shorter steps and another integrator do not find.
        """
        table, constants = self._inputs(inputs)
        found = _native.verify(
            self._native,
            arrays.optional(arrays.number, "stop", stop),
            arrays.optional(arrays.positive, "step", step),
            arrays.optional(arrays.positive, "internal_step", internal_step),
            arrays.positive("tolerance", tolerance),
            table,
            constants + arrays.pairs("set", set),
            bool(trim),
            bool(one_integrator),
        )
        warn(found["warnings"])
        if not found["converges"]:
            warn([f"{self.name} is not verified: {'; '.join(found['failures'])}"])
        return found

    def kc(
        self,
        *,
        travel: float = 0.08,
        points: int = 33,
        steering: str | None = None,
        steer_range: float | None = None,
        wheels: Sequence[str] = (),
        radius: float | None = None,
        fix: Sequence[str] = (),
        without: Sequence[str] = (),
        set: Values | None = None,  # noqa: A002
    ) -> dict[str, Any]:
        """Kinematics and compliance of the axles of a vehicle, as `ballesta rig MODEL kc --json` gives them.

        `axles` has figures in the design position, of axles and wheels, and `compliance`; `tests` the figures over `bump`, `roll` and `steer`: in `along`
        the height of the left wheels in m or the change of the steering input, in `figures` numpy arrays by name. Units are SI, axes and
        signs those of ISO 8855.

        `travel`: largest height of the wheels, m; `points`: of every test; `steering`: input that steers; `steer_range`: its largest change;
        `wheels`: joints in which wheels turn, where they have no tyres; `radius`: that of all wheels, m; `fix`: bodies that are fixed beside
        the bodywork, such as a trailer; `without`: force elements that are taken off; `set`: values of parameters and inputs.
        """
        found = _native.kc(
            self._native,
            arrays.positive("travel", travel),
            arrays.optional(arrays.positive, "steer_range", steer_range),
            arrays.count("points", points, 3),
            steering,
            list(wheels),
            arrays.optional(arrays.positive, "radius", radius),
            list(fix),
            list(without),
            arrays.pairs("set", set),
        )
        for test in found["tests"]:
            test["along"] = np.array(test["along"])
            test["figures"] = {name: np.array(values) for name, values in test["figures"].items()}
        return found

    def manoeuvre(
        self,
        manoeuvre: str | os.PathLike[str],
        *,
        speed: float | None = None,
        stop: float | None = None,
        factor: float | None = None,
        set: Values | None = None,  # noqa: A002
    ) -> dict[str, Any]:
        """Drives a vehicle through a manoeuvre, by its name or a file, as `ballesta manoeuvre --json` does.

        `runs` has one entry for each factor on the steering: `factor`, `amplitude_rad`, `events_s`, `measures` (a list of `name`, `value`, `unit`,
        limits and whether they are kept), `judgement`, and `series`, numpy arrays by name: `time`, the outputs of the model, and the
        channels of the vehicle, `manoeuvre.yaw_rate` and so on. A run that is not to be trusted is warned of.

        `speed` at the start, m/s; `stop`, s; `factor`: the only one; `set`: values of parameters and of inputs that the manoeuvre does not drive.
        """
        found, runs = _native.manoeuvre(
            self._native,
            os.fspath(manoeuvre),
            arrays.optional(arrays.number, "speed", speed),
            arrays.optional(arrays.positive, "stop", stop),
            arrays.optional(arrays.number, "factor", factor),
            arrays.pairs("set", set),
        )
        warn(warning for _, warning in runs if warning is not None)
        for run, (series, _) in zip(found["runs"], runs):
            run["series"] = series
        return found

    def export_fmu(self, path: str | os.PathLike[str], fmi: str = "2.0") -> dict[str, Any]:
        """Packs the model as an FMU of FMI 2.0 or 3.0, as `ballesta export` does.

        Returns `bytes`, `guid`, `platforms`, `entries`, `remarks`, … A model that was loaded with other parameters or another step than
        those of its file is refused: an FMU holds the file as it is.
        """
        facts, remarks = _native.export_fmu(self._native, os.fspath(path), fmi, _own_program())
        warn(self._native.warnings)
        return {**facts, "remarks": remarks}


def _own_program() -> Path:
    """The program beside which the libraries are."""
    try:
        return Path(installation.program())
    except FileNotFoundError:
        # Of a source tree.
        return Path(_native.__file__)


def _texts(what: str, names: Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _some_steps(values: Floats) -> Floats:
    if values.shape[1] == 0:
        raise UsageError("steps: found none; expected at least one")
    return values


def load(
    path: str | os.PathLike[str],
    parameters: Values | None = None,
    step: float | None = None,
) -> Model:
    """Opens and compiles a model: a `model.toml`, the folder that holds one, or the name of a model that comes with the package.

    `parameters`: values in place of those of the file, in its units; `step`: internal step of the solver in s, in place of that of the
    file. `templates()` lists the models that come with the package; a file or folder of the same name goes first.

    Wrong files raise `ModelError` with every mistake, wrong names and values `UsageError`, files that cannot be read `OSError`.

    >>> import ballesta
    >>> ballesta.load("four-bar")
    <ballesta.Model four_bar: DOF 0, bodies 3, joints 4, loops 1>
    >>> [parameter.name for parameter in ballesta.load("four-bar").parameters]
    ['crank.speed']
    """
    given, internal = arrays.pairs("parameters", parameters), arrays.optional(arrays.positive, "step", step)
    place = Path(path)
    if place.exists() or not isinstance(path, str) or len(place.parts) > 1 or place.suffix:
        return Model(_native.Model(place, given, internal), (os.path.abspath(path), dict(given), internal))
    files = _native.template(path)
    folder = tempfile.mkdtemp(prefix="ballesta-")
    try:
        for name, text in files:
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        return Model(_native.Model(Path(folder), given, internal), (path, dict(given), internal), folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def templates() -> dict[str, str]:
    """Models that come with the package, with a line about each; `load` takes their names, `ballesta new` writes their files.

    >>> import ballesta
    >>> list(ballesta.templates())
    ['pendulum', 'four-bar', 'quarter-car', 'robot-arm', 'vehicle', 'car', 'flexible-link']
    """
    return dict(_native.templates())


def reduce(
    structure: str | os.PathLike[str],
    output: str | os.PathLike[str],
    modes: int | None = None,
    comparison: bool = True,
) -> dict[str, Any]:
    """Reduces a finite-element structure to a model for flexible bodies, the file `output`, as `ballesta reduce` does.

    `structure`: a `structure.toml`, or the folder that holds one; `modes`: how many internal modes are kept, in place of what the
    structure says; `comparison`: compare with the modes of the full structure, which costs another factorisation. Returns what
    `ballesta reduce --json` prints: `frequencies_hz`, `checks`, `seconds`, …
    """
    number = None if modes is None else arrays.count("modes", modes)
    return _native.reduce(os.fspath(structure), os.fspath(output), number, bool(comparison))
