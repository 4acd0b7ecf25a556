"""What is wrong is an exception with its place and cure; nothing panics."""

import warnings

import numpy as np
import pytest


def test_a_wrong_file_has_every_place_and_its_cure(ballesta, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text('[model]\nname = "x"\ngravty = [0, 0, 0]\n[pionts]\n')
    with pytest.raises(ballesta.ModelError) as caught:
        ballesta.load(tmp_path)
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, ballesta.Error)
    assert error.file == str(path) and len(error.diagnostics) == 2
    misspelt = next(diagnostic for diagnostic in error.diagnostics if "gravty" in diagnostic.key + diagnostic.found)
    assert (misspelt.line, misspelt.column) == (3, 1) and "gravity" in misspelt.expected
    assert (error.line, error.cure) == (error.diagnostics[0].line, error.diagnostics[0].expected)
    assert f"{path}:3:1" in str(error)


def test_names_that_are_not_there_are_answered_with_the_nearest(ballesta, load, tmp_path):
    with pytest.raises(ballesta.UsageError, match="did you mean `pendulum`"):
        ballesta.load("pendulun")
    with pytest.raises(ballesta.UsageError, match="four-bar"):
        ballesta.load("nothing like it")
    with pytest.raises(FileNotFoundError) as caught:
        ballesta.load(tmp_path / "none.toml")
    assert caught.value.filename.endswith("none.toml")
    model = load("four_bar")
    result = model.run(stop=0.01)
    for wrong in (lambda: result["left.angel"], lambda: result.plot("left.angel"), lambda: model.simulator().get("left.angel")):
        with pytest.raises(ballesta.UsageError, match="did you mean `left.angle`"):
            wrong()
    with pytest.raises(ballesta.UsageError, match="did you mean `bearing.damping`"):
        ballesta.load("pendulum", parameters={"bearing.dampin": 1.0})


def test_models_that_come_with_the_package_are_loaded_by_name(ballesta):
    for name in ballesta.templates():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ballesta.QuestionableResult)
            assert ballesta.load(name).run(stop=0.01).time[-1] == 0.01
    assert ballesta.load("van").name == ballesta.load("vehicle").name == "van"
    assert ballesta.load("four_bar").name == "four_bar"


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ({"stop": float("nan")}, "UsageError", "stop"),
        ({"stop": -1.0}, "UsageError", "stop"),
        ({"step": 0.0}, "UsageError", "step"),
        ({"step": 1e-30}, "UsageError", "too many communication steps.*; use a longer step$"),
        ({"stop": "1"}, "TypeError", "stop"),
        ({"set": {"motor.torque": float("inf")}}, "UsageError", "motor.torque"),
        ({"set": {"motor.torque": "1"}}, "TypeError", "motor.torque"),
        ({"set": {1: 1.0}}, "TypeError", "set"),
        ({"set": [("motor.torque", 1.0)]}, "TypeError", "dictionary"),
        ({"set": {"bearing.damping": -1e400}}, "UsageError", "bearing.damping"),
        ({"inputs": {"motor.torque": [1.0, 2.0]}}, "UsageError", "time"),
        ({"inputs": {"time": [0, 1], "motor.torque": [1.0]}}, "UsageError", "expected 2"),
        ({"inputs": {"time": [1, 0], "motor.torque": [1.0, 2.0]}}, "UsageError", "decreases"),
        ({"inputs": {"time": [0, np.nan], "motor.torque": [1.0, 2.0]}}, "UsageError", "finite"),
        ({"inputs": {"time": [0, 1], "motor.torque": [1.0, np.nan]}}, "UsageError", "motor.torque: value 1 is nan; expected finite"),
        ({"inputs": {"time": [0, 1], "motor.torque": ["a", "b"]}}, "TypeError", "numbers"),
        ({"inputs": {"time": [0, 1], "motor.torque": [[1, 2], [3, 4]]}}, "UsageError", "dimensions"),
        ({"inputs": {"time": [0, 1], "motor.torque": [[1], [3, 4]]}}, "UsageError", "not an array"),
        ({"inputs": {"motor.torque": 1j}}, "TypeError", "numbers"),
        ({"inputs": {"motr.torque": 1.0}}, "UsageError", "did you mean `motor.torque`"),
        ({"inputs": 3.0}, "TypeError", "dictionary"),
        ({"inputs": {"time": [0, 1], "motor.torque": [1.0, 2.0]}, "set": {"motor.torque": 1.0}}, "UsageError", "column"),
    ],
)
def test_values_that_cannot_be_are_refused_before_anything_runs(words, error, said, ballesta):
    kinds = {"UsageError": ballesta.UsageError, "TypeError": TypeError}
    with pytest.raises(kinds[error], match=said):
        ballesta.load("pendulum").run(**words)


def test_a_simulator_refuses_what_does_not_fit(ballesta):
    sim = ballesta.load("pendulum").simulator()
    for wrong in (np.zeros(2), np.array([np.inf])):
        with pytest.raises(ballesta.UsageError):
            sim.inputs = wrong
    for wrong in (np.zeros(1, dtype=np.float32), np.zeros((1, 1)), [0.0], "x"):
        with pytest.raises(TypeError):
            sim.inputs = wrong
    with pytest.raises(ballesta.UsageError, match="expected"):
        sim.outputs(np.zeros(1))
    frozen = sim.outputs()
    frozen.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        sim.outputs(frozen)
    for name, value in (("motor.torque", float("nan")), ("arm.angle", 1.0), ("nothing", 1.0), ("motor.torque", None)):
        with pytest.raises(ballesta.UsageError):
            sim.set(name, value)
    with pytest.raises(TypeError):
        sim.set("motor.torque", "1")
    fixed = ballesta.load("four-bar").simulator()
    with pytest.raises(ballesta.UsageError, match="parameters"):
        fixed.set("crank.speed", 1.0)


def test_an_input_file_is_refused_with_its_place(ballesta, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("time,motor.torqe\n0,1\n1,x\n")
    with pytest.raises(ballesta.ModelError) as caught:
        ballesta.load("pendulum").run(inputs=path)
    assert [(d.line, d.column) for d in caught.value.diagnostics] == [(1, 6), (3, 3)] and "did you mean" in caught.value.cure
    with pytest.raises(FileNotFoundError):
        ballesta.load("pendulum").run(inputs=tmp_path / "none.csv")


def test_an_fmu_holds_the_file_and_nothing_else(ballesta, tmp_path):
    with pytest.raises(ballesta.UsageError, match="FMU"):
        ballesta.load("pendulum", parameters={"bearing.damping": 0.5}).export_fmu(tmp_path / "x.fmu")
    with pytest.raises(ballesta.UsageError, match="2.0 or 3.0"):
        ballesta.load("pendulum").export_fmu(tmp_path / "x.fmu", fmi="1.0")
    with pytest.raises(ballesta.UsageError, match="\"steps\" or \"full\""):
        ballesta.load("pendulum").export_fmu(tmp_path / "x.fmu", sources="all")
    with pytest.raises(FileNotFoundError) as caught:
        ballesta.load("pendulum").export_fmu(tmp_path / "nowhere/x.fmu")
    assert caught.value.filename == str(tmp_path / "nowhere/x.fmu") and "os error" not in str(caught.value)
    assert not list(tmp_path.iterdir())
