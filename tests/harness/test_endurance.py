"""A short soak by crates/cli/examples/endurance.rs: what hours of it look at, scripts/endurance.sh says."""

import json
import subprocess

import pytest

import gallery


@pytest.mark.parametrize("model, options", [("four_bar", []), ("driven_arm", ["--repeat"])])
def test_a_short_soak_comes_to_the_same_bits_after_every_restore(model, options, exports):
    program = gallery.example("endurance")
    # The arm's experiment of 5000 steps begins again through fmi2Reset nine times. Memory is reserved up to step 20 000 or so.
    command = [program, exports(model).path, "48000", "--interval", "2000", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    first, *intervals, verdict = [json.loads(line) for line in done.stdout.splitlines()]
    assert first["model"] == verdict["model"] == model
    assert verdict["steps"] == 48000 and verdict["restores"] == len(intervals) == 24
    assert all(interval["same_bits"] for interval in intervals)
    assert len({interval["restored_from_step"] % 2000 for interval in intervals}) >= 10
    assert (done.returncode == 0) == (verdict["wrong"] == []), done.stderr
    # Step times are the machine's too; everything else is not.
    assert [reason for reason in verdict["wrong"] if "of the last third" not in reason] == []


def test_a_soak_that_is_too_short_is_no_verdict(exports):
    program = gallery.example("endurance")
    done = subprocess.run([program, exports("four_bar").path, "4000", "--interval", "2000"], capture_output=True, text=True)
    assert done.returncode == 1 and "too few" in done.stderr
