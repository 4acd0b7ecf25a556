"""Two FMUs in co-simulation masters: libcosim and ecos, beside an explicit master, and beside one model of both.

A controller drives an arm; the halves of a model of two masses pull at each other.

All masters work after Jacobi: every FMU steps with the inputs of the last communication point, then outputs become inputs. They
differ in how they round the time. The controller is tests/harness/arm_controller, a mechanism whose bushings give the torques.
"""

import ctypes
import sys
from pathlib import Path

import pytest

import gallery
from instance import Instance

STEP_NS = 10_000_000
STEP = 1e-2
STEPS = 500

#: Output and input of every connection.
WIRES = [
    (("control", "yaw.torque"), ("arm", "yaw.torque")),
    (("control", "elbow.torque"), ("arm", "elbow.torque")),
    (("arm", "yaw.angle"), ("control", "yaw.measured")),
    (("arm", "elbow.angle"), ("control", "elbow.measured")),
]


@pytest.fixture(scope="module")
def pair(driven):
    """The FMUs by the names of their instances."""
    source = Path(__file__).parent / "arm_controller"
    return {"arm": driven, "control": gallery.Exported("arm_controller", gallery.HOST_LIBRARY, source=source)}


def watched(pair):
    """All real outputs of both."""
    return [(name, output) for name, fmu in pair.items() for output in fmu.outputs if fmu.variables[output].type == "Real"]


def times_of_libcosim():
    """Counts nanoseconds; a step is the difference of its ends."""
    for k in range(STEPS):
        begin, end = k * STEP_NS / 1e9, (k + 1) * STEP_NS / 1e9
        yield begin, end - begin


def times_of_ecos():
    """Adds the step to the time again and again."""
    time = 0.0
    for _ in range(STEPS):
        yield time, STEP
        time += STEP


def explicit(pair, times, exchanges=1, wires=WIRES):
    """What an explicit master finds: rows of all real outputs, after initialization with so many exchanges and after each step."""
    outputs, rows = watched(pair), []
    with Instance(pair["arm"], "arm") as arm, Instance(pair["control"], "control") as control:
        instances = {"arm": arm, "control": control}

        def value(variable):
            name, output = variable
            return instances[name].fmi.getReal([instances[name].reference(output)])[0]

        def exchange():
            values = [value(output) for output, _ in wires]
            for (_, (name, variable)), x in zip(wires, values):
                instances[name].set({variable: x})

        for instance in instances.values():
            instance.fmi.setupExperiment(startTime=0.0, stopTime=None)
            instance.fmi.enterInitializationMode()
        for _ in range(exchanges):
            exchange()
        for instance in instances.values():
            instance.fmi.exitInitializationMode()
        rows.append([value(output) for output in outputs])
        for time, step in times:
            for instance in instances.values():
                instance.fmi.doStep(time, step)
            # Before the inputs follow: the outputs of the step that was made.
            rows.append([value(output) for output in outputs])
            exchange()
    return rows


def assert_same(pair, found, expected, first):
    assert len(found) == len(expected)
    for index, (one, other) in enumerate(zip(found, expected)):
        for name, x, y in zip(watched(pair), one, other):
            assert gallery.bits(x) == gallery.bits(y), f"row {first + index}: {name} is {x!r}, explicitly {y!r}"


def test_the_controller_moves_the_arm_as_wanted(pair):
    """Otherwise the comparisons below would say little: in the closed loop both joints follow, in the open one they do not."""
    columns = watched(pair)
    of = lambda rows, name, output: [row[columns.index((name, output))] for row in rows]
    away = lambda rows, joint: max(
        abs(x - y) for x, y in zip(of(rows, "arm", f"{joint}.angle"), of(rows, "control", f"{joint}.wanted"))
    )
    closed = explicit(pair, times_of_libcosim())
    opened = explicit(pair, times_of_libcosim(), wires=WIRES[2:])
    for joint in ("yaw", "elbow"):
        assert away(closed, joint) < 0.25, (joint, away(closed, joint))
        assert away(opened, joint) > 0.5, (joint, away(opened, joint))


def libcosim(pair, wires, step_ns, steps, columns):
    """Rows of `columns` after each of `steps` steps in libcosim."""
    pytest.importorskip("libcosimpy", reason="there is no wheel of libcosimpy for this machine")
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(step_size=step_ns)
    slaves = {name: CosimLocalSlave(fmu_path=str(fmu.path), instance_name=name) for name, fmu in pair.items()}
    index = {name: execution.add_local_slave(slave) for name, slave in slaves.items()}
    reference = lambda name, variable: pair[name].variables[variable].valueReference
    for (source, output), (sink, variable) in wires:
        status = execution.connect_real_variables(
            index[source], reference(source, output), index[sink], reference(sink, variable)
        )
        assert status == 0
    observer = CosimObserver.create_last_value()
    assert execution.add_observer(observer)
    rows = []
    for _ in range(steps):
        assert execution.step(1)
        rows.append([observer.last_real_values(index[name], [reference(name, output)])[0] for name, output in columns])
    return rows


def test_libcosim_finds_the_bits_of_an_explicit_master(pair):
    rows = libcosim(pair, WIRES, STEP_NS, STEPS, watched(pair))
    assert_same(pair, rows, explicit(pair, times_of_libcosim())[1:], 1)


def test_two_halves_in_libcosim_converge_to_the_model_that_holds_both():
    """The masses of `coupled` exchange displacements that are held during a step: an error of first order."""
    folder = Path(__file__).parent / "coupled"
    halves = {name: gallery.Exported(name, gallery.HOST_LIBRARY, source=folder / name) for name in ("left", "right")}
    wires = [(("left", "displacement"), ("right", "neighbour")), (("right", "displacement"), ("left", "neighbour"))]
    whole = gallery.Exported("whole", gallery.HOST_LIBRARY, source=folder / "whole").run()
    columns = [("left", "displacement"), ("right", "displacement")]
    found = {}
    for milliseconds in (8, 4, 2, 1):
        rows = libcosim(halves, wires, milliseconds * 1_000_000, 4000 // milliseconds, columns)
        # Every 8 ms, where all have a row.
        found[milliseconds] = rows[8 // milliseconds - 1 :: 8 // milliseconds]
    expected = [row[1:] for row in whole.rows[8::8]]
    away = lambda rows: max(abs(x - y) for row, exact in zip(rows, expected, strict=True) for x, y in zip(row, exact, strict=True))
    errors = [away(rows) for rows in found.values()]
    # Twice the finer minus the coarser run lacks the first order: what is left falls with the square, so the limit is the whole model.
    halved = list(zip(found.values(), list(found.values())[1:]))
    extrapolated = [away([[2 * y - x for x, y in zip(*rows)] for rows in zip(*pair, strict=True)]) for pair in halved]
    print(f"errors in m at steps of 8, 4, 2, 1 ms: {errors}; extrapolated: {extrapolated}")
    assert all(1.9 < coarse / fine < 2.1 for coarse, fine in zip(errors, errors[1:])), errors
    assert all(3.6 < coarse / fine < 4.4 for coarse, fine in zip(extrapolated, extrapolated[1:])), extrapolated
    assert errors[-1] < 4e-3 and extrapolated[-1] < 3e-4, (errors, extrapolated)


def test_ecos_finds_the_bits_of_an_explicit_master(pair):
    # Its library needs that of oneTBB, which the package `tbb` puts where no loader looks.
    threads = Path(sys.prefix) / "lib" / "libtbb.so.12"
    if threads.is_file():
        ctypes.CDLL(str(threads), mode=ctypes.RTLD_GLOBAL)
    ecospy = pytest.importorskip("ecospy", reason="there is no wheel of ecospy for this machine")
    structure = ecospy.EcosSimulationStructure()
    for name, fmu in pair.items():
        structure.add_model(name, str(fmu.path))
    for (source, output), (sink, variable) in WIRES:
        structure.make_real_connection(f"{source}::{output}", f"{sink}::{variable}")
    simulation = ecospy.EcosSimulation(structure=structure, step_size=STEP)
    try:
        simulation.init()
        read = lambda: [simulation.get_real(f"{name}::{output}") for name, output in watched(pair)]
        rows = [read()]
        for _ in range(STEPS):
            simulation.step()
            rows.append(read())
    finally:
        simulation.terminate()
        simulation.free()
    assert_same(pair, rows, explicit(pair, times_of_ecos()), 0)


def dependencies(pair, phase, declared=True):
    """Edges from a variable to what it follows from at once, `phase` being "initialUnknowns" or "outputs". With `declared` False as
    if the descriptions had no attribute `dependencies`: on all that is known."""
    edges = {sink: {source} for source, sink in WIRES}
    for name, fmu in pair.items():
        for unknown in getattr(fmu.description, phase):
            known = unknown.dependencies if declared else None
            if known is None:
                known = [v for v in fmu.description.modelVariables if v.causality in ("input", "parameter")]
            edges.setdefault((name, unknown.variable.name), set()).update((name, v.name) for v in known)
    return edges


def strongly_connected(edges):
    """Sets of more than one variable, or of one that follows from itself, that follow from one another (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            component = {node}
            while (last := stack.pop()) != node:
                component.add(last)
            if len(component) > 1 or node in edges.get(node, ()):
                found.append(component)

    for node in list(edges):
        if node not in order:
            visit(node)
    return found


@pytest.mark.parametrize("phase", ["initialUnknowns", "outputs"])
def test_there_is_no_algebraic_loop_between_the_two(phase, pair):
    edges = dependencies(pair, phase)
    assert strongly_connected(edges) == []
    # What a master sees where nothing is declared, and that this test can see it.
    assert any(len(component) >= 4 for component in strongly_connected(dependencies(pair, phase, declared=False)))


def test_the_order_of_the_initialization_is_that_of_the_dependencies(pair):
    """The torques follow from the measured angles, the angles from no torque: one exchange in this order, and as many as one
    likes in any order, lead to the same start."""
    edges = dependencies(pair, "initialUnknowns")
    for joint in ("yaw", "elbow"):
        assert ("control", f"{joint}.measured") in edges["control", f"{joint}.torque"]
        assert not {("arm", "yaw.torque"), ("arm", "elbow.torque")} & edges["arm", f"{joint}.angle"]
    arm_first = WIRES[2:] + WIRES[:2]
    once = explicit(pair, [], exchanges=1, wires=arm_first)
    assert once != explicit(pair, [], exchanges=0)
    for exchanges in (2, 5):
        assert explicit(pair, [], exchanges) == explicit(pair, [], exchanges, arm_first)
        assert_same(pair, explicit(pair, [], exchanges), explicit(pair, [], 2), 0)
