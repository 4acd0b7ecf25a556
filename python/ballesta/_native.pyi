"""The compiled part of the package; `Simulator` and `State` are public, the rest is for the modules of the package."""

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
    """Everything that decides how a simulation goes on: positions, speeds, states of elements, inputs, tunable parameters, time, and what the
    run says about itself so far.

    It belongs to a model with its files, internal step and fixed parameters, not to a simulator: every simulator of that model, also one in
    another process (a state can be pickled), goes on from it with the same bits.
    """

    @property
    def time(self) -> float:
        """Time in s."""

    def to_bytes(self) -> bytes:
        """The state as bytes, the same on every platform, with a checksum."""

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """The state that `to_bytes` wrote; `UsageError` where the bytes are damaged or none of a state."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class Simulator:
    """A running instance of a model, made by `Model.simulator`.

    It is stepped, read and set between steps; its state can be kept and given back. Inputs hold their value until they are set again. The
    solver is that of `Model.run` and of exported FMUs: the same steps give the same bits.
    """

    @property
    def time(self) -> float:
        """Present time in s."""

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, in the order of `inputs`."""

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the scalar outputs, in the order of `outputs()`."""

    @property
    def inputs(self) -> Floats:
        """Values of all inputs, shape (inputs,), as a copy that cannot be written; assign an array to set them all."""

    @inputs.setter
    def inputs(self, values: Floats) -> None: ...
    @overload
    def set(self, name: str, value: float) -> None: ...
    @overload
    def set(self, name: Mapping[str, float], value: None = None) -> None:
        """Sets an input or a tunable parameter, or several as a dictionary, from the present time on. All names and values are checked before
        the first is set.
        """

    def get(self, name: str) -> Any:
        """The present value of an output, input or parameter: a number, or an array of shape (3,) for a vector such as `chassis.position`.
        """

    def outputs(self, out: Floats | None = None) -> Floats:
        """Values of all scalar outputs at the present time, shape (outputs,); written into `out` where that is given."""

    def step(self, h: float | None = None, *, until: float | None = None) -> None:
        """Goes on by `h` s, or to the time `until` in s; by the communication step of the model where neither is given.

        The solver makes internal steps, the last one clipped. On a fault it stays at the last good internal step, and `Fault` is raised.
        """

    def save(self) -> State:
        """The present state, to be restored by any simulator of the model."""

    def restore(self, state: State) -> None:
        """Goes back, or forward, to a state that `save` returned; its inputs and tunable parameters come with it."""

    def reset(self) -> None:
        """Back to where this simulator began, with the inputs and parameters of then."""

    def trim(self) -> dict[str, Any]:
        """Replaces the state by the static equilibrium near it, or by the steady driving of a vehicle on tyres; returns what `Model.trim`
        does.
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
        """A to F at the present state and inputs, reduced to fewer states where that is asked for."""

    def step_derivatives(self, h: float | None = None, *, differences: bool = False) -> StepDerivatives:
        """Derivatives of what a step of `h` s computes, of the communication step where none is given; nothing moves.

        Exact for `rk4` and `heun`, by differences of the step for other integrators, or with `differences`, to compare with.
        """

    def coordinates(self) -> dict[str, float]:
        """Positions of all coordinates by their names, in rad or m, and their speeds `der(…)`; of a free rotation its quaternion."""

    def set_coordinates(self, values: Mapping[str, float]) -> None:
        """Puts the mechanism elsewhere at the present time, by the names of `coordinates`, with values in rad, m, rad/s, m/s.

        Coordinates that are not given stay as near to where they are as loops let them. Where given ones do not fit together, or are
        guided, `UsageError`, and nothing has moved. States of force elements and filters stay; the run is judged anew.
        """

    def modes(self) -> list[Mode]:
        """Modes of the motion about the present state, by ascending |λ|."""

    def judgement(self) -> dict[str, Any]:
        """What the run says about itself so far, as `ballesta run --json` has it."""

    def warnings(self) -> list[str]:
        """Why the run so far is not to be trusted; empty where nothing speaks against it."""

@final
class Inputs: ...

@final
class Model:
    def __new__(cls, path: str | PathLike[str], parameters: Pairs, step: float | None) -> Model: ...
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
    def read_inputs(self, path: str | PathLike[str]) -> Inputs: ...
    def table(self, times: list[float], columns: list[tuple[str, list[float]]]) -> Inputs: ...
    def run(
        self, stop: float | None, step: float | None, inputs: Inputs | None, set: Pairs, trim: bool, page: bool
    ) -> dict[str, Any]: ...
    def plot(self, times: list[float], data: Floats, chosen: list[int], note: str | None) -> str: ...
    def simulator(self, start: float | None, set: Pairs, trim: bool) -> Simulator: ...
    def page(self, live: PathLike[str] | None = None) -> str: ...

@final
class Study:
    """A study that was read and checked: `Study(path)`.

    A run depends on its number alone, so any process may make any of them. Everything is read once; the study does not change with its
    files. Wrong files raise `ModelError` with every place.
    """

    def __new__(cls, path: str | PathLike[str]) -> Study: ...
    @property
    def hash(self) -> str:
        """Hash of the content of all files, and of the version of ballesta: 64 hexadecimal digits. Where the files lie does not count."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def runs(self) -> int:
        """Number of runs."""

    @property
    def block(self) -> int:
        """Number of runs of a block, which is a task and a row group of the result."""

    @property
    def entry(self) -> str:
        """Path of the study's file among `files()`."""

    def files(self) -> dict[str, bytes]:
        """Everything that reading the study needs, by relative path. Written to an empty folder, `entry` there is the same study."""

    def point(self, run: int) -> dict[str, float | str]:
        """What varies in a run: value by name, in the units of the model; of input files the path."""

    def work(self, first: int, end: int) -> bytes:
        """Makes the runs from `first` up to before `end`; their rows as bytes for `Journal.add`."""

    def journal(self, result: str | PathLike[str], restart: bool) -> Journal | dict[str, Any]:
        """The rows that are stored beside `result`; `restart` discards them. Where the result of this study is there already, what
        `Journal.finish` returned.
        """

    def run(self, journal: Journal, threads: int, listener: Callable[[int], None] | None) -> None:
        """Makes the missing runs of a journal on threads of this process. `listener(runs)` hears of rows that were stored."""

@final
class Journal:
    """The rows of a study that are stored already."""

    @property
    def stored(self) -> int:
        """Number of runs whose rows are stored."""

    def missing(self) -> list[tuple[int, int]]:
        """Ranges of runs that are missing, (first, end), each within a block."""

    def add(self, rows: bytes) -> int:
        """Stores rows of `Study.work`; the number of runs that were not stored before."""

    def finish(self) -> dict[str, Any]:
        """Writes the result and removes the journal. Returns the number of runs by how they ended, and the first reasons of those that are not
        done.
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
    model: Model, path: str | PathLike[str], fmi: str, program: str | PathLike[str] | None
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
