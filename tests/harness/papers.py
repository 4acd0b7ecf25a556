"""Pages that compare papers with this program (docs/papers): rows of their tables, figures in them, and the commands that give them."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from gallery import PROGRAM, ROOT, SCRATCH

FOLDER = ROOT / "docs" / "papers"
OVERVIEW = FOLDER / "README.md"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path != OVERVIEW)
HEAD = "| item | paper | ours | command | verdict |"
# How a verdict begins.
VERDICTS = ("same", "better", "differs", "not built because")

# A number that is no part of a word, a path or a version: groups of three digits may have blanks between them.
NUMBER = re.compile(r"(?<![\w.,/#^-])[−+-]?(?:\d{1,3}(?: \d{3})+|\d+)(?:\.\d+)?(?:e[−+-]?\d+)?(?![\w.]*\w)")
# Numbers that name something.
NAMES = re.compile(r"\b(?:tables?|figures?|equations?|eqs?\.?|models?|codes?|section|order|version|node|FMI) \d+(?:\.\d+)?"
                   r"(?:(?:, or |, | and | or | to )\d+(?:\.\d+)?)*")
# Factors between a unit of a page and those of outputs.
FACTORS = {"mm": (1.0, 1e-3), "µs": (1.0, 1e-6), "ms": (1.0, 1e-3), "%": (1.0, 1e-2), "kHz": (1.0, 1e3)}


@dataclass(frozen=True)
class Figure:
    """A number of a page: as printed, its value, half a unit of its last digit, and the unit behind it."""

    text: str
    value: float
    tolerance: float
    unit: str

    def agrees(self, value):
        return abs(value - self.value) <= self.tolerance * (1 + 1e-9)

    def among(self, values):
        """Whether one of the values is this figure, in its unit or in SI units."""
        return any(self.agrees(value / factor) for value in values for factor in FACTORS.get(self.unit, (1.0,)))

    def moved(self, units):
        """The figure with another last digit."""
        return Figure(self.text, self.value + 2 * units * self.tolerance, self.tolerance, self.unit)


@dataclass
class Row:
    page: str
    heading: str
    item: str
    paper: str
    ours: str
    command: str
    verdict: str
    # Those of the cell; of the row above where it says "the same"; all of the table above where it says "the commands above".
    commands: list[str] = field(default_factory=list)

    @property
    def name(self):
        return f"{self.page}: {self.item}"

    @property
    def kind(self):
        """What of the paper the row is about."""
        found = re.match(r"(table|figure|fig)", self.item.lower())
        if found:
            return "table" if found.group(1) == "table" else "figure"
        words = {"claim": "claim", "future": "future work", "workflow": "workflow", "method": "method"}
        heading = next((kind for word, kind in words.items() if word in self.heading.lower()), "result")
        if "announced" in self.paper or '"can be' in self.paper:
            return "future work"
        return "claim" if self.item.startswith('"') else heading


def bare(cell):
    """A cell without code, addresses of links, and numbers that name something."""
    cell = re.sub(r"`[^`]*`", "`", cell)
    cell = re.sub(r"\[([^]]*)\]\([^)]*\)", r"[\1]", cell)
    return NAMES.sub("", cell)


def figures(cell):
    """The figures of a cell, in its order; "1.2 and 3.4 mm" gives both the unit."""
    text, found = bare(cell), []
    for match in NUMBER.finditer(text):
        digits = match.group().replace(" ", "").replace("−", "-")
        mantissa, _, exponent = digits.partition("e")
        places = len(mantissa.partition(".")[2])
        behind = re.match(r"\s?(%|mm|µs|ms|kHz|Hz)(?!\w)", text[match.end():])
        listed = re.match(r"(?:(?:,| and| to) [\d.]+)+ (%|mm|µs|ms|kHz|Hz)(?!\w)", text[match.end():])
        unit = (behind or listed).group(1) if behind or listed else ""
        found.append(Figure(match.group(), float(digits), 0.5 * 10.0 ** (int(exponent or 0) - places), unit))
    return found


def printed_numbers(text):
    """All numbers in what a command printed."""
    return [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def rows(path):
    """The rows of a page in its order."""
    found, heading, table = [], "", None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        if line == HEAD:
            table = []
        elif table is not None and line.startswith("| "):
            cells = line.strip("| ").split(" | ")
            assert len(cells) == 5, f"{path.name}: {line}"
            row = Row(path.stem, heading, *cells)
            row.commands = commands(row.command, table)
            table.append(row)
            found.append(row)
        elif not line.startswith("|"):
            table = None
    return found


def commands(cell, above):
    own = [re.sub(r"^time ", "", text) for text in re.findall(r"`([^`]*)`", cell)]
    if cell.startswith("the same"):
        own = above[-1].commands + own
    if re.match(r"(all of the above|the commands above)", cell):
        own = [command for row in above for command in row.commands] + own
    return list(dict.fromkeys(own))


def every_row():
    return [row for path in PAGES for row in rows(path)]


class Folder:
    """The working folder of a page, in which a command runs once, after those whose files it names."""

    def __init__(self, page, shorten, not_run):
        """`shorten` changes a command before it is run; commands of `not_run` are left out."""
        self.shorten, self.not_run = shorten, not_run
        self.path = SCRATCH / "papers" / page
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        shutil.copytree(ROOT / "models", self.path / "models")
        for name in ("docs", "examples", "tests"):
            (self.path / name).symlink_to(ROOT / name)
        self.page, self.answers = page, {}
        self.known = list(dict.fromkeys(command for row in rows(FOLDER / f"{page}.md") for command in row.commands
                                        if not not_run(command)))

    def needed(self, command):
        """The commands before it that write a file which it names, the last one of each file."""
        before = self.known[:self.known.index(command)] if command in self.known else []
        words, last = set(command.split()), {}
        for other in before:
            for name in re.findall(r"(?:-o|--csv|--json|--svg) (\S+\.\w+)", other):
                last[name] = other
        made = set(re.findall(r"(?:-o|--csv|--svg) (\S+)", command))
        return [other for name, other in last.items() if name in words - made]

    def run(self, command):
        """What a command prints on stdout."""
        if command not in self.answers:
            for other in self.needed(command):
                self.run(other)
            environment = os.environ | {"PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
            done = subprocess.run(["bash", "-c", self.shorten(command)], cwd=self.path, env=environment, stdin=subprocess.DEVNULL, text=True,
                                  encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            assert done.returncode == 0, f"{self.page}: `{command}`: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            self.answers[command] = done.stdout
        return self.answers[command]


def rewrite(row, values):
    """Writes figures of a row anew, with as many digits as they had; None leaves one as it is."""
    path = FOLDER / f"{row.page}.md"
    cell, at = row.ours, 0
    for figure, value in zip(figures(row.ours), values):
        at = re.search(rf"(?<![\d.]){re.escape(figure.text)}(?![\d.]*\d)", cell[at:]).start() + at
        text = figure.text
        if value is not None:
            text = f"{value:.{len(figure.text.partition('.')[2])}f}"
            cell = cell[:at] + text + cell[at + len(figure.text):]
        at += len(text)
    text = path.read_text(encoding="utf-8")
    old, new = (f"| {row.item} | {row.paper} | {ours} | {row.command} |" for ours in (row.ours, cell))
    assert text.count(old) == 1, f"{row.name}: not once on its page"
    path.write_text(text.replace(old, new), encoding="utf-8")


TITLE = """# Papers: every method, table, figure and claim

Five papers are compared with this program, each on a page of its own. This table lists every item of these pages: what the program
has, where, the command that shows it, and the verdict. `BALLESTA_REWRITE=1 python -m pytest tests/harness/test_paper_pages.py` writes
it from the pages; the same test runs the commands and compares the figures.

"""


def overview(every):
    """The text of docs/papers/README.md."""
    by_page = {path.stem: [row for row in every if row.page == path.stem] for path in PAGES}
    text = TITLE + "| page | items | " + " | ".join(VERDICTS) + " |\n|---|---|" + "---|" * len(VERDICTS) + "\n"
    for path in PAGES:
        found = by_page[path.stem]
        numbers = [sum(row.verdict.startswith(word) for row in found) for word in VERDICTS]
        assert sum(numbers) == len(found), path
        text += f"| [{path.stem}.md]({path.name}) | {len(found)} | " + " | ".join(map(str, numbers)) + " |\n"
    for path in PAGES:
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        text += f"\n## {title}\n\n| kind | item | what is there | file | command | verdict |\n|---|---|---|---|---|---|\n"
        for row in by_page[path.stem]:
            ours, verdict = (re.sub(r"\]\(#", f"]({path.name}#", cell) for cell in (row.ours, row.verdict))
            files = ", ".join(files_of(row))
            shown = ", ".join(f"`{command}`" for command in row.commands) or "–"
            text += f"| {row.kind} | {row.item} | {ours} | {files} | {shown} | {verdict} |\n"
    return text


def files_of(row):
    """Source files and models that a row names: in the column "ours", or else in its commands."""
    own = [name.split("`")[0] for name in re.findall(r"`((?:src|crates|models|benches)/[^` ]*)`", row.ours)]
    own += [link.removeprefix("../../") for link in re.findall(r"\]\((\.\./\.\./[^)#]+)\)", row.ours)]
    if not own:
        own = [word for command in row.commands for word in command.split() if re.match(r"(models|benches)/", word)]
    return [f"`{name}`" for name in dict.fromkeys(own)] or ["–"]
