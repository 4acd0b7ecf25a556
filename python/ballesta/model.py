"""Models: loading, simulation, stepping and analyses."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from ballesta import _native, arrays, installation, measurements
from ballesta._native import Simulator, State
from ballesta.arrays import Floats
from ballesta.errors import Fault, UsageError, warn
from ballesta.named import Names, suggestion
from ballesta.result import Asked, Page, Result, Sensitivity
from ballesta.rollout import Rollout

Values = Mapping[str, float]
Channels = Union[str, Sequence[str], Mapping[str, float]]
#: The path of a file, a dictionary, or a data frame of pandas or polars.
Inputs = Union["os.PathLike[str]", str, Mapping[str, Any], Any]


class Variable(NamedTuple):
    """An input, output or parameter."""

    name: str
    """Name in the package."""
    unit: str
    """Symbol of the unit; `1` or empty for dimensionless numbers."""
    kind: str
    """`real`, `integer` or `boolean`; for a parameter `fixed`, or `tunable` if a simulator can set it."""
    value: float | None
    """Value at the start; None for an output."""
    description: str
    """What the file says about it."""
    min: float | None = None
    """Lower limit of a parameter, or None."""
    max: float | None = None
    """Upper limit of a parameter, or None."""


class Experiment(NamedTuple):
    """Default experiment of the model file."""

    start: float
    """Start time in s."""
    stop: float
    """Stop time in s."""
    step: float
    """Communication step in s."""
    trim: bool
    """True if it starts in the equilibrium near the initial position."""


class Reduction(NamedTuple):
    """Error of a reduced linear model, as reported by `ballesta linearize --reduce`.

    Bound, error and Hankel singular values refer to channels divided by their scales.
    """

    method: str
    """`balanced` or `modal`."""
    states: list[str]
    """Names of the states x of the full model."""
    kept: int
    """Number of exactly kept states, the first ones of z. Their eigenvalues do not decay."""
    hankel: Floats
    """Hankel singular values of the stable part of the full model, in descending order."""
    bound: float | None
    """Upper bound of the H-infinity norm of the error; None if undamped modes are omitted."""
    error: float | None
    """Largest computed error over frequency."""
    error_hz: float | None
    """Frequency of the largest error."""
    to_full: Floats
    """x ≈ to_full z, shape (states of the full model, states)."""
    from_full: Floats
    """z = from_full x, shape (states, states of the full model)."""


class Linearization:
    """dx/dt = A x + B u + E p, y = C x + D u + F p for small changes about a state. p are the tunable parameters.

    States are the independent coordinates in rad or m, their speeds `der(…)`, and the states of filters and force
    elements.
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
        """Error of the reduction; None for a full model."""

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<ballesta.Linearization at {self.time:g} s: {sizes}>"


class StepDerivatives:
    """x' = A x + B u + P p: change of the state after a step of `length` s for small changes x of the state at its
    start.

    States are the independent coordinates in rad or m, their speeds `der(…)`, and the states of filters and force
    elements, as in `Linearization`, followed by the internal variables of an implicit scheme. Inputs u are constant
    during the step. p are the tunable parameters. y = C x + D u are changes of the outputs at the start of the step.

    `method` is `exact` if the scheme itself is differentiated (`rk4`, `heun`). Otherwise it is `differences`, and
    `reason` explains why. `A_uncertainty`, `B_uncertainty` and `P_uncertainty` estimate the errors of A, B and P; they
    are 0 for `exact`.
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
        """Estimated error, shape of A."""
        self.B_uncertainty: Floats = found["b_uncertainty"]
        """Estimated error, shape of B."""
        self.P_uncertainty: Floats = found["p_uncertainty"]
        """Estimated error, shape of P."""
        self.states: list[str] = found["states"]
        """Names of the states."""
        self.inputs: list[str] = found["inputs"]
        """Names of the inputs."""
        self.parameters: list[str] = found["parameters"]
        """Names of the tunable parameters."""
        self.outputs: list[str] = found["outputs"]
        """Names of the scalar outputs."""
        self.time: float = found["time"]
        """Time at the start of the step in s."""
        self.length: float = found["length"]
        """Length of the step in s."""
        self.reason: str | None = found["reason"]
        """Why A, B and P are finite differences; None if they are exact."""

    @property
    def method(self) -> str:
        """`exact` or `differences`."""
        return "exact" if self.reason is None else "differences"

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<ballesta.StepDerivatives of {self.length:g} s at {self.time:g} s, {self.method}: {sizes}>"


class Mode(NamedTuple):
    """A mode about a state. For a pair of eigenvalues, the one with positive imaginary part."""

    eigenvalue: complex
    """Eigenvalue in 1/s."""
    frequency_hz: float
    """|λ|/2π; for an oscillation the undamped natural frequency."""
    damping: float
    """−Re λ/|λ|, 0 for λ = 0."""
    shares: dict[str, float]
    """Participation of each state, largest first; sum 1."""
    moves: str
    """Description of the largest participations."""
    uncertainty: float
    """Relative rounding error of the eigenvalue, estimated."""


def _modes(found: list[dict[str, Any]]) -> list[Mode]:
    def mode(row: dict[str, Any]) -> Mode:
        value, shares = complex(row["re"], row["im"]), dict(row["shares"])
        return Mode(value, row["frequency_hz"], row["damping"], shares, row["moves"], row["uncertainty"])

    return [mode(row) for row in found]


class Model:
    """A compiled model, returned by `ballesta.load`.

    A model is immutable: pass parameters to `load` and inputs to `run`. Threads can share a model. A model can be
    pickled; another process then loads it from its file.
    """

    def __init__(self, native: _native.Model, loaded: tuple[Any, ...], folder: str | None = None) -> None:
        self._native = native
        self._loaded = loaded
        if folder is not None:
            # The files of a built-in model exist as long as the model.
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._names = Names([row[:2] for row in native.outputs()], native.vectors())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the arguments of `load`; unpickling loads the model again."""
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
        """Inputs with their start values."""
        return [Variable(*row) for row in self._native.inputs()]

    @property
    def outputs(self) -> list[Variable]:
        """Scalar outputs; vectors are split into `.x`, `.y`, `.z`."""
        return [Variable(*row) for row in self._native.outputs()]

    @property
    def parameters(self) -> list[Variable]:
        """Parameters with their values in this model."""
        return [Variable(*row, minimum, maximum) for row, minimum, maximum in self._native.parameters()]

    def __repr__(self) -> str:
        dof, bodies, joints, loops = self._native.sizes
        return f"<ballesta.Model {self.name}: DOF {dof}, bodies {bodies}, joints {joints}, loops {loops}>"

    def view(self, height: int = 600, live: bool = False) -> Page:
        """Returns the model at its start as a 3-D page, `height` pixels high in a notebook. Sliders move the joints.

        With `live` the page contains the solver and the model runs in it, with sliders, keys or a gamepad as inputs.
        """
        return Page(self._native.page(_own_program() if live else None), height)

    def edit(self, path: str | os.PathLike[str] | None = None, height: int = 800, with_fmu: bool = False) -> Page:
        """Returns the workshop page, in which the model is edited and runs, and writes it to `path` unless None.

        The page contains the files of the model as they are on the disk, without other parameters or another step.

        With `with_fmu` the page also writes FMUs with the libraries that `export_fmu` packs.
        """
        html, remarks = self._native.workshop(_own_program(), with_fmu)
        warn(remarks)
        page = Page(html, height)
        if path is not None:
            page.save(path)
        return page

    def _inputs(self, inputs: Inputs | None) -> tuple[_native.Inputs | None, list[tuple[str, float]]]:
        """Inputs over time, and constants."""
        if inputs is None:
            return None, []
        if measurements.is_frame(inputs):
            return self._native.parse_inputs(measurements.text_of_frame(inputs), "data frame"), []
        if isinstance(inputs, (str, os.PathLike)):
            text = measurements.text_of_file(inputs, [variable.name for variable in self.inputs])
            if text is not None:
                return self._native.parse_inputs(text, os.fspath(inputs)), []
            return self._native.read_inputs(os.fspath(inputs)), []
        if not isinstance(inputs, Mapping):
            raise TypeError(f"inputs: found {type(inputs).__name__}; expected the path of a file, a dictionary or a data frame")
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
        """Simulates from the start of the experiment to `stop` in s with outputs every `step` s, like `ballesta run`.

        `inputs`: path of a table (`.csv`, `.csv.gz`, `.parquet`, `.xlsx`, `.mat`, `.mf4`), a data frame of pandas or polars, or
        a dictionary with the array `time` in s and for each input a number or an array over these times. Inputs are
        linear between two times; two equal times are a jump. `set`: values of parameters
        and of constant inputs. `trim`: start in the equilibrium near the initial position.

        A fault of the solver raises `Fault`; its `result` has the points before the fault. A questionable run warns
        with `QuestionableResult`, or with `strict` raises `Fault`.

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
        """Repeats a run and returns it as a page."""
        return str(self._native.run(*asked, True)["page"])

    def _plot(self, result: Result, columns: list[int]) -> str:
        note = None if result.fault is None else f"stopped: {result.fault}"
        return self._native.plot(result.time.tolist(), np.ascontiguousarray(result.data.T), columns, note)

    def _sensitivity(self, result: Result, asked: Asked, names: tuple[str, ...]) -> Sensitivity:
        """Repeats a run and returns its derivatives."""
        if result.fault is not None:
            raise UsageError(f"the run stopped at {result.time[-1]:g} s; derivatives need a complete run: {result.fault}")
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
        """Returns an instance to step, at the start of the experiment or at `start` in s.

        `set`: values of parameters and inputs. `trim`: start in the equilibrium near the initial position.

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
        """Steps n instances in parallel threads, without the lock of the interpreter.

        `states`: one state for all instances, or one per instance. Default: the start of the model. `inputs`: an array
        of shape (n, steps, inputs) or (steps, inputs), or a dictionary from names to numbers or arrays of shape
        (steps,) or (n, steps). Each value is constant during its step. Other inputs keep their values in the states.
        `steps`: number of steps; needed if no array defines it. `step`: length of a step in s. Default: the
        communication step of the experiment. `outputs`: names of outputs to keep. Default: all.

        Instance i after step k has the same bits as a simulator with its state and inputs after `step(until=time + (k +
        1) * step)`, for any number of threads. A fault stops only its own instance: see `Rollout.faults`.
        `Rollout.warnings` has the warnings. Faults and warnings raise one `QuestionableResult` each.

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
            raise UsageError("states: found none; expected at least one")
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
            warn([f"{len(stopped)} of {n} instances stopped with a fault; instance {index}: {text}"])
        told = [(index, text) for index, text in enumerate(rollout.warnings) if text is not None]
        if told:
            index, text = told[0]
            warn([f"{len(told)} of {n} instances are questionable; instance {index}: {text}"])
        return rollout

    def _held(self, inputs: Mapping[str, Any] | Floats | Sequence[Any] | None, steps: int | None) -> tuple[list[int], Floats]:
        """Indices of the inputs, and their values with shape (n or 1, steps, inputs)."""
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
                raise UsageError("steps: unknown; give steps, or inputs as arrays over the steps")
            if len(counts) > 1 or len(instances) > 1:
                shapes = ", ".join(f"{name} {found.shape}" for name, found in columns)
                raise UsageError(f"inputs: shapes are inconsistent with each other or with steps: {shapes}; expected (steps,) or (n, steps)")
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
        """Returns the matrices A to F at the start, or with `trim` at the equilibrium near it, like `ballesta
        linearize`.

        `reduce`: number of states. `reduce_to_error`: largest error bound. `reduction`: `balanced` or `modal`.
        `inputs`, `outputs`: channels of the reduced model, as names or as names with the change that corresponds to 1.

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
        """Returns the modes about the start, or with `trim` about the equilibrium, by ascending |λ|.

        >>> import ballesta
        >>> [round(mode.frequency_hz, 3) for mode in ballesta.load("quarter-car").modes(trim=True) if mode.eigenvalue.imag]
        [1.08, 11.127]
        """
        return self.simulator(set=set, trim=trim).modes()

    def trim(self, set: Values | None = None) -> dict[str, Any]:  # noqa: A002
        """Returns the static equilibrium near the start, or steady driving for a vehicle on tyres.

        Keys: `coordinates` (all joint positions in rad or m), `forces_left` (residual forces along the independent
        coordinates, N m or N), `potential_energy` in J, `unstable_directions`, `iterations`, `driving` (for a vehicle
        `speed_m_s`, `turning_rad_s`, `torque_nm`, …; otherwise None).
        """
        return self.simulator(set=set).trim()

    def check(self, set: Values | None = None, trim: bool = False) -> dict[str, Any]:  # noqa: A002
        """Returns the dictionary of `ballesta check --json`: degrees of freedom, loops, redundant constraints, groups,
        longest stable step, weights.

        If the model cannot start, `fault` has the reason and a warning is issued.

        >>> import ballesta
        >>> found = ballesta.load("four-bar").check()
        >>> found["dof"], found["loops"], found["redundant"]
        (0, 1, 3)
        """
        findings, warning, fault = _native.check(self._native, arrays.pairs("set", set), bool(trim))
        warn(text for text in (*findings["assembly"]["warnings"], warning, fault) if text is not None)
        return {**findings, "fault": fault}

    def groups(self) -> dict[str, Any]:
        """Returns the structural groups in their solution order, like `ballesta groups --json`."""
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
        """Estimates the errors of all outputs with halved steps and a second integrator, like `ballesta verify --json`.

        `converges` is true if all results meet the relative error `tolerance`. Otherwise `failures` has the reasons and
        `QuestionableResult` is raised as a warning. `warnings` has findings that shorter steps and another integrator
        cannot detect; they are raised as warnings too.
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
        """Measures kinematics and compliance of the axles of a vehicle, like `ballesta rig MODEL kc --json`.

        `axles` has the figures of axles and wheels in the design position, and `compliance`. `tests` has the figures
        over `bump`, `roll` and `steer`: `along` is the height of the left wheels in m or the change of the steering
        input, `figures` has numpy arrays by name. Units are SI; axes and signs follow ISO 8855.

        `travel`: wheel travel above and below the design position, m. `points`: points per test. `steering`: steering
        input. `steer_range`: its largest change. `wheels`: joints of wheels without tyres. `radius`: radius of all
        wheels, m. `fix`: bodies to fix in addition to the bodywork, such as a trailer. `without`: force elements to
        remove. `set`: values of parameters and inputs.
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
        """Drives a vehicle through a manoeuvre, given by name or file, like `ballesta manoeuvre --json`.

        `runs` has one entry per steering factor: `factor`, `amplitude_rad`, `events_s`, `measures` (a list of `name`,
        `value`, `unit`, limits and verdict), `judgement` and `series`. `series` has numpy arrays by name: `time`, the
        outputs of the model, and the channels of the vehicle such as `manoeuvre.yaw_rate`. A questionable run raises a
        warning.

        `speed`: initial speed, m/s. `stop`: stop time, s. `factor`: steering factor of a single run. `set`: values of
        parameters, and of inputs that the manoeuvre does not drive.
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

    def export_fmu(
        self,
        path: str | os.PathLike[str],
        fmi: str = "2.0",
        hold_mode: bool = False,
        sources: str | None = None,
        sources_only: bool = False,
    ) -> dict[str, Any]:
        """Exports the model as an FMU of FMI 2.0 or 3.0, like `ballesta export`.

        `hold_mode` adds the parameter `hold_on_fault` (default false) and the output `fault`, like `--hold-mode`.
        `sources` adds C sources, like `--sources`: with `"steps"` fixed parameters become constants, with `"full"` they
        remain parameters. `sources_only` leaves the libraries out.

        Returns `bytes`, `guid`, `platforms`, `entries`, `remarks`, … An FMU contains the model file unchanged. A model
        that was loaded with other parameters or another step is therefore rejected.
        """
        facts, remarks = _native.export_fmu(self._native, os.fspath(path), fmi, hold_mode, sources, sources_only, _own_program())
        warn(self._native.warnings)
        return {**facts, "remarks": remarks}


def _own_program() -> Path:
    """Path of the program whose folder determines the location of the libraries."""
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
    recovery: Sequence[str | os.PathLike[str]] = (),
    recover: Sequence[str] = (),
) -> Model:
    """Loads and compiles a model: a model file, a folder with a `model.toml`, or the name of a built-in model.

    `parameters`: values that replace values of the file, in its units. `step`: internal step of the solver in s.
    Default: from the file. `templates()` lists the built-in models; a file or folder with the same name has priority.
    `recovery`: recovery files of flexible bodies. `recover`: names of their nodes and sections, whose displacements,
    forces and stresses become outputs.

    Invalid files raise `ModelError` with every error. Unknown names and invalid values raise `UsageError`. Unreadable
    files raise `OSError`.

    >>> import ballesta
    >>> ballesta.load("four-bar")
    <ballesta.Model four_bar: DOF 0, bodies 3, joints 4, loops 1>
    >>> [parameter.name for parameter in ballesta.load("four-bar").parameters]
    ['crank.speed']
    """
    given, internal = arrays.pairs("parameters", parameters), arrays.optional(arrays.positive, "step", step)
    for what, values in (("recovery", recovery), ("recover", recover)):
        if isinstance(values, (str, os.PathLike)):
            raise TypeError(f"{what}: found {values!r}; expected a list")
    files, names = [os.path.abspath(file) for file in recovery], [str(name) for name in recover]
    place = Path(path)
    if place.exists() or not isinstance(path, str) or len(place.parts) > 1 or place.suffix:
        loaded = (os.path.abspath(path), dict(given), internal, files, names)
        return Model(_native.Model(place, given, internal, files, names), loaded)
    template = _native.template(path)
    folder = tempfile.mkdtemp(prefix="ballesta-")
    try:
        for name, text in template:
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        return Model(_native.Model(Path(folder), given, internal, files, names), (path, dict(given), internal, files, names), folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def templates() -> dict[str, str]:
    """Returns the built-in models with their descriptions. `load` accepts their names; `ballesta new` writes their
    files.

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
    """Reduces a finite element structure to a flexible body, written to the file `output`, like `ballesta reduce`.

    `structure`: structure file, or folder with a `structure.toml`. `modes`: number of internal modes. Default: from the
    structure.
    `comparison`: compare with the modes of the full structure, which needs another factorisation. Returns the
    dictionary of `ballesta reduce --json`: `frequencies_hz`, `checks`, `seconds`, …
    """
    number = None if modes is None else arrays.count("modes", modes)
    return _native.reduce(os.fspath(structure), os.fspath(output), number, bool(comparison))
