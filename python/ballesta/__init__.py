"""Flexible multibody systems from Python: models, runs, simulators, rollouts.

>>> import ballesta
>>> model = ballesta.load("four-bar")
>>> result = model.run(stop=1.0)
>>> result["rocker.angle"].shape
(201,)
>>> result.units["rocker.angle"]
'rad'

`load` reads a model from its file. `Model.run` simulates it, `Model.simulator` steps one instance, `Model.rollout`
steps many instances. Models can also be linearized, trimmed, checked and exported. Values are double-precision numpy
arrays in SI units, angles in rad. The command line and exported FMUs use the same solver: the same model and inputs
give the same bits.

Invalid files raise `ModelError` with file, line and column. Unknown names and invalid values raise `UsageError`. A
simulation that stops early raises `Fault`. A questionable run warns with `QuestionableResult`.
"""

from ballesta._native import Simulator, State, __version__
from ballesta.errors import Diagnostic, Error, Fault, ModelError, QuestionableResult, UsageError
from ballesta.importing import import_model
from ballesta.installation import libraries, program
from ballesta.model import Experiment, Linearization, Mode, Model, Reduction, StepDerivatives, Variable, load, reduce, templates
from ballesta.result import Page, Plot, Result, Sensitivity
from ballesta.rollout import Rollout
from ballesta.tyres import tyre

__all__ = [
    "Diagnostic",
    "Error",
    "Experiment",
    "Fault",
    "Linearization",
    "Mode",
    "Model",
    "ModelError",
    "Page",
    "Plot",
    "QuestionableResult",
    "Reduction",
    "Result",
    "Rollout",
    "Sensitivity",
    "Simulator",
    "State",
    "StepDerivatives",
    "UsageError",
    "Variable",
    "__version__",
    "import_model",
    "libraries",
    "load",
    "program",
    "reduce",
    "templates",
    "tyre",
]
