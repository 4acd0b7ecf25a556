"""The documentation as a book: its table of contents, links that leave docs/, and the check of the built book."""

import re
import subprocess
import sys

import pytest

from gallery import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import book  # noqa: E402

MDBOOK = ROOT / "target" / "tools" / "bin" / "mdbook"


def test_the_table_of_contents_has_every_page_once():
    summary = (ROOT / "docs" / "SUMMARY.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([^)]+)\)", summary)
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} - {"SUMMARY.md"}
    assert len(listed) == len(set(listed))
    assert set(listed) == pages


def test_the_index_has_every_page():
    """docs/README.md says of every page for whom it is; those of tutorial and how-tos have indexes of their own."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT / "docs").as_posix()
        if name in ("README.md", "SUMMARY.md"):
            continue
        folder = path.parent / "README.md"
        text, link = (folder.read_text(encoding="utf-8"), path.name) if folder.exists() and path.parent != ROOT / "docs" else (index, name)
        assert path.name == "README.md" or f"]({link}" in text, f"{name} is not in its index"
    for folder in ("tutorial/README.md", "how-to/README.md", "import/README.md"):
        assert f"]({folder})" in index


@pytest.mark.parametrize("source, text, expected", [
    ("docs/a.md", "[x](b.md#h)", "[x](b.md#h)"),
    ("docs/a.md", "[x](README.md)", "[x](index.md)"),
    ("docs/a.md", "[x](../README.md#limits)", "[x](project/README.md#limits)"),
    ("docs/papers/a.md", "[`van`](../../models/van/model.toml)", "[`van`](../files/models/van/model.toml)"),
    ("docs/a.md", "[van](../models/van), [all](../models)", "[van](files/models/van/model.toml), [all](project/models-README.md)"),
    ("docs/a.md", "[code](../src)", "code"),
    ("docs/a.md", "`[x](../README.md)`", "`[x](../README.md)`"),
    ("docs/a.md", "```\n[x](../README.md)\n```\n", "```\n[x](../README.md)\n```\n"),
    ("README.md", "![p](docs/pictures/view_van.svg)", "![p](../pictures/view_van.svg)"),
    ("docs/a.md", "<https://x.org> [y](https://y.org/a.md)", "<https://x.org> [y](https://y.org/a.md)"),
])
def test_links_lead_back_into_the_book(source, text, expected):
    assert book.lead_back(text, source, book.in_book(source) or "a.md") == expected


def test_pages_outside_of_docs_that_a_page_links_are_chapters():
    """mdBook would change a link to another Markdown file to a page that does not exist."""
    chapters = {*(ROOT / "docs").rglob("*.md"), *(ROOT / path for path in book.PROJECT)}
    for page in chapters:
        for part, counts in book.outside(page.read_text(encoding="utf-8")):
            for _, target in book.LINK.findall(part) if counts else []:
                path = (page.parent / target.partition("#")[0]).resolve()
                assert path.suffix != ".md" or "://" in target or path in chapters, f"{page.relative_to(ROOT)}: {target}"


def test_the_check_finds_what_is_broken(tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="there"></p><img src="https://x.org/p.png"><a href="files/README.md">4</a>')
    pages, links, broken = book.check(tmp_path)
    assert (pages, links) == (2, 4)
    assert broken == ["a.html: b.html#gone: heading not found", "a.html: c.html", "b.html: loads https://x.org/p.png"]
    assert (tmp_path / "files" / "README.md").read_bytes() == (ROOT / "README.md").read_bytes()


@pytest.mark.skipif(not MDBOOK.exists(), reason="mdBook is not installed: scripts/book.sh does that, and builds the book")
def test_the_book_builds_without_a_broken_link():
    done = subprocess.run([ROOT / "scripts" / "book.sh"], stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0 and " 0 broken" in done.stdout, done.stdout + done.stderr
    assert (ROOT / "target" / "book" / "index.html").is_file()
