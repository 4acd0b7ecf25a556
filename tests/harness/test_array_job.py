"""examples/array_job.py: any number of jobs makes the rows of `ballesta run`, and a job that is begun again does nothing twice."""

import csv
import subprocess
import sys

import gallery

SCRIPT = gallery.ROOT / "examples/array_job.py"
DESIGN = [("mount.stiffness", "mount.damping"), (2e5, 300.0), (4e5, 300.0), (4e5, 600.0), (8e5, 123.4)]


def job(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return [dict(zip(header, row)) for row in rows]


def test_jobs_make_the_rows_of_run(tmp_path):
    fmu = gallery.Exported("bushing_mount", library=gallery.HOST_LIBRARY, folder=tmp_path / "exported")
    design = tmp_path / "design.csv"
    design.write_text("\n".join(",".join(map(str, row)) for row in DESIGN) + "\n")
    for jobs in (1, 3):
        out = tmp_path / f"rows_{jobs}"
        for number in range(jobs):
            if number == 1:
                early = job("collect", design, tmp_path / "early.csv", "--out", out)
                assert early.returncode == 1 and "runs are missing" in early.stderr
            done = job("run", fmu.path, design, "--job", number, "--jobs", jobs, "--out", out)
            assert done.returncode == 0, done.stderr
        assert job("collect", design, tmp_path / f"{jobs}.csv", "--out", out).returncode == 0
        stamps = {path: path.stat().st_mtime_ns for path in out.iterdir()}
        assert len(stamps) == jobs and job("run", fmu.path, design, "--job", 0, "--jobs", jobs, "--out", out).returncode == 0
        assert stamps == {path: path.stat().st_mtime_ns for path in out.iterdir()}
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "3.csv").read_bytes()
    rows = table(tmp_path / "1.csv")
    assert len(rows) == 4
    for number in (0, 3):
        values = dict(zip(DESIGN[0], DESIGN[1 + number]))
        settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        run = fmu.run(*settings, name=f"run_{number}")
        for name in (name for name in fmu.outputs if fmu.variables[name].type == "Real"):
            column = run.column(name)
            for figure, value in (("final", column[-1]), ("min", min(column)), ("max", max(column))):
                assert gallery.bits(float(rows[number][f"{name}.{figure}"])) == gallery.bits(value), (number, name, figure)
    design.write_text("mount.stifness\n1e5\n")
    assert "has no mount.stifness" in job("run", fmu.path, design, "--job", 0, "--jobs", 1, "--out", tmp_path / "x").stderr
