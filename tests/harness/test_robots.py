"""Random robots in MJCF beside MuJoCo, which reads the same files: masses, places, axes and accelerations at the start, and sites of keyframes.
Random robots in URDF, whose joints follow others, beside their definition.

BALLESTA_ROBOTS=2000 draws that many of each."""

import csv
import os
import subprocess
import tomllib

import mujoco
import numpy as np
import pytest

from gallery import PROGRAM, SCRATCH

# Its warnings would go into a file in the working folder.
mujoco.set_mju_user_warning(lambda message: None)
NUMBER = int(os.environ.get("BALLESTA_ROBOTS", 60))
# Of the largest value of each kind. MuJoCo keeps corners of meshes in single precision.
AGREEMENT, WITH_MESHES = 1e-9, 2e-6
LOT = 20

TETRAHEDRON = "v 0 0 0\nv {} 0 0\nv 0 0.2 0\nv 0.01 0 0.15\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def text(values):
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


class Drawn:
    """A robot in MJCF: defaults in classes, frames in frames, geoms of all kinds, primitives fitted to meshes, armatures of joints and motors, an aligned
    free joint, and a keyframe."""

    def __init__(self, number):
        self.random = np.random.default_rng(number)
        self.bodies, self.joints, self.has_mesh = 0, [], False
        pick = self.random.choice
        classes = "".join(
            f'<default class="{name}"><joint damping="{self.random.uniform(0, 1)}" armature="{pick([0, 0.02])}" axis="{text(self.random.normal(size=3))}"/>'
            f'<geom {self.orientation()} density="{self.random.uniform(500, 3000)}"/><motor gear="{self.random.uniform(1, 3)}"/></default>'
            for name in ("one", "two"))
        root = self.body(0, pick(["hinge", "free", "aligned"]))
        motors = "".join(
            f'<motor joint="{name}" class="{pick(["one", "two"])}" armature="{pick([0, 0.03])}" ctrlrange="{pick(["-1 1", "0.4 2"])}"/>'
            for name, kind in self.joints if kind == "hinge")
        compiler = f'angle="{pick(["radian", "degree"])}" eulerseq="{pick(["xyz", "zyx", "XYZ", "xZy"])}" fitaabb="{pick(["true", "false"])}"'
        self.number_of_positions = sum({"hinge": 1, "slide": 1, "ball": 4, "free": 7, "aligned": 7}[kind] for _, kind in self.joints)
        positions = []
        for _, kind in self.joints:
            turned = self.random.normal(size=4)
            turned /= np.linalg.norm(turned)
            positions += {"free": [*self.random.normal(size=3), *turned], "aligned": [*self.random.normal(size=3), *turned], "ball": list(turned)}.get(
                kind, [self.random.uniform(-1, 1)])
        self.text = f"""<mujoco><compiler {compiler}/><option><flag contact="disable"/></option>
<default>{classes}</default><asset><mesh name="m" file="m.obj"/></asset>
<worldbody>{root}</worldbody><actuator>{motors}</actuator>
<keyframe><key name="start" qpos="{text(positions)}"/></keyframe></mujoco>"""

    def orientation(self):
        random = self.random
        return [lambda: "", lambda: f'quat="{text(random.normal(size=4))}"', lambda: f'euler="{text(random.uniform(-2, 2, 3))}"',
                lambda: f'axisangle="{text(random.normal(size=4))}"', lambda: f'zaxis="{text(random.normal(size=3))}"',
                lambda: f'xyaxes="{text(random.normal(size=6))}"'][random.integers(6)]()

    def place(self):
        return f'pos="{text(self.random.uniform(-0.3, 0.3, 3))}" {self.orientation()}'

    def geom(self, may_be_fitted=True):
        kind = self.random.choice(["sphere", "capsule", "cylinder", "box", "ellipsoid"])
        how = self.random.integers(4)
        own = f'type="{kind}" class="{self.random.choice(["one", "two"])}"'
        if how == 0 and may_be_fitted:
            self.has_mesh = True
            size = self.random.choice(["", f'size="{text(self.random.uniform(0.3, 0.6, 3))}"', 'fitscale="1.3"'])
            return f'<geom {own} mesh="m" {size} {self.place()}/>'
        size = f'size="{text(self.random.uniform(0.05, 0.2, 3))}"'
        mass = self.random.choice(["", f'mass="{self.random.uniform(0.5, 3)}"'])
        return f"<geom {own} {size} {mass} {self.place()}/>"

    def joint(self, kind):
        name = f"j{len(self.joints) + 1}"
        self.joints.append((name, kind))
        if kind == "free":
            return f'<joint name="{name}" type="free" damping="0" armature="0"/>'
        if kind == "aligned":
            return f'<freejoint name="{name}" align="true"/>'
        pos = f'pos="{text(self.random.uniform(-0.2, 0.2, 3))}"'
        more = 'damping="0" armature="0"' if kind == "ball" else f'ref="{self.random.uniform(-0.5, 0.5)}"'
        return f'<joint name="{name}" type="{kind}" class="{self.random.choice(["one", "two"])}" {pos} {more}/>'

    def framed(self, inner):
        """In a frame, in two, or in none."""
        for _ in range(self.random.integers(3)):
            inner = f"<frame {self.place()}>{inner}</frame>"
        return inner

    def body(self, depth, kind):
        random = self.random
        self.bodies += 1
        name = f"b{self.bodies}"
        joints = self.joint(kind) if kind in ("free", "aligned") else self.framed(self.joint(kind))
        if kind == "hinge" and random.random() < 0.3:
            joints += self.framed(self.joint("slide"))
        alone = kind == "aligned"
        if random.random() < 0.3:
            inertial = f'<inertial mass="{random.uniform(1, 3)}" {self.place()} diaginertia="{text(random.uniform(0.2, 0.35, 3))}"/>'
            inside = self.framed(inertial) + self.geom()
        else:
            inside = "".join(self.framed(self.geom(not alone)) for _ in range(1 if alone else random.integers(1, 4)))
        site = f'<site name="{name}.site" pos="{text(random.uniform(-0.3, 0.3, 3))}"/>'
        below = "" if alone or depth > 3 else "".join(self.body(depth + 1, random.choice(["hinge", "slide", "ball"])) for _ in range(random.integers(0, 3)))
        return f'<body name="{name}" {self.place()}>{joints}{inside}{self.framed(site)}{below}</body>'


def imported(path, folder, *options):
    done = subprocess.run([PROGRAM, "import", path, "-o", folder, "--force", *options], capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: {done.stderr}"
    return tomllib.loads((folder / "model.toml").read_text())


def started(folder, more=""):
    """Outputs at the start."""
    file = folder / "model.toml"
    file.write_text(file.read_text() + more)
    table = folder / "out.csv"
    done = subprocess.run([PROGRAM, "run", folder, "--stop", "1e-6", "--step", "1e-6", "--csv", table], capture_output=True, text=True)
    assert table.exists(), f"{folder}: {done.stderr}"
    with table.open() as lines:
        return {name: float(value) for name, value in next(csv.DictReader(lines)).items()}


def apart(found, wanted):
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    assert np.isfinite(found).all()
    return np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-2)


def compare(drawn, folder):
    """The largest relative difference, and of what."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "m.obj").write_text(TETRAHEDRON.format(0.3))
    path = folder / "robot.xml"
    path.write_text(drawn.text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    worst = []
    toml = imported(path, folder / "zero")
    bodies = {body["name"]: body for body in toml["body"]}
    for number in range(1, model.nbody):
        name = model.body(number).name
        ours = bodies[name]
        turn = data.ximat[number].reshape(3, 3)
        inertia = turn @ np.diag(model.body_inertia[number]) @ turn.T
        worst += [(apart(ours.get("mass", 0), model.body_mass[number]), f"mass of {name}"),
                  (apart(ours["com"], data.xipos[number]), f"centre of mass of {name}"),
                  (apart(np.array(ours["inertia"]), inertia[[0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]]), f"inertia of {name}")]
    assert apart(sum(body.get("mass", 0) for body in bodies.values()), model.body_mass.sum()) < WITH_MESHES
    joints = {joint["name"]: joint for joint in toml["joint"]}
    accelerations = ""
    for number, (name, kind) in enumerate(drawn.joints):
        ours = joints[name]
        assert model.joint(number).name == name
        if kind in ("hinge", "slide"):
            worst += [(apart(ours["axis"], data.xaxis[number]), f"axis of {name}")]
            accelerations += f'\n[[output]]\nname = "a.{name}"\njoint = "{name}"\nquantity = "acceleration"\n'
        if kind != "slide":
            worst += [(apart(ours["point"], data.xanchor[number]), f"point of {name}")]
    found = started(folder / "zero", accelerations)
    ours = [(found[f"a.{name}"], data.qacc[model.jnt_dofadr[number]]) for number, (name, kind) in enumerate(drawn.joints) if kind in ("hinge", "slide")]
    if ours:
        worst += [(apart(*zip(*ours)), "accelerations")]
    imported(path, folder / "key", "--keyframe", "start")
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    found = started(folder / "key")
    for number in range(model.nsite):
        name = model.site(number).name
        worst += [(apart([found[f"{name.replace('.', '_')}.position.{axis}"] for axis in "xyz"], data.site_xpos[number]), f"site {name} of the keyframe")]
    return max(worst)


@pytest.mark.parametrize("first", range(0, NUMBER, LOT))
def test_random_robots_are_those_of_mujoco(first):
    failures = []
    for number in range(first, min(first + LOT, NUMBER)):
        drawn = Drawn(number)
        try:
            error, of = compare(drawn, SCRATCH / f"robots/{number}")
        except AssertionError as wrong:
            failures.append(f"{number}: {wrong}")
            continue
        if not error <= (WITH_MESHES if drawn.has_mesh else AGREEMENT):
            failures.append(f"{number}: {of} off by {error:.1e}")
    assert not failures, "\n".join(failures)


def followers(number):
    """A URDF of joints on one base that follow each other in chains, with limits that leave a place to start: its text, and for each joint the one it
    follows with multiplier and offset, and its limits."""
    random = np.random.default_rng(number)
    count = int(random.integers(2, 7))
    rules, links = [], ""
    for index in range(count):
        leader = int(random.integers(-1, index)) if index else -1
        rule = (leader, random.choice([-2, -1, -0.5, 0.5, 1, 1.5]), random.choice([0, 0, 0.7, -1.2])) if leader >= 0 else (-1, 1.0, 0.0)
        rules.append(rule)
    start = {}
    for index, (leader, multiplier, offset) in enumerate(rules):
        start[index] = random.uniform(-1, 1) if leader < 0 else multiplier * start[leader] + offset
    limits = [(start[index] - random.uniform(0, 2), start[index] + random.uniform(0.1, 2)) if random.random() < 0.6 else None for index in range(count)]
    order = list(random.permutation(count))
    for index in order:
        leader, multiplier, offset = rules[index]
        follows = f'<mimic joint="j{leader}" multiplier="{multiplier}" offset="{offset}"/>' if leader >= 0 else ""
        limit = f'<limit lower="{limits[index][0]}" upper="{limits[index][1]}" effort="0" velocity="0"/>' if limits[index] else ""
        links += f"""<link name="l{index}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j{index}" type="{'revolute' if limit else 'continuous'}"><parent link="base"/><child link="l{index}"/><axis xyz="0 0 1"/>{limit}{follows}</joint>
"""
    return f'<robot name="r"><link name="base"/>{links}</robot>', rules, limits


@pytest.mark.parametrize("first", range(0, NUMBER, LOT))
def test_joints_that_follow_others_start_where_they_should(first):
    failures = []
    for number in range(first, min(first + LOT, NUMBER)):
        folder = SCRATCH / f"robots/followers{number}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "robot.urdf"
        text, rules, limits = followers(number)
        path.write_text(text)
        imported(path, folder / "model")
        found = started(folder / "model")
        at = [found[f"j{index}.position"] for index in range(len(rules))]
        for index, (leader, multiplier, offset) in enumerate(rules):
            if leader >= 0 and not abs(at[index] - multiplier * at[leader] - offset) < 1e-12:
                failures.append(f"{number}: j{index} at {at[index]}, which follows j{leader} at {at[leader]} by {multiplier} and {offset}")
            if limits[index] and not limits[index][0] - 1e-12 <= at[index] <= limits[index][1] + 1e-12:
                failures.append(f"{number}: j{index} at {at[index]} outside of {limits[index]}")
            if leader < 0 and not any(rule[0] >= 0 for rule in rules) and not limits[index] and at[index] != 0:
                failures.append(f"{number}: j{index} leads nothing and is not at 0")
    assert not failures, "\n".join(failures)
