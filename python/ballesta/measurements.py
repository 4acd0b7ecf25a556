"""Inputs over time from measurements, spreadsheets and tables of other packages, as the text of a CSV file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ballesta.arrays import Floats
from ballesta.errors import UsageError

SPREADSHEETS = (".xlsx", ".xls", ".ods")
RECORDINGS = (".mf4", ".mdf")
TIMES = ("time", "t", "tout")

#: Values of a channel with their times in s and the unit, which may be empty.
Channel = tuple[Floats, Floats, str]


def is_frame(found: object) -> bool:
    """Returns whether `found` is a data frame of pandas or polars."""
    return hasattr(found, "columns") and hasattr(found, "__getitem__") and not isinstance(found, Mapping)


def text_of_frame(frame: Any) -> str:
    """Returns the CSV text of a data frame. The time is the column `time` or `t`, otherwise the index."""
    names = [str(name) for name in frame.columns]
    columns = {name: _seconds(frame[key]) for name, key in zip(names, frame.columns)}
    first = next((name for name in names if name.split("[")[0].strip().lower() in TIMES[:2]), None)
    if first is None:
        # A counted index is not a time.
        if type(getattr(frame, "index", range(0))).__name__.lower().startswith("range"):
            raise UsageError("inputs: the data frame has no column `time` or `t`, and no index with the time in s")
        first, columns = "time", {"time": _seconds(frame.index), **columns}
    ordered = [first, *(name for name in names if name != first)]
    return _text(ordered, [columns[name] for name in ordered])


def text_of_file(path: str | os.PathLike[str], inputs: Sequence[str]) -> str | None:
    """Returns the CSV text of a spreadsheet, a MAT-file or a recording (MDF) with the channels of `inputs`; None for other files."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending in SPREADSHEETS:
        return _spreadsheet(file)
    if ending == ".mat":
        channels = _matlab(file)
    elif ending in RECORDINGS:
        channels = _recording(file, inputs)
    else:
        return None
    found = {name: channel for name in inputs if (channel := _channel(file, name, inputs, channels))}
    if not found:
        raise UsageError(f"{file}: no channel has the name of an input; the inputs are {', '.join(inputs) or 'none'}")
    # One column of times: linear interpolation does not change the signals between their own times.
    times = np.unique(np.concatenate([channel[0] for channel in found.values()]))
    names = [f"{name} [{unit}]" if unit else name for name, (_, _, unit) in found.items()]
    own = (times if np.array_equal(channel[0], times) else None for channel in found.values())
    values = [channel[1] if same is not None else np.interp(times, channel[0], channel[1]) for same, channel in zip(own, found.values())]
    return _text(["time [s]", *names], [times, *values])


def _text(names: Sequence[str], columns: Sequence[Floats]) -> str:
    """CSV with all digits."""
    head = ",".join('"' + name.replace('"', "'") + '"' for name in names)
    rows = (",".join(repr(float(value)) for value in row) for row in zip(*columns))
    return "\n".join([head, *rows]) + "\n"


def _seconds(column: Any) -> Floats:
    """Numbers; dates and durations in s from the first date, or from 0."""
    found = np.asarray(column)
    if found.dtype.kind == "M":
        found = found - found[:1]
    if found.dtype.kind == "m":
        return found / np.timedelta64(1, "s")
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"inputs: a column of the data frame does not contain numbers: {error}") from None


def _channel(file: Path, name: str, inputs: Sequence[str], channels: Sequence[tuple[str, Channel]]) -> Channel | None:
    """The channel of an input; a channel with exactly its name comes first."""
    exact = [entry for entry in channels if entry[0] == name]
    fitting = exact or [entry for entry in channels if _same(name, entry[0]) and entry[0] not in inputs]
    for other, (times, values, unit) in fitting[1:]:
        first = fitting[0][1]
        if not (np.array_equal(times, first[0]) and np.array_equal(values, first[1]) and unit == first[2]):
            raise UsageError(f"{file}: {name}: several channels fit, `{fitting[0][0]}` and `{other}`; keep one of them")
    return fitting[0][1] if fitting else None


def _same(name: str, other: str) -> bool:
    """Whether a channel has the name of an input; programs replace dots and brackets by underscores."""
    plain = [re.sub(r"\W+", "_", text).strip("_") for text in (name, other)]
    return name == other or plain[0] == plain[1]


def _spreadsheet(file: Path) -> str:
    """The first sheet: names, perhaps units, numbers."""
    pandas = _package("pandas", file)
    cells = pandas.read_excel(file, header=None, dtype=object)
    rows = (";".join(map(_cell, row)) for row in cells.itertuples(index=False))
    return "\n".join(rows) + "\n"


def _cell(cell: Any) -> str:
    """A number with all digits, a text in quotes, or nothing."""
    if cell is None or cell != cell:
        return ""
    return repr(float(cell)) if isinstance(cell, (int, float)) else '"' + str(cell).replace('"', "'") + '"'


def _matlab(file: Path) -> list[tuple[str, Channel]]:
    """Variables of a MAT-file as long as its time; fields of structures have dotted names. A structure with time of
    Simulink has the fields `time` and `signals`.
    """
    io = _package("scipy.io", file)
    try:
        data = io.loadmat(file, simplify_cells=True)
    except NotImplementedError:
        raise UsageError(f"{file}: MAT-files of version 7.3 are not read; write it with `save -v7`") from None
    except (ValueError, OSError) as error:
        raise UsageError(f"{file}: {error}") from None
    variables = dict(_flat("", {name: value for name, value in data.items() if not name.startswith("__")}))
    clocks = [name for name in variables if name.rsplit(".", 1)[-1].lower() in TIMES]
    channels: list[tuple[str, Channel]] = []
    for clock in clocks:
        # A time belongs to the variables of its structure.
        times, scope = variables[clock], clock.rpartition(".")[0]
        for name, values in variables.items():
            inside = not scope or name.startswith(f"{scope}.")
            if name != clock and inside and values.shape == times.shape:
                label = name[len(scope) + 1:] if scope else name
                channels.append((label, (times, values, "")))
    if not clocks:
        raise UsageError(f"{file}: no variable `time`")
    return channels


def _flat(prefix: str, found: Any) -> Iterator[tuple[str, Floats]]:
    """Vectors of numbers with dotted names."""
    if isinstance(found, Mapping):
        signals = found.get("signals")
        rows = signals if isinstance(signals, (list, np.ndarray)) else [signals]
        labelled = [row for row in rows if isinstance(row, Mapping) and {"values", "label"} <= row.keys()]
        for row in labelled:
            yield from _flat(f"{prefix}{row['label']}.", row["values"])
        for name, value in found.items():
            if not (labelled and name == "signals"):
                yield from _flat(f"{prefix}{name}.", value)
        return
    values = np.asarray(found)
    if values.dtype.kind in "fiub" and values.ndim == 1 and values.size:
        yield prefix[:-1], values.astype(np.float64)


def _recording(file: Path, inputs: Sequence[str]) -> list[tuple[str, Channel]]:
    """Channels of an MDF file with names of inputs."""
    with _package("asammdf", file).MDF(file) as recording:
        channels: list[tuple[str, Channel]] = []
        for name, places in recording.channels_db.items():
            if any(_same(wanted, name) for wanted in inputs):
                for group, index in places:
                    signal = recording.get(name, group=group, index=index)
                    values = np.asarray(signal.samples, np.float64)
                    channels.append((name, (np.asarray(signal.timestamps, np.float64), values, signal.unit or "")))
        return channels


def _package(name: str, file: Path) -> Any:
    """An optional package."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.split(".")[0]
        extra = " openpyxl" if package == "pandas" else ""
        raise UsageError(f"{file}: {file.suffix} files need the package {package}: `pip install {package}{extra}`") from None
