"""Every command of the README and of the documentation, read from the page and run in the order of the page.

A page has a folder of its own, in which later commands find the files of earlier ones. A command ends with exit code 0, or with the one
that its page shows; where a page shows what is printed, that is compared too (`BALLESTA_REWRITE=1` writes output and files anew).
The tables below say which commands are shortened, which may end otherwise, and which are not run; each of their rows must match."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import documented
from gallery import HOST_LIBRARY, PROGRAM, ROOT, SCRATCH

PAGES = documented.pages()

# Pattern, replacement, reason.
SHORTENED = [
    (r"--duration (?:[3-9]|\d\d+)\b", "--duration 1", "paced by the clock: a second shows what a minute does"),
    (r"^(ballesta bench (?=.*--realtime)(?!.*--(?:duration|steps)).*)$", r"\1 --duration 1", "the same"),
    (r"--steps 2000\b", "--steps 1000", "the same"),
    (r"--steps 100000\b", "--steps 1000", "the distribution of step times has a test of its own"),
    (r"^(ballesta bench (?!.*--(?:steps|realtime|duration))[^|&]*)$", r"\1 --steps 1000", "the same: a tenth of the default"),
    (r"^(ballesta (?:export|demo)(?!.*--library|.*--sources-only).*?)( *)$", rf"\1 --library linux64={HOST_LIBRARY}",
     "the library of this session, which is built already"),
    (r"\| less$", "| cat", "nobody turns the pages"),
    (r"^(ballesta export models/four_bar -o four_bar)\.fmu --fmi 3\.0", r"\1_3.fmu --fmi 3.0",
     "the examples of the next help are for the one of FMI 2.0"),
]

if shutil.which("jq") is None:
    SHORTENED.append((r"\| jq [^;|]*", "| cat ", "jq is not installed"))

# Page, pattern, exit codes, reason: commands that may end otherwise than with 0.
OTHER_CODES = [
    ("docs/hil.md", r"--strict --max-misses 0", {0, 2, 3}, "whether the machine permits it and keeps the deadlines"),
    ("docs/performance.md", r"--priority 80 --lock-memory", {0, 2}, "whether the machine permits it"),
    ("docs/command-line.md", r"--strict --max-misses 0", {0, 2, 3}, "the same"),
    ("docs/command-line.md", r"manoeuvre models/van sine_with_dwell", {3}, "large factors leave the ranges of the tyre file"),
]

# Page (a pattern), pattern, reason: commands that are not run.
NOT_RUN = [
    ("README.md", r"\./test\.sh", "runs this test"),
    ("docs/installation.md", r"scripts/package\.sh", "builds for minutes: tests/platforms runs it"),
    ("docs/hardening.md", r"\./scripts/fuzz\.sh", "needs a nightly toolchain, and goes on for hours"),
    ("docs/hardening.md", r"(FUZZED_TIMES=\d+ )?cargo test", "is part of ./test.sh"),
    ("docs/performance.md", r"cargo (bench|run --release --example)", "builds benchmarks and examples: minutes"),
    ("docs/performance.md", r"benches/(peers|instructions|spin)/run\.sh", "measures for hours, against other programs"),
    ("docs/how-to/rust.md", r"cargo run", "builds examples: crates/solver/tests/mechanisms runs them"),
    ("docs/importers.md", r"cmake|make|fmuCheck|fmusim|OMSimulator|build/fmi_import_test|unzip", "programs that are not among the tools"),
    ("docs/c-sources.md", r"--sources-only|unzip|gcc|fmpy compile", "compiles for minutes: tests/harness/test_c_sources.py has other compilers"),
    ("docs/import/fmusim.md", r"fmusim", "the same"),
    ("docs/import/openmodelica.md", r"OMSimulator", "the same"),
    ("docs/import/fmpy.md", r"pip install|python -m fmpy\.gui", "a window, and 500 MB for it"),
    ("docs/command-line.md", r"ballesta export .*--library win64=", "needs a library for Windows: crates/cli/tests/cli/export.rs"),
    (r"docs/(command-line|viewing)\.md", r"ballesta edit\b", "needs the library of live pages: crates/cli/tests/cli/edit.rs"),
    (r"docs/(command-line|viewing|how-to/look-in-3d|how-to/drive-a-manoeuvre)\.md", r"ballesta (view|demo)\b.*--live", "needs the library of live pages: tests/browser/live.test.mjs"),
    ("docs/command-line.md", r"ballesta study .*--dask", "needs a cluster: tests/python/test_studies.py has one"),
    ("docs/how-to/study-on-a-cluster.md", r"ballesta study .*--dask", "the same"),
    ("docs/command-line.md", r"ballesta groups .*\| *dot|ballesta groups .*&& dot", "needs Graphviz"),
    ("docs/command-line.md", r"ballesta completions", "writes into the reader's home: crates/cli/tests/cli/help.rs"),
    ("docs/command-line.md", r"ballesta demo --out /tmp", "writes outside of the working folder; the line above is run"),
]

# Files of the reader that examples name: the command that makes them beforehand.
STAND_INS = {
    "docs/command-line.md": [
        "sed 's/damper.coefficient/spring.stiffness/' docs/tutorial/models/quarter_car.toml > wishbone.toml",
        "cp docs/tutorial/models/step.csv road.csv",
        "ballesta reduce models/structures/arm_link -o arm.rom.toml",
        "cp examples/robots/six_axis_arm.urdf robot.urdf",
        "cp tests/import/leg.xml scene.xml; cp tests/import/leg_defaults.xml .",
    ],
}


def key(path):
    return path.relative_to(ROOT).as_posix()


def shorten(text):
    for pattern, replacement, _ in SHORTENED:
        text = re.sub(pattern, replacement, text)
    return text


def excuse(page, text):
    """Row of NOT_RUN for a command, or None."""
    rows = [row for row in NOT_RUN if re.fullmatch(row[0], page) and re.match(row[1], text)]
    assert len(rows) <= 1, f"{page}: {text}: {rows}"
    return rows[0] if rows else None


def codes(page, command):
    """Exit codes that a command may end with."""
    for name, pattern, allowed, _ in OTHER_CODES:
        if name == page and re.search(pattern, command.text):
            return allowed
    return {command.code}


def prepare(path):
    """The empty working folder of a page, with the parts of the source tree that commands name."""
    folder = SCRATCH / "documented" / key(path).replace("/", "_").removesuffix(".md")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "target").mkdir(parents=True)
    for name in ("docs", "examples", "include", "tests"):
        (folder / name).symlink_to(ROOT / name)
    # Some commands write there.
    shutil.copytree(ROOT / "models", folder / "models")
    (folder / "target" / "venv").symlink_to(Path(sys.prefix))
    if key(path).startswith("docs/tutorial/"):
        # Its pages ask for a copy of their models.
        shutil.copytree(path.parent / "models", folder, dirs_exist_ok=True)
    return folder


@pytest.mark.parametrize("path", PAGES, ids=key)
def test_the_commands_of_the_page_do_what_it_says(path):
    page = documented.read(path)
    if not page.items:
        pytest.skip("no command on this page")
    folder, name = prepare(path), key(path)
    environment = os.environ | {"PATH": f"{PROGRAM.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    rewrite, replacements, problems, settings = bool(os.environ.get("BALLESTA_REWRITE")), [], [], []
    for text in STAND_INS.get(name, []):
        assert documented.run(text, folder, environment)[0] == 0, text
    for item in page.items:
        if isinstance(item, documented.Shown):
            save(item, folder, rewrite, replacements, problems)
            continue
        if isinstance(item, documented.Picture):
            made = (folder / item.name).read_bytes()
            if rewrite:
                item.source.write_bytes(made)
            elif not item.source.is_file() or item.source.read_bytes() != made:
                problems.append(f"{name}:{item.line}: {item.source} is not what the commands make: BALLESTA_REWRITE=1 writes it")
            continue
        text = item.text.replace("cargo run --release -- ", "ballesta ")
        if excuse(name, item.text):
            continue
        if re.match(r"\w+=\$\(", text):
            # A setting for the lines after it.
            settings.append(text)
            continue
        code, lines = documented.run("; ".join([*settings, shorten(text)]), folder, environment)
        right = code in codes(name, item)
        shown = item.output is None or documented.agree(item.output, lines)
        if rewrite and item.output is not None and not (right and shown) and "…" not in (line.strip() for line in item.output):
            replacements.append((item.span, lines + [f"exit code {code}"] * (code != 0)))
        elif not right:
            problems.append(f"{name}:{item.line}: `{item.text}`: exit code {code}\n" + "\n".join(lines))
        elif not shown:
            problems.append(f"{name}:{item.line}: `{item.text}` prints\n" + "\n".join(lines))
    if replacements:
        documented.rewrite(page, replacements)
    shutil.rmtree(folder)
    assert not problems, "\n\n".join(problems)


def save(item, folder, rewrite, replacements, problems):
    """Puts a file of a page into the working folder, and compares it with the file that it shows."""
    target = folder / item.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if item.source is None:
        target.write_text(item.text, encoding="utf-8")
        return
    text = item.source.read_text(encoding="utf-8")
    target.write_text(text, encoding="utf-8")
    if text != item.text:
        if rewrite:
            replacements.append((item.span, text.splitlines()))
        else:
            problems.append(f"{item.source} is not what line {item.line} shows: BALLESTA_REWRITE=1 writes it")


def test_commands_are_found():
    """What the search for commands must see: counts that fall when it goes blind."""
    commands = [(key(path), command.text) for path in PAGES for command in documented.read(path).commands]
    assert len(commands) > 150
    assert ("README.md", "cargo run --release -- demo") in commands
    assert ("docs/command-line.md", "ballesta check models/four_bar --svg topology.svg") in commands
    assert ("docs/flexible-beams.md", "ballesta run models/spinup_beam --plot spinup.svg") in commands
    assert any(name == "docs/hil.md" and "--strict --max-misses 0" in text for name, text in commands)


def test_the_tables_are_current():
    commands = [(key(path), command.text) for path in PAGES for command in documented.read(path).commands]
    for row in NOT_RUN:
        assert any(excuse(*command) is row for command in commands), f"no command for {row}"
    for pattern, _, _ in SHORTENED:
        assert any(re.search(pattern, text) for _, text in commands), f"no command to shorten by {pattern}"
    for name, pattern, _, _ in OTHER_CODES:
        assert any(page == name and re.search(pattern, text) for page, text in commands), f"no command for {pattern} in {name}"
    assert set(STAND_INS) <= {name for name, _ in commands}
    others = [text for name, text in commands if not re.match(r"ballesta |cargo run --release -- ", text) and not excuse(name, text)]
    known = r"\w+=\$\(|cc -std|cp |python |for |printf |sed "
    assert all(re.match(known, text) for text in others), [text for text in others if not re.match(known, text)]
