"""Runs from Python give the bits of the command line."""

import gc
import json
import multiprocessing
import subprocess
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from conftest import PROGRAM, ROOT

MODELS = sorted(path.parent.name for path in (ROOT / "models").glob("*/model.toml"))
# Models with flexible bodies or tyres take longer to the same time.
POINTS = 100


def command(*words, codes=(0,)):
    done = subprocess.run([str(word) for word in (PROGRAM, *words)], capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=300)
    assert done.returncode in codes, done.stderr
    return done.stdout


def table(path):
    lines = path.read_text().splitlines()
    return lines[0].split(","), np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])


def same(a, b):
    """Bits, so that -0 is not 0 and NaN is NaN."""
    return a.shape == b.shape and (np.ascontiguousarray(a).view(np.uint64) == np.ascontiguousarray(b).view(np.uint64)).all()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_the_gallery_gives_the_bits_of_the_command_line(name, load, tmp_path, ballesta):
    model = load(name)
    start, stop, step, _ = model.experiment
    stop = min(stop, start + POINTS * step)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ballesta.QuestionableResult)
        result = model.run(stop=stop)
    command("run", ROOT / "models" / name, "--stop", repr(stop), "--csv", tmp_path / "run.csv", "--quiet")
    names, expected = table(tmp_path / "run.csv")
    assert [name.strip('"') for name in names] == ["time", *result.names] or len(names) != 1 + len(result.names)
    assert same(result.time, expected[:, 0]) and same(result.data, expected[:, 1:])


def test_inputs_from_a_file_and_from_arrays_give_the_same_bits(load, tmp_path):
    model = load("van")
    file = ROOT / "models/van/manoeuvres/double_lane_change.csv"
    names, rows = table(file)
    from_file = model.run(stop=0.3, inputs=file)
    from_arrays = model.run(stop=0.3, inputs={name: rows[:, place] for place, name in enumerate(names)})
    command("run", ROOT / "models/van", "--stop", "0.3", "--inputs", file, "--csv", tmp_path / "run.csv", "--quiet")
    assert same(from_file.data, from_arrays.data)
    assert same(from_file.data, table(tmp_path / "run.csv")[1][:, 1:])


def test_set_step_and_trim_are_those_of_the_command_line(ballesta, tmp_path):
    model = ballesta.load("pendulum")
    result = model.run(stop=0.5, step=0.02, set={"motor.torque": 3, "bearing.damping": 0.5}, trim=True)
    words = ["--stop", "0.5", "--step", "0.02", "--set", "motor.torque=3", "--set", "bearing.damping=0.5", "--trim"]
    command("run", model.file, *words, "--csv", tmp_path / "run.csv", "--quiet")
    assert same(result.data, table(tmp_path / "run.csv")[1][:, 1:])
    loaded = ballesta.load("pendulum", parameters={"bearing.damping": 0.5})
    again = loaded.run(stop=0.5, step=0.02, inputs={"motor.torque": 3.0}, trim=True)
    assert same(result.data, again.data)


def test_a_result_knows_names_units_and_vectors(load, tmp_path):
    model = load("van")
    result = model.run(stop=0.05)
    position = result["chassis.position"]
    assert position.shape == (len(result.time), 3) and result.units["chassis.position"] == "m"
    assert same(position[:, 1], result["chassis.position.y"])
    said = json.loads(command("run", ROOT / "models/van", "--stop", "0.05", "--json"))
    assert result.judgement == said["judgement"]
    assert [output["unit"] for output in said["outputs"]] == [result.units[name] for name in result.names]
    assert set(result.names) < set(result) and "time" in result and len(list(result)) == len(result)


def test_tables_pictures_and_pages_show_the_run(ballesta, tmp_path):
    pandas = pytest.importorskip("pandas")
    model = ballesta.load("four-bar")
    result = model.run(stop=0.1)
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and list(frame.columns) == list(result.names)
    assert same(frame["rocker.angle"].to_numpy(), result["rocker.angle"]) and frame.attrs["units"]["rocker.angle"] == "rad"
    command("run", model.file, "--stop", "0.1", "--plot", tmp_path / "run.svg", "--html", tmp_path / "run.html", "--quiet")
    assert result.plot().svg == (tmp_path / "run.svg").read_text()
    command("run", model.file, "--stop", "0.1", "--plot", tmp_path / "run.png", "--quiet")
    for ending in ("svg", "png"):
        result.plot().save(tmp_path / f"saved.{ending}")
        assert (tmp_path / f"saved.{ending}").read_bytes() == (tmp_path / f"run.{ending}").read_bytes()
    for save, name in ((result.plot().save, "run.pdf"), (result.view().save, "run.htm")):
        with pytest.raises(ballesta.UsageError, match="must end in|ends in .html"):
            save(tmp_path / name)
    one = result.plot("coupler.middle")
    assert "coupler.middle" in one.svg and "rocker.angle" not in one.svg and one._repr_svg_() == one.svg
    page = result.view(height=300)
    assert page.html == (tmp_path / "run.html").read_text()
    assert page._repr_html_().startswith("<iframe srcdoc=") and 'height="300"' in page._repr_html_()
    page.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_bytes() == (tmp_path / "run.html").read_bytes()
    command("view", model.file, "-o", tmp_path / "start.html")
    assert model.view().html == (tmp_path / "start.html").read_text()


def test_the_workshop_page_is_that_of_the_command(ballesta, tmp_path):
    """Without the library of pages, the error says which script builds it."""
    model = ballesta.load(ROOT / "models/van")
    try:
        page = model.edit(tmp_path / "saved.html")
    except ballesta.UsageError as error:
        assert "scripts/platforms.sh wasm32" in str(error)
        return
    command("edit", model.file, "-o", tmp_path / "page.html")
    assert page.html == (tmp_path / "page.html").read_text() == (tmp_path / "saved.html").read_text()
    try:
        page = model.edit(with_fmu=True)
    except ballesta.UsageError as error:
        assert "scripts/platforms.sh wasm32-packer" in str(error)
        return
    command("edit", model.file, "--with-fmu", "-o", tmp_path / "page.html")
    assert page.html == (tmp_path / "page.html").read_text() and 'id="fmu-libraries"' in page.html


def test_a_questionable_run_warns_and_a_strict_one_raises(ballesta, tmp_path):
    """A step that is far too coarse for the energy."""
    model = ballesta.load(ROOT / "models/spatial_double_pendulum", step=0.05)
    with pytest.warns(ballesta.QuestionableResult, match="energy"):
        result = model.run(stop=3.0, step=0.05)
    assert result.warnings and result.judgement["warning"] in result.warnings
    with pytest.raises(ballesta.Fault, match="energy") as caught:
        model.run(stop=3.0, step=0.05, strict=True)
    assert same(caught.value.result.data, result.data)


def test_a_fault_keeps_what_was_computed(ballesta, tmp_path):
    model = ballesta.load(fault_model(tmp_path))
    with pytest.raises(ballesta.Fault) as caught:
        model.run()
    fault = caught.value
    assert isinstance(fault, RuntimeError) and fault.time is not None
    assert 0 < len(fault.result.time) and fault.result.time[-1] <= fault.time + 1e-9
    assert fault.result.fault and "stopped" in fault.result.plot().svg


def fault_model(folder):
    """A slider that is guided past the reach of its crank and rod."""
    (folder / "model.toml").write_text(
        """
[model]
name = "stretched"
step = 1e-3
integrator = "rk4"
[experiment]
stop = 2
step = 1e-2
[points]
A = [0, 0, 0]
B = [1, 0, 0.5]
C = [2, 0, 0]
[[body]]
name = "left"
mass = 1
com = [0.5, 0, 0.25]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[body]]
name = "right"
mass = 1
com = [1.5, 0, 0.25]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[body]]
name = "slider"
mass = 1
com = [2, 0, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[joint]]
name = "A"
type = "revolute"
bodies = ["ground", "left"]
point = "A"
axis = [0, 1, 0]
[[joint]]
name = "B"
type = "revolute"
bodies = ["left", "right"]
point = "B"
axis = [0, 1, 0]
[[joint]]
name = "pin"
type = "revolute"
bodies = ["right", "slider"]
point = "C"
axis = [0, 1, 0]
[[joint]]
name = "C"
type = "prismatic"
bodies = ["ground", "slider"]
axis = [1, 0, 0]
[[guided]]
name = "C"
joint = "C"
motion = { amplitude = 1.0, frequency = 0.1 }
[[output]]
name = "A.angle"
joint = "A"
quantity = "position"
"""
    )
    return folder


def test_a_model_and_its_result_go_to_another_process_and_back(ballesta, load):
    given = {"bearing.damping": 0.75}
    for model in (load("four_bar"), ballesta.load("pendulum", parameters=given, step=0.0005)):
        here = model.run(0.1)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            there = pool.submit(ballesta.Model.run, model, 0.1).result()
        assert same(there.data, here.data) and there.units == here.units
        assert there.plot().svg == here.plot().svg
        with pytest.raises(ballesta.UsageError, match="another process"):
            there.view()


def test_the_files_of_a_model_that_comes_with_the_package_go_with_it(ballesta):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ballesta.load("pendulum")
        folder = model.file.parent
        assert folder.is_dir()
        del model
        gc.collect()
        assert not folder.exists()


def test_stresses_of_a_recovery_file_are_outputs_with_the_bits_of_the_command_line(ballesta, tmp_path):
    structure, model = ROOT / "models/structures/cantilever_clamped", ROOT / "models/beam_on_spring"
    recovery, csv = tmp_path / "beam.recovery.toml", tmp_path / "out.csv"
    command("reduce", structure, "-o", tmp_path / "beam.rom.toml", "--recovery", recovery)
    names = ["beam[1].start", "beam:10"]
    words = ["--recovery", recovery, *(word for name in names for word in ("--recover", name))]
    command("run", model, "--stop", 0.05, "--csv", csv, *words)
    heads, values = table(csv)
    result = ballesta.load(model, recovery=[recovery], recover=names).run(stop=0.05)
    assert heads[1:] == list(result.names)
    assert same(result.data, values[:, 1:])
    assert any(name.startswith("beam.beam[1].start.stress.") for name in result.names)
    with pytest.raises(TypeError, match="recovery: found"):
        ballesta.load(model, recovery=str(recovery))
    with pytest.raises(ballesta.UsageError, match="no recovery file has a node or section"):
        ballesta.load(model, recovery=[recovery], recover=["beam:99"])
