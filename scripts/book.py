#!/usr/bin/env python3
"""Preprocesses and checks the documentation book.

As a preprocessor of mdBook (see `book.toml`), it redirects links that leave docs/ into the book, so that the pages keep
links that also work in the source tree. Markdown pages outside docs/ become separate chapters (`PROJECT`); other files
are copied to files/. A link to a folder becomes a link to its README.md or model.toml, or plain text.

`book.py --check FOLDER` copies these files into a built book and checks all links: files and headings exist, and
nothing is loaded from a network. Exit code 1: a link is broken."""

import json
import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"
# Pages outside of docs/ that are chapters at the end of the book, with their titles.
PROJECT = {
    "README.md": "Read me",
    "models/README.md": "The gallery of models",
    "models/structures/solid/README.md": "A structure from CalculiX",
    "examples/README.md": "Examples of importers",
    "examples/bare_metal/README.md": "Example without an operating system",
    "tests/reference/README.md": "Reference solutions",
    "benches/README.md": "Benchmarks",
    "crates/pictures/viewer/FORMAT.md": "Data of the 3-D page",
    "ARCHITECTURE.md": "Architecture",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
    "CHANGELOG.md": "Changes",
}
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\(([^()\s]+)\)")


def in_book(path):
    """Path in the book for a path in the source tree, both with `/` and relative to their roots; None if there is none."""
    if (ROOT / path).is_dir():
        inner = [path + name for name in ("/README.md", "/model.toml") if (ROOT / (path + name)).is_file()]
        return in_book(inner[0]) if inner else None
    if path.startswith(DOCS + "/"):
        page = path[len(DOCS) + 1:]
        return re.sub(r"(^|/)README\.md$", r"\1index.md", page)
    if path in PROJECT:
        return "project/" + path.replace("/", "-")
    return "files/" + path if (ROOT / path).is_file() else None


def outside(markdown):
    """Parts of a page, each with True for text (links count) and False for code."""
    fence = False
    for line in markdown.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            fence = not fence
            yield line, False
        else:
            for number, part in enumerate(re.split(r"(`+[^`]*`+)", line)):
                yield part, not fence and number % 2 == 0


def lead_back(markdown, source, chapter):
    """The page with redirected links; `source`: path in the source tree, `chapter`: path in the book."""

    def replace(match):
        text, target = match.groups()
        if urlsplit(target).scheme or target.startswith("#"):
            return match.group(0)
        path, _, heading = target.partition("#")
        place = os.path.normpath(os.path.join(os.path.dirname(source), path)).replace(os.sep, "/")
        book = in_book(place)
        if book is None:
            return text.lstrip("!")[1:-1]
        heading = "#" + heading if heading else ""
        return f"{text}({os.path.relpath(book, os.path.dirname(chapter) or '.').replace(os.sep, '/')}{heading})"

    # `outside` splits a link whose text is code; join it again first.
    parts, hidden = [], []
    for part, counts in outside(markdown):
        if counts:
            parts.append(part)
        else:
            parts.append(f"\0{len(hidden)}\0")
            hidden.append(part)
    joined = LINK.sub(replace, "".join(parts))
    return re.sub("\0(\\d+)\0", lambda match: hidden[int(match.group(1))], joined)


def preprocess():
    """Reads the book from stdin and writes the changed book to stdout (mdBook's protocol)."""
    _, book = json.load(sys.stdin)
    key = "items" if "items" in book else "sections"

    def visit(items):
        for item in items:
            chapter = item.get("Chapter") if isinstance(item, dict) else None
            if chapter and chapter["source_path"]:
                source = f"{DOCS}/{chapter['source_path']}"
                chapter["content"] = lead_back(chapter["content"], source, in_book(source))
                visit(chapter["sub_items"])

    visit(book[key])
    book[key].append({"PartTitle": "The project"})
    for path, title in PROJECT.items():
        place = in_book(path)
        content = lead_back((ROOT / path).read_text(encoding="utf-8"), path, place)
        book[key].append({"Chapter": {"name": title, "content": content, "number": None, "sub_items": [], "path": place,
                                      "source_path": None, "parent_names": []}})
    json.dump(book, sys.stdout)


class Built(HTMLParser):
    """Identifiers and links of a built page."""

    def __init__(self, text):
        super().__init__()
        self.identifiers, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.identifiers.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag in ("img", "script", "iframe", "source") and attributes.get("src"):
            self.loaded.append(attributes["src"])
        elif tag == "link" and attributes.get("href"):
            self.loaded.append(attributes["href"])


def check(folder):
    """Copies the files that pages link into the built book; returns numbers of pages and links, and the broken links."""
    pages = {path: Built(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    broken, seen = [], 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        broken += [f"{name}: loads {link}" for link in page.loaded if urlsplit(link).netloc]
        for link in page.links + page.loaded:
            target = urlsplit(link)
            if target.scheme or target.netloc:
                continue
            seen += 1
            place = path.parent / unquote(target.path) if target.path else path
            place = Path(os.path.normpath(place))
            source = ROOT / place.relative_to(folder / "files") if place.is_relative_to(folder / "files") else None
            if source and source.is_file() and not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, place)
            if not place.is_file():
                broken.append(f"{name}: {link}")
            elif target.fragment and place in pages and unquote(target.fragment) not in pages[place].identifiers:
                broken.append(f"{name}: {link}: heading not found")
    return len(pages), seen, broken


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(sys.argv[2] != "html")
    if sys.argv[1:2] == ["--check"]:
        pages, links, broken = check(Path(sys.argv[2]).resolve())
        assert pages > 40 and links > 1000, f"{pages} pages with {links} links: too few, the check is ineffective"
        print(f"{pages} pages, {links} links, {len(broken)} broken")
        print("\n".join(broken), file=sys.stderr, end="\n" if broken else "")
        sys.exit(bool(broken))
    preprocess()


if __name__ == "__main__":
    main()
