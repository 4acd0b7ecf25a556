"""The FMUs of the gallery with the libraries of all platforms, and a host for each system."""

import fcntl
import sys
from pathlib import Path, PurePath

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "harness"), str(Path(__file__).resolve().parents[2] / "scripts")]

import gallery  # noqa: E402
import systems  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def hosts():
    """The program that exports, and the hosts; the first process builds them."""
    systems.FOLDER.mkdir(parents=True, exist_ok=True)
    with open(systems.FOLDER / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        gallery.call("cargo", "build", "--release", "--locked", "--features", "full")
        for system in systems.SYSTEMS:
            system.build()
        systems.start_wine()


@pytest.fixture(scope="session")
def exports():
    """Function from a model of the gallery, or a file below models/, to its FMU, as `ballesta export` packs it by itself."""
    known = {}

    def export(model):
        if model not in known:
            name, source = PurePath(model).stem, gallery.ROOT / "models" / model if "." in model else None
            known[model] = gallery.Exported(name, folder=gallery.SCRATCH / f"{name}_platforms", source=source)
        return known[model]

    return export


@pytest.fixture(params=systems.SYSTEMS, ids=lambda system: system.name)
def system(request):
    """Each system."""
    return request.param
