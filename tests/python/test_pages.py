"""The Python lines of the how-to pages run, after the files that they save and the commands that they show first."""

import re
import subprocess

import pytest

from conftest import PROGRAM, ROOT

HOW_TO = ROOT / "docs/how-to"
# Page: commands of the page that its Python lines build on.
PAGES = {
    "parameter-study.md": ["study models/studies/pendulum/study.toml -o pendulum.parquet"],
    "optimize-with-scipy.md": [],
    "sensitivity-with-salib.md": ["new quarter-car -o quarter_car"],
    "study-on-a-cluster.md": [],
}


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (HOW_TO / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_lines_of_a_page_run(page, tmp_path, monkeypatch, ballesta, capsys):
    text = (HOW_TO / page).read_text(encoding="utf-8")
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"^<!-- saved as: (\S+) -->\n```\w*\n(.*?)^```", text, re.M | re.S):
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in PAGES[page]:
        assert f"ballesta {command}" in text
        subprocess.run([PROGRAM, *command.split()], check=True, capture_output=True)
    found = [block for block in blocks(page, "python") if "SLURMCluster" not in block]
    assert found
    names = {"__name__": "__main__"}
    for block in found:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out


def test_the_jobs_of_slurm_are_those_that_the_page_asks_for():
    """Without a Slurm: what the cluster would submit."""
    (block,) = (block for block in blocks("study-on-a-cluster.md", "python") if "SLURMCluster" in block)
    made, study = block.split("cluster.adapt(")
    names = {}
    exec(made, names)
    with names["cluster"] as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p compute" in script and "#SBATCH -t 02:00:00" in script
    assert "source ~/venv/bin/activate" in script and "--lifetime 110m" in script and "--nworkers 32" in script
    assert "study.run_on_dask(" in study
