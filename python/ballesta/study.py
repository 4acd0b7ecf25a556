"""Parameter studies: many runs of one model, on the cores of this machine or on a Dask cluster.

A study is a TOML file (docs/study-format.md) with the varied parameters and the results to keep. Its result is one
Parquet file with one row per run. The bytes do not depend on the machine or on the order of the runs::

    python -m ballesta.study STUDY.toml                                   # this machine's cores
    python -m ballesta.study STUDY.toml --dask tcp://scheduler:8786       # the workers of a cluster

From a script::

    from ballesta import study
    result = study.run("STUDY.toml", "result.parquet")
    table = study.read("result.parquet")          # a pandas.DataFrame, units in table.attrs["units"]

After an interruption the same call continues: completed runs are saved in ``result.parquet.part``.
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
    """Progress of a study."""

    runs: int
    """Number of runs of the study."""
    done: int
    """Number of runs with stored rows, including earlier sessions."""
    seconds: float
    """Time since the start of this session, s."""
    left: float | None
    """Remaining time at the current rate, s; None before the first rows."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a study."""

    path: Path
    """The result, a Parquet file."""
    runs: int
    """Number of runs of the study."""
    made: int
    """Number of runs computed by this call; the others were stored before."""
    seconds: float
    """Duration of this call, s."""
    counts: dict[str, int]
    """Number of runs by status: `done`; `questionable` (with warnings); `fault` (stopped); `refused` (not begun);
    `wrong` (known to be wrong).
    """
    reasons: list[tuple[int, str, str]]
    """The first runs that are not `done`: number, status, reason."""
    there: bool = False
    """True if the result existed before and nothing was computed."""

    def _warning(self) -> str | None:
        """Warning about runs that are not `done`, or None."""
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
    """Reports the progress of a study to a listener, at most every `every` seconds."""

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
    """Data that a worker needs for the runs of a study: its files by path, and the expected hash of the study."""

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
            raise Error(f"this worker has ballesta {__version__}, but {self.version} started the study; install the same version on all machines")
        with tempfile.TemporaryDirectory(prefix="ballesta-study-") as folder:
            for name, content in self.files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            study = Study(os.fspath(Path(folder, self.entry)))
        if study.hash != self.hash:
            raise Error("this worker reads a different study from the same files; install the same build of ballesta on all machines")
        return study


def _work(bundle: _Bundle, first: int, end: int) -> bytes:
    """Task: rows of the runs from `first` to `end` - 1."""
    return bundle.study().work(first, end)


def _opened(study: str | os.PathLike[str] | Study) -> Study:
    return study if isinstance(study, Study) else Study(os.fspath(study))


def _named(result: str | os.PathLike[str]) -> Path:
    if Path(result).suffix.lower() != ".parquet":
        raise UsageError(f"{result}: expected a name that ends in .parquet")
    return Path(result)


def run(
    study: str | os.PathLike[str] | Study,
    result: str | os.PathLike[str],
    *,
    threads: int | None = None,
    restart: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Computes the missing runs in threads of this process and writes the result.

    Args:
        study: study file.
        result: Parquet file to write; `result` + ``.part`` holds completed runs until then.
        threads: number of threads; None means all processors. The result does not depend on it.
        restart: discard saved runs instead of continuing.
        progress: called with the progress several times per second.

    Returns:
        Path of the result and status of the runs. Runs that are not `done` raise a warning.

    Raises:
        ModelError: the study or its model is invalid; lists all errors.
        UsageError: the saved runs belong to another study.
        KeyboardInterrupt: completed runs are saved; the same call continues.
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
    """Computes the missing runs on a Dask cluster and writes the result on this machine.

    A task is a block of runs. It sends the files of the study and their hash to the worker and returns a row group.
    Workers may join and leave: another worker repeats the block of a worker that died. Only a few blocks per worker are
    active at a time.

    Args:
        study: study file; the workers do not need the files.
        result: the Parquet file to write; `result` + ``.part`` holds what is done until then.
        client: client of the cluster. The workers need only the same version of ballesta.
        restart: discard saved runs instead of continuing.
        progress: called with the progress several times per second.

    Returns:
        Path of the result, with the same bytes as from `run`, and status of the runs. Runs that are not `done` raise a
        warning.

    Raises:
        ModelError: the study or its model is invalid; lists all errors.
        UsageError: the saved runs belong to another study.
        Error: a worker cannot read the study, a block killed several workers, or the scheduler is lost.
        KeyboardInterrupt: returned runs are saved; the same call continues.
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
            f"{killed.task} killed {killed.allowed_failures + 1} workers in turn: give workers more memory, or make the "
            "blocks smaller with `block` in [study]; the same command continues"
        ) from None
    except (CancelledError, CommClosedError) as lost:
        raise _lost() from lost
    finally:
        with contextlib.suppress(CommClosedError):
            client.cancel(list(under_way))
        del journal


def _lost() -> Error:
    return Error("lost the connection to the scheduler; completed runs are saved, and the same command continues")


def read(result: str | os.PathLike[str]) -> "pandas.DataFrame":
    """Reads the result of a study as a table with one row per run and one column per factor and kept value.

    Traces are arrays; missing values are NaN. ``attrs["units"]`` has the unit of every column, ``attrs["study"]`` the
    name, hash, model and seed.

    Raises:
        UsageError: the file is not a study result.
        ImportError: pandas or pyarrow is missing; use ``pip install ballesta[study]``.
    """
    try:
        import pandas
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError(f"reading results needs {missing.name}: pip install 'ballesta[study]'") from None
    try:
        file = pyarrow.parquet.ParquetFile(result)
    except pyarrow.ArrowInvalid as wrong:
        raise UsageError(f"{result} is not a study result: {wrong}") from None
    metadata = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
    if "study" not in metadata:
        raise UsageError(f"{result} is not a study result: its metadata has no key `study`")
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
    """Runs the command, with the exit codes of `ballesta study`."""
    parser = argparse.ArgumentParser(prog="python -m ballesta.study", description="Run a parameter study and write one Parquet file.")
    parser.add_argument("study", metavar="STUDY.toml")
    parser.add_argument("-o", "--output", metavar="RESULT.parquet", help="default: name of the study file, in the working folder")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster, such as tcp://node1:8786 or the path of a scheduler file")
    where.add_argument("--threads", type=int, help="number of threads; default: all processors")
    parser.add_argument("--restart", action="store_true", help="discard saved runs instead of continuing")
    parser.add_argument("--quiet", action="store_true", help="print no progress and no report")
    parser.add_argument("--json", action="store_true", help="print the outcome as one line of JSON")
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
            raise Error("the version of ballesta in this Python differs from the command, or the files have changed")
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
            print("\ninterrupted; completed runs are saved, and the same command continues", file=sys.stderr)
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
        raise ImportError("--dask needs dask.distributed: pip install 'ballesta[dask]'") from None
    if os.path.isfile(address):
        return Client(scheduler_file=address)
    return Client(address)


if __name__ == "__main__":
    # Tasks name functions of the module that workers import, not of `__main__`.
    from ballesta import study as module

    sys.exit(module.main())
