"""Results of many simulations of one model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ballesta._native import State
from ballesta.arrays import Floats
from ballesta.named import Names


class Rollout(Mapping[str, Floats]):
    """Outputs of all instances at the ends of their steps, a mapping from names to arrays.

    `rollout["left.angle"]` has shape (n, steps), a vector such as `rollout["chassis.position"]` shape (n, steps, 3).
    After a fault the values of an instance are NaN, and `faults` has the reason.
    """

    time: Floats
    """End of each step in s, relative to the initial time of the instance, shape (steps,)."""
    outputs: Floats
    """Outputs, shape (n, steps, outputs), in the order of `names`."""
    names: tuple[str, ...]
    """Names of the kept scalar outputs."""
    units: dict[str, str]
    """Unit of every output by name."""
    states: list[State]
    """Final state of every instance, or its state at the last valid internal step."""
    faults: list[str | None]
    """Per instance: the fault, or None."""
    warnings: list[str | None]
    """Per instance: why its result is questionable, or None."""

    def __init__(self, names: Names, kept: list[int], h: float, found: dict[str, Any]) -> None:
        self.outputs = found["data"]
        self.names = tuple(names.scalars[column] for column in kept)
        self.states, self.faults, self.warnings = found["states"], found["faults"], found["warnings"]
        self.time = h * np.arange(1, self.outputs.shape[1] + 1)
        self._places: dict[str, int | list[int]] = {}
        for name, place in names.places.items():
            wanted = [place] if isinstance(place, int) else list(range(place.start, place.stop))
            if all(column in kept for column in wanted):
                at = [kept.index(column) for column in wanted]
                self._places[name] = at[0] if isinstance(place, int) else at
        self.units = {name: names.units[name] for name in self._places}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._places:
            from ballesta.errors import UsageError
            from ballesta.named import suggestion

            raise UsageError(f"{name}: no such output in this rollout; {suggestion(str(name), self._places)}")
        return self.outputs[:, :, self._places[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        n, steps, outputs = self.outputs.shape
        faults = sum(fault is not None for fault in self.faults)
        return f"<ballesta.Rollout: {n} instances, {steps} steps, {outputs} outputs, {faults} with a fault>"
