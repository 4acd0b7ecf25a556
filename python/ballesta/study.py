"""Parameter studies: many runs of one model, on the cores of this machine or on a Dask cluster.

A study is a TOML file (docs/study-format.md): which parameters vary and how, what every run keeps. Its result is one Parquet file with a row
per run, the same bytes wherever and in whatever order the runs were made::

    python -m ballesta.study STUDY.toml                                   # this machine's cores
    python -m ballesta.study STUDY.toml --dask tcp://scheduler:8786       # the workers of a cluster

From a script::

    from ballesta import study
    result = study.run("STUDY.toml", "result.parquet")
    table = study.read("result.parquet")          # a pandas.DataFrame, units in table.attrs["units"]

An interrupted study goes on with the same call: what is done stands in ``result.parquet.part``.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from ballesta import arrays
from ballesta._native import Journal, Study, __version__
from ballesta.errors import Error, ModelError, QuestionableResult, UsageError

if TYPE_CHECKING:
    import pandas
    from distributed import Client

__all__ = ["Journal", "Outcome", "Progress", "Study", "read", "run", "run_on_dask"]

#: Blocks in work at a time, per thread of a worker: the next one is there when one is done.
AHEAD = 2


@dataclass(frozen=True)
class Progress:
    """How far a study is."""

    runs: int
    """Runs of the study."""
    done: int
    """Runs whose rows are stored, those of earlier sessions included."""
    seconds: float
    """Time since the start of this session, s."""
    left: float | None
    """Time that is left at the present rate, s; None before the first rows."""


@dataclass(frozen=True)
class Outcome:
    """What came of a study."""

    path: Path
    """The result, a Parquet file."""
    runs: int
    """Runs of the study."""
    made: int
    """Runs that were made now; the others were stored before."""
    seconds: float
    """Time that this took, s."""
    counts: dict[str, int]
    """Number of runs by status: `done`; `questionable` (with warnings); `fault` (stopped); `refused` (not begun); `wrong` (known to be wrong)."""
    reasons: list[tuple[int, str, str]]
    """The first runs that are not `done`: number, status, reason."""
    there: bool = False
    """Whether the result was there before, so that nothing was computed."""

    def _warning(self) -> str | None:
        """What to say of runs that are not `done`."""
        others = {word: count for word, count in self.counts.items() if word != "done" and count}
        if not others:
            return None
        words = ", ".join(f"{count} {word}" for word, count in others.items())
        reasons = "".join(f"\n  run {run}, {status}: {reason}" for run, status, reason in self.reasons)
        return f"{sum(others.values())} of {self.runs} runs are not `done`: {words}{reasons}"

    def _warned(self) -> Outcome:
        message = self._warning()
        if message:
            warnings.warn(message, QuestionableResult, stacklevel=3)
        return self


class _Watch:
    """Tells a listener how far a study is, at most so often."""

    def __init__(self, runs: int, done: int, listener: Callable[[Progress], None] | None, every: float = 0.2):
        self.runs, self.done, self.before = runs, done, done
        self.listener, self.every = listener, every
        self.start = time.monotonic()
        self.told = -every

    def add(self, rows: int) -> None:
        self.done += rows
        seconds = time.monotonic() - self.start
        made = self.done - self.before
        if self.listener and (seconds - self.told >= self.every or self.done == self.runs):
            self.told = seconds
            left = seconds / made * (self.runs - self.done) if made else None
            self.listener(Progress(self.runs, self.done, seconds, left))

    def finish(self, journal: Journal, result: Path) -> Outcome:
        """Writes the result."""
        seconds = time.monotonic() - self.start
        return _outcome(result, self.runs, self.done - self.before, seconds, journal.finish())


def _outcome(result: Path, runs: int, made: int, seconds: float, summary: dict[str, Any], there: bool = False) -> Outcome:
    counts = {word: count for word, count in summary.items() if word != "reasons"}
    return Outcome(result, runs, made, seconds, counts, summary["reasons"], there)


@dataclass(frozen=True, eq=False)
class _Bundle:
    """All that a worker needs to make runs of a study: its files by their paths, and the hash that the study must have when it is read there."""

    files: dict[str, bytes]
    entry: str
    hash: str
    version: str

    def __hash__(self) -> int:
        return hash((self.hash, self.version))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bundle) and (self.hash, self.version) == (other.hash, other.version)

    @functools.lru_cache(maxsize=4)
    def study(self) -> Study:
        """The study, read once per process."""
        if __version__ != self.version:
            raise Error(f"this worker has ballesta {__version__}, the study was started by {self.version}: install the same version everywhere")
        with tempfile.TemporaryDirectory(prefix="ballesta-study-") as folder:
            for name, content in self.files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            study = Study(os.fspath(Path(folder, self.entry)))
        if study.hash != self.hash:
            raise Error("this worker reads another study from the same files: install the same build of ballesta everywhere")
        return study


def _work(bundle: _Bundle, first: int, end: int) -> bytes:
    """Rows of the runs from `first` up to before `end`; what a task does."""
    return bundle.study().work(first, end)


def _opened(study: str | os.PathLike[str] | Study) -> Study:
    return study if isinstance(study, Study) else Study(os.fspath(study))


def _named(result: str | os.PathLike[str]) -> Path:
    if Path(result).suffix.lower() != ".parquet":
        raise UsageError(f"{result}: the name of a result ends in .parquet")
    return Path(result)


def run(
    study: str | os.PathLike[str] | Study,
    result: str | os.PathLike[str],
    *,
    threads: int | None = None,
    restart: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Makes the runs that are missing, in threads of this process, and writes the result.

    Args:
        study: the study's file.
        result: the Parquet file to write; `result` + ``.part`` holds what is done until then.
        threads: number of threads; all processors if None. It changes no bit of the result.
        restart: discards what is done, instead of going on from it.
        progress: called with the progress, some times per second.

    Returns:
        The path of the result, and how the runs ended; those that are not `done` are warned of.

    Raises:
        ModelError: the study or its model is wrong; all places at once.
        UsageError: what is done belongs to another study.
        KeyboardInterrupt: what is done is stored; the same call goes on.
    """
    study, result = _opened(study), _named(result)
    workers = arrays.processors() if threads is None else arrays.count("threads", threads, 1)
    journal = study.journal(os.fspath(result), restart)
    if isinstance(journal, dict):
        return _outcome(result, study.runs, 0, 0.0, journal, there=True)._warned()
    watch = _Watch(study.runs, journal.stored, progress)
    try:
        study.run(journal, workers, watch.add)
        return watch.finish(journal, result)._warned()
    finally:
        # Not kept open by the traceback of an exception, so that the same call can go on.
        del journal


def run_on_dask(
    study: str | os.PathLike[str] | Study,
    result: str | os.PathLike[str],
    client: "Client",
    *,
    restart: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Makes the runs that are missing on the workers of a Dask cluster, and writes the result on this machine.

    A task is a block of runs; it takes the files of the study and their hash to the worker and brings a row group back. Workers may come
    and go: a block whose worker died is made by another one. Only a few blocks per worker are under way at a time.

    Args:
        study: the study's file; its model's files need not be on the workers.
        result: the Parquet file to write; `result` + ``.part`` holds what is done until then.
        client: of the cluster. Its workers need the same version of ballesta, nothing else.
        restart: discards what is done, instead of going on from it.
        progress: called with the progress, some times per second.

    Returns:
        The path of the result, which has the same bytes that `run` writes, and how the runs ended; those that are not `done` are
        warned of.

    Raises:
        ModelError: the study or its model is wrong; all places at once.
        UsageError: what is done belongs to another study.
        Error: a worker cannot read the study, a block has ended several workers, or the scheduler is gone.
        KeyboardInterrupt: what came back is stored; the same call goes on.
    """
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed
    from distributed.comm import CommClosedError

    study, result = _opened(study), _named(result)
    journal = study.journal(os.fspath(result), restart)
    if isinstance(journal, dict):
        return _outcome(result, study.runs, 0, 0.0, journal, there=True)._warned()
    watch = _Watch(study.runs, journal.stored, progress)
    missing = iter(journal.missing())
    name = study.hash[:16]
    # A task, not scattered data: when the only worker that holds the files dies, the scheduler has it made anew.
    bundle = client.submit(_Bundle, study.files(), study.entry, study.hash, __version__, key=f"ballesta-files-{name}")
    finished = as_completed([], loop=client.loop)
    under_way: set[Any] = set()

    def feed() -> None:
        try:
            threads = sum(client.nthreads().values())
        except OSError as lost:
            raise _lost() from lost
        while len(under_way) < max(4, AHEAD * threads) and (runs := next(missing, None)):
            first, end = runs
            future = client.submit(_work, bundle, first, end, key=f"ballesta-runs-{name}-{first}-{end}")
            under_way.add(future)
            finished.add(future)

    try:
        feed()
        for future in finished:
            rows = future.result()
            under_way.discard(future)
            watch.add(journal.add(rows))
            feed()
        return watch.finish(journal, result)._warned()
    except KilledWorker as killed:
        raise Error(
            f"{killed.task} was begun by {killed.allowed_failures + 1} workers, and all of them died: give workers more memory, or make the "
            "block smaller with `block` in [study]; the same command goes on from what is done"
        ) from None
    except (CancelledError, CommClosedError) as lost:
        raise _lost() from lost
    finally:
        with contextlib.suppress(CommClosedError):
            client.cancel(list(under_way))
        del journal


def _lost() -> Error:
    return Error("the connection to the scheduler was lost; the same command goes on from what is done")


def read(result: str | os.PathLike[str]) -> "pandas.DataFrame":
    """The result of a study as a table: one row per run, one column per varied parameter and kept value.

    Traces are arrays; values that a run has not reached are NaN. ``attrs["units"]`` has the unit of every column, ``attrs["study"]`` the
    name, the hash, the model, the seed.

    Raises:
        UsageError: the file is no result of a study.
        ImportError: pandas and pyarrow are missing; ``pip install ballesta[study]`` brings them.
    """
    try:
        import pandas
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError(f"{missing.name} is needed to read results: pip install 'ballesta[study]'") from None
    try:
        file = pyarrow.parquet.ParquetFile(result)
    except pyarrow.ArrowInvalid as wrong:
        raise UsageError(f"{result} is no result of a study: {wrong}") from None
    metadata = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
    if "study" not in metadata:
        raise UsageError(f"{result} is no result of a study: its metadata has no key `study`")
    table: pandas.DataFrame = file.read().to_pandas()
    table.attrs["units"] = json.loads(metadata["units"])
    table.attrs["study"] = json.loads(metadata["study"])
    return table


def _line(progress: Progress) -> str:
    """`1200 of 2000 runs, 4 min left`."""
    text = f"{progress.done} of {progress.runs} runs"
    if progress.left is None or progress.done == progress.runs:
        return text
    left = progress.left
    words = f"{left:.0f} s" if left < 100 else f"{left / 60:.0f} min" if left < 6000 else f"{left / 3600:.1f} h"
    return f"{text}, {words} left"


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit codes are those of `ballesta study`."""
    parser = argparse.ArgumentParser(prog="python -m ballesta.study", description="Makes the runs of a study, and writes one Parquet file.")
    parser.add_argument("study", metavar="STUDY.toml")
    parser.add_argument("-o", "--output", metavar="RESULT.parquet", help="default: the name of the study's file, in the working folder")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster, such as tcp://node1:8786 or the path of a scheduler file")
    where.add_argument("--threads", type=int, help="threads of this process; default: all processors")
    parser.add_argument("--restart", action="store_true", help="discard what is done, instead of going on from it")
    parser.add_argument("--quiet", action="store_true", help="no progress and no report")
    parser.add_argument("--json", action="store_true", help="print what was done as one line of JSON")
    parser.add_argument("--hash", help=argparse.SUPPRESS)
    typed = parser.parse_args(arguments)
    output = typed.output or f"{Path(typed.study).stem}.parquet"
    shown = not typed.quiet and sys.stderr.isatty()

    def show(progress: Progress) -> None:
        print(f"\r\x1b[K{_line(progress)}", end="", file=sys.stderr, flush=True)

    listener = show if shown else None
    try:
        study = Study(typed.study)
        if typed.hash and typed.hash != study.hash:
            raise Error("this Python has another version of ballesta than the command, or the files have changed meanwhile")
        with warnings.catch_warnings():
            # Printed at the end.
            warnings.simplefilter("ignore", QuestionableResult)
            if typed.dask:
                client = _client(typed.dask)
                try:
                    outcome = run_on_dask(study, output, client, restart=typed.restart, progress=listener)
                finally:
                    # A scheduler that is gone is not waited for.
                    with contextlib.suppress(OSError):
                        client.close(timeout=1)
            else:
                outcome = run(study, output, threads=typed.threads, restart=typed.restart, progress=listener)
    except KeyboardInterrupt:
        # The command that asks for JSON says so itself.
        if not typed.json:
            print("\ninterrupted; the same command goes on from what is done", file=sys.stderr)
        return 130
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    except (Error, OSError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    finally:
        if shown:
            print(file=sys.stderr)
    if typed.json:
        facts = {"there": outcome.there, "made": outcome.made, "seconds": outcome.seconds}
        print(json.dumps({**facts, "counts": list(outcome.counts.values()), "reasons": outcome.reasons}))
        return 0
    message = outcome._warning()
    if message:
        print(f"warning: {message}", file=sys.stderr)
    if not typed.quiet:
        print(f"Wrote {output}.")
    return 0


def _client(address: str) -> "Client":
    try:
        from distributed import Client
    except ImportError:
        raise ImportError("dask.distributed is needed for --dask: pip install 'ballesta[dask]'") from None
    if os.path.isfile(address):
        return Client(scheduler_file=address)
    return Client(address)


if __name__ == "__main__":
    # Tasks name functions of the module that workers import, not of `__main__`.
    from ballesta import study as module

    sys.exit(module.main())
