"""The site: scripts that pages share, policies, links, and the workflows that publish it. The pages of the program need
the library of live pages; their test is skipped without it."""

import hashlib
import importlib.util
import json
import re
import subprocess
import sys

import pytest
from gallery import PROGRAM, ROOT

# `site` is a module of Python as well.
sys.path.insert(0, str(ROOT / "scripts"))
spec = importlib.util.spec_from_file_location("web_site", ROOT / "scripts" / "site.py")
web_site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(web_site)

LONG = "x" * web_site.MIN_SHARED
PARTS = "".join(path.read_text(encoding="utf-8") for path in web_site.PARTS.glob("*.html"))
# Pages of the book that the site links.
CHAPTERS = [*re.findall(r'href="book/([^"]+)"', PARTS), "viewing.html", "installation.html"]


def page(*parts, policy="default-src 'none'; script-src 'sha256-x'"):
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    return f"<!DOCTYPE html><html><head>{meta}</head><body>{''.join(parts)}</body></html>"


def filled(content):
    """Attributes and text of the element that a shared file inserts."""
    attributes = re.search(r"Object\.entries\((.*?)\)\) element", content).group(1)
    return json.loads(attributes), json.loads(re.search(r"element\.textContent = (.*);\n", content).group(1))


def test_long_scripts_of_several_pages_are_moved_to_one_file():
    library = f'<script type="text/plain" id="library">{LONG}</script>'
    program = f"<script>{LONG}\n\"\u2028\\</script>"
    own, other = (f'<script type="application/json" id="data">{LONG}{k}</script>' for k in (1, 2))
    pages = {"a.html": page(library, program, own), "gallery/b.html": page(library, program), "c.html": page(other)}
    pages, files = web_site.shared(pages)
    names = sorted(files)
    assert [re.sub("-[0-9a-f]{10}", "", name) for name in names] == ["shared/library.js", "shared/program.js"]
    loads = [f'<script src="{name}"></script>' for name in names]
    assert pages["a.html"] == page(*loads, own, policy="default-src 'none'; script-src 'self' 'sha256-x'")
    assert pages["gallery/b.html"] == page(*(load.replace('"shared', '"../shared') for load in loads),
                                           policy="default-src 'none'; script-src 'self' 'sha256-x'")
    assert pages["c.html"] == page(other), "nothing is shared"
    assert filled(files[names[0]]) == ({"type": "text/plain", "id": "library"}, LONG)
    assert filled(files[names[1]]) == ({}, f"{LONG}\n\"\u2028\\")


def test_the_libraries_that_write_fmus_are_loaded_on_demand():
    """The placeholder keeps the attributes, because the dialog shows the platforms before the file is loaded."""
    worker = '<script type="text/plain" id="packer-worker">1</script>'
    text, files = web_site.on_demand(page(
        '<script type="text/plain" id="packer">abc=</script>', worker,
        '<script type="text/plain" id="fmu-libraries" data-platforms="linux64, win64">def=</script>'))
    libraries, packer = sorted(files)
    assert re.fullmatch("shared/packer-[0-9a-f]{10}.js", packer)
    assert text == page(f'<script type="text/plain" id="packer" data-file="{packer}"></script>', worker,
                        f'<script type="text/plain" id="fmu-libraries" data-platforms="linux64, win64" data-file="{libraries}"></script>')
    assert filled(files[packer]) == ({"type": "text/plain", "id": "packer"}, "abc=")
    assert filled(files[libraries]) == ({"type": "text/plain", "id": "fmu-libraries", "data-platforms": "linux64, win64"}, "def=")


@pytest.fixture
def small(tmp_path):
    """A site without a fault."""
    (tmp_path / "site" / "sub").mkdir(parents=True)
    text = ('<!DOCTYPE html><html><head></head><body><h1 id="top">x</h1><script>1</script><style>a {}</style>'
            '<p style="clear: both">')
    links = {"a.html": '<a href="sub/b.html#top">b</a> <a href="https://x.org">x</a>',
             "sub/b.html": '<a href="../a.html">a</a><img src="../p.png">'}
    for name, body in links.items():
        (tmp_path / "site" / name).write_text(web_site.with_policy(text + body))
    (tmp_path / "site" / "p.png").write_bytes(b"")
    (tmp_path / "site" / "s.css").write_text("a { background: url(p.png) }")
    return tmp_path / "site"


def faults(folder, **more):
    return web_site.check(folder, **more)[0]


def test_the_check_accepts_a_site_and_files_next_to_it(small):
    assert web_site.check(small) == ([], "4 files, 2 pages, 3 links, 0.0 MB, 0 faults")
    (small.parent / "x.zip").write_bytes(b"")
    (small / "c.html").write_text(web_site.with_policy('<head></head><a href="../x.zip">x</a>'))
    assert faults(small) == ["c.html: ../x.zip leads out of the site"]
    assert faults(small, beside=small.parent) == []


@pytest.mark.parametrize("old, new, fault", [
    ("sub/b.html#top", "sub/c.html", "a.html: sub/c.html does not exist"),
    ("sub/b.html#top", "sub/b.html#gone", "a.html: sub/b.html#gone: the page has no such heading"),
    ("sub/b.html#top", "/sub/b.html", "a.html: /sub/b.html leads out of the site"),
    ("<h1", '<img src="https://x.org/p.png"><h1', "a.html: loads https://x.org/p.png"),
    ("<h1", '<source srcset="p.png 1x, //x.org/p.png 2x"><h1', "a.html: loads //x.org/p.png"),
    ("<script>1", "<script>2", "a.html: its script-src lacks a hash"),
    ("<style>a", "<style>b", "a.html: its style-src lacks a hash"),
    ("clear: both", "clear: left", "a.html: its style-src lacks a hash"),
    ("'none'", "'self'", "a.html: its policy has no default-src 'none'"),
    ("'self'", "'self' 'unsafe-inline'", "a.html: its policy allows 'unsafe-inline' in style-src"),
    ("'self'", "'self' https://x.org", "a.html: its policy allows https://x.org in style-src"),
    ("Content-Security-Policy", "X", "a.html: has 0 content security policies"),
    ("<head>", '<head><script src="s.css"></script>', "a.html: its policy comes after s.css"),
    ("<h1", '<base href="/"><h1', "a.html: has a base element, which changes its links"),
    ("<h1", '<h1 onclick="1"', "a.html: has the inline handler onclick"),
])
def test_the_check_finds_faults_of_pages(small, old, new, fault):
    text = (small / "a.html").read_text()
    assert old in text
    (small / "a.html").write_text(text.replace(old, new, 1))
    assert faults(small) == [fault]


def test_the_check_finds_style_sheets_that_load_and_a_large_site(small, monkeypatch):
    (small / "s.css").write_text('@import url("https://x.org/s.css");')
    monkeypatch.setattr(web_site, "MAX_BYTES", 100)
    assert faults(small)[0] == "s.css: loads https://x.org/s.css"
    assert re.fullmatch(r"has 0\.0 MB; at most 0 MB", faults(small)[1])


def test_the_gallery_has_every_model_with_a_picture_and_a_text():
    listed = web_site.entries()
    names, structures = ({entry.name for entry in listed if entry.structure == which} for which in (False, True))
    assert names >= {path.parent.name for path in ROOT.glob("models/*/model.toml")}
    assert names >= {path.stem for path in ROOT.glob("models/contacts/*.toml")}
    assert structures == {path.parent.name for path in ROOT.glob("models/structures/*/structure.toml")}
    assert len({entry.page for entry in listed}) == len(listed)
    assert set(web_site.FEATURED) <= names and set(web_site.GROUP_OF) <= names
    assert {entry.group for entry in listed} == set(web_site.GROUPS)
    for entry in listed:
        picture = ROOT / "docs" / "pictures" / "gallery" / entry.picture
        assert (ROOT / entry.source).exists() and picture.is_file() and picture.stat().st_size < 4e4, entry.name
        assert entry.text[0].isupper() and not re.search(r"[\[\]()|]{2}|\.md", entry.text), entry.text


@pytest.fixture
def book(tmp_path):
    """Instead of the book, which needs mdBook: empty chapters, and the pictures."""
    for chapter in CHAPTERS:
        (tmp_path / "book" / chapter).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "book" / chapter).write_text("<!DOCTYPE html><html><head></head><body></body></html>")
    (tmp_path / "book" / "pictures").mkdir()
    (tmp_path / "book" / "pictures" / "gallery").symlink_to(ROOT / "docs" / "pictures" / "gallery")
    return tmp_path / "book"


def run(*command):
    command = [str(word) for word in command]
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120)


def test_pages_of_the_program_become_a_site(book, tmp_path):
    original = tmp_path / "van.html"
    done = run(PROGRAM, "view", "models/van", "--live", "-o", original)
    if "library for wasm32" in done.stderr:
        pytest.skip("the library of live pages is missing or not current: scripts/platforms.sh wasm32")
    assert done.returncode == 0, done.stderr
    done = run(PROGRAM, "edit", "--with-fmu", "-o", tmp_path / "workshop.html")
    if "library wasm32-packer" in done.stderr:
        pytest.skip("the library that writes FMUs is missing or not current: scripts/platforms.sh wasm32-packer")
    assert done.returncode == 0, done.stderr
    dist, out = tmp_path / "dist", tmp_path / "dist" / "site"
    dist.mkdir()
    archive = f"ballesta-{web_site.version()}-x86_64-linux.tar.gz"
    (dist / archive).write_bytes(b"archive")
    command = [sys.executable, ROOT / "scripts" / "site.py", "--program", PROGRAM, "--book", book, "--dist", dist,
               "--out", out, "--models", "van,space_frame"]
    done = run(*command, "--zip", dist / "site.zip")
    assert done.returncode == 0, done.stderr
    assert " 0 faults" in done.stdout and (dist / "site.zip").stat().st_size > 1e6
    # Every page refers to one library. With the shared elements in place, a page is that of the program.
    shared = {path.name: path.read_text(encoding="utf-8") for path in (out / "shared").iterdir()}
    assert sorted(name.split("-")[0] for name in shared) == ["fmu", "library", "packer", "program", "worker"]
    for name in ("workshop.html", "gallery/van.html", "gallery/space_frame.html"):
        text = (out / name).read_text(encoding="utf-8")
        assert len(re.findall(r'src="(?:\.\./)?shared/library-', text)) == 1 and 'id="library"' not in text, name
        assert str(ROOT) not in text, f"{name} contains a path of this machine"
    text = (out / "workshop.html").read_text(encoding="utf-8")
    for name in shared:
        assert (f'data-file="shared/{name}"' in text) == name.startswith(("fmu-", "packer-")), name
    text = (out / "gallery" / "van.html").read_text(encoding="utf-8")

    def element(match):
        attributes, inner = filled(shared[match.group(1)])
        return "<script" + "".join(f' {key}="{value}"' for key, value in attributes.items()) + f">{inner}</script>"

    text = re.sub(r'<script src="\.\./shared/([^"]+)"></script>', element, text)
    assert text.replace("script-src 'self' ", "script-src ") == original.read_text(encoding="utf-8")
    # Downloads, relative and with an address.
    text = (out / "downloads.html").read_text(encoding="utf-8")
    assert f'href="../{archive}"' in text and text.count("SHA-256 <code>") == 1
    assert hashlib.sha256(b"archive").hexdigest() in text
    assert set(web_site.PLATFORMS) == set(web_site.archives.TAGS)
    addressed = web_site.downloads(web_site.packages(dist), "https://x.org/v1/")
    assert f'href="https://x.org/v1/{archive}"' in addressed
    # A failure keeps the site.
    done = run(*command, "--book", tmp_path / "none")
    assert done.returncode == 1 and "run scripts/book.sh" in done.stderr and (out / "index.html").is_file()


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_pin_actions_name_existing_scripts_and_begin_with_few_rights(path):
    text = path.read_text(encoding="utf-8")
    for used in re.findall(r"uses: (\S+)", text):
        assert (ROOT / used).is_file() if used.startswith("./") else re.fullmatch(r"actions/[\w-]+@v\d+", used), used
    for script in re.findall(r"(?:\./test|scripts/[\w/]+)\.sh|\.ci/run", text):
        assert (ROOT / script).stat().st_mode & 0o100, script
    first = re.search(r"^permissions:(.*\n(?:  .*\n)*)", text, re.M).group(1)
    assert set(re.findall(r"\w+: (\w+)", first)) <= {"read"}
    # Only a job that publishes may write.
    for job, rights in re.findall(r"^  (\w+):\n(?:    .*\n|\n)*?    permissions:\n((?:      .*\n)+)", text, re.M):
        assert "write" not in rights or job in ("draft", "publish"), job


def test_a_release_needs_the_tag_of_its_version():
    done = run(ROOT / "scripts" / "release.sh", "v0.0.1", "https://x.org")
    assert done.returncode == 2 and f"expected the tag v{web_site.version()}" in done.stderr
