"""What goes wrong, as exceptions; files that cannot be read or written are `OSError`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

if TYPE_CHECKING:
    from ballesta.result import Result


class Diagnostic(NamedTuple):
    """One mistake in a file: where it stands, what was found, what would be right."""

    file: str
    """As it was named, or as the file that names it has it."""
    line: int
    """From 1; 0: the file as a whole."""
    column: int
    """From 1, in characters; 0: the file as a whole."""
    key: str
    """The key of the file that is wrong."""
    found: str
    """What was found."""
    expected: str
    """What would be right."""


class Error(Exception):
    """What all exceptions of ballesta are."""


class ModelError(Error, ValueError):
    """A model or another file is wrong.

    `file`, `line`, `column`, `key`, `found` and `cure` are those of the first one.
    """

    def __init__(self, message: str, diagnostics: Iterable[tuple[Any, ...]] = ()) -> None:
        self.diagnostics: list[Diagnostic] = [Diagnostic(*row) for row in diagnostics]
        """Every mistake."""
        super().__init__(message, [tuple(row) for row in self.diagnostics])

    def __str__(self) -> str:
        return str(self.args[0])

    def _first(self) -> Diagnostic:
        return self.diagnostics[0] if self.diagnostics else Diagnostic("", 0, 0, "", "", "")

    @property
    def file(self) -> str:
        """File of the first mistake."""
        return self._first().file

    @property
    def line(self) -> int:
        """Its line."""
        return self._first().line

    @property
    def column(self) -> int:
        """Its column, in characters."""
        return self._first().column

    @property
    def key(self) -> str:
        """The key of the file that is wrong."""
        return self._first().key

    @property
    def found(self) -> str:
        """What was found."""
        return self._first().found

    @property
    def cure(self) -> str:
        """What would be right."""
        return self._first().expected


class UsageError(Error, ValueError):
    """A name or value does not fit the model."""


class Fault(Error, RuntimeError):
    """The solver stopped."""

    def __init__(self, message: str, time: float | None = None, result: Result | None = None) -> None:
        self.time: float | None = time
        """Time of the last good internal step in s; None where there was none."""
        self.result: Result | None = result
        """Of a run the points up to there."""
        super().__init__(message, time)

    def __str__(self) -> str:
        return str(self.args[0])


class QuestionableResult(UserWarning):
    """A result that is not to be trusted, with the reason and the cure."""


def warn(messages: Iterable[str]) -> None:
    """Warns once per message, at the line that called the package."""
    for message in messages:
        warnings.warn(message, QuestionableResult, stacklevel=3)
