#!/usr/bin/env python3
"""Makes and checks the web site.

    site.py [--program FILE] [--book FOLDER] [--dist FOLDER] [--downloads URL] [--models NAME,...] [--out FOLDER]
            [--zip FILE]
    site.py --check FOLDER

The program writes the workshop and a page for every row of models/README.md: live pages of models, mode shapes of
structures. They are the pages of `ballesta edit`, `view --live` and `modes`, except that scripts which several pages
contain, such as the solver's library, are moved to shared/. Each file there is a classic script that inserts the
original element in its own place. The programs of the pages therefore need no change, and saved replays stay
self-contained. The libraries that write FMUs are in files, too: the workshop loads them when a visitor downloads an FMU.

Every page gets a content security policy. `script-src 'self'` allows the files of the site. In Chromium and Firefox it
also allows files on disk. The hash of an external script does not: both browsers reject `integrity` for file: URLs.

Archives and wheels in --dist are listed on the page of downloads with their sizes and checksums. Links to them are
relative, or begin with the URL of --downloads.

Exit code 1: the program failed or the check found a fault, and --out keeps its previous content."""

import argparse
import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))
import archives  # noqa: E402
from library_manifest import replace, version  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PARTS = ROOT / "scripts" / "site"
# Servers of static pages accept more; a visitor's disk and patience do not.
MAX_BYTES = 40_000_000
# Shorter scripts stay in their pages.
MIN_SHARED = 4096
PROGRAM_TIMEOUT_S = 300

# Groups of the gallery, in this order. Models with reduced bodies are flexible, all others are mechanisms.
VEHICLES, ROBOTS, CONTACT, MECHANISMS, FLEXIBLE, STRUCTURES = (
    "Vehicles and their parts", "Robots", "Contact", "Mechanisms", "Flexible bodies", "Structures")
GROUPS = (VEHICLES, ROBOTS, CONTACT, MECHANISMS, FLEXIBLE, STRUCTURES)
GROUP_OF = {
    **dict.fromkeys(("van", "truck", "car", "double_wishbone_axle", "five_link_suspension", "rack_steering",
                     "anti_roll_bar", "half_shaft", "differential", "powertrain", "three_link_leaf"), VEHICLES),
    **dict.fromkeys(("delta_robot", "dh_arm", "driven_arm", "camera_gimbal"), ROBOTS),
    **dict.fromkeys(("lumped_beam_in_space", "lumped_beam_on_spring", "lumped_cantilever"), FLEXIBLE),
}
# Models of the landing page.
FEATURED = ("van", "truck", "walker", "delta_robot", "gripper", "flexible_slider_crank", "planetary_gear",
            "five_link_suspension")
PLATFORMS = {
    "x86_64-linux": "Linux, x86-64",
    "aarch64-linux": "Linux, 64-bit ARM",
    "x86_64-windows": "Windows, x86-64",
}

ROW = re.compile(r"^\| \[([\w-]+)\]\(([\w/.-]+)\) \| (.*) \|$", re.M)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
SCRIPT = re.compile(r"<script((?: [^<>]*)?)>(.*?)</script>", re.S)
STYLE = re.compile(r"<style[^<>]*>(.*?)</style>", re.S)
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
STYLE_ATTRIBUTE = re.compile(r'<[a-z][^<>]* style="([^"]*)"')
# Style attributes that programs of mdBook set.
SET_STYLE = re.compile(r"setAttribute\('style', '([^']*)'\)")


class Failed(Exception):
    """A message for the user."""


class Entry:
    """A row of models/README.md: a model or a structure with its page in the gallery."""

    def __init__(self, name, path, text):
        folder = path.split("/")[0]
        # As a user would type it in the source tree or in an unpacked archive: pages contain it.
        self.name, self.source = name, Path("models", path.removesuffix("/model.toml").removesuffix("/structure.toml"))
        self.structure = folder == "structures"
        nested = folder in ("structures", "contacts")
        self.picture = f"{folder}/{name}.webp" if nested else f"{name}.webp"
        self.page = f"structure_{name}.html" if self.structure else f"{name}.html"
        # The text of the row without its links, and without a first word that is the group.
        text = re.sub(r"(?:,? and as published)? ?\(\[[^\]]*\]\([^)]*\)\)|: \[[^\]]*\.md\]\([^)]*\)", "", text)
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").removeprefix("contact: ")
        self.text = text[:1].upper() + text[1:]
        flexible = folder not in ("structures", "contacts") and any((ROOT / self.source).glob("*.rom.toml"))
        self.group = (STRUCTURES if self.structure else CONTACT if folder == "contacts"
                      else GROUP_OF.get(name, FLEXIBLE if flexible else MECHANISMS))

    def write(self, program, path):
        """Writes the page of the program."""
        further = ("--html", path) if self.structure else ("--live", "-o", path)
        call(program, "modes" if self.structure else "view", self.source, *further)


def entries(chosen=None):
    """Models and structures of models/README.md; `chosen`: names, or None for all."""
    text = (ROOT / "models" / "README.md").read_text(encoding="utf-8").split("\n# Adjacency")[0]
    found = [Entry(*row) for row in ROW.findall(text)]
    return [entry for entry in found if chosen is None or entry.name in chosen]


def call(program, *typed):
    command = [str(word) for word in (program.resolve(), *typed)]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, text=True, capture_output=True,
                          timeout=PROGRAM_TIMEOUT_S)
    if done.returncode != 0:
        raise Failed(f"{' '.join(str(word) for word in typed)}: {done.stderr.strip()}")
    return done.stdout


def write_workshop(program, path):
    """Writes the workshop with the gallery and the download of FMUs."""
    call(program, "edit", "--with-fmu", "--gallery", "models", "--pictures", "docs/pictures/gallery", "-o", path)


# Policies and shared scripts.


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def is_program(attributes):
    """Whether the browser runs a script element; elements of other types hold data."""
    return dict(ATTRIBUTE.findall(attributes)).get("type", "") in ("", "text/javascript", "module")


def with_policy(page, set_styles=()):
    """The page with a policy that allows its inline scripts and styles and the files of the site."""
    programs = [text for attributes, text in SCRIPT.findall(page) if text and is_program(attributes)]
    styles = list(map(digest, STYLE.findall(page)))
    # `'unsafe-hashes'` allows exactly these style attributes.
    attributes = list(map(digest, dict.fromkeys([*STYLE_ATTRIBUTE.findall(page), *set_styles])))
    styles += ["'unsafe-hashes'", *attributes] if attributes else []
    words = {"default-src": ["'none'"], "style-src": ["'self'", *styles], "img-src": ["'self'", "data:"]}
    # mdBook has fonts, and a frame for browsers without JavaScript.
    words |= {"font-src": ["'self'"], "frame-src": ["'self'"]}
    words |= {"script-src": ["'self'", *dict.fromkeys(map(digest, programs))]} if "<script" in page else {}
    policy = "; ".join(" ".join([name, *allowed]) for name, allowed in words.items())
    head = re.search(r"<head(?: [^>]*)?>", page)
    # Without an icon, browsers ask the server for /favicon.ico.
    icon = "" if 'rel="icon"' in page else '\n<link rel="icon" href="data:,">'
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return f"{page[:head.end()]}\n{meta}{icon}{page[head.end():]}"


def shared(pages, folder="shared"):
    """Moves scripts that several pages contain into files. `pages`: text by path. Returns the pages and the files."""
    long = lambda page: {element for element in SCRIPT.findall(page) if len(element[1]) >= MIN_SHARED}
    found = Counter(element for page in pages.values() for element in long(page))
    names, files = {}, {}
    for (attributes, text), number in found.items():
        if number < 2:
            continue
        known = dict(ATTRIBUTE.findall(attributes))
        content = FILL % (json.dumps(known), json.dumps(text, ensure_ascii=False))
        short = hashlib.sha256(content.encode()).hexdigest()[:10]
        names[attributes, text] = f"{folder}/{known.get('id', 'program')}-{short}.js"
        files[names[attributes, text]] = content

    def refer(path, page):
        def replaced(match):
            name = names.get(match.groups())
            return f'<script src="{"../" * path.count("/")}{name}"></script>' if name else match.group(0)

        new = SCRIPT.sub(replaced, page)
        allowed = lambda policy: policy.group(0).replace("script-src ", "script-src 'self' ")
        return new if new == page else POLICY.sub(allowed, new, count=1)

    return {path: refer(path, page) for path, page in pages.items()}, files


def on_demand(page, folder="shared"):
    """Moves the libraries that write FMUs into files. The program of the page loads a file when it needs the element.
    Returns the page and the files."""
    files = {}

    def moved(match):
        known = dict(ATTRIBUTE.findall(match[1]))
        if known.get("id") not in LATE:
            return match[0]
        content = FILL % (json.dumps(known), json.dumps(match[2], ensure_ascii=False))
        name = f"{folder}/{known['id']}-{hashlib.sha256(content.encode()).hexdigest()[:10]}.js"
        files[name] = content
        return f'<script{match[1]} data-file="{name}"></script>'

    return SCRIPT.sub(moved, page), files


# Elements of the workshop that a visitor needs for "Download FMU" alone.
LATE = ("packer", "fmu-libraries")
# `%s` are the attributes and the text of the element.
FILL = """// Inserts the script that pages of this site share in place of the element that loads this file.
{
  const element = document.createElement("script");
  for (const [name, value] of Object.entries(%s)) element.setAttribute(name, value);
  element.textContent = %s;
  document.currentScript.replaceWith(element);
}
"""


# Pages of the site itself.


def fill(text, words):
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match.group(1)], text)


def frame(title, description, body):
    words = {"title": title, "description": description, "body": body, "version": version()}
    return with_policy(fill((PARTS / "frame.html").read_text(encoding="utf-8"), words))


def card(entry):
    picture = f'<img src="book/pictures/gallery/{entry.picture}" width="400" height="250" loading="lazy" alt="">'
    name = html.escape(entry.name).replace("_", "_<wbr>")
    text = f"<b>{name}</b><span>{html.escape(entry.text)}</span>"
    return f'<li><a href="gallery/{entry.page}">{picture}{text}</a></li>'


def landing(listed):
    by_name = {entry.name: entry for entry in listed if not entry.structure}
    featured = "\n".join(card(by_name[name]) for name in FEATURED if name in by_name)
    body = fill((PARTS / "landing.html").read_text(encoding="utf-8"), {"featured": featured, "count": str(len(listed))})
    return frame("ballesta: multibody dynamics from a text file",
                 "Edit a model of a mechanism or vehicle in the browser and see it move.", body)


def gallery(listed):
    # The models of the landing page come first in their groups.
    listed = sorted(listed, key=lambda entry: entry.structure or entry.name not in FEATURED)
    groups = {group: [entry for entry in listed if entry.group == group] for group in GROUPS}
    groups = {group: members for group, members in groups.items() if members}
    anchor = {group: group.split()[0].lower() for group in groups}
    jump = "".join(f'<li><a href="#{anchor[group]}">{group}</a></li>' for group in groups)
    sections = "".join(
        f'<section>\n<h2 id="{anchor[group]}">{group}</h2>\n<ul class="cards">\n' + "\n".join(map(card, members)) +
        "\n</ul>\n</section>\n" for group, members in groups.items())
    body = f"""<h1>Gallery</h1>
<p>Models run in their pages, in real time: drive them with keys or sliders, and pull bodies with the pointer.
Structures show their mode shapes. <a href="book/viewing.html">How to use a page</a></p>
<ul class="jump">{jump}</ul>
{sections}"""
    return frame("Gallery of ballesta", "Models that run in the browser.", body)


def packages(dist):
    """Archives and wheels of this version by platform, in the order of `PLATFORMS`."""
    names = lambda platform: [*(f"{platform}.{ending}" for ending in ("tar.gz", "zip")),
                              f"{archives.PYTHON_TAG}-{archives.TAGS[platform]}.whl"]
    paths = {platform: [dist / f"ballesta-{version()}-{name}" for name in names(platform)] for platform in PLATFORMS}
    return {platform: [path for path in listed if path.is_file()] for platform, listed in paths.items()}


def downloads(found, link):
    """`link`: what precedes the names of the files."""
    def item(path):
        data, wheel = path.read_bytes(), path.suffix == ".whl"
        kind = "Python wheel with the program, for Python 3.10 or later" if wheel else "Archive with the program"
        return (f'<p><a href="{html.escape(link + path.name)}">{path.name}</a>'
                f"<small>{kind}; {len(data) / 1e6:.1f} MB</small>"
                f"<small>SHA-256 <code>{hashlib.sha256(data).hexdigest()}</code></small></p>")

    rows = [f"<li><h2>{PLATFORMS[platform]}</h2>{''.join(map(item, paths))}</li>"
            for platform, paths in found.items() if paths]
    files = "\n".join(['<ul class="files">', *rows, "</ul>"]) if rows else (
        "<p>These pages were made without packages. <code>scripts/package.sh</code> in the source tree makes them.</p>")
    archive = f"ballesta-{version()}-x86_64-linux"
    body = f"""<h1>Downloads</h1>
<p>Version {version()}. Each file contains the program, the libraries for FMUs on all systems, and the libraries of pages. <a href="book/installation.html">Installation</a> lists the requirements. The <a
href="workshop.html">workshop</a> needs no download.</p>
{files}
<section>
<h2>Python and pip</h2>
<pre>python -m venv venv
venv/bin/python -m pip install numpy
venv/bin/python -m pip install --no-index --find-links . ballesta
venv/bin/ballesta demo</pre>
</section>
<section>
<h2>Archive</h2>
<pre>tar -xzf {archive}.tar.gz
{archive}/bin/ballesta demo</pre>
</section>
<section>
<h2>Check of a file</h2>
<p>The command must print the SHA-256 above.</p>
<pre># Linux
sha256sum {archive}.tar.gz
# Windows
certutil -hashfile {archive.replace("linux", "windows")}.zip SHA256</pre>
</section>"""
    return frame("Downloads of ballesta", "Archives and Python wheels for Linux and Windows.", body)


LICENCE_FILES = {
    "LICENSE-MIT": "MIT licence", "LICENSE-APACHE": "Apache Licence, version 2.0",
    "scripts/package/third-party-licenses.txt": "Licences of the crates in the program",
    "crates/pictures/viewer/editor/LICENSES.txt": "Licences of the text editor of the workshop",
}


def licence_name(path):
    return path.removeprefix("crates/pictures/viewer/").replace("/", "-").removesuffix(".txt") + ".txt"


def licence():
    item = lambda path, title: f'<li><a href="licences/{licence_name(path)}">{title}</a></li>'
    links = "".join(item(path, title) for path, title in LICENCE_FILES.items())
    text = html.escape((ROOT / "LICENSE-MIT").read_text(encoding="utf-8"))
    body = f"""<h1>Licence</h1>
<p>ballesta is licensed under MIT or Apache 2.0, at your option.</p>
<ul>{links}</ul>
<pre class="licence">{text}</pre>"""
    return frame("Licence of ballesta", "MIT or Apache 2.0.", body)


# The site.


def make(typed, out):
    """Writes the site into the empty folder `out`."""
    listed = entries(set(typed.models.split(",")) if typed.models else None)
    if not (typed.book / "index.html").is_file():
        raise Failed(f"{typed.book}: has no book; run scripts/book.sh")
    # Pages of the program, with their common scripts in files.
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        scratch = Path(scratch)
        jobs = [pool.submit(write_workshop, typed.program, scratch / "workshop.html")]
        jobs += [pool.submit(entry.write, typed.program, scratch / entry.page) for entry in listed]
        for job in jobs:
            job.result()
        pages = {f"gallery/{entry.page}": (scratch / entry.page).read_text(encoding="utf-8") for entry in listed}
        pages["workshop.html"] = (scratch / "workshop.html").read_text(encoding="utf-8")
    pages["workshop.html"], late = on_demand(pages["workshop.html"])
    pages, files = shared(pages)
    files |= late
    # Pages of the site.
    link = (typed.downloads or os.path.relpath(typed.dist, typed.out).replace(os.sep, "/")).rstrip("/") + "/"
    pages |= {"index.html": landing(listed), "gallery.html": gallery(listed), "licence.html": licence(),
              "downloads.html": downloads(packages(typed.dist), link)}
    files["site.css"] = (PARTS / "site.css").read_text(encoding="utf-8")
    for path, text in (pages | files).items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, encoding="utf-8", newline="\n")
    # Pictures of the landing page, licences, and the book, which has the pictures of the gallery.
    for path in PARTS.glob("*.webp"):
        shutil.copyfile(path, out / path.name)
    (out / "licences").mkdir()
    for path in LICENCE_FILES:
        shutil.copyfile(ROOT / path, out / "licences" / licence_name(path))
    shutil.copytree(typed.book, out / "book")
    scripts = [path.read_text(encoding="utf-8") for path in sorted((out / "book").glob("*.js"))]
    set_styles = [style for text in scripts for style in SET_STYLE.findall(text)]
    for path in (out / "book").rglob("*.html"):
        path.write_text(with_policy(path.read_text(encoding="utf-8"), set_styles), encoding="utf-8", newline="\n")


# Check.


class Read(HTMLParser):
    """Identifiers, links, resources, policy and inline programs of a page."""

    LOADS = {"img": ("src", "srcset"), "source": ("src", "srcset"), "script": ("src",), "iframe": ("src",),
             "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",), "link": ("href",),
             "input": ("src",), "form": ("action",)}

    def __init__(self, text):
        super().__init__()
        self.identifiers, self.links, self.loaded, self.policies, self.handlers = set(), [], [], [], []
        self.base = False
        self.feed(text)
        self.programs = [script for attributes, script in SCRIPT.findall(text) if script and is_program(attributes)]
        self.styles = [*STYLE.findall(text), *STYLE_ATTRIBUTE.findall(text)]

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        self.identifiers.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        self.handlers += [name for name in attributes if name.startswith("on")]
        self.base = self.base or tag == "base"
        if tag == "meta" and attributes.get("http-equiv", "").lower() == "content-security-policy":
            self.policies.append((attributes["content"], len(self.loaded)))
        if tag in ("a", "area") and attributes.get("href"):
            self.links.append(attributes["href"])
        for name in self.LOADS.get(tag, ()):
            parts = attributes.get(name, "").split(",") if name == "srcset" else [attributes.get(name, "")]
            self.loaded += [part.split()[0] for part in parts if part.strip()]


def sources(policy):
    """Directive → sources."""
    return {words[0]: words[1:] for words in (part.split() for part in policy.split(";")) if words}


def faults_of_policy(page):
    """What the policy of a page lacks."""
    if len(page.policies) != 1:
        return [f"has {len(page.policies)} content security policies"]
    policy, before = page.policies[0]
    known = sources(policy)
    faults = [f"its policy comes after {page.loaded[0]}"] if before else []
    faults += ["its policy has no default-src 'none'"] if known.get("default-src") != ["'none'"] else []
    wide = ("'unsafe-inline'", "'unsafe-eval'", "'strict-dynamic'", "*", "http:", "https:")
    faults += [f"its policy allows {word} in {name}" for name, words in known.items() for word in words
               if word in wide or "//" in word]
    faults += [f"has the inline handler {name}" for name in page.handlers]
    faults += ["has a base element, which changes its links"] if page.base else []
    for what, texts in (("script-src", page.programs), ("style-src", page.styles)):
        faults += [f"its {what} lacks a hash" for text in texts if digest(text) not in known.get(what, [])]
    return faults


def check(folder, beside=None):
    """Faults of the site in `folder`, and its numbers. `beside`: a folder with further files that pages may link."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    pages = {path: Read(path.read_text(encoding="utf-8")) for path in files if path.suffix == ".html"}
    faults, seen = [], 0
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        faults += [f"{name}: {fault}" for fault in faults_of_policy(page)]
        for link in dict.fromkeys(page.links + page.loaded):
            target = urlsplit(link)
            if link in page.loaded and (target.netloc or target.scheme not in ("", "data")):
                faults.append(f"{name}: loads {link}")
            if target.scheme or target.netloc:
                continue
            seen += 1
            place = Path(os.path.normpath(path.parent / unquote(target.path))) if target.path else path
            inside = place.is_relative_to(folder) or (beside and place.parent == beside)
            if target.path.startswith("/") or not inside:
                faults.append(f"{name}: {link} leads out of the site")
            elif not place.is_file():
                faults.append(f"{name}: {link} does not exist")
            elif target.fragment and place in pages and unquote(target.fragment) not in pages[place].identifiers:
                faults.append(f"{name}: {link}: the page has no such heading")
    # Style sheets.
    for path in (path for path in files if path.suffix == ".css"):
        for link in re.findall(r"url\(\s*[\"']?([^\"')]+)", path.read_text(encoding="utf-8")):
            target = urlsplit(link)
            if target.netloc or target.scheme not in ("", "data"):
                faults.append(f"{path.relative_to(folder).as_posix()}: loads {link}")
    size = sum(path.stat().st_size for path in files)
    if size > MAX_BYTES:
        faults.append(f"has {size / 1e6:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB")
    return faults, f"{len(files)} files, {len(pages)} pages, {seen} links, {size / 1e6:.1f} MB, {len(faults)} faults"


def main():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    program = target / "release" / "ballesta"
    add("--program", type=Path, default=program, help="program that writes the pages [%(default)s]")
    add("--book", type=Path, default=ROOT / "target" / "book", help="folder of the built book [%(default)s]")
    add("--dist", type=Path, default=ROOT / "dist", help="folder of archives and wheels [%(default)s]")
    add("--downloads", metavar="URL", help="address of the archives and wheels [relative to --dist]")
    add("--models", metavar="NAME,...", help="only these models and structures")
    add("--out", type=Path, default=ROOT / "dist" / "site", help="folder of the site, which is replaced [%(default)s]")
    add("--zip", type=Path, help="also write the site as an archive")
    add("--check", type=Path, metavar="FOLDER", help="only check a site")
    typed = parser.parse_args()
    if typed.check:
        folder = typed.check.resolve()
        faults, counts = check(folder, folder.parent)
        print(counts, *faults, sep="\n")
        return int(bool(faults))
    typed.out, typed.dist = typed.out.resolve(), typed.dist.resolve()
    # The new site replaces the old one only if it is complete.
    new = typed.out.with_name(f".{typed.out.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        make(typed, new)
        faults, counts = check(new, typed.dist)
        if faults:
            raise Failed("\n".join([counts, *faults]))
    except Failed as failed:
        shutil.rmtree(new)
        print(f"error: {failed}", file=sys.stderr)
        return 1
    shutil.rmtree(typed.out, ignore_errors=True)
    new.rename(typed.out)
    print(f"{typed.out / 'index.html'}: {counts}")
    if typed.zip:
        paths = [path for path in sorted(typed.out.rglob("*")) if path.is_file()]
        name = lambda path: f"ballesta-{version()}-site/{path.relative_to(typed.out).as_posix()}"
        replace(typed.zip, archives.write_zip({name(path): path.read_bytes() for path in paths}))
        print(f"{typed.zip}: {typed.zip.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
