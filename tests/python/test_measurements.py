"""Inputs from spreadsheets, data frames, MAT-files, recordings and tables: the same motion as from a dictionary."""

import gzip
import subprocess

import numpy as np
import pandas
import pytest
from asammdf import MDF, Signal
from scipy import io

from conftest import PROGRAM, ROOT

TIMES = np.array([0.0, 0.1, 0.25, 0.4, 1.0])
TORQUE = np.array([0.0, 1.5, -0.75, 2.25, 0.5])


@pytest.fixture(scope="module")
def arm(ballesta):
    return ballesta.load(ROOT / "models/driven_arm")


@pytest.fixture(scope="module")
def expected(arm):
    return arm.run(stop=1.0, inputs={"time": TIMES, "yaw.torque": TORQUE}).data


def frame(**names):
    return pandas.DataFrame({"time": TIMES, "yaw.torque": TORQUE}).rename(columns=names)


def of_mat(path):
    io.savemat(path, {"t": TIMES, "yaw_torque": TORQUE, "comment": "a test", "other": np.eye(3)})


def of_struct(path):
    """A structure of MATLAB with the time of its own, and another one with another time."""
    io.savemat(path, {"log": {"time": TIMES, "yaw": {"torque": TORQUE}}, "slow": {"time": TIMES[:2], "speed": TORQUE[:2]}})


def of_simulink(path):
    """A structure with time."""
    io.savemat(path, {"in": {"time": TIMES, "signals": [{"values": TORQUE, "label": "yaw.torque", "dimensions": 1}]}})


def of_recording(path):
    """Channels with times of their own; the one of the input in kN m."""
    with MDF(version="4.10") as recording:
        recording.append([Signal(TORQUE / 1e3, TIMES, name="yaw.torque", unit="kNm")])
        recording.append([Signal(np.arange(50.0), np.linspace(0, 1, 50), name="other", unit="m")])
        recording.save(path, overwrite=True)


FILES = {
    "comma.csv": lambda path: frame().to_csv(path, index=False),
    "office.csv": lambda path: frame(**{"yaw.torque": "yaw.torque [N m]"}).to_csv(path, index=False, sep=";", decimal=","),
    "unicode.txt": lambda path: frame().to_csv(path, index=False, sep="\t", decimal=",", encoding="utf-16"),
    "packed.csv.gz": lambda path: path.write_bytes(gzip.compress(frame().to_csv(index=False).encode())),
    "units.csv": lambda path: path.write_text("Time;yaw.torque;\nms;Nm;\n" + "".join(
        f"{1e3 * t!r};{u!r};\n".replace(".", ",") for t, u in zip(TIMES.tolist(), TORQUE.tolist()))),
    "table.parquet": lambda path: frame().to_parquet(path),
    "indexed.parquet": lambda path: frame().set_index("time", drop=False).to_parquet(path),
    "book.xlsx": lambda path: frame(**{"time": "time [s]"}).to_excel(path, index=False),
    "variables.mat": of_mat,
    "struct.mat": of_struct,
    "simulink.mat": of_simulink,
    "recording.mf4": of_recording,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_the_inputs_of_the_dictionary(arm, expected, tmp_path, name):
    path = tmp_path / name
    FILES[name](path)
    found = arm.run(stop=1.0, inputs=path).data
    # Units that are converted change the last bit.
    assert np.abs(found - expected).max() <= (1e-14 if name in ("units.csv", "recording.mf4") else 0.0)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".csv", ".txt", ".gz", ".parquet"))])
def test_the_program_reads_the_same_tables(expected, tmp_path, name):
    path, out = tmp_path / name, tmp_path / "out.csv"
    FILES[name](path)
    done = subprocess.run([PROGRAM, "run", ROOT / "models/driven_arm", "--stop", "1", "--inputs", path, "--csv", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = np.loadtxt(out, delimiter=",", skiprows=1)[:, 1:]
    assert np.abs(rows - expected).max() <= (1e-14 if name == "units.csv" else 0.0)


def test_data_frames_have_a_time_column_or_index(arm, expected):
    for given in (frame(), frame().set_index("time"), frame(time="t")[["yaw.torque", "t"]],
                  frame().set_index(pandas.to_timedelta(TIMES, unit="s"))[["yaw.torque"]]):
        assert np.array_equal(arm.run(stop=1.0, inputs=given).data, expected)


def test_wrong_tables_are_explained(ballesta, arm, tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("time;yaw.torque\n0,5;1\n1.5;2\n")
    with pytest.raises(ballesta.ModelError, match=r"mixed.csv:3:1: .*after decimal signs `,` from line 2"):
        arm.run(inputs=path)
    path.write_text("time,yaw.torque [mm]\n0,1\n")
    with pytest.raises(ballesta.ModelError, match=r"found the unit `mm`; expected `N.m` or `kN.m`"):
        arm.run(inputs=path)
    with pytest.raises(ballesta.ModelError, match="data frame.*no such input"):
        arm.run(inputs=frame(**{"yaw.torque": "yaw.torqe"}))
    with pytest.raises(ballesta.UsageError, match="no column `time` or `t`, and no index"):
        arm.run(inputs=frame()[["yaw.torque"]])
    io.savemat(tmp_path / "other.mat", {"time": TIMES, "speed": TORQUE})
    with pytest.raises(ballesta.UsageError, match="no channel has the name of an input; the inputs are yaw.torque"):
        arm.run(inputs=tmp_path / "other.mat")
    # Two clocks, two spellings and two recordings of one name.
    io.savemat(tmp_path / "twice.mat", {"fast": {"time": TIMES, "yaw_torque": TORQUE}, "slow": {"time": TIMES, "yaw_torque": 2 * TORQUE}})
    io.savemat(tmp_path / "spellings.mat", {"time": TIMES, "yaw_torque": TORQUE, "yaw": {"torque_": 2 * TORQUE}})
    twice = MDF()
    for factor in (1, 2):
        twice.append([Signal(factor * TORQUE, TIMES, name="yaw.torque", unit="N.m")])
    twice.save(tmp_path / "twice.mf4", overwrite=True)
    for name in ("twice.mat", "spellings.mat", "twice.mf4"):
        with pytest.raises(ballesta.UsageError, match=rf"{name}: yaw.torque: several channels fit, `yaw.* and `yaw.*; keep one"):
            arm.run(inputs=tmp_path / name)
    io.savemat(tmp_path / "timeless.mat", {"yaw_torque": TORQUE})
    with pytest.raises(ballesta.UsageError, match="no variable `time`"):
        arm.run(inputs=tmp_path / "timeless.mat")
    done = subprocess.run([PROGRAM, "run", ROOT / "models/driven_arm", "--inputs", tmp_path / "other.mat"], capture_output=True, text=True)
    assert done.returncode == 2 and "use it from Python" in done.stderr
