"""One FMU instance, driven through fmpy's binding of the FMI functions."""

from fmpy.fmi2 import FMU2Slave

from gallery import Trajectory


class Instance:
    """Instantiated by `with`; initialized by `initialize`; then `step`, `outputs`, and whatever `fmi` offers."""

    def __init__(self, exported, name="instance"):
        self.exported = exported
        self.fmi = FMU2Slave(
            guid=exported.description.guid,
            unzipDirectory=str(exported.unpacked),
            modelIdentifier=exported.identifier,
            instanceName=name,
        )
        self.time = None

    def __enter__(self):
        self.fmi.instantiate()
        return self

    def __exit__(self, *_):
        self.fmi.freeInstance()

    def reference(self, name):
        return self.exported.variables[name].valueReference

    def set(self, values):
        for name, value in values.items():
            self.fmi.setReal([self.reference(name)], [value])

    def slope(self, values):
        """First derivatives of inputs, until the next `set` of each."""
        for name, value in values.items():
            self.fmi.setRealInputDerivatives([self.reference(name)], [1], [value])

    def initialize(self, values=None, start=None):
        """Instantiated → step complete, with start values set before and inputs set within initialization mode."""
        values = values or {}
        self.time = self.exported.start if start is None else start
        inputs = {name: value for name, value in values.items() if name in self.exported.inputs}
        self.fmi.setupExperiment(startTime=self.time, stopTime=None)
        self.set({name: value for name, value in values.items() if name not in inputs})
        self.fmi.enterInitializationMode()
        self.set(inputs)
        self.fmi.exitInitializationMode()

    def step(self, end):
        self.fmi.doStep(self.time, end - self.time)
        self.time = end

    def outputs(self):
        """The time and all outputs, in the order of the description."""
        read = {"Real": self.fmi.getReal, "Integer": self.fmi.getInteger, "Boolean": self.fmi.getBoolean}
        variables = (self.exported.variables[name] for name in self.exported.outputs)
        return [self.time] + [float(read[v.type]([v.valueReference])[0]) for v in variables]

    def point(self, index):
        """Communication point of the default experiment, by multiplication."""
        return self.exported.start + index * self.exported.step

    def trajectory(self, first=0, last=None, before_step=None):
        """Outputs at the points `first` (where the instance stands) to `last`, the default experiment's end."""
        last = self.exported.steps() if last is None else last
        rows = [self.outputs()]
        for index in range(first, last):
            if before_step:
                before_step(index)
            self.step(self.point(index + 1))
            rows.append(self.outputs())
        return Trajectory(self.exported.outputs, rows)

    def serialized_state(self):
        state = self.fmi.getFMUstate()
        try:
            return bytes(self.fmi.serializeFMUstate(state))
        finally:
            self.fmi.freeFMUstate(state)

    def restore(self, serialized):
        state = self.fmi.deSerializeFMUstate(serialized)
        self.fmi.setFMUstate(state)
        self.fmi.freeFMUstate(state)
