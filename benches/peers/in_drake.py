"""Stacked boxes and a held box in Drake: time per step, depth at rest, creep. `run.sh drake`, which installs it.

Both are those of models/contacts: masses, inertias, sizes, friction, dissipation of the same restitution. Discrete contact as it comes
(kLagged, SAP), with point contact, and with pressure fields (hydroelastic) that have the gradients of the file. The hand stands still with the box
between its fingers, whose bearings, rack and force are those of the file.
"""

import importlib.metadata
import sys
import time
import tomllib

import numpy as np
from contact import MODEL, ROOT, SETTLED, STOP, axes
from pydrake.all import (
    AddMultibodyPlantSceneGraph,
    AddContactMaterial,
    AddCompliantHydroelasticProperties,
    AddCompliantHydroelasticPropertiesForHalfSpace,
    Box,
    ContactModel,
    CoulombFriction,
    DiagramBuilder,
    FixedOffsetFrame,
    HalfSpace,
    PrismaticJoint,
    ProximityProperties,
    RigidTransform,
    RotationMatrix,
    Simulator,
    SpatialInertia,
    UnitInertia,
)

GRIPPER = ROOT / "models/contacts/gripper.toml"
HELD = 60.0


def inertia(body):
    moments = np.array(body["inertia"][:3]) / body["mass"]
    return SpatialInertia(body["mass"], np.zeros(3), UnitInertia(*moments))


def dissipation(restitution):
    """s/m, as `restitution` at 1 m/s has it here: ln((1 + d)/(1 - e d)) = d (1 + e)."""
    low, high = 0.0, 1 / restitution
    for _ in range(60):
        d = (low + high) / 2
        low, high = (d, high) if np.log((1 + d) / (1 - restitution * d)) < d * (1 + restitution) else (low, d)
    return low


def surface(law, hydroelastic, size=None):
    """Of a box: its pressure grows evenly to the modulus in the middle. Twice the gradient of one solid is that of two of them in
    series, half of it."""
    properties = ProximityProperties()
    friction = CoulombFriction(law["friction"], law["friction"])
    AddContactMaterial(dissipation(law["restitution"]), None, friction, properties)
    if hydroelastic and size:
        AddCompliantHydroelasticProperties(min(size), law["stiffness"] * min(size), properties)
    elif hydroelastic:
        AddCompliantHydroelasticPropertiesForHalfSpace(0.1, law["stiffness"] * 0.2, properties)
    return properties


class World:
    def __init__(self, model, step, hydroelastic):
        self.builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(self.builder, step)
        self.plant.set_contact_model(ContactModel.kHydroelasticWithFallback if hydroelastic else ContactModel.kPoint)
        self.plant.mutable_gravity_field().set_gravity_vector(model["model"]["gravity"])
        self.solids = {solid["name"]: solid for solid in model["solid"]}
        self.bodies = {body["name"]: body for body in model["body"]}
        self.hydroelastic = hydroelastic

    def body(self, name, law):
        body, solid = self.bodies[name], self.solids[name]
        made = self.plant.AddRigidBody(name, inertia(body))
        x, y = axes(solid)
        place = np.array(solid["point"], float) - body["com"]
        pose = RigidTransform(RotationMatrix(np.column_stack([x, y, np.cross(x, y)])), place)
        size = solid["size"]
        self.plant.RegisterCollisionGeometry(made, pose, Box(*size), name, surface(law, self.hydroelastic, size))
        return made

    def floor(self, law):
        world, properties = self.plant.world_body(), surface(law, self.hydroelastic)
        self.plant.RegisterCollisionGeometry(world, RigidTransform(), HalfSpace(), "floor", properties)

    def places(self, names, context):
        bodies = [self.plant.GetBodyByName(name) for name in names]
        return np.array([self.plant.EvalBodyPoseInWorld(context, body).translation() for body in bodies])


def measured(world, names, context, simulator, step, settled, stop):
    simulator.AdvanceTo(settled)
    before = world.places(names, context)
    start = time.process_time()
    simulator.AdvanceTo(stop)
    spent = time.process_time() - start
    creep = np.linalg.norm(world.places(names, context) - before, axis=1).max()
    return spent / ((stop - settled) / step), creep


def stack(step, hydroelastic):
    with open(MODEL, "rb") as file:
        model = tomllib.load(file)
    world = World(model, step, hydroelastic)
    [law] = model["solid_contact"]
    world.floor(law)
    names = list(world.bodies)
    for name in names:
        world.body(name, law)
    world.plant.Finalize()
    diagram = world.builder.Build()
    simulator = Simulator(diagram)
    context = world.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for name in names:
        pose = RigidTransform(np.array(world.bodies[name]["com"], float))
        world.plant.SetFreeBodyPose(context, world.plant.GetBodyByName(name), pose)
    spent, creep = measured(world, names, context, simulator, step, SETTLED, STOP)
    lowest = min(names, key=lambda name: world.places([name], context)[0, 2])
    depth = world.solids[lowest]["size"][2] / 2 - world.places([lowest], context)[0, 2]
    return spent, depth, creep


def gripper(step, hydroelastic):
    with open(GRIPPER, "rb") as file:
        model = tomllib.load(file)
    law = next(contact for contact in model["solid_contact"] if contact["name"] == "pads")
    world = World(model, step, hydroelastic)
    plant = world.plant
    box = world.body("box", law)
    fingers = []
    for name, direction in (("left", -1.0), ("right", 1.0)):
        body = world.body(name, law)
        place = RigidTransform(np.array(world.bodies[name]["com"], float))
        frame = plant.AddFrame(FixedOffsetFrame(f"{name}.frame", plant.world_frame(), place))
        joint = plant.AddJoint(PrismaticJoint(name, frame, body.body_frame(), [0, direction, 0], damping=200))
        plant.AddJointActuator(name, joint)
        fingers.append(joint)
    plant.AddCouplerConstraint(*fingers, 1.0)
    plant.Finalize()
    diagram = world.builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.get_actuation_input_port().FixValue(context, np.full(2, model["input"][0]["start"]))
    plant.SetFreeBodyPose(context, box, RigidTransform(np.array(world.bodies["box"]["com"], float)))
    spent, creep = measured(world, ["box"], context, simulator, step, 1.0, 1.0 + HELD)
    gap = world.bodies["left"]["com"][1] - fingers[0].get_translation(context) - 0.005 - 0.03
    return spent, -gap, creep


def main():
    version = importlib.metadata.version("drake")
    print("| | step, ms | per step, us | depth at rest, mm | creep, m |")
    print("|---|---|---|---|---|")
    for case, measure in (("stack", stack), ("held box", gripper)):
        for word, hydroelastic in (("point", False), ("hydroelastic", True)):
            spent, depth, creep = measure(1e-3, hydroelastic)
            print(f"| Drake {version}, {word}, {case} | 1 | {1e6 * spent:.1f} | {1e3 * depth:.3g} | {creep:.1e} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
