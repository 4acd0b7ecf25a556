"""fmpy's CVode with the Jacobian of the FMU: a column per state by directional derivatives. fmpy itself lets CVode difference."""

import ctypes

import numpy
from fmpy import sundials
from fmpy.sundials.libraries import sundials_cvode, sundials_sunmatrixdense

# CVLsJacFn: t, y, f(y), J, user data and three vectors of scratch.
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, sundials.N_Vector, sundials.N_Vector, sundials.SUNMatrix, ctypes.c_void_p,
                            *[sundials.N_Vector] * 3)


def function(library, name, result, *arguments):
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found


set_jacobian = function(sundials_cvode, "CVodeSetJacFn", ctypes.c_int, ctypes.c_void_p, FUNCTION)
set_order = function(sundials_cvode, "CVodeSetMaxOrd", ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
entries = function(sundials_sunmatrixdense, "SUNDenseMatrix_Data", ctypes.POINTER(ctypes.c_double), sundials.SUNMatrix)


class Solver:
    """What stands in for `fmpy.sundials.CVodeSolver` where fmpy makes one: with the Jacobian of `instance`, and orders up to `order`."""

    def __init__(self, instance, description, jacobian=True, order=5):
        self.instance, self.jacobian, self.order, self.columns = instance, jacobian, order, 0
        self.rates = [rate.variable.valueReference for rate in description.derivatives]
        self.states = [rate.variable.derivative.valueReference for rate in description.derivatives]

    def __call__(self, **arguments):
        solver = ORIGINAL(**arguments)
        assert set_order(solver.cvode_mem, self.order) == 0
        if self.jacobian:
            # The solver keeps it from being collected.
            solver.fill = FUNCTION(lambda t, y, rates, matrix, *rest: self.fill(solver, t, y, matrix))
            assert set_jacobian(solver.cvode_mem, solver.fill) == 0
        return solver

    def fill(self, solver, t, y, matrix):
        solver.set_time(t)
        solver.set_x(sundials.NV_DATA_S(y), solver.nx)
        columns = numpy.ctypeslib.as_array(entries(matrix), (solver.nx, solver.nx))
        for column, state in zip(columns, self.states):
            column[:] = self.instance.getDirectionalDerivative(self.rates, [state], [1.0])
            self.columns += 1
        return 0


ORIGINAL = sundials.CVodeSolver
