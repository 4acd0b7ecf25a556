"""Compiled part of the package. `Simulator` and `State` are public; the rest is internal."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Mapping, final, overload

from ballesta.arrays import Floats
from ballesta.model import Channels, Linearization, Mode, StepDerivatives

__version__: str

Row = tuple[str, str, str, float | None, str]
Pairs = list[tuple[str, float]]

@final
class State:
    """Complete state of a simulation: positions, speeds, states of elements, inputs, tunable parameters, time, and the
    diagnostics of the run so far.

    A state belongs to a model with its files, internal step and fixed parameters, not to a simulator. Every simulator
    of this model continues from it with the same bits, also in another process: a state can be pickled.
    """

    @property
    def time(self) -> float:
        """Time in s."""

    def to_bytes(self) -> bytes:
        """Returns the state as bytes with a checksum. The bytes are the same on every platform."""

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """Reads a state from the bytes of `to_bytes`. Raises `UsageError` if the bytes are damaged or not a state."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class Simulator:
    """A running instance of a model, made by `Model.simulator`.

    Variables can be read and set between steps, and the state can be saved and restored. Inputs keep their values until
    they are set again. `Model.run` and exported FMUs use the same solver: the same steps give the same bits.
    """

    @property
    def time(self) -> float:
        """Current time in s."""

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, in the order of `inputs`."""

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the scalar outputs, in the order of `outputs()`."""

    @property
    def inputs(self) -> Floats:
        """Values of all inputs, shape (inputs,), as a read-only copy; assign an array to set them all."""

    @inputs.setter
    def inputs(self, values: Floats) -> None: ...
    @overload
    def set(self, name: str, value: float) -> None: ...
    @overload
    def set(self, name: Mapping[str, float], value: None = None) -> None:
        """Sets an input or tunable parameter, or several as a dictionary, from the current time on. All names and
        values are checked before the first one is set.
        """

    def get(self, name: str) -> Any:
        """Returns the current value of an output, input or parameter: a number, or an array of shape (3,) for a vector
        such as `chassis.position`.
        """

    def outputs(self, out: Floats | None = None) -> Floats:
        """Returns the current values of all scalar outputs, shape (outputs,). With `out` they are written to this
        array.
        """

    def step(self, h: float | None = None, *, until: float | None = None) -> None:
        """Simulates for `h` s, or up to the time `until` in s. Default: one communication step of the model.

        The solver makes internal steps and shortens the last one. A fault raises `Fault`; the simulator then has the
        state of the last valid internal step.
        """

    def save(self) -> State:
        """Returns the current state, which any simulator of the model can restore."""

    def restore(self, state: State) -> None:
        """Restores a state from `save`, including its time, inputs and tunable parameters."""

    def reset(self) -> None:
        """Restores the initial state of this simulator, including its initial inputs and parameters."""

    def trim(self) -> dict[str, Any]:
        """Replaces the state by the static equilibrium near it, or by steady driving for a vehicle on tyres. Returns
        the same dictionary as `Model.trim`.
        """

    def linearize(
        self,
        *,
        reduce: int | None = None,
        reduce_to_error: float | None = None,
        reduction: str = "balanced",
        static_correction: bool = False,
        inputs: Channels | None = None,
        outputs: Channels | None = None,
    ) -> Linearization:
        """Returns the matrices A to F at the current state and inputs, reduced to fewer states on request."""

    def step_derivatives(self, h: float | None = None, *, differences: bool = False) -> StepDerivatives:
        """Returns the derivatives of a step of `h` s (default: the communication step). The state does not change.

        The derivatives are exact for `rk4` and `heun`. For other integrators, and with `differences`, they are finite
        differences of the step.
        """

    def coordinates(self) -> dict[str, float]:
        """Returns the positions of all coordinates by name, in rad or m, and their speeds `der(…)`. A free rotation is
        a quaternion.
        """

    def set_coordinates(self, values: Mapping[str, float]) -> None:
        """Moves the mechanism to other coordinates at the current time. Names are as in `coordinates`, values in rad,
        m, rad/s or m/s.

        The other coordinates change as little as the loops allow. If the given values are inconsistent or a coordinate
        is driven, `UsageError` is raised and nothing changes. States of force elements and filters are kept, and the
        diagnostics of the run start again.
        """

    def modes(self) -> list[Mode]:
        """Returns the modes about the current state, by ascending |λ|."""

    def judgement(self) -> dict[str, Any]:
        """Returns the diagnostics of the run so far, as in `ballesta run --json`."""

    def warnings(self) -> list[str]:
        """Returns the reasons why the run so far is questionable; empty if there are none."""

@final
class Inputs: ...

@final
class Model:
    def __new__(
        cls,
        path: str | PathLike[str],
        parameters: Pairs,
        step: float | None,
        recovery: list[str],
        recover: list[str],
    ) -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def file(self) -> PathLike[str]: ...
    @property
    def step(self) -> float: ...
    @property
    def integrator(self) -> str: ...
    @property
    def experiment(self) -> tuple[float, float, float, bool]: ...
    @property
    def sizes(self) -> tuple[int, int, int, int]: ...
    @property
    def warnings(self) -> list[str]: ...
    def inputs(self) -> list[Row]: ...
    def outputs(self) -> list[Row]: ...
    def parameters(self) -> list[tuple[Row, float | None, float | None]]: ...
    def vectors(self) -> list[tuple[str, int, int]]: ...
    def parse_inputs(self, text: str, name: str) -> Inputs: ...
    def read_inputs(self, path: str | PathLike[str]) -> Inputs: ...
    def table(self, times: list[float], columns: list[tuple[str, list[float]]]) -> Inputs: ...
    def run(
        self, stop: float | None, step: float | None, inputs: Inputs | None, set: Pairs, trim: bool, page: bool
    ) -> dict[str, Any]: ...
    def plot(self, times: list[float], data: Floats, chosen: list[int], note: str | None) -> str: ...
    def simulator(self, start: float | None, set: Pairs, trim: bool) -> Simulator: ...
    def page(self, live: PathLike[str] | None = None) -> str: ...
    def workshop(self, program: PathLike[str], with_fmu: bool) -> tuple[str, list[str]]: ...

@final
class Study:
    """A parameter study, read and checked by `Study(path)`.

    A run depends only on its number, so any process can compute any run. All files are read once; later changes of the
    files have no effect. Invalid files raise `ModelError` with every error.
    """

    def __new__(cls, path: str | PathLike[str]) -> Study: ...
    @property
    def hash(self) -> str:
        """Hash of the content of all files and of the version of ballesta, 64 hexadecimal digits. It does not depend on
        the folder of the files.
        """

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def runs(self) -> int:
        """Number of runs."""

    @property
    def block(self) -> int:
        """Number of runs per block. A block is one task and one row group of the result."""

    @property
    def entry(self) -> str:
        """Path of the study file in `files()`."""

    def files(self) -> dict[str, bytes]:
        """Contents of all files of the study by relative path. If they are written to an empty folder, `entry` in it is
        the same study.
        """

    def point(self, run: int) -> dict[str, float | str]:
        """Returns the factors of a run by name: values in the units of the model, paths for input files."""

    def work(self, first: int, end: int) -> bytes:
        """Computes the runs from `first` to `end` - 1 and returns their rows as bytes for `Journal.add`."""

    def journal(self, result: str | PathLike[str], restart: bool) -> Journal | dict[str, Any]:
        """Opens the journal next to `result`; `restart` discards its rows. If the result of this study exists already,
        returns the same dictionary as `Journal.finish`.
        """

    def run(self, journal: Journal, threads: int, listener: Callable[[int], None] | None) -> None:
        """Computes the missing runs of a journal in threads of this process. `listener(runs)` is called with the number
        of newly stored rows.
        """

@final
class Journal:
    """Stored rows of an unfinished study."""

    @property
    def stored(self) -> int:
        """Number of runs with stored rows."""

    def missing(self) -> list[tuple[int, int]]:
        """Returns the ranges of missing runs, (first, end), each within a block."""

    def add(self, rows: bytes) -> int:
        """Stores rows from `Study.work` and returns the number of newly stored runs."""

    def finish(self) -> dict[str, Any]:
        """Writes the result and removes the journal. Returns the number of runs by status, and the first reasons of
        runs that are not `done`.
        """

def rollout(
    model: Model,
    states: list[State],
    instances: int,
    steps: int,
    inputs: list[int],
    values: Floats,
    h: float,
    outputs: list[int],
    threads: int,
) -> dict[str, Any]: ...
def sensitivity(
    model: Model,
    stop: float | None,
    step: float | None,
    inputs: Inputs | None,
    set: Pairs,
    trim: bool,
    names: list[str],
) -> dict[str, Any]: ...
def check(model: Model, set: Pairs, trim: bool) -> tuple[dict[str, Any], str | None, str | None]: ...
def groups(model: Model) -> dict[str, Any]: ...
def verify(
    model: Model,
    stop: float | None,
    step: float | None,
    internal_step: float | None,
    tolerance: float,
    inputs: Inputs | None,
    set: Pairs,
    trim: bool,
    one_integrator: bool,
) -> dict[str, Any]: ...
def export_fmu(
    model: Model,
    path: str | PathLike[str],
    fmi: str,
    hold_mode: bool,
    sources: str | None,
    sources_only: bool,
    program: str | PathLike[str] | None,
) -> tuple[dict[str, Any], list[str]]: ...
def write_picture(path: str, svg: str) -> None: ...
def reduce(
    structure: str | PathLike[str], output: str | PathLike[str], modes: int | None, comparison: bool
) -> dict[str, Any]: ...
def import_robot(
    path: PathLike[str],
    output: PathLike[str],
    packages: list[tuple[str, Path]],
    floating: bool,
    mend_inertias: bool,
    as_they_are: bool,
    keyframe: str | None,
    contacts: str,
    force: bool,
) -> dict[str, Any]: ...
def kc(
    model: Model,
    travel: float,
    steer_range: float | None,
    points: int,
    steering: str | None,
    wheels: list[str],
    radius: float | None,
    fixed: list[str],
    without: list[str],
    set: Pairs,
) -> dict[str, Any]: ...
def manoeuvre(
    model: Model, file: str | PathLike[str], speed: float | None, stop: float | None, factor: float | None, set: Pairs
) -> tuple[dict[str, Any], list[tuple[dict[str, Floats], str | None]]]: ...
def tyre(
    files: list[Path],
    at: list[list[tuple[str, float]]],
    loads: list[float],
    cambers: list[float],
    kappa: float | None,
    alpha: float | None,
    pressure: float | None,
    side: str | None,
) -> tuple[dict[str, Any], str]: ...
def suggestion(name: str, known: list[str]) -> str: ...
def templates() -> list[tuple[str, str]]: ...
def template(name: str) -> list[tuple[str, str]]: ...
