"""Results of a run: arrays by name, tables, pictures and 3-D pages."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ballesta import _native
from ballesta._native import Inputs
from ballesta.arrays import Floats
from ballesta.errors import UsageError
from ballesta.named import Names, suggestion

if TYPE_CHECKING:
    import pandas

    from ballesta.model import Model


#: Stop and communication step in s, inputs over time, constants, trim.
Asked = tuple[Union[float, None], Union[float, None], Union[Inputs, None], list[tuple[str, float]], bool]


class Plot:
    """A plot as SVG, displayed by notebooks."""

    def __init__(self, svg: str) -> None:
        self.svg: str = svg
        """The SVG text."""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture (`.svg` or `.png`)."""
        _native.write_picture(os.fspath(path), self.svg)

    def __repr__(self) -> str:
        return f"<ballesta.Plot, {len(self.svg)} characters of SVG>"


class Page:
    """A 3-D page, usable offline, displayed by notebooks in a frame."""

    def __init__(self, page: str, height: int = 600) -> None:
        self.html: str = page
        """The HTML text."""
        self.height: int = height
        """Height in a notebook in pixels."""

    def _repr_html_(self) -> str:
        inside = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{inside}" width="100%" height="{self.height}" style="border: 0" allowfullscreen></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page as one file for any browser. The name must end in `.html`."""
        if Path(path).suffix.lower() != ".html":
            raise UsageError(f"{path}: expected a name that ends in .html")
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<ballesta.Page, {len(self.html)} characters of HTML>"


class Sensitivity:
    """Derivatives of the outputs of a run with respect to parameters, inputs and initial values, over time.

    `s["spring.stiffness", "chassis.position.z"]` has shape (n,), a vector such as `s["spring.stiffness",
    "chassis.position"]` shape (n, 3), `s["spring.stiffness"]` all scalar outputs, shape (n, outputs).
    """

    time: Floats
    """Times of the communication points in s, shape (n,)."""
    names: tuple[str, ...]
    """Names of the parameters, inputs and initial values."""
    data: Floats
    """All derivatives, shape (names, n, outputs), in units of the output per unit of the name. NaN for reactions that
    are undetermined because of redundant constraints; 0 for integers and booleans.
    """
    uncertainty: Floats
    """Estimated errors of `data`, same shape: of finite differences, and of an initial state that depends on a
    parameter; otherwise 0.
    """
    method: dict[str, str]
    """By name: `exact` or `differences`."""
    reason: dict[str, str]
    """By name: why finite differences are used; empty for exact derivatives."""

    def __init__(self, names: tuple[str, ...], outputs: Names, time: Floats, found: dict[str, Any]) -> None:
        self.names, self.time = names, time
        self.data, self.uncertainty = found["data"], found["uncertainty"]
        self.method = dict(zip(names, found["methods"]))
        self.reason = dict(zip(names, found["reasons"]))
        self._outputs = outputs

    def __getitem__(self, key: str | tuple[str, str]) -> Floats:
        name, output = key if isinstance(key, tuple) else (key, None)
        if name not in self.names:
            raise UsageError(f"{name}: not among the names; {suggestion(str(name), self.names)}")
        found: Floats = self.data[self.names.index(name)]
        return found if output is None else found[:, self._outputs.place(output)]

    def __repr__(self) -> str:
        return f"<ballesta.Sensitivity by {', '.join(self.names)}: {self.data.shape[2]} outputs at {self.data.shape[1]} points>"


class Result(Mapping[str, Floats]):
    """Outputs of a run at its communication points, a mapping from names to arrays.

    `result["left.angle"]` has shape (n,), a vector such as `result["chassis.position"]` shape (n, 3); `result["time"]`
    has the times.

    >>> import ballesta
    >>> result = ballesta.load("pendulum").run(stop=0.5)
    >>> sorted(result)[:2], len(result.time)
    (['arm.angle', 'energy_balance'], 51)
    """

    time: Floats
    """Times of the communication points in s, shape (n,)."""
    data: Floats
    """All scalar outputs, shape (n, outputs), in the order of `names`."""
    names: tuple[str, ...]
    """Names of the scalar outputs."""
    units: dict[str, str]
    """Unit of every output by name; `1` for dimensionless numbers."""
    judgement: dict[str, Any]
    """Run diagnostics: gaps of loops in m, energy balance in J, numbers of steps, as in `ballesta run --json`."""
    warnings: list[str]
    """Reasons why the result is questionable; empty if there are none."""
    seconds: float
    """Computing time in s."""

    def __init__(
        self,
        model: Model,
        names: Names,
        found: dict[str, Any],
        asked: Asked,
    ) -> None:
        self._model: Model | None = model
        self._loaded = model._loaded
        self._names = names
        self._asked: Asked | None = asked
        self.time = found["time"]
        self.data = found["data"].T
        self.names = names.scalars
        self.units = {"time": "s", **names.units}
        self.judgement = found["judgement"]
        self.warnings = found["warnings"]
        self.fault: str | None = found["fault"]
        """Fault that stopped the run, in the result of a `Fault`; otherwise None."""
        self.seconds = found["seconds"]

    def __getstate__(self) -> dict[str, Any]:
        """Pickles the numbers. After unpickling, `plot` loads the model again and `view` is not available."""
        return {**self.__dict__, "_model": None, "_asked": None}

    def _of(self) -> Model:
        if self._model is None:
            from ballesta.model import load

            self._model = load(*self._loaded)
            if self._model._names.scalars != self.names:
                raise UsageError(f"the outputs of {self._model.file} have changed since this result was computed")
        return self._model

    def __getitem__(self, name: str) -> Floats:
        if name == "time":
            return self.time
        return self.data[:, self._names.place(name)]

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self._names.places

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names.places)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a table with one column per scalar output and the index `time` in s. `frame.attrs["units"]` has the
        units. Needs pandas.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install 'ballesta[pandas]'") from None
        frame = pandas.DataFrame(np.array(self.data), index=pandas.Index(self.time, name="time"), columns=list(self.names))
        frame.attrs["units"] = dict(self.units)
        return frame

    def plot(self, *names: str) -> Plot:
        """Plots these outputs over time, one panel per unit. Default: the plots of the model file, or all outputs.

        The picture is the SVG of `ballesta run --plot`. Notebooks display it; `save` writes it.
        """
        return Plot(self._of()._plot(self, self._names.columns(names)))

    def view(self, height: int = 600) -> Page:
        """Returns the motion as a 3-D page, `height` pixels high in a notebook. It repeats the simulation, with the
        same bits, and records the poses.
        """
        if self._asked is None or self._model is None:
            raise UsageError("a result from another process has no motion to view; run the model in this process")
        return Page(self._model._page(self._asked), height)

    def sensitivity(self, *names: str) -> Sensitivity:
        """Returns the derivatives of all outputs at all points of this run with respect to `names`. It repeats the
        simulation.

        A name is a parameter, an input (a constant offset over the whole run), or the initial value of a coordinate
        that is independent at the start, or of its speed: `initial(pivot)`, `initial(der(pivot))`. Default: all tunable
        parameters and inputs.

        With `rk4` and `heun` they are the `exact` derivatives of the computed motion, computed with the steps.
        Otherwise they are extrapolated central differences of whole runs, with an error estimate. This applies to other
        integrators, to fixed parameters (such as masses and lengths, for which the model is recompiled), and to runs in
        which the mechanism passes a singular position or a brake locks.

        >>> import ballesta
        >>> result = ballesta.load("pendulum").run(stop=0.5)
        >>> found = result.sensitivity("bearing.damping", "initial(pivot)")
        >>> found["bearing.damping", "arm.angle"].shape, found.method["bearing.damping"]
        ((51,), 'exact')
        """
        if self._asked is None or self._model is None:
            raise UsageError("a result from another process cannot be differentiated; run the model in this process")
        return self._model._sensitivity(self, self._asked, names)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} s to {self.time[-1]:g} s" if len(self.time) else "no points"
        return f"<ballesta.Result: {len(self.names)} outputs at {len(self.time)} points, {span}>"
