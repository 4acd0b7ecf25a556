"""What a step from Python costs beside the step itself, and beside `doStep` of fmpy on the FMU of the same model.

10 000 steps of 1 ms: in one call of the simulator; one call per step; with all inputs set and all outputs read by index; one input and one output
by name; and the same two ways in fmpy. Processor time, which other work on the machine disturbs little; the quietest of several rounds counts, ways by turns.
"""

import argparse
import tempfile
import time
from pathlib import Path

import fmpy
import fmpy.fmi2
import numpy as np

import ballesta

STEP, STEPS = 1e-3, 10_000


def ways(model, fmu):
    simulator = model.simulator()
    inputs, place = np.array(simulator.inputs), np.empty(len(simulator.output_names))
    first, last = simulator.input_names[0], simulator.output_names[0]

    def whole():
        simulator.step(STEP * STEPS)

    def alone():
        for _ in range(STEPS):
            simulator.step(STEP)

    def by_index():
        for _ in range(STEPS):
            simulator.inputs = inputs
            simulator.step(STEP)
            simulator.outputs(place)

    def by_name():
        for _ in range(STEPS):
            simulator.set(first, 0.0)
            simulator.step(STEP)
            simulator.get(last)

    description = fmpy.read_model_description(fmu)
    instance = fmpy.fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=fmpy.extract(fmu), modelIdentifier=description.coSimulation.modelIdentifier, instanceName="x"
    )
    instance.instantiate()
    references = {kind: [v.valueReference for v in description.modelVariables if v.causality == kind and v.type == "Real"] for kind in ("input", "output")}
    values = [0.0] * len(references["input"])

    def begin_fmu():
        instance.reset()
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
        instance.exitInitializationMode()

    def fmu_alone():
        for i in range(STEPS):
            instance.doStep(i * STEP, STEP)

    def fmu_by_index():
        for i in range(STEPS):
            instance.setReal(references["input"], values)
            instance.doStep(i * STEP, STEP)
            instance.getReal(references["output"])

    return {
        "one call": (simulator.reset, whole),
        "step": (simulator.reset, alone),
        "inputs, step, outputs by index": (simulator.reset, by_index),
        "set, step, get by name": (simulator.reset, by_name),
        "fmpy doStep": (begin_fmu, fmu_alone),
        "fmpy setReal, doStep, getReal": (begin_fmu, fmu_by_index),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", default=["pendulum"])
    parser.add_argument("--rounds", type=int, default=7)
    typed = parser.parse_args()
    for name in typed.models:
        model = ballesta.load(name)
        with tempfile.TemporaryDirectory() as folder:
            fmu = Path(folder, "model.fmu")
            model.export_fmu(fmu)
            timed = ways(model, str(fmu))
            best = dict.fromkeys(timed, np.inf)
            for _ in range(typed.rounds):
                for label, (begin, run) in timed.items():
                    begin()
                    clock = time.process_time()
                    run()
                    best[label] = min(best[label], (time.process_time() - clock) / STEPS * 1e6)
        for label, cost in best.items():
            print(f"{name:12} {label:32} {cost:8.3f} µs per step, {cost - best['one call']:7.3f} µs above one call")


if __name__ == "__main__":
    main()
