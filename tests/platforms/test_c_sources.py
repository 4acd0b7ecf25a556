"""C sources of FMUs with the compilers and on the systems that can be had: each program prints the bits of the library.

The whole gallery with gcc, clang and tcc is in scripts/long.sh.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import pytest
from fmpy.build import build_platform_binary

import gallery
from c_sources import Sources, compare, printed, program
from c_sources_systems import SYSTEMS
from systems import ENVIRONMENT

MODELS = {
    "four_bar": None,
    "flexible_four_bar": None,
    "van": None,
    "gripper": gallery.ROOT / "models" / "contacts" / "gripper.toml",
}
STEPS = 60


@pytest.fixture(scope="session")
def sources():
    """Function from a model to its FMU with C sources."""
    known = {}

    def export(model):
        if model not in known:
            known[model] = Sources(model, gallery.SCRATCH / "c_sources_platforms" / model, source=MODELS[model])
        return known[model]

    return export


@pytest.mark.parametrize("name, compiler, options, runner", SYSTEMS, ids=[system[0] for system in SYSTEMS])
def test_one_program_with_all_models_prints_the_bits_of_the_library(name, compiler, options, runner, sources):
    models = [sources(model) for model in MODELS]
    folder = gallery.SCRATCH / "c_sources_platforms" / name
    built = program(models, folder, compiler, STEPS, options, name="program.exe" if name == "windows" else "program")
    done = subprocess.run([*runner, str(built)], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
    assert done.returncode == 0, done.stderr
    expected = [line for model in models for line in printed(model, STEPS)]
    assert done.stdout.splitlines() == expected
    shutil.rmtree(folder)


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_fmpy_compiles_them_into_the_library_of_the_fmu(fmi, sources, monkeypatch):
    """`fmpy compile` with its own CMakeLists.txt; the result answers as the library of the export."""
    # CMake is a package beside the interpreter.
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    alone = Sources("four_bar", gallery.SCRATCH / "c_sources_platforms" / f"fmpy_{fmi}", library=None, fmi=fmi)
    build_platform_binary(alone.unpacked)
    folder = "linux64" if fmi == "2.0" else "x86_64-linux"
    library = alone.unpacked / "binaries" / folder / f"{alone.identifier}.so"
    if fmi == "2.0":
        assert compare(sources("four_bar"), library, 100) > 1000
    else:
        result = fmpy.simulate_fmu(str(alone.unpacked), stop_time=1.0)
        assert len(result) > 50
