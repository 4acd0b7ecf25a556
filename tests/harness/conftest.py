"""Every model of the gallery is exported once per session."""

import subprocess
from pathlib import Path

import fmpy
import pytest

import gallery


@pytest.fixture(scope="session", autouse=True)
def program():
    gallery.build()


@pytest.fixture(scope="session")
def exports(program):
    """Function from the name of a model to its FMU with the library of this machine's linker."""
    known = {}

    def export(model):
        if model not in known:
            known[model] = gallery.Exported(model, gallery.HOST_LIBRARY)
        return known[model]

    return export


@pytest.fixture(params=gallery.MODELS)
def exported(request, exports):
    """Each model of the gallery."""
    return exports(request.param)


@pytest.fixture(scope="session")
def reference(exports):
    """Function from the name of a model to the trajectory of `ballesta run`."""
    known = {}

    def trajectory(model):
        if model not in known:
            known[model] = exports(model).run()
        return known[model]

    return trajectory


@pytest.fixture(scope="session")
def driven(exports):
    """The gallery's model with inputs, fixed and tunable parameters."""
    return exports("driven_arm")


@pytest.fixture(scope="session")
def c_host(program):
    """examples/host.c, compiled against the official headers."""
    headers = Path(fmpy.__file__).parent / "c-code"
    binary = gallery.SCRATCH / "host"
    binary.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", headers, gallery.ROOT / "examples" / "host.c",
         "-o", binary, "-ldl"],
        check=True,
    )
    return binary
