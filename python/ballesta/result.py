"""What a run gives: arrays by name, tables, pictures, the 3-D page."""

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
    """A picture of curves as SVG, shown by notebooks."""

    def __init__(self, svg: str) -> None:
        self.svg: str = svg
        """The picture."""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture, as SVG or PNG by the ending of the name."""
        _native.write_picture(os.fspath(path), self.svg)

    def __repr__(self) -> str:
        return f"<ballesta.Plot, {len(self.svg)} characters of SVG>"


class Page:
    """A 3-D page that needs no network, shown by notebooks in a frame."""

    def __init__(self, page: str, height: int = 600) -> None:
        self.html: str = page
        """The page, one file."""
        self.height: int = height
        """Height in a notebook in pixels."""

    def _repr_html_(self) -> str:
        inside = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{inside}" width="100%" height="{self.height}" style="border: 0" allowfullscreen></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, an HTML file for any browser; its name ends in .html."""
        if Path(path).suffix.lower() != ".html":
            raise UsageError(f"{path}: the name of a page ends in .html")
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<ballesta.Page, {len(self.html)} characters of HTML>"


class Sensitivity:
    """Derivatives of the outputs of a run over time, by parameters, inputs and the start.

    `s["spring.stiffness", "chassis.position.z"]` has shape (n,), a vector such as `s["spring.stiffness", "chassis.position"]` shape
    (n, 3), `s["spring.stiffness"]` all scalar outputs, shape (n, outputs).
    """

    time: Floats
    """Times of the communication points in s, shape (n,)."""
    names: tuple[str, ...]
    """What the derivatives are by."""
    data: Floats
    """All derivatives, shape (names, n, outputs), in units of the output per unit of the name. NaN of reactions whose split redundant
    constraints leave open; 0 of integers and booleans."""
    uncertainty: Floats
    """Estimates of the errors of `data`, same shape: of differences, and of a start that depends on a parameter; 0 elsewhere."""
    method: dict[str, str]
    """By name: `exact` or `differences`."""
    reason: dict[str, str]
    """By name: why there are differences; empty where there are none."""

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

    `result["left.angle"]` has shape (n,), a vector such as `result["chassis.position"]` shape (n, 3); `result["time"]` are the times.

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
    """Unit of every output by its name; `1` for numbers without dimension."""
    judgement: dict[str, Any]
    """What the run says about itself: gaps of loops in m, the energy balance in J, steps, as in `ballesta run --json`."""
    warnings: list[str]
    """Why the result is not to be trusted; empty where nothing speaks against it."""
    seconds: float
    """Time of computing in s."""

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
        """What stopped the run, of the result that a `Fault` has; None otherwise."""
        self.seconds = found["seconds"]

    def __getstate__(self) -> dict[str, Any]:
        """Pickled with its numbers; where it is unpickled, `plot` loads the model again, and `view` is not to be had."""
        return {**self.__dict__, "_model": None, "_asked": None}

    def _of(self) -> Model:
        if self._model is None:
            from ballesta.model import load

            self._model = load(*self._loaded)
            if self._model._names.scalars != self.names:
                raise UsageError(f"{self._model.file} has other outputs than when this result was made")
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
        """A table with a column per scalar output over the index `time` in s; units in `frame.attrs["units"]`. Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install 'ballesta[pandas]'") from None
        frame = pandas.DataFrame(np.array(self.data), index=pandas.Index(self.time, name="time"), columns=list(self.names))
        frame.attrs["units"] = dict(self.units)
        return frame

    def plot(self, *names: str) -> Plot:
        """Curves of these outputs over time, one panel per unit; without names those that the model file wants, or all.

        The picture is SVG, drawn as by `ballesta run --plot`; notebooks show it, `save` writes it.
        """
        return Plot(self._of()._plot(self, self._names.columns(names)))

    def view(self, height: int = 600) -> Page:
        """The motion as a 3-D page, `height` pixels high in a notebook. It simulates again, to the same bits, and records the poses."""
        if self._asked is None or self._model is None:
            raise UsageError("a result from another process has no motion to view; run the model here")
        return Page(self._model._page(self._asked), height)

    def sensitivity(self, *names: str) -> Sensitivity:
        """Derivatives of all outputs at all points of this run by `names`. It simulates again.

        A name is a parameter, an input (a constant added to it over the whole run), or `initial(…)` of a coordinate that is independent
        at the start, or of its speed: `initial(pivot)`, `initial(der(pivot))`. Without names: all tunable parameters and inputs.

        Of the integrators `rk4` and `heun` they are the derivatives of the computed motion, taken along with the steps: `exact`. Where
        that is not to be had they are extrapolated central differences of whole runs, with an estimate of their error: with other
        integrators, by fixed parameters (masses, lengths: the model is compiled anew), and where the run passes a singular position or a
        brake locks.

        >>> import ballesta
        >>> result = ballesta.load("pendulum").run(stop=0.5)
        >>> found = result.sensitivity("bearing.damping", "initial(pivot)")
        >>> found["bearing.damping", "arm.angle"].shape, found.method["bearing.damping"]
        ((51,), 'exact')
        """
        if self._asked is None or self._model is None:
            raise UsageError("a result from another process has no motion to differentiate; run the model here")
        return self._model._sensitivity(self, self._asked, names)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} s to {self.time[-1]:g} s" if len(self.time) else "no points"
        return f"<ballesta.Result: {len(self.names)} outputs at {len(self.time)} points, {span}>"
