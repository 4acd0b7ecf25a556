"""Flexible multibody systems from Python: models, runs, simulators, rollouts.

>>> import ballesta
>>> model = ballesta.load("four-bar")
>>> result = model.run(stop=1.0)
>>> result["rocker.angle"].shape
(201,)
>>> result.units["rocker.angle"]
'rad'

A model is read from its file (`load`), simulated (`Model.run`), stepped (`Model.simulator`), stepped many times at once
(`Model.rollout`), linearized, trimmed, checked, exported. Values are numpy arrays of double precision in SI units, angles in rad. The
solver is that of the command line and of exported FMUs: the same model and inputs give the same bits.

Wrong files raise `ModelError` with file, line and column; names and values that do not fit raise `UsageError`; a solver that stops
raises `Fault`; a run that is not to be trusted warns with `QuestionableResult`.
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
