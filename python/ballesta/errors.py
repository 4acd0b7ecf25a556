"""Exceptions and warnings of the package. Files that cannot be read or written raise `OSError`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

if TYPE_CHECKING:
    from ballesta.result import Result


class Diagnostic(NamedTuple):
    """One error in a file: its place, what was found and what is expected."""

    file: str
    """Path as given by the caller, or as written in the file that names it."""
    line: int
    """Line from 1; 0 for the whole file."""
    column: int
    """Column from 1 in characters; 0 for the whole file."""
    key: str
    """Key with the error."""
    found: str
    """What was found."""
    expected: str
    """What is expected."""


class Error(Exception):
    """Base class of all exceptions of ballesta."""


class ModelError(Error, ValueError):
    """A model or another file is invalid.

    `file`, `line`, `column`, `key`, `found` and `cure` describe the first error.
    """

    def __init__(self, message: str, diagnostics: Iterable[tuple[Any, ...]] = ()) -> None:
        self.diagnostics: list[Diagnostic] = [Diagnostic(*row) for row in diagnostics]
        """All errors."""
        super().__init__(message, [tuple(row) for row in self.diagnostics])

    def __str__(self) -> str:
        return str(self.args[0])

    def _first(self) -> Diagnostic:
        return self.diagnostics[0] if self.diagnostics else Diagnostic("", 0, 0, "", "", "")

    @property
    def file(self) -> str:
        """File of the first error."""
        return self._first().file

    @property
    def line(self) -> int:
        """Line of the first error."""
        return self._first().line

    @property
    def column(self) -> int:
        """Column of the first error in characters."""
        return self._first().column

    @property
    def key(self) -> str:
        """Key with the error."""
        return self._first().key

    @property
    def found(self) -> str:
        """What was found."""
        return self._first().found

    @property
    def cure(self) -> str:
        """What is expected."""
        return self._first().expected


class UsageError(Error, ValueError):
    """A name or value does not fit the model."""


class Fault(Error, RuntimeError):
    """The simulation stopped with a fault."""

    def __init__(self, message: str, time: float | None = None, result: Result | None = None) -> None:
        self.time: float | None = time
        """Time of the last valid internal step in s; None if there was none."""
        self.result: Result | None = result
        """Points of the run up to the fault."""
        super().__init__(message, time)

    def __str__(self) -> str:
        return str(self.args[0])


class QuestionableResult(UserWarning):
    """A questionable result, with the reason and the remedy."""


def warn(messages: Iterable[str]) -> None:
    """Issues one warning per message, at the line that called the package."""
    for message in messages:
        warnings.warn(message, QuestionableResult, stacklevel=3)
