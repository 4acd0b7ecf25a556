"""What an FMU does when its host is late, gives wrong times, or meets a fault of the model; each is tried with fmpy.

    pip install fmpy
    ballesta export models/five_link_suspension -o suspension.fmu --hold-mode
    python examples/rig_host.py suspension.fmu

The host has a period of 10 ms. The load of the road on the wheel is an input. At the end it has a value as of a load cell that sends
something else than newtons: the five rods of the suspension cannot be closed any more.
"""

import shutil
import sys
from math import inf, nan

import fmpy
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

PERIOD = 0.01
OUTPUT, LOAD = "wheel.z", "contact.force.z"
STATUS = {0: "OK", 1: "warning", 2: "discard", 3: "error"}


class Host:
    """An instance that is initialized at t = 0, with the messages of its last call."""

    def __init__(self, path, hold=False):
        description = fmpy.read_model_description(path)
        self.references = {variable.name: variable.valueReference for variable in description.modelVariables}
        self.folder, self.messages = fmpy.extract(path), []
        self.fmu = FMU2Slave(guid=description.guid, unzipDirectory=self.folder, instanceName="rig",
                             modelIdentifier=description.coSimulation.modelIdentifier)
        # The structure must live as long as the instance. The messages have no arguments.
        self.callbacks = fmi2CallbackFunctions()
        self.callbacks.logger = fmi2CallbackLoggerTYPE(lambda _, __, ___, ____, text: self.messages.append(text.decode()))
        self.fmu.instantiate(callbacks=self.callbacks)
        if hold:
            self.fmu.setBoolean([self.references["hold_on_fault"]], [True])
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)

    def step(self, time, length=PERIOD):
        """Status of a step; its messages are in `messages`."""
        self.messages.clear()
        try:
            self.fmu.doStep(time, length)
        except FMICallException as failure:
            return STATUS[failure.status]
        return "OK"

    def real(self, name):
        return self.fmu.getReal([self.references[name]])[0]

    def fault(self):
        return bool(self.fmu.getBoolean([self.references["fault"]])[0])

    def set(self, name, value):
        self.fmu.setReal([self.references[name]], [value])


def late(path):
    """The host missed the point 0.02 s, and wakes at 0.03 s. The FMU is at 0.01 s."""
    print("late host: FMU at 0.01 s, clock of the rig at 0.03 s")
    with Host(path) as host:
        host.step(0.0)
        state = host.fmu.getFMUstate()

        def tried(name, *steps):
            host.fmu.setFMUstate(state)
            statuses = [host.step(*step) for step in steps]
            print(f"  {name:<38} {', '.join(statuses):<9} {host.real('time'):.2f} s  {OUTPUT} = {host.real(OUTPUT)!r}")
            return host.real(OUTPUT)

        values = [tried("two steps, one after the other", (0.01,), (0.02,)), tried("one step over both periods", (0.01, 0.02))]
        print(f"  both end with the same bits: {'yes' if values[0] == values[1] else 'no'}")
        tried("the missed step left out", (0.02,))
        print(f"    {host.messages[-1]}")
        print(f"  then the next step: {host.step(0.01)}")
        print(f"    {host.messages[-1]}")
        host.fmu.setFMUstate(state)
        print(f"  then the stored state, and a step: {host.step(0.01)}")
        host.fmu.freeFMUstate(state)


def wrong(path):
    """Arguments that no host should give."""
    print("wrong arguments: FMU at 0.01 s")
    with Host(path) as host:
        host.step(0.0)
        state = host.fmu.getFMUstate()
        for time, length in [(0.0, PERIOD), (nan, PERIOD), (0.01, 0.0), (0.01, -PERIOD), (0.01, nan), (0.01, inf), (0.01, 1e9)]:
            status = host.step(time, length)
            print(f"  step from {time} s over {length} s: {status}\n    {host.messages[-1]}")
            host.fmu.setFMUstate(state)
        print(f"  step from 0.010000005 s, within the tolerance: {host.step(0.010000005)}, to {host.real('time')} s")
        host.fmu.freeFMUstate(state)


def faulty(path, hold):
    """A wrong load from 0.03 s to 0.05 s."""
    print(f"fault of the model, hold_on_fault = {'true' if hold else 'false'}")
    with Host(path, hold) as host:
        for k in range(8):
            host.set(LOAD, 1e12 if k in (3, 4) else 4200.0)
            status = host.step(k * PERIOD)
            print(f"  {status:<8} time {host.real('time'):.4f} s  fault {str(host.fault()).lower():<6} {OUTPUT} = {host.real(OUTPUT)!r}")
            for message in host.messages:
                print(f"    {message}")
            if status != "OK":
                break


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    late(sys.argv[1])
    wrong(sys.argv[1])
    for switched_on in (False, True):
        faulty(sys.argv[1], switched_on)
