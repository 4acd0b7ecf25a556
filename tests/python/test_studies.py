"""Studies from Python: threads, a Dask cluster in processes, interruptions; always the bytes of `ballesta study`."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT

STUDY = ROOT / "models/studies/pendulum/study.toml"


@pytest.fixture(scope="module")
def study(ballesta):
    from ballesta import study

    return study


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the command writes."""
    path = tmp_path_factory.mktemp("command") / "study.parquet"
    subprocess.run([PROGRAM, "study", STUDY, "-o", path, "--quiet", "--threads", "1"], check=True)
    return path.read_bytes()


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            yield client


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_write_the_bytes_of_the_command(threads, study, expected, tmp_path):
    told = []
    outcome = study.run(STUDY, tmp_path / "r.parquet", threads=threads, progress=told.append)
    assert (tmp_path / "r.parquet").read_bytes() == expected
    assert outcome.counts == {"done": 120, "questionable": 0, "fault": 0, "refused": 0, "wrong": 0} and outcome.made == 120
    assert told[-1].done == told[-1].runs == 120 and told[-1].left == 0
    again = study.run(STUDY, tmp_path / "r.parquet")
    assert again.there and again.made == 0 and again.counts == outcome.counts


def test_a_cluster_that_loses_a_worker_writes_the_same_bytes(study, expected, client, tmp_path):
    processes = client.run(os.getpid)
    killed = []

    def kill(progress):
        if progress.done > 20 and not killed:
            killed.append(next(iter(processes.values())))
            os.kill(killed[0], signal.SIGKILL)

    outcome = study.run_on_dask(STUDY, tmp_path / "r.parquet", client, progress=kill)
    assert killed and outcome.made == 120
    assert (tmp_path / "r.parquet").read_bytes() == expected
    assert not (tmp_path / "r.parquet.part").exists()


def test_what_came_back_before_an_interruption_is_not_made_again(study, expected, client, tmp_path):
    def interrupt(progress):
        if progress.done >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.run_on_dask(STUDY, tmp_path / "r.parquet", client, progress=interrupt)
    stored = study.Study(STUDY).journal(tmp_path / "r.parquet", False).stored
    assert 30 <= stored < 120
    outcome = study.run(STUDY, tmp_path / "r.parquet")
    assert outcome.made == 120 - stored
    assert (tmp_path / "r.parquet").read_bytes() == expected


def test_a_scheduler_that_dies_leaves_what_came_back(study, ballesta, tmp_path):
    from distributed import Client

    started = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", tmp_path / "s.json"]
    scheduler = subprocess.Popen(started, stderr=subprocess.DEVNULL)
    started = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", tmp_path / "s.json", "--nthreads", "1", "--no-dashboard"]
    worker = subprocess.Popen(started, stderr=subprocess.DEVNULL)

    def kill(progress):
        if progress.done > 20 and scheduler.poll() is None:
            scheduler.kill()
            scheduler.wait()

    client = Client(scheduler_file=tmp_path / "s.json", timeout=10)
    try:
        with pytest.raises(ballesta.Error, match="the same command continues"):
            study.run_on_dask(STUDY, tmp_path / "r.parquet", client, progress=kill)
    finally:
        with contextlib.suppress(OSError):
            client.close(timeout=1)
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert study.Study(STUDY).journal(tmp_path / "r.parquet", False).stored > 20


def test_the_command_hands_its_runs_to_a_cluster(expected, client, tmp_path):
    environment = os.environ | {"BALLESTA_PYTHON": sys.executable}
    command = [PROGRAM, "study", STUDY, "-o", tmp_path / "r.parquet", "--dask", client.scheduler.address]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "120 runs: 120 done" in done.stdout and client.scheduler.address in done.stdout
    assert (tmp_path / "r.parquet").read_bytes() == expected


def test_a_cluster_that_is_not_there_is_named(tmp_path):
    environment = os.environ | {"BALLESTA_PYTHON": sys.executable, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    command = [PROGRAM, "study", STUDY, "-o", tmp_path / "r.parquet", "--dask", "tcp://127.0.0.1:9"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and "tcp://127.0.0.1:9" in done.stderr and "Traceback" not in done.stderr, done.stderr
    missing = subprocess.run(command, env=environment | {"BALLESTA_PYTHON": "/nowhere/python"}, capture_output=True, text=True)
    assert missing.returncode == 2 and "BALLESTA_PYTHON" in missing.stderr
    assert list(tmp_path.iterdir()) == []


def test_another_version_is_refused(study, client):
    read = study.Study(STUDY)
    for version, hash, words in (("0.0.0", read.hash, "install the same version"), (study.__version__, "0" * 64, "a different study")):
        bundle = study._Bundle(read.files(), read.entry, hash, version)
        with pytest.raises(Exception, match=words):
            client.submit(study._work, bundle, 0, 1).result()


def test_the_files_of_a_study_are_the_same_study_elsewhere(study, tmp_path):
    read = study.Study(ROOT / "models/studies/van/study.toml")
    for path, content in read.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    moved = study.Study(tmp_path / read.entry)
    assert moved.hash == read.hash and moved.runs == read.runs == 2000
    assert moved.point(7) == read.point(7)
    assert moved.work(0, 1) == read.work(0, 1)


def test_wrong_use_is_refused(study, ballesta, tmp_path):
    with pytest.raises(ballesta.ModelError) as wrong:
        study.Study(ROOT / "tests/broken_studies/unknown_names.toml")
    assert wrong.value.file.endswith("unknown_names.toml") and wrong.value.line > 0 and wrong.value.cure
    read = study.Study(STUDY)
    for first, end in ((0, 0), (0, 121), (5, 4)):
        with pytest.raises(ballesta.UsageError, match="runs 0 to 120"):
            read.work(first, end)
    with pytest.raises(ballesta.UsageError, match="run 120"):
        read.point(120)
    journal = read.journal(tmp_path / "r.parquet", False)
    rows = read.work(0, 2)
    assert journal.add(rows) == 2 and journal.add(rows) == 0
    for bytes in (b"", rows[:-1], rows[:-1] + b"\0", rows + b"\0"):
        with pytest.raises(ballesta.UsageError):
            journal.add(bytes)
    with pytest.raises(ballesta.UsageError, match="118 of 120 runs are missing"):
        journal.finish()
    with pytest.raises(ballesta.Error, match="not a study result"):
        import pandas

        pandas.DataFrame({"a": [1.0]}).to_parquet(tmp_path / "other.parquet")
        study.read(tmp_path / "other.parquet")


def test_a_listener_that_fails_stops_the_study(study, tmp_path):
    def fail(progress):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        study.run(STUDY, tmp_path / "r.parquet", threads=2, progress=fail)


def test_results_are_tables_with_units(study, tmp_path):
    study.run(STUDY, tmp_path / "r.parquet")
    table = study.read(tmp_path / "r.parquet")
    assert len(table) == 120 and table.attrs["units"]["angle.rms"] == "rad" and table.attrs["study"]["runs"] == 120
    point = study.Study(STUDY).point(17)
    assert all(table.loc[17, name] == value for name, value in point.items())


def test_the_columns_of_a_table_go_through_its_rows_together(study, tmp_path):
    (tmp_path / "design.csv").write_text("mass,friction\n1,0.1\n2,0.2\n0.5,0.05\n")
    (tmp_path / "study.toml").write_text(f"""
[study]
model = "pendulum.toml"

[[vary]]
name = "height"
values = [-1, -0.5]

[[vary]]
table = "design.csv"
""")
    (tmp_path / "pendulum.toml").write_bytes((STUDY.parent / "pendulum.toml").read_bytes())
    read = study.Study(tmp_path / "study.toml")
    rows = [(1, 0.1), (2, 0.2), (0.5, 0.05)]
    expected = [{"height": height, "mass": mass, "friction": friction} for height in (-1, -0.5) for mass, friction in rows]
    assert [read.point(run) for run in range(read.runs)] == expected
    assert sorted(read.files()) == ["design.csv", "pendulum.toml", "study.toml"]
    assert study.run(read, tmp_path / "r.parquet").counts["done"] == 6


def test_runs_that_are_not_done_are_warned_of_also_where_the_result_was_there_before(ballesta, study, tmp_path):
    (tmp_path / "pendulum.toml").write_bytes((STUDY.parent / "pendulum.toml").read_bytes())
    (tmp_path / "study.toml").write_text("""
[study]
model = "pendulum.toml"
runs = 8

[[vary]]
name = "mass"
distribution = "normal"
mean = 1
standard_deviation = 100
""")
    counts = []
    for _ in range(2):
        with pytest.warns(ballesta.QuestionableResult, match="of 8 runs are not `done`: . refused\n  run ., refused: ") as told:
            counts.append(study.run(tmp_path / "study.toml", tmp_path / "r.parquet").counts)
        assert told[0].filename == __file__
    assert counts[0] == counts[1] and counts[0]["refused"] > 0 and sum(counts[0].values()) == 8
    with pytest.raises(ballesta.UsageError, match="ends in .parquet"):
        study.run(tmp_path / "study.toml", tmp_path / "r.csv")
    with pytest.raises(ballesta.UsageError, match="not a study result"):
        study.read(tmp_path / "study.toml")
    with pytest.raises(ballesta.UsageError, match="threads: found 0"):
        study.run(tmp_path / "study.toml", tmp_path / "s.parquet", threads=0)
