"""A mechanism in Pinocchio: constraintDynamics with proximal settings 1e-8, 4 iterations, for loops, aba for open chains.

Rods are slender bodies with two hinges at one end and a closure at the other, with their exact inertia: there is no closure of a
distance among those this function takes. Joints are numbered depth first; the sparse factorisation needs that. It has no springs: their
forces come from here as joint torques, once, and are not timed.
"""

import time

import numpy as np
import pinocchio as pin


class Peer:
    def __init__(self, mechanism, twists):
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity = pin.Motion(mechanism.gravity, np.zeros(3))
        found, cuts = mechanism.tree()
        self.children = {}
        for body, (parent, _, _) in found.items():
            self.children.setdefault(parent, []).append(body)
        self.joint, self.origin = {"ground": 0}, {0: np.zeros(3)}
        self.coordinates, self.closures = {}, []
        self.found = found
        self.rods = list(enumerate(mechanism.rods))
        for body in self.children["ground"]:
            self.add(body)
        self.close_rods()
        for cut in cuts:
            self.close(self.joint[cut.bodies[0]], self.joint[cut.bodies[1]], cut.point)
        self.data = self.model.createData()
        self.closures_data = pin.StdVec_RigidConstraintData()
        models = pin.StdVec_RigidConstraintModel()
        for closure in self.closures:
            models.append(closure)
            self.closures_data.append(closure.createData())
        self.closures = models
        self.settings = pin.ProximalSettings(1e-12, 1e-8, 4)
        pin.initConstraintDynamics(self.model, self.data, self.closures, self.closures_data)
        self.rest = pin.neutral(self.model)
        self.start = self.speeds(twists)
        self.statics = self.model.copy()
        self.statics.gravity = pin.Motion.Zero()
        self.statics_data = self.statics.createData()

    def joint_model(self, axis):
        for i, kind in enumerate((pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)):
            if np.allclose(axis, np.eye(3)[i], atol=0):
                return kind()
        return pin.JointModelRevoluteUnaligned(axis)

    def new(self, parent, model, point, name):
        index = self.model.addJoint(parent, model, pin.SE3(np.eye(3), point - self.origin[parent]), name)
        self.origin[index] = point
        return index

    def add(self, body):
        """A body, its rods and what it carries."""
        parent, joint, reverse = self.found[body]
        here = self.mechanism.bodies[body]
        base = self.joint[parent]
        axes = [-axis if reverse else axis for axis in joint.axes]
        if joint.kind == "floating":
            index = self.new(base, pin.JointModelFreeFlyer(), here.com, joint.name)
        elif joint.kind == "spherical":
            index = self.new(base, pin.JointModelSpherical(), joint.point, joint.name)
        elif joint.kind == "prismatic":
            index = self.new(base, pin.JointModelPrismaticUnaligned(axes[0]), joint.point, joint.name)
            self.coordinates[joint.name, 0] = index
        else:
            index = base
            order = list(range(len(axes[: 2 if joint.kind == "universal" else 1])))
            for i in reversed(order) if reverse else order:
                index = self.new(index, self.joint_model(axes[i]), joint.point, f"{joint.name}/{i}")
                self.coordinates[joint.name, i] = index
        self.joint[body] = index
        if here.mass > 0:
            inertia = here.inertia + 1e-12 * np.eye(3)
            self.model.appendBodyToJoint(index, pin.Inertia(here.mass, here.com - self.origin[index], inertia), pin.SE3.Identity())
        self.close_rods(body)
        for child in self.children.get(body, []):
            self.add(child)

    def close_rods(self, body="ground"):
        """The rods that begin at a body, with two hinges there; closures come when all bodies are known."""
        for i, (name, bodies, points, mass) in self.rods:
            if bodies[0] == body:
                way = points[1] - points[0]
                direction = way / np.linalg.norm(way)
                first = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
                first /= np.linalg.norm(first)
                axes = [first, np.cross(direction, first)]
                index = self.new(self.joint[body], pin.JointModelUniversal(*axes), points[0], f"rod {name}")
                inertia = mass * (way @ way * np.eye(3) - np.outer(way, way)) / 12 + 1e-12 * np.eye(3)
                self.model.appendBodyToJoint(index, pin.Inertia(mass, way / 2, inertia), pin.SE3.Identity())
                self.joint[f"rod {name}"] = index
        if body == "ground":
            for i, (name, bodies, points, _) in self.rods:
                self.close(self.joint[f"rod {name}"], self.joint[bodies[1]], points[1])

    def close(self, first, second, point):
        places = [pin.SE3(np.eye(3), point - self.origin[joint]) for joint in (first, second)]
        kind = pin.ContactType.CONTACT_3D
        self.closures.append(pin.RigidConstraintModel(kind, self.model, first, places[0], second, places[1], pin.LOCAL))

    def speeds(self, twists):
        """Generalized speeds for given twists, those of the rods from their ends, by least squares on the Jacobians."""
        pin.computeJointJacobians(self.model, self.data, self.rest)
        rows, wanted = [], []

        def add(joint, point, velocity, turning=None):
            jacobian = pin.getJointJacobian(self.model, self.data, joint, pin.LOCAL_WORLD_ALIGNED)
            arm = point - self.origin[joint]
            linear = jacobian[:3] - pin.skew(arm) @ jacobian[3:]
            rows.append(linear)
            wanted.append(velocity)
            if turning is not None:
                rows.append(jacobian[3:])
                wanted.append(turning)

        for name, (velocity, turning) in twists.items():
            add(self.joint[name], self.mechanism.bodies[name].com, velocity, turning)
        for _, (name, bodies, points, _) in self.rods:
            velocity, turning = twists.get(bodies[1], (np.zeros(3), np.zeros(3)))
            arm = points[1] - self.mechanism.bodies[bodies[1]].com if bodies[1] != "ground" else np.zeros(3)
            add(self.joint[f"rod {name}"], points[1], velocity + np.cross(turning, arm))
        rows, wanted = np.vstack(rows), np.concatenate(wanted)
        speeds, *_ = np.linalg.lstsq(rows, wanted, rcond=None)
        assert np.abs(rows @ speeds - wanted).max() < 1e-8 * (1 + np.abs(speeds).max())
        return speeds

    def spring_torques(self, q, v):
        """Generalized forces of all springs, and their potential energy."""
        torques, potential = np.zeros(self.model.nv), 0.0
        for joint, axis, stiffness, damping, free in self.mechanism.joint_springs:
            model = self.model.joints[self.coordinates[joint, axis]]
            deflection = q[model.idx_q] - free
            torques[model.idx_v] -= stiffness * deflection + damping * v[model.idx_v]
            potential += stiffness * deflection**2 / 2
        if not self.mechanism.springs:
            return torques, potential
        pin.forwardKinematics(self.model, self.data, q, v)
        forces = [np.zeros(6) for _ in range(self.model.njoints)]
        for bodies, points, stiffness, damping, free in self.mechanism.springs:
            ends = []
            for body, point in zip(bodies, points):
                joint = self.joint[body]
                pose, local = self.data.oMi[joint], point - self.origin[joint]
                motion = self.data.v[joint]
                velocity = pose.rotation @ (motion.linear + np.cross(motion.angular, local))
                ends.append((joint, local, pose, pose.translation + pose.rotation @ local, velocity))
            way = ends[1][3] - ends[0][3]
            length = np.linalg.norm(way)
            way /= length
            tension = stiffness * (length - free) + damping * (way @ (ends[1][4] - ends[0][4]))
            potential += stiffness * (length - free) ** 2 / 2
            for (joint, local, pose, _, _), sign in zip(ends, (1, -1)):
                force = pose.rotation.T @ (sign * tension * way)
                forces[joint][:3] += force
                forces[joint][3:] += np.cross(local, force)
        zero = np.zeros(self.model.nv)
        external = pin.StdVec_Force()
        external.extend(pin.Force(force) for force in forces)
        return torques - pin.rnea(self.statics, self.statics_data, q, zero, zero, external), potential

    def solve(self, q, v):
        torques, _ = self.spring_torques(q, v)
        if not len(self.closures):
            return pin.aba(self.model, self.data, q, v, torques)
        closures = (self.closures, self.closures_data, self.settings)
        return pin.constraintDynamics(self.model, self.data, q, v, torques, *closures)

    def accelerations(self):
        a = self.solve(self.rest, self.start)
        pin.forwardKinematics(self.model, self.data, self.rest, self.start, a)
        rows = []
        for body in self.mechanism.moving():
            joint = self.joint[body.name]
            frame = pin.LOCAL_WORLD_ALIGNED
            linear = pin.getClassicalAcceleration(self.model, self.data, joint, frame).linear
            turning = pin.getAcceleration(self.model, self.data, joint, frame).angular
            omega = pin.getVelocity(self.model, self.data, joint, frame).angular
            arm = body.com - self.origin[joint]
            rows.append(np.concatenate([linear + np.cross(turning, arm) + np.cross(omega, np.cross(omega, arm)), turning]))
        return np.array(rows)

    def evaluation(self, seconds):
        """Makes a function that gives the µs of constraintDynamics, of aba for open chains, without what calling from Python costs: that is measured with a
        pendulum, whose own computing is thereby taken off too."""
        torques, _ = self.spring_torques(self.rest, self.start)
        pendulum = pin.Model()
        pendulum.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "hinge")
        pendulum.appendBodyToJoint(1, pin.Inertia.Random(), pin.SE3.Identity())
        small, none, none_data = pendulum.createData(), pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        pin.initConstraintDynamics(pendulum, small, none, none_data)
        one = np.zeros(1)
        whole = (self.model, self.data, self.rest, self.start, torques, self.closures, self.closures_data, self.settings)
        call = (pendulum, small, one, one, one, none, none_data, self.settings)
        function = pin.constraintDynamics
        if not len(self.closures):
            function, whole, call = pin.aba, whole[:5], call[:5]

        def each(arguments, count):
            repeated = range(count)
            clock = time.perf_counter()
            for _ in repeated:
                function(*arguments)
            return (time.perf_counter() - clock) / count * 1e6

        each(whole, 20)
        count = max(3, int(seconds * 1e6 / each(whole, 20)))
        return lambda: each(whole, count) - each(call, count)

    def energy(self, q, v):
        spring = self.spring_torques(q, v)[1]
        kinetic = pin.computeKineticEnergy(self.model, self.data, q, v)
        return float(kinetic + pin.computePotentialEnergy(self.model, self.data, q) + spring)

    def gap(self, q):
        pin.forwardKinematics(self.model, self.data, q)
        largest = 0.0
        for closure in self.closures:
            first = self.data.oMi[closure.joint1_id] * closure.joint1_placement
            second = self.data.oMi[closure.joint2_id] * closure.joint2_placement
            largest = max(largest, float(np.linalg.norm(first.translation - second.translation)))
        return largest

    def flight(self, duration, step=1e-3):
        """Largest gap and change of the energy over a motion with Runge-Kutta 4, looked at every 10 ms."""
        q, v = self.rest.copy(), self.start.copy()
        gap, energies = 0.0, []
        for i in range(round(duration / step) + 1):
            if i % 10 == 0:
                gap = max(gap, self.gap(q))
                energies.append(self.energy(q, v))
                if not abs(energies[-1]) < 1e9:
                    return float("inf"), float("inf")
            a1 = self.solve(q, v).copy()
            v2 = v + step / 2 * a1
            q2 = pin.integrate(self.model, q, step / 2 * v)
            a2 = self.solve(q2, v2).copy()
            v3 = v + step / 2 * a2
            q3 = pin.integrate(self.model, q, step / 2 * v2)
            a3 = self.solve(q3, v3).copy()
            v4 = v + step * a3
            q4 = pin.integrate(self.model, q, step * v3)
            a4 = self.solve(q4, v4).copy()
            q = pin.integrate(self.model, q, step / 6 * (v + 2 * v2 + 2 * v3 + v4))
            v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return gap, float(np.abs(np.array(energies) - energies[0]).max())
