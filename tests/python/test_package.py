"""The package itself: its documentation runs, its types are complete, its README lines work."""

import ast
import doctest
import importlib
import pkgutil
import re

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
    (version,) = {re.search(r'^version = "(.*)"$', (ROOT / path / "Cargo.toml").read_text(), re.M)[1] for path in (".", "python")}
    assert ballesta.__version__ == version


def public(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


def test_the_types_of_the_compiled_part_are_those_that_it_has(ballesta):
    tree = ast.parse((ROOT / "python/ballesta/_native.pyi").read_text())
    native = importlib.import_module("ballesta._native")
    named = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(named) == {name for name in vars(native) if not name.startswith("_") and name not in ("Row", "Pairs")}
    for name, node in named.items():
        if isinstance(node, ast.ClassDef):
            members = {member.name for member in node.body if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")}
            assert members == public(getattr(native, name)), name


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


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_lines_of_a_page_run(page, ballesta, tmp_path, monkeypatch):
    """One after the other, in a folder with the file that the README saves."""
    saved = re.search(r"<!-- saved as: pendulum.toml -->\n```toml\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    (tmp_path / "pendulum.toml").write_text(saved[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names, blocks = {}, python_blocks(page)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    if page == "README.md":
        assert (tmp_path / "pendulum.html").is_file() and names["result"]["pivot.force"].shape[1] == 3
