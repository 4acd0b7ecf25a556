"""C sources in FMUs: the bits of the library, and nothing that a rig does not have. The core is that of scripts/platforms.sh c-sources."""

import re
import shutil
import subprocess

import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave

import c_sources
import gallery
from c_sources import OPTIONS, Run, Sources, bits, compare, printed, program

# Loops and force elements, a flexible body, a vehicle on tyres with trim, contact of solids.
MODELS = {
    "four_bar": None,
    "flexible_four_bar": None,
    "van": None,
    "gripper": gallery.ROOT / "models" / "contacts" / "gripper.toml",
}
# Everything that a freestanding program must bring along.
LIBC = {"memcpy", "memmove", "memset", "_setjmp", "longjmp", "sqrt", "strlen"}
# Conversions of 64 bits in tcc's own library, which it links by itself.
OF_TCC = {"__floatundidf"}


@pytest.fixture(scope="session")
def made():
    """Function from a model and options to its FMU, and to a library by tcc."""
    known = {}

    def make(model, **options):
        key = (model, *sorted(options.items()))
        if key not in known:
            folder = gallery.SCRATCH / "c_sources" / "_".join(str(part) for part in (model, *options.values()))
            sources = Sources(model, folder, source=MODELS.get(model), **options)
            known[key] = sources, sources.compile("tcc")[0]
        return known[key]

    return make


@pytest.mark.parametrize("model", MODELS)
def test_values_states_and_derivatives_have_the_bits_of_the_library(model, made):
    assert compare(*made(model), steps=60) > 1000


def test_an_optimising_compiler_gives_them_too(made):
    """With all instructions of this machine: fused products and sums would show."""
    sources, _ = made("four_bar")
    library, _ = sources.compile("gcc -O1 -march=native", name="optimised.so")
    assert compare(sources, library, steps=400) > 5000


def test_fmi_3_has_them_with_its_arrays(made):
    sources, library = made("flexible_four_bar", fmi="3.0")
    assert "SourceFile" in (sources.unpacked / "sources" / "buildDescription.xml").read_text(encoding="utf-8")
    variables = [v for v in sources.description.modelVariables if v.causality == "output" and v.type == "Float64"]
    trajectories = []
    for path in (None, library):
        fmi = FMU3Slave(guid=sources.description.guid, unzipDirectory=str(sources.unpacked), modelIdentifier=sources.identifier,
                        instanceName="a", libraryPath=path and str(path))
        fmi.instantiate()
        fmi.enterInitializationMode(startTime=0.0)
        fmi.exitInitializationMode()
        rows = []
        for k in range(50):
            fmi.doStep(currentCommunicationPoint=k * 0.01, communicationStepSize=0.01)
            for v in variables:
                count = 1
                for d in v.dimensions:
                    count *= int(d.start or 1)
                rows.append(list(fmi.getFloat64([v.valueReference], nValues=count)))
        trajectories.append(bits(rows))
        fmi.terminate()
        fmi.freeInstance()
    assert trajectories[0] == trajectories[1]


def test_a_file_in_a_folder_called_resources_is_found():
    """The FMU has a folder of that name too."""
    own = gallery.SCRATCH / "c_sources" / "folder" / "model"
    shutil.rmtree(own, ignore_errors=True)
    (own / "resources" / "resources").mkdir(parents=True)
    given = gallery.ROOT / "models" / "flexible_four_bar"
    shutil.copy(given / "link.rom.toml", own / "resources" / "resources")
    text = (given / "model.toml").read_text(encoding="utf-8")
    (own / "model.toml").write_text(text.replace('"link.rom.toml"', '"resources/resources/link.rom.toml"'), encoding="utf-8")
    sources = Sources("flexible_four_bar", gallery.SCRATCH / "c_sources" / "folder" / "fmu", source=own / "model.toml")
    assert compare(sources, sources.compile("tcc")[0], steps=5) > 50


def test_fixed_parameters_are_constants_that_the_error_names(made, capfd):
    sources, library = made("driven_arm")
    constants = [v for v in sources.description.modelVariables if v.variability == "constant"]
    assert constants and all(v.causality == "local" and v.start is not None for v in constants)
    assert not [v for v in sources.description.modelVariables if v.causality == "parameter" and v.variability == "fixed"]
    for path in (None, library):
        run = Run(sources, path)
        with pytest.raises(FMICallException):
            run.fmi.setReal([constants[0].valueReference], [float(constants[0].start)])
        run.fmi.freeInstance()
        said = capfd.readouterr().out
        assert f"'{constants[0].name}' cannot be set: it is constant" in said, said


def test_full_sources_compile_the_model_again(made):
    sources, library = made("driven_arm", extent="full")
    fixed = [v for v in sources.description.modelVariables if v.causality == "parameter" and v.variability == "fixed"]
    rows = []
    for path in (None, library):
        run = Run(sources, path)
        for v in fixed:
            if float(v.start) != 0.0:
                run.fmi.setReal([v.valueReference], [float(v.start) * 1.0078125])
        run.initialize()
        rows.append(bits(run.steps(0, 50, float(sources.description.defaultExperiment.stepSize))))
        run.fmi.reset()
        run.initialize()
        rows.append(bits(run.steps(0, 20, float(sources.description.defaultExperiment.stepSize))))
        run.fmi.freeInstance()
    assert fixed and rows[0] == rows[2] and rows[1] == rows[3] and rows[0][:21] != rows[1]


def test_the_objects_need_no_system(made):
    """Undefined symbols of all objects, and what the text of the sources names."""
    sources, _ = made("van")
    names = set()
    for item in (sources.folder / "model_so").glob("*.o"):
        names.update(re.findall(r" U (\w+)", gallery.call("nm", item)))
    own = {name for name in names if name.startswith(f"{sources.identifier}_")}
    assert names - own - {"_GLOBAL_OFFSET_TABLE_"} <= LIBC | OF_TCC, sorted(names - own - LIBC - OF_TCC)
    text = "".join(file.read_text(encoding="utf-8") for file in sources.files if not file.name.startswith("core_"))
    assert not re.search(r"#include <(?!stdint|string|stddef|setjmp)|thread_local|__thread|malloc", text)


def test_two_fmus_are_linked_into_one_program(made):
    models = [made("four_bar")[0], made("van")[0]]
    built = program(models, gallery.SCRATCH / "c_sources" / "together", "tcc", steps=30)
    assert gallery.call(built).splitlines() == [line for sources in models for line in printed(sources, 30)]


def test_instances_and_stored_states_end_with_a_message(made):
    sources, library = made("four_bar")
    runs = [Run(sources, library) for _ in range(4)]
    with pytest.raises(Exception, match="instantiate|Failed"):
        Run(sources, library)
    runs[0].initialize()
    runs[1].initialize()
    runs[0].steps(0, 20, 0.01)
    # A state of another instance of the FMU.
    state = runs[0].fmi.getFMUstate()
    runs[1].fmi.setFMUstate(state)
    assert bits([runs[0].values()]) == bits([runs[1].values()])
    # The memory of an instance has an end.
    states = []
    with pytest.raises(FMICallException):
        for _ in range(10_000):
            states.append(runs[2].fmi.getFMUstate())
    assert len(states) >= 16
    for run in runs:
        run.fmi.freeInstance()
    Run(sources, library).fmi.freeInstance()


def test_compilers_and_hosts_that_would_change_results_are_refused(made):
    sources, _ = made("four_bar")
    core = next(file for file in sources.files if file.name == "core_01.c")
    for option, reason in (("-ffast-math", "ffast-math"), ("-mfpmath=387", "double precision")):
        refused = subprocess.run(["gcc", "-std=c99", "-fsyntax-only", option, str(core)], capture_output=True, text=True)
        assert refused.returncode != 0 and reason in refused.stderr, option
    # A host that rounds in another direction: a call sets the default environment where the compiler can do that, and is refused elsewhere.
    test = sources.folder / "rounding.c"
    test.write_text(
        "#include <fenv.h>\n#include <stdio.h>\n#include \"instance.h\"\n"
        "void send_message(Instance *i, u32 s, const char *c, const char *m) {}\n"
        "int main(void) {\n"
        "    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};\n"
        "    for (int k = 0; k < 4; k++) {\n"
        "        fesetround(modes[k]);\n"
        "        const char *fault = fault_of_arithmetic();\n"
        "        puts(fegetround() != modes[k] ? \"changed\" : fault == NULL ? \"sound\" : fault);\n"
        "    }\n"
        "    return 0;\n"
        "}\n",
        encoding="utf-8",
    )
    folder = sources.unpacked / "sources"
    objects = [test, folder / "instance.c", folder / "memory.c", *(file for file in sources.files if file.name.startswith("core_"))]
    tcc = shutil.which("tcc")
    for name, command in (("tcc", [tcc]), ("gcc", ["gcc", "-O0"])):
        built = sources.folder / f"rounding_{name}"
        gallery.call(*command, "-std=c99", "-w", "-I", folder, "-o", built, *objects, "-lm")
        first, *others = gallery.call(built).splitlines()
        expected = "not rounded to nearest" if name == "tcc" else "sound"
        assert first == "sound" and all(expected in line for line in others), (first, others)


def test_sources_alone_make_an_fmu(made):
    sources = Sources("four_bar", gallery.SCRATCH / "c_sources" / "alone", library=None)
    assert not (sources.unpacked / "binaries").exists()
    files = re.findall(r'<File name="(\w+\.c)"/>', (sources.unpacked / "modelDescription.xml").read_text(encoding="utf-8"))
    assert sorted(set(files)) == [file.name for file in sources.files]
    # The files are the same with the library.
    other, _ = made("four_bar")
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(sources.files, other.files, strict=True))
