"""FMUs for FMI 3.0: valid, with the variables of FMI 2.0, and with the same bits."""

import zipfile
from xml.etree import ElementTree

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

import gallery
from gallery import Trajectory, assert_same_bits


@pytest.fixture(scope="session")
def exports3(program):
    """Function from the name of a model to its FMU for FMI 3.0."""
    known = {}

    def export(model):
        if model not in known:
            known[model] = gallery.Exported(model, gallery.HOST_LIBRARY, fmi="3.0")
        return known[model]

    return export


@pytest.fixture(params=gallery.MODELS)
def exported3(request, exports3):
    """Each model of the gallery."""
    return exports3(request.param)


@pytest.fixture(scope="session")
def driven3(exports3):
    """The gallery's model with inputs, fixed and tunable parameters."""
    return exports3("driven_arm")


class Instance:
    """An instance that is initialized by `with`, then stepped by `steps`; `callbacks` go to fmpy's `instantiate`."""

    def __init__(self, exported, **callbacks):
        self.exported = exported
        self.callbacks = callbacks
        self.fmi = FMU3Slave(
            guid=exported.description.instantiationToken,
            unzipDirectory=str(exported.unpacked),
            modelIdentifier=exported.identifier,
            instanceName="instance",
        )
        self.outputs = [v for v in exported.description.modelVariables if v.causality == "output" and v.type == "Float64"]

    def __enter__(self):
        self.fmi.instantiate(**self.callbacks)
        self.fmi.enterInitializationMode(startTime=self.exported.start)
        self.fmi.exitInitializationMode()
        self.time = self.exported.start
        return self

    def __exit__(self, *_):
        self.fmi.freeInstance()

    def steps(self, count):
        """Bits of all Float64 outputs after each of the next steps."""
        rows = []
        for _ in range(count):
            self.fmi.doStep(self.time, self.exported.step)
            self.time += self.exported.step
            rows.append(self.row())
        return rows

    def row(self):
        """Bits of all Float64 outputs."""
        length = sum(int(v.dimensions[0].start) if v.dimensions else 1 for v in self.outputs)
        return gallery.struct.pack(
            f"<{length}d", *self.fmi.getFloat64([v.valueReference for v in self.outputs], nValues=length))


def scalars(exported3, exported):
    """The outputs of FMI 3.0, each with the names of its elements in FMI 2.0."""
    names = {v.valueReference: v.name for v in exported.description.modelVariables}
    lengths = {v.name: int(v.dimensions[0].start) if v.dimensions else 1 for v in exported3.description.modelVariables}
    return {
        v.name: [names[v.valueReference + i] for i in range(lengths[v.name])]
        for v in exported3.description.modelVariables
        if v.causality == "output"
    }


def test_the_validator_is_silent(exported3):
    assert exported3.description.fmiVersion == "3.0"
    assert validate_fmu(str(exported3.path)) == []


def test_the_library_has_the_place_of_fmi_3(exported3):
    with zipfile.ZipFile(exported3.path) as archive:
        libraries = [name for name in archive.namelist() if name.startswith("binaries/")]
    assert libraries == [f"binaries/x86_64-linux/{exported3.identifier}.so"]


def test_both_versions_have_the_same_variables(exported3, exports):
    exported = exports(exported3.model)
    elements = scalars(exported3, exported)
    assert [name for names in elements.values() for name in names] == exported.outputs
    for name, names in elements.items():
        assert names == [name] or all(element.startswith(f"{name}.") for element in names)
    for causality in ("parameter", "input"):
        described = [
            [(v.name, v.valueReference, v.start, v.unit) for v in each.description.modelVariables if v.causality == causality]
            for each in (exported, exported3)
        ]
        assert described[0] == described[1]


def test_fmpy_equals_the_command_line(exported3, exports, reference):
    elements = scalars(exported3, exports(exported3.model))
    stop = exported3.start + exported3.repeats() * exported3.step
    result = fmpy.simulate_fmu(str(exported3.path), fmi_type="CoSimulation", output_interval=exported3.step,
                               output=list(elements), stop_time=stop)
    columns = [result["time"].reshape(len(result), -1)]
    columns += [result[name].reshape(len(result), -1) for name in elements]
    rows = [[value for column in columns for value in column[i]] for i in range(len(result))]
    trajectory = Trajectory([name for names in elements.values() for name in names], rows)
    assert_same_bits(trajectory, reference(exported3.model).until(exported3.repeats()), "FMI 3.0 in fmpy and ballesta run")


def test_there_are_vectors(exports3):
    vectors = [v for v in exports3("van").description.modelVariables if v.dimensions]
    lengths = {int(v.dimensions[0].start) for v in vectors}
    assert len(vectors) > 5 and 3 in lengths and lengths <= {3, 4}, lengths


def test_going_back_to_a_state_repeats_the_bits(driven3):
    with Instance(driven3) as instance:
        instance.steps(20)
        state, time = instance.fmi.getFMUState(), instance.time
        first = instance.steps(20)
        instance.fmi.setFMUState(state)
        instance.time = time
        assert instance.steps(20) == first
        instance.fmi.freeFMUState(state)


def test_a_serialized_state_continues_in_another_instance(driven3):
    with Instance(driven3) as instance:
        instance.steps(20)
        state, time = instance.fmi.getFMUState(), instance.time
        content = bytes(instance.fmi.serializeFMUState(state))
        instance.fmi.freeFMUState(state)
        first = instance.steps(20)
    with Instance(driven3) as instance:
        state = instance.fmi.deserializeFMUState(content)
        instance.fmi.setFMUState(state)
        instance.fmi.freeFMUState(state)
        instance.time = time
        assert instance.steps(20) == first
        with pytest.raises(FMICallException):
            instance.fmi.deserializeFMUState(content[:-1])


def test_intermediate_updates_show_every_internal_step_and_change_nothing(driven3):
    told = []

    def update(_, time, set_requested, get_allowed, step_finished, can_return_early, *__):
        told.append((time, set_requested, get_allowed, step_finished, can_return_early, instance.row()))

    # fmpy does not keep the attribute.
    described = ElementTree.parse(driven3.unpacked / "modelDescription.xml").getroot().find("ModelVariables")
    readable = {v.get("name") for v in described if v.get("intermediateUpdate") == "true"}
    outputs = [v for v in driven3.description.modelVariables if v.causality == "output" and v.type == "Float64"]
    assert readable == {v.name for v in outputs}
    assert driven3.description.coSimulation.providesIntermediateUpdate
    callbacks = dict(intermediateUpdate=update, requiredIntermediateVariables=[v.valueReference for v in outputs])
    with Instance(driven3, **callbacks) as instance:
        watched = instance.steps(20)
    with Instance(driven3) as instance:
        assert instance.steps(20) == watched
    ratio = round(driven3.step / float(driven3.description.coSimulation.fixedInternalStepSize))
    assert ratio == 10 and len(told) == 20 * ratio
    assert {row[1:5] for row in told} == {(False, True, True, False)}
    assert [row[5] for row in told[ratio - 1::ratio]] == watched, "the last internal step ends at the communication point"
    times = [row[0] for row in told]
    assert times == sorted(set(times)) and len({row[5] for row in told}) == len(told)


def test_variables_that_cannot_be_read_within_a_step_are_refused_at_once(driven3, capfd):
    unknown = len(driven3.description.modelVariables) + 1000
    torque = driven3.variables[driven3.inputs[0]].valueReference
    for reference in (unknown, torque):
        with pytest.raises(Exception, match="Failed to instantiate"):
            with Instance(driven3, requiredIntermediateVariables=[reference]):
                pass
        assert f"value reference {reference}" in capfd.readouterr().out


def test_importers_of_fmi_2_say_what_they_cannot_read(driven3):
    done = gallery.subprocess.run([gallery.PROGRAM, "bench", driven3.path], capture_output=True, text=True)
    assert done.returncode == 1 and "the FMU follows FMI 3.0" in done.stderr, done.stderr
