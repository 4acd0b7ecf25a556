"""Commands and files that a page of the documentation shows, in the order of the page, and how they are run.

What counts as a command:

* every line of a fenced block `sh`, `shell` or `bash`, continued lines joined;
* in a block `console` the lines that begin with `$ `: what follows up to the next one is what the command prints;
* in blocks `text` and in indented ones the lines that begin with `ballesta `;
* in the help of a command (the block after a line `<!-- ballesta … -->`) the lines of "Examples" and "First steps";
* in text, code that begins with `ballesta` and names something in `models/`, but for the pages of papers, whose commands crates/cli/tests/cli/papers.rs
  runs.

A block after a line `<!-- file: models/NAME -->` shows that file, whose path goes from the page; it is in the working folder of the
commands as NAME without the first folder, or, where NAME leaves the folder of the page, at its place in the source tree. A block after `<!-- saved as: NAME -->` is saved there under that name. A picture after
`<!-- picture: NAME -->` is the file NAME that a command above it has made.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from gallery import ROOT

SHELL = {"sh", "shell", "bash"}
# Times and what else differs from run to run, of printed lines: both sides are compared without it.
VARYING = [
    (r"[0-9.e-]+ s of computing \((takes )?[0-9.e+]+ times (faster than )?real time\)", "TIME"),
    (r"^(\s*longest communication step)\s.*", r"\1 TIME"),
    (r"^(\s*computing time)\s.*", r"\1 TIME"),
    (r"^(Wrote \S+: )[0-9.]+ MB, .*", r"\1SIZE"),
    (r"^GUID .*", "GUID"),
]


@dataclass
class Command:
    """A command of a page: its text, the line where it stands, and what the page says that it prints."""

    line: int
    text: str
    # Lines of a `console` block, without the last one if that says `exit code N`; None where the page shows no output.
    output: list[str] | None = None
    code: int = 0
    # Lines of the page that hold the output, for writing it anew.
    span: tuple[int, int] = (0, 0)


@dataclass
class Shown:
    """A file of a page: its name in the working folder, its text, and the file that it shows, if it shows one."""

    line: int
    name: str
    text: str
    source: Path | None
    span: tuple[int, int] = (0, 0)


@dataclass
class Picture:
    """A picture of a page that its commands make: its name in the working folder, and the file that the page shows."""

    line: int
    name: str
    source: Path


@dataclass
class Page:
    path: Path
    items: list = field(default_factory=list)

    @property
    def name(self):
        return self.path.relative_to(ROOT).as_posix()

    @property
    def commands(self):
        return [item for item in self.items if isinstance(item, Command)]


def pages():
    """All pages whose commands are run, as paths."""
    found = [ROOT / "README.md", ROOT / "examples" / "README.md"]
    found += [*(ROOT / "docs").rglob("*.md"), *(ROOT / "models").rglob("*.md")]
    return sorted(found)


def read(path):
    """The page at `path` with its commands and files."""
    page = Page(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    mark, index = None, 0
    while index < len(lines):
        line = lines[index]
        if line.lstrip().startswith("```"):
            indent, language = len(line) - len(line.lstrip()), line.strip()[3:].strip()
            assert indent == 0 or language != "console", f"{path}:{index + 1}: an output that is compared is not indented"
            end = next(i for i in range(index + 1, len(lines)) if lines[i].lstrip().startswith("```"))
            page.items += block(path, language, mark, index + 1, [text[indent:] for text in lines[index + 1:end]])
            mark, index = None, end + 1
            continue
        picture = mark and mark[0] == "picture: " and re.match(r"!\[[^]]*\]\(([^)]+)\)", line)
        if picture:
            page.items.append(Picture(index + 1, mark[1], path.parent / picture.group(1)))
        found = re.fullmatch(r"<!-- (file: |saved as: |picture: |ballesta ?)(.*?) ?-->", line)
        mark = found.groups() if found else (mark if not line.strip() else None)
        if re.match(r"    ballesta ", line) and (index == 0 or not lines[index - 1].strip() or lines[index - 1][:4] == "    "):
            # Indented blocks may have a remark behind three blanks.
            page.items.append(Command(index + 1, re.split(r"\s{3,}", line.strip())[0]))
        elif path.parent.name != "papers":
            page.items += [Command(index + 1, text) for text in re.findall(r"`(ballesta [a-z]+ [^`]*models/[a-z][^`]*)`", line)]
        index += 1
    return page


def block(path, language, mark, start, lines):
    """Items of a fenced block whose first line is that of index `start`, after the mark above it."""
    if mark and mark[0] in ("file: ", "saved as: "):
        source = path.parent / mark[1] if mark[0] == "file: " else None
        name = mark[1].split("/", 1)[-1] if source else mark[1]
        if mark[1].startswith("../"):
            name = source.resolve().relative_to(ROOT).as_posix()
        return [Shown(start, name, "\n".join(lines) + "\n", source, (start, start + len(lines)))]
    if mark and mark[0].startswith("ballesta"):
        return examples_of_help(start, lines)
    if language in SHELL:
        return list(joined(start, lines))
    if language == "console":
        return list(console(start, lines))
    if language == "text":
        return [Command(start + i + 1, line) for i, line in enumerate(lines) if re.match(r"ballesta [a-z]", line)]
    return []


def joined(start, lines):
    """Commands of a shell block."""
    text, first = "", 0
    for i, line in enumerate(lines):
        first = first if text else start + i + 1
        if line.endswith("\\"):
            text += line[:-1]
        elif (text + line).strip() and not (text + line).lstrip().startswith("#"):
            yield Command(first, re.sub(r"\s{2,}#.*| +# .*", "", text + line).strip())
            text = ""


def console(start, lines):
    """Commands of a `console` block with what they print."""
    found = []
    for i, line in enumerate(lines):
        if line.startswith("$ "):
            found.append(Command(start + i + 1, line[2:], [], 0, (start + i + 1, start + i + 1)))
            continue
        assert found, f"line {start + i + 1}: a console block begins with a command"
        found[-1].span = (found[-1].span[0], start + i + 1)
        code = re.fullmatch(r"exit code (\d+)", line)
        if code:
            found[-1].code = int(code.group(1))
        else:
            found[-1].output.append(line)
    return found


def examples_of_help(start, lines):
    """Commands in the lower part of a help."""
    found, inside = [], False
    for i, line in enumerate(lines):
        inside = (inside and line.startswith("  ")) or line in ("Examples:", "First steps:")
        if inside and line.startswith("  ballesta "):
            found.append(Command(start + i + 1, re.split(r"\s{3,}", line.strip())[0]))
    return found


def masked(lines):
    """Lines without what differs from run to run."""
    for pattern, replacement in VARYING:
        lines = [re.sub(pattern, replacement, line) for line in lines]
    return [line.rstrip() for line in lines]


def agree(shown, printed):
    """Whether the printed lines are those that a page shows; `…` alone in a line of the page stands for any number of lines."""
    shown, printed = masked(shown), masked(printed)
    if "…" not in (line.strip() for line in shown):
        return shown == printed
    head = next(i for i, line in enumerate(shown) if line.strip() == "…")
    rest = shown[head + 1:]
    if shown[:head] != printed[:head]:
        return False
    return any(agree(rest, printed[at:]) for at in range(head, len(printed) + 1)) if rest else True


def run(command, folder, environment):
    """Runs a command in `folder`; returns its exit code and the lines of stdout and stderr, in the order of a terminal."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          text=True, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    lines = done.stdout.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return done.returncode, lines


def rewrite(page, replacements):
    """Puts lines into a page: pairs of a span (first index, index behind the last one) and the lines that take its place."""
    lines = page.path.read_text(encoding="utf-8").splitlines()
    for (first, end), new in sorted(replacements, reverse=True):
        lines[first:end] = new
    page.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
