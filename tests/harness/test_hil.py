"""What docs/hil.md says of late hosts and of the hold mode, with fmpy as the host, for FMI 2.0 and 3.0."""

import math
import sys

import fmpy
import pytest
from fmpy import read_model_description
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

import gallery
from gallery import ROOT

sys.path.insert(0, str(ROOT / "examples"))
import rig_host  # noqa: E402

MODEL = "five_link_suspension"
# N; as of a load cell that sends something else than newtons.
WRONG_LOAD = 1e12


def packed(folder, *options):
    path = folder / "suspension.fmu"
    gallery.call(gallery.PROGRAM, "export", ROOT / "models" / MODEL, "-o", path, "--library", f"linux64={gallery.HOST_LIBRARY}",
                 "--no-reference", *options)
    return path


@pytest.fixture(scope="module")
def fmu(program, tmp_path_factory):
    return packed(tmp_path_factory.mktemp("hold"), "--hold-mode")


@pytest.fixture(scope="module")
def fmu3(program, tmp_path_factory):
    return packed(tmp_path_factory.mktemp("hold3"), "--hold-mode", "--fmi", "3.0")


def test_the_validator_is_silent_about_the_hold_mode(fmu, fmu3):
    for path in (fmu, fmu3):
        assert validate_fmu(str(path)) == []
        variables = {variable.name: variable for variable in read_model_description(str(path)).modelVariables}
        hold, fault = variables["hold_on_fault"], variables["fault"]
        assert (hold.type, hold.causality, hold.variability, hold.start) == ("Boolean", "parameter", "fixed", "false")
        assert (fault.type, fault.causality, fault.start) == ("Boolean", "output", None)


def test_other_variables_keep_their_references(fmu, tmp_path):
    def references(path):
        return [(v.name, v.valueReference) for v in read_model_description(str(path)).modelVariables]

    plain = references(packed(tmp_path))
    assert references(fmu)[:len(plain)] == plain and len(references(fmu)) == len(plain) + 2


def test_a_late_host_gets_the_bits_of_one_in_time(fmu):
    ends = []
    for steps in ([(0.0, 0.01), (0.01, 0.01), (0.02, 0.01)], [(0.0, 0.01), (0.01, 0.02)]):
        with rig_host.Host(str(fmu)) as host:
            assert [host.step(*step) for step in steps] == ["OK"] * len(steps)
            ends.append((host.real("time"), host.real(rig_host.OUTPUT)))
    assert ends[0] == ends[1] and ends[0][0] == 0.03


@pytest.mark.parametrize("hold", (False, True))
def test_wrong_times_are_errors_until_a_state_is_restored(fmu, hold):
    wrong = [(0.0, 0.01), (0.02, 0.01), (math.nan, 0.01), (0.01, 0.0), (0.01, -0.01), (0.01, math.nan), (0.01, math.inf)]
    with rig_host.Host(str(fmu), hold) as host:
        host.step(0.0)
        state = host.fmu.getFMUstate()
        value = host.real(rig_host.OUTPUT)
        for time, length in wrong:
            assert host.step(time, length) == "error" and len(host.messages) == 1, (time, length)
            assert host.real(rig_host.OUTPUT) == value
            assert host.step(0.01) == "error"
            host.fmu.setFMUstate(state)
        assert host.step(0.01) == "OK" and host.real(rig_host.OUTPUT) != value
        host.fmu.freeFMUstate(state)


def test_the_outputs_hold_from_the_fault_on(fmu):
    with rig_host.Host(str(fmu), hold=True) as host:
        assert [host.step(k * 0.01) for k in range(3)] == ["OK"] * 3 and not host.fault()
        held = host.real(rig_host.OUTPUT)
        host.set(rig_host.LOAD, WRONG_LOAD)
        assert host.step(0.03) == "OK" and host.fault() and len(host.messages) == 1
        assert "could not be closed" in host.messages[0] and "all outputs are held" in host.messages[0]
        assert host.real(rig_host.OUTPUT) == held
        host.set(rig_host.LOAD, 4200.0)
        for k in range(4, 50):
            assert host.step(k * 0.01) == "OK" and host.messages == []
            assert host.fault() and host.real(rig_host.OUTPUT) == held and math.isclose(host.real("time"), (k + 1) * 0.01)


def test_fmi_3_holds_too(fmu3, tmp_path):
    folder = fmpy.extract(str(fmu3), str(tmp_path))
    description = read_model_description(str(fmu3))
    references = {variable.name: variable.valueReference for variable in description.modelVariables}
    instance = FMU3Slave(guid=description.instantiationToken, unzipDirectory=folder, instanceName="rig",
                         modelIdentifier=description.coSimulation.modelIdentifier)
    instance.instantiate()
    instance.setBoolean([references["hold_on_fault"]], [True])
    instance.enterInitializationMode(startTime=0.0)
    instance.exitInitializationMode()
    instance.setFloat64([references[rig_host.LOAD]], [WRONG_LOAD])
    for k in range(5):
        _, terminate, _, last = instance.doStep(k * 0.01, 0.01)
        assert not terminate and math.isclose(last, (k + 1) * 0.01)
        assert instance.getBoolean([references["fault"]]) == [True]
    with pytest.raises(FMICallException):
        instance.doStep(0.0, 0.01)
    instance.freeInstance()
