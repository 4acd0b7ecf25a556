"""The library of scripts/platforms.sh for this machine: what it asks of the machine it is loaded on, and its bits."""

import re
import subprocess

import pytest

from gallery import MODELS, PORTABLE_LIBRARY, ROOT, Exported, assert_same_bits
from instance import Instance

OLDEST_GLIBC = (2, 17)
LIBC_FAMILY = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}

# FMI 2.0.x, sections 2.1 to 4.2: the functions of both kinds. Importers look up all of them.
COMMON = """GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode
    ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean SetString
    GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate
    GetDirectionalDerivative"""
MODEL_EXCHANGE = """EnterEventMode NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime
    SetContinuousStates GetDerivatives GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates"""
CO_SIMULATION = """SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus
    GetIntegerStatus GetBooleanStatus GetStringStatus"""


def objdump(*arguments):
    return subprocess.run(["objdump", *arguments, PORTABLE_LIBRARY], check=True, capture_output=True, text=True).stdout


def test_it_needs_no_glibc_after_2_17():
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", objdump("-T", "-p"))}
    assert versions, "no versioned symbol found"
    assert max(versions) <= OLDEST_GLIBC, f"needs GLIBC_{'.'.join(map(str, max(versions)))}"


def test_it_needs_the_libc_family_only():
    needed = set(re.findall(r"NEEDED\s+(\S+)", objdump("-p")))
    assert "libc.so.6" in needed
    assert needed <= LIBC_FAMILY, needed - LIBC_FAMILY


def test_it_exports_the_fmi_functions_and_nothing_else():
    lines = (line for line in objdump("-T").splitlines() if re.match(r"[0-9a-f]{8,} ", line))
    exported = {line.split()[-1] for line in lines if "*UND*" not in line}
    assert {name for name in exported if name.startswith("fmi2")} == {
        f"fmi2{name}" for name in (COMMON + " " + MODEL_EXCHANGE + " " + CO_SIMULATION).split()
    }
    header = (ROOT / "include/ballesta.h").read_text(encoding="utf-8")
    assert exported == set(re.findall(r"\b(fmi[23]\w+)\(", header))
    assert len(exported) == 119


@pytest.mark.parametrize("model", MODELS)
def test_it_has_the_bits_of_the_command_line(model, reference):
    """Loaded and run by fmpy, from an FMU that holds it."""
    exported = Exported(model, PORTABLE_LIBRARY)
    assert exported.library.read_bytes() == PORTABLE_LIBRARY.read_bytes()
    with Instance(exported) as instance:
        instance.initialize()
        assert_same_bits(instance.trajectory(last=exported.repeats()), reference(model).until(exported.repeats()), "portable library and ballesta run")


def test_export_packs_it_when_it_is_there(tmp_path):
    exported = Exported("four_bar", folder=tmp_path / "fmu")
    assert exported.library.read_bytes() == PORTABLE_LIBRARY.read_bytes()
