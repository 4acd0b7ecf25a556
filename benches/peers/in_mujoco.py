"""A mechanism in MuJoCo.

Floating bodies are free bodies of the world. Closures are `connect` equalities, rods massless distances: a `tendon` equality has one
row, and no body. Springs are tendons and joint springs. Equalities are stiff: solref 0.002, solimp 0.9999.
"""

import time
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np

STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'
LEAST = 1e-9  # kg m², where a slender rod has none: MuJoCo refuses zero


def text(values):
    return " ".join(repr(float(x)) for x in np.atleast_1d(values))


def xml(mechanism, integrator, jacobian, island, step=1e-3):
    found, cuts = mechanism.tree()
    children = {}
    for body, (parent, _, _) in found.items():
        children.setdefault(parent, []).append(body)
    sites, coordinate_springs = {}, {}
    for joint, axis, *values in mechanism.joint_springs:
        coordinate_springs[joint, axis] = values
    ends = [(f"rod_{i}", bodies, points) for i, (_, bodies, points, _) in enumerate(mechanism.rods)]
    ends += [(f"spring_{i}", bodies, points) for i, (bodies, points, *_) in enumerate(mechanism.springs)]
    for name, bodies, points in ends:
        for end, (body, point) in enumerate(zip(bodies, points)):
            sites.setdefault(body, []).append((f"{name}_{end}", point))
    lines = []

    def place_sites(body, origin):
        for name, point in sites.get(body, []):
            lines.append(f'<site name="{name}" pos="{text(point - origin)}"/>')

    def joints(body, origin):
        parent, joint, reverse = found[body]
        if joint.kind == "floating":
            return ['<freejoint/>']
        if joint.kind == "spherical":
            return [f'<joint name={quoteattr(joint.name)} type="ball" pos="{text(joint.point - origin)}"/>']
        kind = "slide" if joint.kind == "prismatic" else "hinge"
        axes = list(enumerate(joint.axes))[: 2 if joint.kind == "universal" else 1]
        made = []
        for i, axis in reversed(axes) if reverse else axes:
            stiffness, damping, free = coordinate_springs.get((joint.name, i), (0, 0, 0))
            spring = f'stiffness="{stiffness!r}" damping="{damping!r}" springref="{free!r}"' if stiffness or damping else ""
            place = f'pos="{text(joint.point - origin)}" axis="{text(-axis if reverse else axis)}"'
            made.append(f'<joint name={quoteattr(f"{joint.name}/{i}")} type="{kind}" {place} {spring}/>')
        return made

    def emit(body, parent_origin, before):
        here = mechanism.bodies[body]
        below = children.get(body, [])
        if here.mass == 0:
            # Its joints go to the only body it carries.
            assert len(below) == 1 and body not in sites
            return emit(below[0], parent_origin, before + [body])
        lines.append(f"<body name={quoteattr(body)} pos=\"{text(here.com - parent_origin)}\">")
        for member in before + [body]:
            lines.extend(joints(member, here.com))
        xx, yy, zz, xy, xz, yz = [here.inertia[i, j] for i, j in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]]
        diagonal = [max(x, LEAST) for x in (xx, yy, zz)]
        inertia = text([*diagonal, xy, xz, yz])
        lines.append(f'<inertial pos="0 0 0" mass="{here.mass!r}" fullinertia="{inertia}"/>')
        place_sites(body, here.com)
        for child in below:
            emit(child, here.com, [])
        lines.append("</body>")

    lines.append('<mujoco><compiler angle="radian" autolimits="true" balanceinertia="true"/>')
    lines.append(f'<option timestep="{step!r}" gravity="{text(mechanism.gravity)}" integrator="{integrator}" jacobian="{jacobian}">')
    lines.append(f'<flag contact="disable" island="{island}" energy="disable"/></option><worldbody>')
    place_sites("ground", np.zeros(3))
    for body in children["ground"]:
        emit(body, np.zeros(3), [])
    lines.append("</worldbody><equality>")
    for cut in cuts:
        first, second = [body if body != "ground" else "world" for body in cut.bodies]
        if first == "world":
            first, second = second, first
        anchor = text(cut.point - mechanism.bodies[first].com)
        lines.append(f"<connect body1={quoteattr(first)} body2={quoteattr(second)} anchor=\"{anchor}\" {STIFF}/>")
    lines.extend(f'<tendon tendon1="rod_{i}" {STIFF}/>' for i in range(len(mechanism.rods)))
    lines.append("</equality>")
    tendons = [(f"rod_{i}", "") for i in range(len(mechanism.rods))]
    for i, (_, _, stiffness, damping, free) in enumerate(mechanism.springs):
        tendons.append((f"spring_{i}", f'stiffness="{stiffness!r}" damping="{damping!r}" springlength="{free!r}"'))
    if tendons:
        lines.append("<tendon>")
        for name, rest in tendons:
            lines.append(f'<spatial name="{name}" {rest}><site site="{name}_0"/><site site="{name}_1"/></spatial>')
        lines.append("</tendon>")
    lines.append("</mujoco>")
    return "\n".join(lines)


class Peer:
    """A mechanism that starts with the speeds of its bodies `twists`: name → (velocity of the centre of mass, angular velocity)."""

    def __init__(self, mechanism, twists, integrator="RK4", jacobian="auto", island="enable"):
        self.mechanism = mechanism
        self.model = mujoco.MjModel.from_xml_string(xml(mechanism, integrator, jacobian, island))
        self.data = mujoco.MjData(self.model)
        self.start = self.speeds(twists)
        self.reset()

    def speeds(self, twists):
        """Generalized speeds for given twists of all bodies, by least squares on the Jacobians (exact where they are consistent)."""
        mujoco.mj_forward(self.model, self.data)
        rows, wanted = [], []
        for name, (velocity, turning) in twists.items():
            linear, angular = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
            mujoco.mj_jacBodyCom(self.model, self.data, linear, angular, self.model.body(name).id)
            rows.extend([linear, angular])
            wanted.extend([velocity, turning])
        speeds, *_ = np.linalg.lstsq(np.vstack(rows), np.concatenate(wanted), rcond=None)
        residual = np.vstack(rows) @ speeds - np.concatenate(wanted)
        assert np.abs(residual).max() < 1e-8 * (1 + np.abs(speeds).max()), np.abs(residual).max()
        return speeds

    def reset(self):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self.start

    def accelerations(self, rigid=False):
        """Of the centres of mass and of rotation at the start, of all bodies, one row per body: what MuJoCo computes, with closures that
        give a little and without the term J̇ q̇ of closures in motion; or, `rigid`, from its M, J and forces for closures that hold."""
        self.reset()
        model, data = self.model, self.data
        mujoco.mj_forward(model, data)
        if rigid and data.nefc:
            mass, jacobian = np.zeros((model.nv, model.nv)), self.closure_jacobian()
            mujoco.mj_fullM(model, data, mass)
            ends = []
            for step in (1e-5, -1e-5):
                self.reset()
                mujoco.mj_integratePos(model, data.qpos, data.qvel, step)
                mujoco.mj_forward(model, data)
                ends.append(self.closure_jacobian())
            self.reset()
            mujoco.mj_forward(model, data)
            bias = (ends[0] - ends[1]) / 2e-5 @ data.qvel
            rows = len(jacobian)
            whole = np.block([[mass, jacobian.T], [jacobian, np.zeros((rows, rows))]])
            # Closures may be redundant.
            found, *_ = np.linalg.lstsq(whole, np.concatenate([data.qfrc_smooth, -bias]), rcond=1e-13)
            data.qacc[:] = found[: model.nv]
        mujoco.mj_rnePostConstraint(model, data)
        rows, found = [], np.zeros(6)
        for body in self.mechanism.moving():
            index = model.body(body.name).id
            mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, index, found, 0)
            # What an accelerometer feels, so without gravity; rotation comes first.
            rows.append(np.concatenate([found[3:] + self.mechanism.gravity, found[:3]]))
        return np.array(rows)

    def closure_jacobian(self):
        data = self.data
        if not mujoco.mj_isSparse(self.model):
            return data.efc_J.reshape(data.nefc, self.model.nv).copy()
        dense = np.zeros((data.nefc, self.model.nv))
        for row in range(data.nefc):
            places = range(data.efc_J_rowadr[row], data.efc_J_rowadr[row] + data.efc_J_rownnz[row])
            dense[row, [data.efc_J_colind[place] for place in places]] = [data.efc_J[place] for place in places]
        return dense

    def batch(self, seconds):
        """Makes a function that steps for about `seconds` and gives the µs of a step; starts again after every simulated second."""
        self.reset()
        mujoco.mj_step(self.model, self.data, nstep=20)
        clock = time.perf_counter()
        mujoco.mj_step(self.model, self.data, nstep=50)
        count = max(1, int(seconds / ((time.perf_counter() - clock) / 50)))

        def run():
            if self.data.time > 1.0:
                self.reset()
                mujoco.mj_step(self.model, self.data, nstep=5)
            clock = time.perf_counter()
            mujoco.mj_step(self.model, self.data, nstep=count)
            return (time.perf_counter() - clock) / count * 1e6

        return run

    def evaluation(self, seconds):
        """The same for mj_forward at the start; the state stays, so the solver is warm: the cheapest case."""
        self.reset()
        forward, model, data = mujoco.mj_forward, self.model, self.data
        idle, small = mujoco.mj_checkPos, mujoco.MjModel.from_xml_string("<mujoco/>")
        nothing = mujoco.MjData(small)

        def each(function, model, data, count):
            repeated = range(count)
            clock = time.perf_counter()
            for _ in repeated:
                function(model, data)
            return (time.perf_counter() - clock) / count * 1e6

        each(forward, model, data, 20)
        count = max(3, int(seconds * 1e6 / each(forward, model, data, 20)))
        return lambda: each(forward, model, data, count) - each(idle, small, nothing, count)

    def flight(self, duration):
        """Largest gap and change of the energy over a motion, looked at every 10 ms."""
        self.reset()
        self.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        gap, energies = 0.0, []
        for _ in range(round(duration / 0.01) + 1):
            mujoco.mj_forward(self.model, self.data)
            gap = max(gap, self.gap())
            energies.append(sum(self.data.energy))
            mujoco.mj_step(self.model, self.data, nstep=10)
        self.model.opt.enableflags = 0
        return gap, float(np.abs(np.array(energies) - energies[0]).max())

    def gap(self):
        """Largest distance at a connect, largest error of the length of a rod."""
        residuals, types = self.data.efc_pos, self.model.eq_type
        gap, row = 0.0, 0
        for kind in types:
            size = 3 if kind == mujoco.mjtEq.mjEQ_CONNECT else 1
            gap = max(gap, float(np.linalg.norm(residuals[row : row + size])))
            row += size
        return gap


def fastest(mechanism, twists, integrator):
    """The peer with those of MuJoCo's settings (dense or sparse Jacobian, islands or not) that step this mechanism fastest."""
    peers = []
    for jacobian in ("dense", "sparse"):
        for island in ("enable", "disable"):
            settings = {"integrator": integrator, "jacobian": jacobian, "island": island}
            peer = Peer(mechanism, twists, **settings)
            peer.settings = settings
            peers.append((peer, peer.batch(3e-4), []))
    for _ in range(100):
        for _, batch, times in peers:
            times.append(batch())
    return min(peers, key=lambda entry: np.median(entry[2]))[0]
