"""What describes the project to others says the same as what it is built from."""

import re
import sys
import tomllib

from gallery import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import archives  # noqa: E402

CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))


def test_pip_from_a_source_tree_installs_what_a_wheel_does():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == list(archives.NEEDS)
    assert project["optional-dependencies"] == archives.EXTRAS
    assert project["requires-python"] == archives.PYTHON
    assert project["license-files"] == list(archives.LICENSES)
    assert project["description"] == CARGO["package"]["description"]
    assert project["license"] == CARGO["workspace"]["package"]["license"]
    assert "version" in project["dynamic"]


def test_the_citation_is_of_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", text, re.M)[1] == CARGO["workspace"]["package"]["version"]
    for word in ("cff-version: 1.2.0", "message: ", "title: ", "authors:"):
        assert f"\n{word}" in f"\n{text}", word


def test_every_model_is_in_the_gallery():
    """`scripts/gallery.sh` makes pictures and page."""
    models = {path.parent.name for path in ROOT.glob("models/*/model.toml")}
    text = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(\.\./models/(\w+)/model\.toml\)", text)) == models
    assert {path.stem for path in ROOT.glob("docs/pictures/gallery/*.webp")} == models
    for picture in [*ROOT.glob("docs/pictures/gallery/*.webp"), ROOT / "docs/pictures/hero.webp"]:
        assert picture.read_bytes()[:4] == b"RIFF", picture
        assert picture.stat().st_size < (1e6 if picture.stem == "hero" else 4e4), picture
