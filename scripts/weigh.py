"""Measures the project: lines, crates, public items, bytes, processor seconds of a cold build.

    scripts/weigh.py            lines, dependencies, public items; sizes of library and program if they are built
    scripts/weigh.py --build    also builds the program into an empty folder and adds the seconds
    scripts/weigh.py --write    writes the totals into docs/performance.md

Seconds are user and system time of rustc and the linker per crate, from the `RUSTC_WRAPPER` scripts/rustc_seconds.py;
they hardly depend on other work of the machine. A crate that is both a library and a program, and its build script, count
once. The build is the one of the README's first command. A public item is a line that begins with `pub` and defines a name in
a public module path; a `pub use` of private items counts once.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- scripts/weigh.py -->\n", "<!-- end of scripts/weigh.py -->"
ITEM = re.compile(r"^\s*pub (?:const |unsafe |async |extern \"C\" )*(?:fn|struct|enum|trait|const|static|type|mod|union|use)\b", re.M)


def call(*command):
    """Output of a command."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def members():
    """Folder of every package of the workspace, by the package's name."""
    found = json.loads(call("cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"))
    return {package["name"]: Path(package["manifest_path"]).parent for package in found["packages"]}


def sources():
    """Rust files tracked by git: (package, in src?, lines)."""
    folders = sorted(members().items(), key=lambda item: -len(item[1].parts))
    for name in call("git", "ls-files", "*.rs").split():
        path = ROOT / name
        package, folder = next((item for item in folders if path.is_relative_to(item[1])), (None, None))
        # Files of separate workspaces and shared test files count as tests of the root package.
        if path.is_file():
            yield package, path.is_relative_to(folder / "src"), path.read_text(encoding="utf-8").count("\n")


def public_items(file, folder):
    """Number of public items of the module in `file` with submodules in `folder`, without unit tests."""
    if not file.is_file():
        return 0
    text = re.split(r"\n#\[cfg\(test\)\]\nmod \w+ \{", file.read_text(encoding="utf-8"))[0]
    count = len(ITEM.findall(text))
    for name in re.findall(r"^pub mod (\w+);", text, re.M):
        count += public_items(folder / f"{name}.rs", folder / name) + public_items(folder / name / "mod.rs", folder / name)
    return count


def dependencies(package):
    """Number of crates compiled for a package in addition to it, with default features and without test dependencies."""
    tree = call("cargo", "tree", "--locked", "--package", package, "--edges", "normal,build", "--prefix", "none", "--no-dedupe")
    return len({" ".join(line.split()[:2]) for line in tree.splitlines() if line.strip()}) - 1


def cold_build():
    """Processor seconds per crate of a cold build of the program."""
    target = ROOT / "target/weigh"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    log = target / "seconds.txt"
    wrapper = {"RUSTC_WRAPPER": str(ROOT / "scripts/rustc_seconds.py"), "RUSTC_SECONDS": str(log)}
    command = ["cargo", "build", "--release", "--locked", "--package", "ballesta-cli", "--target-dir", target]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | wrapper)
    seconds = defaultdict(float)
    for line in log.read_text(encoding="utf-8").splitlines():
        name, spent = line.rsplit(" ", 1)
        seconds[name] += float(spent)
    return dict(seconds)


def table(head, rows):
    """A Markdown table, numbers aligned to the right."""
    line = lambda cells: "| " + " | ".join(str(cell) for cell in cells) + " |"
    return "\n".join([line(head), "|---|" + "---:|" * (len(head) - 1), *map(line, rows)]) + "\n"


def main():
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--write", action="store_true")
    typed = parser.parse_args()
    seconds = cold_build() if typed.build else {}
    lines, tests = defaultdict(int), defaultdict(int)
    for package, in_src, count in sources():
        (lines if in_src else tests)[package] += count
    items = {name: public_items(folder / "src/lib.rs", folder / "src") for name, folder in members().items()}
    of = lambda name: f"{seconds[name]:.0f}" if name in seconds else "–"
    rows = [
        (name, lines[name], tests[name], dependencies(name), items[name], of(name)) for name in sorted(members())
    ]
    rows.append(("all", sum(lines.values()), sum(tests.values()), "", sum(items.values()), f"{sum(seconds.values()):.0f}" if seconds else ""))
    text = table(("crate", "lines in src", "of tests, benches, examples", "crates it needs", "public items", "processor seconds"), rows)
    heavy = sorted((s, name) for name, s in seconds.items() if not name.startswith("ballesta"))[-10:]
    if heavy:
        text += "\n" + table(("crate from elsewhere", "processor seconds"), [(name, f"{s:.0f}") for s, name in reversed(heavy)])
    target = ROOT / "target" / ("weigh/release" if typed.build else "release")
    sizes = [(name, target / name) for name in ("ballesta", "deps/libballesta.so")]
    sizes.append(("platforms/x86_64-linux", ROOT / "target/platforms/x86_64-linux/libballesta.so"))
    made = [(name, f"{path.stat().st_size / 1e6:.2f}") for name, path in sizes if path.is_file()]
    if made:
        text += "\n" + table(("file", "MB"), made)
    print(text, end="")
    if typed.write:
        summary = [("lines in src", sum(lines.values())), ("lines of tests, benches and examples", sum(tests.values()))]
        summary += [("public items", sum(items.values())), ("crates that the program needs", dependencies("ballesta-cli"))]
        summary += [("first build, processor seconds", f"{sum(seconds.values()):.0f}")] if seconds else []
        text = table(("", "value"), summary + [(f"{name}, MB", size) for name, size in made])
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + text + END + rest.split(END, 1)[1], encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
