"""Every figure in the rows of docs/papers comes from the commands of its row, and docs/papers/README.md lists all rows.

paper_sources.py says where each figure is in what the commands print; figures of rows that it does not list are searched for among
all numbers that the commands print. A figure agrees if it is off by at most half a unit of its last digit. Times and ratios of times
are exempt: their commands must run and print the quantity, and where docs/performance.md has the times, the figures are those of its
tables. The text of the pages, or the seed BALLESTA_SEED, draws a sample of the rows; BALLESTA_SAMPLE=all (scripts/long.sh) takes all.

With BALLESTA_REWRITE=1 the figures that come from tables of docs/performance.md are written anew, and docs/papers/README.md."""

import os
import random
import re
import zlib
from types import SimpleNamespace

import pytest

import papers
from gallery import HOST_LIBRARY
from paper_sources import SOURCES, Bound, Exempt

ROWS = papers.every_row()
# Another text of the pages draws other rows.
SAMPLE, SEED = 16, int(os.environ.get("BALLESTA_SEED", zlib.crc32(repr(ROWS).encode())))
# Beginnings of items whose commands take seconds: these rows are in the full set only.
SLOW = ["table 1: four frequencies of the truss", "figure 3: spectrum", "step of load without damping", "high fidelity", "real time"]

# Pattern, replacement, reason: how a command is run.
SHORTENED = [
    (r"--duration \d+", "--duration 1", "paced by the clock: one second prints the same lines"),
    (r"^(ballesta export (?!.*--library).*)$", rf"\1 --library linux64={HOST_LIBRARY}", "the library of this session"),
]

# Beginning of a command, reason: commands that are not run here.
NOT_RUN = [
    ("cargo test", "./test.sh runs all Rust tests, which assert these figures"),
    ("cargo bench", "measures on an idle machine and writes docs/performance.md, whose tables are compared"),
    ("benches/spinup/run.sh", "installs and times another program"),
    ("python3 benches/spinup/table_1.py", "measures on an idle machine and writes the table of the page, which is compared"),
]


def sources(row):
    """The sources of a row, or None."""
    found = [key for key in SOURCES if key[0] == row.page and row.item.startswith(key[1])]
    assert len(found) <= 1, f"{row.name}: {found}"
    return SOURCES[found[0]] if found else None


def not_run(command):
    return any(command.startswith(beginning) for beginning, _ in NOT_RUN)


def shorten(command):
    for pattern, replacement, _ in SHORTENED:
        command = re.sub(pattern, replacement, command)
    return command


def sample():
    if os.environ.get("BALLESTA_SAMPLE") == "all":
        return ROWS
    quick = [row for row in ROWS if row.commands and not any(row.item.startswith(item) for item in SLOW)]
    chosen = random.Random(SEED).sample(range(len(quick)), min(SAMPLE, len(quick)))
    return [quick[index] for index in sorted(chosen)]


@pytest.fixture(scope="module")
def folders(program):
    known = {}

    def folder(page):
        if page not in known:
            known[page] = papers.Folder(page, shorten, not_run)
        return known[page]

    return folder


@pytest.mark.parametrize("row", sample(), ids=lambda row: row.name)
def test_figures_come_from_the_commands_of_the_row(row, folders):
    folder = folders(row.page)
    texts = [folder.run(command) for command in row.commands if not not_run(command)]
    answers = SimpleNamespace(texts=texts, folder=folder.path, page=row.page, commands=row.commands)
    problems = disagreements(row, answers)
    assert not problems, f"{row.name}\n{row.ours}\ncommands: {row.commands}\n" + "\n".join(problems)


def disagreements(row, answers, change=lambda figure: figure):
    """What the figures of a row are instead; `change` is for the test of this test."""
    figures, known = [change(figure) for figure in papers.figures(row.ours)], sources(row)
    if known is None:
        values = [value for text in answers.texts for value in papers.printed_numbers(text)]
        return [f"{figure.text}: not among the numbers that the commands print" for figure in figures if not figure.among(values)]
    if len(known) != len(figures):
        return [f"{len(known)} sources in paper_sources.py for {[figure.text for figure in figures]}"]
    problems = []
    for figure, source in zip(figures, known):
        if isinstance(source, Exempt):
            if source.shows and not re.search(source.shows, "\n".join(answers.texts), re.MULTILINE):
                problems.append(f"{figure.text}: {source.shows!r} is not printed")
        elif isinstance(source, Bound):
            value = source.source(answers)
            if not value < figure.value:
                problems.append(f"{figure.text}: {value} is not below it")
        elif not figure.agrees(value := signed(row, figure, source(answers))):
            problems.append(f"{figure.text}: {value}")
    return problems


def signed(row, figure, value):
    """A saving, as the words behind the figure count it."""
    return -value if re.search(rf"(?<![\d.]){re.escape(figure.text)} % slower", row.ours) else value


def test_a_wrong_figure_is_found(folders):
    """One unit of the last digit more, in rows with sources and by the search."""
    tried = 0
    for item in ["deflection, 10 elements", "frequencies, finite elements", "variables of the beam", "van: density"]:
        row = next(row for row in ROWS if row.item.startswith(item))
        folder = folders(row.page)
        answers = SimpleNamespace(texts=[folder.run(command) for command in row.commands], folder=folder.path, page=row.page)
        assert not disagreements(row, answers)
        problems = disagreements(row, answers, lambda figure: figure.moved(1))
        assert len(problems) == len(papers.figures(row.ours)), problems
        tried += len(problems)
    assert tried > 7
    figure, = papers.figures("65.46 Hz")
    assert figure.among([3.0, 65.4598]) and not figure.among([65.4498, 65.47])
    figure, = papers.figures("3.55 mm")
    assert figure.among([3.5462e-3]) and not figure.among([3.5562e-3])


def test_figures_are_read_from_cells():
    texts = lambda cell: [figure.text for figure in papers.figures(cell)]
    assert texts("1442, 17.4 and 1.3e-8 in model 3 of table 2 and figures 7 to 9") == ["1442", "17.4", "1.3e-8"]
    assert texts("`--elements 10`, [page 4](a/b_5.md) 60 000 and −0.5 or a_3, v2.1, C/2") == ["4", "60 000", "−0.5"]
    assert [figure.unit for figure in papers.figures("3.554 and 1.2 mm, 4 %")] == ["mm", "mm", "%"]
    assert papers.figures("60 000")[0].value == 60000.0


def test_figures_of_performance_md_are_current():
    """Rows whose figures are those of tables of docs: all of them, without a command."""
    answers = SimpleNamespace(texts=[], folder=None, page="hidalgo")
    rows = [row for row in ROWS if row.commands and all(not_run(command) for command in row.commands) and sources(row)]
    rows += [row for row in ROWS if row.page == "hidalgo" and row.item.startswith(("table 1", "table 2", "real time on"))]
    assert len(rows) > 12
    problems = []
    for row in rows:
        answers.page = row.page
        found = disagreements(row, answers)
        if found and os.environ.get("BALLESTA_REWRITE"):
            values = [None if isinstance(source, (Exempt, Bound)) else source(answers) for source in sources(row)]
            papers.rewrite(row, [value if value is None else signed(row, figure, value)
                                 for figure, value in zip(papers.figures(row.ours), values)])
        elif found:
            problems.append(f"{row.name}\n{row.ours}\n" + "\n".join(found))
    assert not problems, "\n\n".join(problems) + "\nBALLESTA_REWRITE=1 writes them"


def test_verdicts_follow_from_the_figures():
    """Per cents in the verdicts of Ghidella's results: differences of a figure of the paper and one of ours."""
    compared = 0
    for row in ROWS:
        if row.page != "ghidella" or row.heading != "Results":
            continue
        per_cent = [figure for figure in papers.figures(row.verdict) if re.search(rf"{re.escape(figure.text)}(?: and \d+)? %", row.verdict)]
        pairs = [(theirs, ours) for theirs in papers.figures(row.paper) for ours in papers.figures(row.ours)]
        for figure in per_cent:
            near = lambda theirs, ours: abs(abs(theirs.value / ours.value - 1) * 100 - figure.value)
            # Both have rounded digits.
            round_off = lambda theirs, ours: 100 * (theirs.tolerance / theirs.value + ours.tolerance / ours.value)
            assert any(near(*pair) <= figure.tolerance + round_off(*pair) for pair in pairs), f"{row.name}: {figure.text} %"
            compared += 1
    assert compared >= 7


# Figures of the text that are inputs or settings.
INPUTS = ["196.2", "572 957.8", "10 000", "20 000", "1e-6"]


def test_figures_of_the_text_are_in_tables():
    """Figures with three digits or more outside of tables: each is in a table of the page."""
    problems, compared = [], 0
    for path in papers.PAGES:
        text = path.read_text(encoding="utf-8").split("\n## Reference")[0].splitlines()
        known = {abs(figure.value) for line in text if line.startswith("|") for figure in papers.figures(line)}
        fenced = written = False
        for number, line in enumerate(text, 1):
            fenced ^= line.startswith("```")
            # A script or a Rust test writes what is between these marks.
            if line.startswith("<!-- ") and not line.startswith(("<!-- ballesta", "<!-- octave")):
                written = line != "<!-- end -->"
            if fenced or written or line.startswith(("|", "#", "    ", "<!--")):
                continue
            for figure in papers.figures(line):
                if len(re.sub(r"[^\d]", "", figure.text).lstrip("0")) >= 3 and figure.text not in INPUTS:
                    compared += 1
                    if abs(figure.value) not in known:
                        problems.append(f"{path.name}:{number}: {figure.text}: in no table of the page")
    assert not problems, "\n".join(problems)
    assert compared > 20


def test_the_tables_here_are_current():
    commands = [command for row in ROWS for command in row.commands]
    assert len(ROWS) >= 110 and len(commands) >= 120
    for beginning, reason in NOT_RUN:
        assert any(command.startswith(beginning) for command in commands), f"no command begins with {beginning}: {reason}"
    for pattern, _, _ in SHORTENED:
        assert any(re.search(pattern, command) for command in commands), f"no command to shorten by {pattern}"
    for item in SLOW:
        assert any(row.item.startswith(item) for row in ROWS), f"no item begins with {item}"
    for page, item in SOURCES:
        assert any(row.page == page and row.item.startswith(item) for row in ROWS), f"no row of {page} begins with {item}"
    for row in ROWS:
        assert row.verdict.startswith(papers.VERDICTS), f"{row.name}: {row.verdict}"
        assert not papers.figures(row.ours) or row.commands, f"{row.name}: figures without a command"
        shown = row.commands or "](" in row.command or row.verdict.startswith("not built because")
        assert shown, f"{row.name}: neither a command nor a page that shows it"
        known = sources(row)
        assert known is None or len(known) == len(papers.figures(row.ours)), f"{row.name}: {len(known)} sources"


def test_the_overview_lists_every_row():
    text = papers.overview(ROWS)
    if os.environ.get("BALLESTA_REWRITE"):
        papers.OVERVIEW.write_text(text, encoding="utf-8")
    current = papers.OVERVIEW.read_text(encoding="utf-8")
    assert current == text, f"{papers.OVERVIEW} is out of date: BALLESTA_REWRITE=1 writes it"
    assert sum(line.startswith("| ") for line in current.splitlines()) >= len(ROWS)
