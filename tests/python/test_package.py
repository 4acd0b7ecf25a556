"""The package itself: its documentation runs, its types are complete, the lines of the quick start work."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tomllib

import pytest

from conftest import ROOT

MODULES = sorted(path.stem for path in (ROOT / "python/ballesta").glob("*.py") if path.stem != "__main__")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_give_what_they_show(name, ballesta):
    module = ballesta if name == "__init__" else importlib.import_module(f"ballesta.{name}")
    done = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.failed == 0


def test_there_are_examples():
    """Of every function that a model begins with."""
    text = "".join((ROOT / "python/ballesta" / f"{name}.py").read_text() for name in MODULES)
    assert text.count(">>> import ballesta") >= 10


def test_package_and_program_have_one_version(ballesta):
    read = lambda folder: tomllib.loads((ROOT / folder / "Cargo.toml").read_text(encoding="utf-8"))
    assert read("python")["package"]["version"] == {"workspace": True} == read("crates/cli")["package"]["version"]
    assert ballesta.__version__ == read(".")["workspace"]["package"]["version"]


#: What a user writes, and mypy's idea of it.
USE = {
    "model.run(stop=1.0, inputs={'time': [0.0, 1.0], 'motor.torque': np.zeros(2)})['pivot.force']": "ndarray[Any, dtype[float64]]",
    "model.rollout(model.simulator().save(), np.zeros((2, 3, 1)))['arm.angle']": "ndarray[Any, dtype[float64]]",
    "model.simulator().outputs()": "ndarray[Any, dtype[float64]]",
    "model.linearize().A": "ndarray[Any, dtype[float64]]",
    "model.modes()[0].frequency_hz": "float",
    "study.read('damping.parquet')": "DataFrame",
}


def test_types_hold_in_the_package_and_reach_its_users(tmp_path):
    script = tmp_path / "use.py"
    lines = ["import numpy as np", "import ballesta", "from ballesta import study", 'model = ballesta.load("pendulum", parameters={"a": 1.0})']
    script.write_text("\n".join(lines + [f"reveal_type({expression})" for expression in USE]) + "\n")
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "tests/python/mypy.ini", "--cache-dir", tmp_path / "cache"]
    environment = os.environ | {"MYPYPATH": str(ROOT / "python")}
    done = subprocess.run([*command, ROOT / "python/ballesta", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert [re.sub(r"\b(\w+\.)+", "", found) for found in revealed] == list(USE.values())


def public(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


def test_everything_public_says_what_it_is(ballesta):
    missing = []
    for name in ballesta.__all__:
        thing = getattr(ballesta, name)
        if name == "__version__":
            continue
        if not thing.__doc__:
            missing.append(name)
        if isinstance(thing, type) and thing.__module__.startswith("ballesta"):
            for member in public(thing):
                value = vars(thing)[member]
                if callable(getattr(value, "fget", value)) and not getattr(value, "__doc__", None):
                    missing.append(f"{name}.{member}")
    assert missing == []
    assert {name for _, name, _ in pkgutil.iter_modules(ballesta.__path__)} >= {"model", "result", "rollout", "errors"}


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", ["docs/quick-start.md", "docs/python.md"])
def test_the_python_lines_of_a_page_run(page, ballesta, tmp_path, monkeypatch):
    """One after the other, in a folder with the file that docs/quick-start.md saves."""
    saved = re.search(r"<!-- saved as: pendulum.toml -->\n```toml\n(.*?)^```", (ROOT / "docs/quick-start.md").read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "pendulum.toml").write_text(saved[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names, blocks = {}, python_blocks(page)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    if page == "docs/quick-start.md":
        assert (tmp_path / "pendulum.html").is_file() and names["result"]["pivot.force"].shape[1] == 3
