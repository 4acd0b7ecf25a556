"""Questions have the answers of the command line."""

import csv
import json
import zipfile

import numpy as np
import pytest

from conftest import ROOT
from test_runs import command, fault_model


@pytest.mark.parametrize("name", ["four_bar", "flexible_four_bar", "van"])
def test_check_and_groups_find_what_the_commands_print(name, load):
    model = load(name)
    found = model.check()
    assert found.pop("fault") is None
    assert found == json.loads(command("check", ROOT / "models" / name / "model.toml", "--json"))
    assert model.groups() == json.loads(command("groups", ROOT / "models" / name, "--json"))


def test_verify_finds_what_the_command_prints(load):
    words = ["--stop", "0.2", "--tolerance", "1e-4"]
    said = json.loads(command("verify", ROOT / "models/pendulum", *words, "--json", codes=(0, 3)))
    found = load("pendulum").verify(stop=0.2, tolerance=1e-4)
    for answer in (said, found):
        for run in answer["runs"]:
            assert run.pop("microseconds_per_step") > 0
    assert found == said and found["converges"]


def test_runs_that_do_not_reach_their_end_are_warned_of(ballesta, tmp_path):
    with pytest.warns(ballesta.QuestionableResult, match="not verified"):
        found = ballesta.load(fault_model(tmp_path)).verify(one_integrator=True)
    assert not found["converges"] and found["failures"]


def test_modes_and_linearization_are_those_of_the_commands(load):
    model = load("flexible_four_bar")
    said = json.loads(command("modes", ROOT / "models/flexible_four_bar", "--count", "1000", "--json"))
    modes = model.modes()
    assert [(mode.eigenvalue.real, mode.eigenvalue.imag, mode.moves) for mode in modes] == [(m["re"], m["im"], m["moves"]) for m in said["modes"]]
    linear, said = model.linearize(), json.loads(command("linearize", ROOT / "models/flexible_four_bar", "--json"))
    for name in "ABCD":
        matrix = getattr(linear, name)
        assert np.array_equal(matrix, np.array(said[name.lower()]).reshape(matrix.shape)), name
    assert (linear.states, linear.inputs, linear.outputs) == (said["states"], said["inputs"], said["outputs"])


def test_the_equilibrium_is_that_of_check(ballesta):
    model = ballesta.load("quarter-car")
    assert model.trim() == json.loads(command("check", model.file, "--trim", "--json"))["equilibrium"]


def test_a_structure_is_reduced_to_the_same_bytes(ballesta, tmp_path):
    found = ballesta.reduce(ROOT / "models/structures/truss", tmp_path / "python.rom.toml", modes=4, comparison=False)
    words = ["--modes", "4", "--no-comparison", "--json"]
    said = json.loads(command("reduce", ROOT / "models/structures/truss", "-o", tmp_path / "command.rom.toml", *words))
    assert (tmp_path / "python.rom.toml").read_bytes() == (tmp_path / "command.rom.toml").read_bytes()
    assert found["frequencies_hz"] == said["frequencies_hz"]
    with pytest.raises(ballesta.UsageError, match="is a model"):
        ballesta.reduce(ROOT / "models/four_bar", tmp_path / "none.rom.toml")


@pytest.mark.parametrize(
    "fmi, words, options",
    [
        ("2.0", [], {}),
        ("3.0", [], {}),
        ("2.0", ["--hold-mode"], {"hold_mode": True}),
        ("2.0", ["--sources=full"], {"sources": "full"}),
        ("3.0", ["--sources-only"], {"sources_only": True}),
    ],
)
def test_an_exported_fmu_is_that_of_the_command(fmi, words, options, load, tmp_path):
    facts = load("four_bar").export_fmu(tmp_path / "python.fmu", fmi=fmi, **options)
    command("export", ROOT / "models/four_bar", "-o", tmp_path / "command.fmu", "--fmi", fmi, *words)
    assert (tmp_path / "python.fmu").read_bytes() == (tmp_path / "command.fmu").read_bytes()
    assert facts["bytes"] == (tmp_path / "python.fmu").stat().st_size and facts["fmi"] == fmi
    with zipfile.ZipFile(tmp_path / "python.fmu") as archive:
        assert archive.namelist() == facts["entries"]


def test_tyre_files_have_the_findings_of_the_command(ballesta, tmp_path):
    files = [ROOT / "models/truck/tyre_12R20.tir", ROOT / "models/truck/tyre_385_65R22.5.tir"]
    words = ["--at", "alpha_deg=3,load=3e4", "--loads", "2e4,3e4", "--cambers", "0", "--alpha", "0.2", "--side", "left", "--json"]
    said = json.loads(command("tyre", *files, *words))
    picture = tmp_path / "tyres.svg"
    given = {"loads": [2e4, 3e4], "cambers": [0], "alpha": 0.2, "side": "left"}
    found = ballesta.tyre(*files, at=[{"alpha_deg": 3, "load": 3e4}], plot=picture, **given)
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert {name: values.tolist() for name, values in found.pop("curves").items()} == said.pop("curves")
    assert found == said
    for wrong in ({"side": "middle"}, {"at": [{"kapa": 0.1}]}, {"kappa": -1.0}, {"loads": [0.0]}):
        with pytest.raises(ballesta.UsageError):
            ballesta.tyre(files[0], **wrong)
    with pytest.raises(ballesta.ModelError):
        ballesta.tyre(ROOT / "tests/tyres/broken/impossible_values.tir")


def test_kinematics_and_compliance_are_those_of_the_command(ballesta, load):
    said = json.loads(command("rig", ROOT / "models/van", "kc", "--travel", 0.03, "--points", 5, "--json"))
    found = load("van").kc(travel=0.03, points=5)
    for test in found["tests"]:
        test["along"] = test["along"].tolist()
        test["figures"] = {name: values.tolist() for name, values in test["figures"].items()}
    assert found == said and [test["test"] for test in found["tests"]] == ["bump", "roll", "steer"]
    with pytest.raises(ballesta.UsageError, match="points"):
        load("van").kc(points=2)
    with pytest.raises(ballesta.UsageError, match="steer"):
        load("double_wishbone_axle").kc(fix=["chassis"], wheels=["left.bearing", "right.bearing"], radius=0.3, without=["left.tyre", "right.tyre"], steer_range=0.1)
    with pytest.raises(ballesta.Error):
        load("four_bar").kc()


def test_a_manoeuvre_has_the_measures_and_the_table_of_the_command(ballesta, load, tmp_path):
    words = ["manoeuvre", ROOT / "models/van", "step_steer", "--speed", 15, "--stop", 1, "--factor", 1.5]
    said = json.loads(command(*words, "--json", "--csv", tmp_path / "step.csv"))
    said.pop("written")
    found = load("van").manoeuvre("step_steer", speed=15, stop=1, factor=1.5)
    series = [run.pop("series") for run in found["runs"]]
    assert found == said and len(series) == 1
    with open(tmp_path / "step.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert list(series[0]) == rows[0]
    for name, *values in zip(*rows):
        assert series[0][name].tolist() == [float(value) for value in values]
    with pytest.raises(OSError, match='did you mean "step_steer"'):
        load("van").manoeuvre("stepp_steer")
    with pytest.raises(ballesta.Error, match="vehicle"):
        load("four_bar").manoeuvre("step_steer")
