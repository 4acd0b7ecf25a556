"""docs/python-reference.md is generated from the docstrings and types of the package.

`BALLESTA_REWRITE=1 pytest tests/python -k reference` writes it.
"""

import ast
import importlib
import os
import re
import subprocess
import sys
from inspect import cleandoc

from conftest import ROOT

PACKAGE = ROOT / "python/ballesta"
PAGE = ROOT / "docs/python-reference.md"
HEAD = """\
# Python: reference

All public names of the package `ballesta`, from its docstrings and types. [Python](python.md) explains them with
examples. Values are in SI units, angles in rad. Arrays are numpy arrays in double precision.
"""
# Modules in the order of the page, with their names there.
MODULES = {"model": "ballesta", "result": "ballesta", "_native": "ballesta", "rollout": "ballesta", "importing": "ballesta", "tyres": "ballesta", "installation": "ballesta",
           "errors": "ballesta", "study": "ballesta.study"}


def tree(module):
    path = next(path for path in (PACKAGE / f"{module}.py", PACKAGE / f"{module}.pyi") if path.is_file())
    return ast.parse(path.read_text(encoding="utf-8"))


def public_names():
    """Public names by module, from `__all__`."""
    assigned = lambda node: isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    listed = lambda body: next(ast.literal_eval(node.value) for node in body if assigned(node))
    body = tree("__init__").body
    exported = set(listed(body))
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    names = {node.module.split(".")[-1]: {alias.name for alias in node.names} & exported for node in imports}
    assert set().union(*names.values()) == exported
    return names | {"study": set(listed(tree("study").body))}


def signature(node, name, drop_first):
    """The signature as in the source; a long one has one line per argument."""
    given = node.args
    positional = given.posonlyargs + given.args
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    plain = lambda arg, default: f"{ast.unparse(arg)} = {ast.unparse(default)}" if default else ast.unparse(arg)
    words = [plain(*pair) for pair in zip(positional, defaults)][1 if drop_first else 0 :]
    if given.vararg:
        words.append(f"*{ast.unparse(given.vararg)}")
    elif given.kwonlyargs:
        words.append("*")
    words += [plain(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults)]
    end = f") -> {ast.unparse(node.returns)}"
    line = f"{name}({', '.join(words)}{end}"
    return line if len(line) <= 110 else f"{name}(\n" + "".join(f"    {word},\n" for word in words) + end


def prose(text):
    """A docstring as Markdown, with its examples as code blocks."""
    text = re.sub("::$", ":", cleandoc(text), flags=re.M)
    text = re.sub(r"^    (\w+): ", r"- `\1`: ", text, flags=re.M)
    parts = re.split(r"^(>>> .*(?:\n(?!\n).*)*)", text, flags=re.M)
    return "\n".join(f"```pycon\n{part.strip()}\n```\n" if part.startswith(">>> ") else f"{part.strip()}\n" for part in parts if part.strip())


def cell(text):
    return cleandoc(text).replace("\n", " ").replace("|", "\\|")


def documented(body):
    """Attributes that a class body or its `__init__` sets or declares: name, type and docstring."""
    for place, node in enumerate(body):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield from documented(node.body)
        name = getattr(node, "target", None) if isinstance(node, ast.AnnAssign) else None
        name = getattr(name, "id", getattr(name, "attr", "_"))
        following = body[place + 1].value if place + 1 < len(body) and isinstance(body[place + 1], ast.Expr) else None
        if not name.startswith("_"):
            yield name, ast.unparse(node.annotation), following.value if isinstance(following, ast.Constant) else None


def described(node, name):
    """Markdown of a class or function, and names without a docstring."""
    missing = [] if ast.get_docstring(node) else [name]
    if isinstance(node, ast.FunctionDef):
        return f"### {node.name}\n\n```python\n{signature(node, name, False)}\n```\n\n{prose(ast.get_docstring(node) or '')}", missing
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"### {node.name}\n\n```python\nclass {name}{f'({bases})' if bases else ''}\n```\n\n{prose(ast.get_docstring(node) or '')}"]
    rows, methods, signatures = list(documented(node.body)), [], []
    for member in node.body:
        marks = [ast.unparse(mark) for mark in getattr(member, "decorator_list", [])]
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("_") or any(mark.endswith(".setter") for mark in marks):
            continue
        text = ast.get_docstring(member)
        if "property" in marks:
            rows.append((member.name, ast.unparse(member.returns), text))
            continue
        signatures.append(signature(member, f"{node.name}.{member.name}", True))
        # Of several signatures the last one has the text.
        if text or "overload" not in marks:
            methods.append("```python\n" + "\n".join(signatures) + f"\n```\n\n{prose(text or '')}")
            missing += [] if text else [f"{name}.{member.name}"]
            signatures = []
    missing += [f"{name}.{row[0]}" for row in rows if not row[2]]
    if rows:
        table = "".join(f"| `{row[0]}` | `{cell(row[1])}` | {cell(row[2] or '')} |\n" for row in rows)
        lines.append(f"| attribute | type | what |\n|---|---|---|\n{table}")
    return "\n".join(lines + methods), missing


def page():
    lines, missing, names = [HEAD], [], public_names()
    assert set(MODULES) == set(names)
    for module, shown in MODULES.items():
        nodes = tree(module).body
        if module == "study":
            lines.append(f"## ballesta.study\n\n{prose(ast.get_docstring(tree(module)))}")
            nodes = tree("_native").body + nodes
        for node in nodes:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names[module]:
                text, lacking = described(node, f"{shown}.{node.name}")
                lines.append(text if shown == "ballesta.study" else text.replace("### ", "## ", 1))
                missing += lacking
    aliases = {"arrays": ["Floats"], "model": ["Values", "Inputs"]}
    shown = [ast.unparse(node) for module, known in aliases.items() for node in tree(module).body
             if isinstance(node, ast.Assign) and node.targets[0].id in known]
    lines.append("## Types in signatures\n\n```python\n" + "\n".join(shown) + "\n```\n")
    return "\n".join(lines), missing


def test_the_reference_is_that_of_the_package():
    text, missing = page()
    assert missing == []
    if os.environ.get("BALLESTA_REWRITE"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text, "not current: BALLESTA_REWRITE=1 pytest tests/python -k reference"


def test_the_compiled_part_has_the_types_of_its_stub(ballesta, tmp_path):
    """Names, signatures, properties, by mypy's stubtest. The stub has names of types for itself, the module a list of its names."""
    (tmp_path / "allowed").write_text("".join(f"ballesta._native.{name}\n" for name in ("Row", "Pairs", "__all__")), encoding="utf-8")
    command = [sys.executable, "-m", "mypy.stubtest", "ballesta._native", "--allowlist", tmp_path / "allowed", "--ignore-disjoint-bases",
               "--mypy-config-file", ROOT / "tests/python/mypy.ini"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_compiled_part_says_what_its_stub_says(ballesta):
    """Editors show the stub, `help` and notebooks the module."""
    native, compared = importlib.import_module("ballesta._native"), 0
    for owner in (node for node in tree("_native").body if isinstance(node, ast.ClassDef) and ast.get_docstring(node)):
        for node in (owner, *owner.body):
            text = ast.get_docstring(node) if isinstance(node, (ast.ClassDef, ast.FunctionDef)) else None
            if text:
                thing = getattr(native, owner.name)
                found = (thing if node is owner else getattr(thing, node.name)).__doc__
                assert found.split() == text.split(), f"{owner.name}.{node.name}"
                compared += 1
    assert compared > 30
