"""Every FMU of the gallery: valid, and with the bits of `ballesta run` in every importer and every way to drive it."""

import subprocess
import sys
import threading
import tomllib
import zipfile
from pathlib import Path

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

from gallery import MODELS, ROOT, Trajectory, assert_same_bits, call, environment_without_tools
from instance import Instance


def test_the_gallery_is_not_empty():
    assert len(MODELS) >= 9


def test_the_validator_is_silent(exported):
    assert validate_fmu(str(exported.path)) == []


def test_the_archive_follows_the_rules(exported):
    with zipfile.ZipFile(exported.path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        for entry in archive.infolist():
            assert entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), entry.filename
            assert not entry.filename.startswith("/") and ".." not in entry.filename and "\\" not in entry.filename
    assert "modelDescription.xml" in names
    assert f"binaries/linux64/{exported.identifier}.so" in names
    assert "documentation/index.html" in names
    assert any(name.startswith("documentation/licenses/") for name in names)
    assert len(names) == len(set(names))


def test_reduced_models_are_in_the_archive(exported):
    model = tomllib.loads((exported.source / "model.toml").read_text(encoding="utf-8"))
    with zipfile.ZipFile(exported.path) as archive:
        for body in model.get("flexible_body", []):
            assert archive.read(f"resources/{body['rom']}") == (exported.source / body["rom"]).read_bytes()


def test_flexible_models_are_in_the_gallery():
    flexible = [name for name in MODELS if "[[flexible_body]]" in (ROOT / "models" / name / "model.toml").read_text()]
    assert {"cantilever_state_space", "spinup_beam"} <= set(flexible)


def test_an_export_is_reproducible(exported, tmp_path):
    again = tmp_path / "again.fmu"
    call(ROOT / "target/release/ballesta", "export", exported.source, "-o", again,
         "--library", f"linux64={exported.library}")
    assert again.read_bytes() == exported.path.read_bytes()


def test_the_reference_in_the_archive_is_the_command_lines(exported, reference):
    name = "extra/org.ballesta/reference.csv"
    packed, whole = Trajectory.read(exported.unpacked / name), reference(exported.model)
    if len(packed.rows) < len(whole.rows):
        # It ends shortly before it would be larger than the rest of the archive, or the archive larger than 6 MB.
        with zipfile.ZipFile(exported.path) as archive:
            sizes = {entry.filename: entry.compress_size for entry in archive.infolist()}
        size, rest = sizes.pop(name), sum(sizes.values())
        assert 0.9 < size / min(rest, max(6_000_000 - rest, 250_000)) <= 1
        whole = Trajectory(whole.names, whole.rows[:len(packed.rows)])
    assert_same_bits(packed, whole, name)


def test_fmpy_equals_the_command_line(exported, reference):
    result = fmpy.simulate_fmu(str(exported.path), fmi_type="CoSimulation", output_interval=exported.step,
                               output=exported.outputs)
    trajectory = Trajectory(exported.outputs, [[row[name] for name in ["time"] + exported.outputs] for row in result])
    assert_same_bits(trajectory, reference(exported.model), "fmpy and ballesta run")


def test_a_host_in_c_equals_the_command_line(exported, reference, c_host):
    done = subprocess.run([c_host, exported.unpacked], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=environment_without_tools())
    assert done.returncode == 0, done.stderr
    path = exported.folder / "host.csv"
    path.write_text(done.stdout, encoding="utf-8")
    assert_same_bits(Trajectory.read(path), reference(exported.model), "C host and ballesta run")


def test_reset_gives_a_new_instance(exported, reference):
    with Instance(exported) as instance:
        instance.initialize()
        for index in range(3):
            instance.step(instance.point(index + 1))
        instance.fmi.reset()
        instance.initialize()
        assert_same_bits(instance.trajectory(last=exported.repeats()), reference(exported.model).until(exported.repeats()), "after reset")


def test_two_threads_do_not_disturb_each_other(exported, reference):
    """ctypes lets go of the interpreter's lock during a call, so the steps do overlap."""
    found, start = [None, None], threading.Barrier(2)

    def work(number):
        try:
            with Instance(exported, f"thread {number}") as instance:
                start.wait()
                instance.initialize()
                found[number] = instance.trajectory(last=exported.repeats())
        except BaseException as error:  # reported by the main thread
            found[number] = error

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for trajectory in found:
        assert isinstance(trajectory, Trajectory), trajectory
        assert_same_bits(trajectory, reference(exported.model).until(exported.repeats()), "in a thread")


def test_a_state_continues_in_another_process(exported, reference, tmp_path):
    half = exported.repeats() // 2
    with Instance(exported) as instance:
        instance.initialize()
        before = instance.trajectory(last=half)
        serialized = instance.serialized_state()
        # The original goes on, as if nothing had been asked of it.
        after = instance.trajectory(first=half, last=exported.repeats())
    state, result = tmp_path / "state", tmp_path / "continued.csv"
    state.write_bytes(serialized)
    here = Path(__file__).parent
    call(sys.executable, here / "continue_state.py", exported.folder, exported.model, state, half, exported.repeats(), result)
    continued = Trajectory.read(result)
    assert_same_bits(continued, after, "another process and the original")
    joined = Trajectory(before.names, before.rows + continued.rows[1:])
    assert_same_bits(joined, reference(exported.model).until(exported.repeats()), "joined trajectory")


def test_going_back_to_a_state_repeats_the_bits(exported):
    half = exported.repeats() // 2
    with Instance(exported) as instance:
        instance.initialize()
        instance.trajectory(last=half)
        state = instance.fmi.getFMUstate()
        first = instance.trajectory(first=half, last=exported.repeats())
        instance.fmi.setFMUstate(state)
        instance.time = instance.point(half)
        second = instance.trajectory(first=half, last=exported.repeats())
        instance.fmi.freeFMUstate(state)
    assert_same_bits(first, second, "after going back")


def test_damaged_states_are_refused(exported):
    with Instance(exported) as instance:
        instance.initialize()
        good = instance.serialized_state()
        flipped = [good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :] for at in range(0, len(good), 7)]
        for bad in [good[:-1], b"", bytes(len(good)), *flipped]:
            with pytest.raises(FMICallException):
                instance.fmi.deSerializeFMUstate(bad)
        instance.restore(good)


def test_the_default_start_time_is_not_built_in(exported):
    """Autonomous or not, an instance that starts later takes its time from fmi2SetupExperiment."""
    with Instance(exported) as instance:
        instance.initialize(start=12.5)
        instance.step(12.5 + exported.step)
        assert instance.outputs()[0] == 12.5 + exported.step
