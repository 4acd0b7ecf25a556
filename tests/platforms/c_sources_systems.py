"""C sources on the compilers and systems that can be had.

    python tests/platforms/c_sources_systems.py NAME [MODEL…]

Compiles all models of the gallery (or those named) for the system NAME of the list, each into a program that prints its outputs, and
compares them with the library in the FMU. Files that several models have in common are compiled once.
"""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))

import gallery
from c_sources import Sources, printed, program_once
import systems
from systems import ENVIRONMENT, WINE

# Name, compiler, options, how the program is started.
SYSTEMS = [
    ("gcc", "gcc", ["-O2"], []),
    ("clang", "clang", ["-O2"], []),
    # Fused products and sums would show: both instruction sets have them.
    ("native", "gcc", ["-O3", "-march=native"], []),
    ("aarch64", "aarch64-linux-gnu-gcc", ["-O2", "-static"], ["qemu-aarch64"]),
    ("armhf", "arm-linux-gnueabihf-gcc", ["-O2", "-static"], ["qemu-arm"]),
    ("windows", "x86_64-w64-mingw32-gcc-posix", ["-O2"], [WINE]),
    ("sanitizers", "gcc", ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"], []),
]
STEPS = 200


def main(name, *models):
    gallery.build()
    (compiler, options, runner), = [system[1:] for system in SYSTEMS if system[0] == name]
    systems.FOLDER.mkdir(parents=True, exist_ok=True)
    if runner == [WINE]:
        systems.start_wine()
    failed, total = [], 0
    for model in models or gallery.MODELS:
        folder = gallery.SCRATCH / "c_sources_systems" / model
        try:
            sources = Sources(model, folder)
            experiment = sources.description.defaultExperiment
            steps = min(round((float(experiment.stopTime) - float(experiment.startTime)) / float(experiment.stepSize)), STEPS)
            built = program_once(sources, compiler, options, steps, gallery.SCRATCH / "c_sources_objects")
            done = subprocess.run([*runner, str(built)], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENVIRONMENT,
                                  timeout=1800)
            assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-300:]}"
            expected = printed(sources, steps)
            assert done.stdout.splitlines() == expected, "other bits"
            values = sum(len(line.split()) for line in expected)
            total += values
            print(f"{model:34} {values:7} values", flush=True)
        except Exception as error:
            failed.append(model)
            print(f"{model:34} FAILED {type(error).__name__} {str(error)[:400]}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{total} values, failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
