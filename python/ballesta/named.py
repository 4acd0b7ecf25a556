"""Outputs by name: scalars, and vectors with consecutive elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ballesta import _native
from ballesta.errors import UsageError


class Names:
    """Names of the outputs of a model, and their positions in arrays."""

    def __init__(self, outputs: Iterable[tuple[str, str]], vectors: Iterable[tuple[str, int, int]]) -> None:
        named = list(outputs)
        self.scalars = tuple(name for name, _ in named)
        self.vectors = {name: slice(first, first + length) for name, first, length in vectors}
        self.places: dict[str, int | slice] = {**self.vectors, **{name: place for place, (name, _) in enumerate(named)}}
        self.units = {name: unit for name, unit in named}
        for name, place in self.vectors.items():
            self.units.setdefault(name, named[place.start][1])

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def place(self, name: str) -> int | slice:
        """Column of a scalar, columns of a vector."""
        if not isinstance(name, str):
            raise TypeError(f"found {name!r}; expected the name of an output")
        if name not in self.places:
            raise UsageError(f"{name}: no such output; {suggestion(name, self.places)}")
        return self.places[name]

    def columns(self, names: Iterable[str]) -> list[int]:
        """Columns of outputs; a vector has consecutive columns."""
        found: list[int] = []
        for name in names:
            place = self.place(name)
            found.extend([place] if isinstance(place, int) else range(place.start, place.stop))
        return found


def suggestion(name: str, known: Iterable[str]) -> str:
    """A hint with the nearest name, or with some known names."""
    return _native.suggestion(name, list(known))
