"""Robots that are imported: their accelerations in random states beside those of MuJoCo, which reads the same files."""

import itertools
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")
gymnasium = pytest.importorskip("gymnasium")

# Its warnings, of actuators without a range and the like, would go into a file in the working folder.
mujoco.set_mju_user_warning(lambda message: None)

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests/import"
ROBOTS = Path(gymnasium.__file__).parent / "envs/mujoco/assets"
# Types of joints as MuJoCo counts them; hinges come last.
FREE, BALL, SLIDE = range(3)
# Of the largest acceleration in a state; what was found is below 1e-12.
LIMIT = 1e-9


def value(found):
    if isinstance(found, dict):
        return "{ " + ", ".join(f"{key} = {value(of)}" for key, of in found.items()) + " }"
    if isinstance(found, list):
        return "[" + ", ".join(map(value, found)) + "]"
    return repr(found) if isinstance(found, float) else json.dumps(found)


def toml(model):
    """A model file of tables without tables in them."""
    text = ""
    for name, tables in model.items():
        head = f"[{name}]" if isinstance(tables, dict) else f"[[{name}]]"
        for table in [tables] if isinstance(tables, dict) else tables:
            text += head + "\n" + "".join(f"{key} = {value(of)}\n" for key, of in table.items())
    return text


def product(a, b):
    """Of quaternions w, x, y, z."""
    (w, x, y, z), (p, q, r, s) = a, b
    return np.array([w*p - x*q - y*r - z*s, w*q + x*p + y*s - z*r, w*r - x*s + y*p + z*q, w*s + x*r - y*q + z*p])


def matrix(quaternion):
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.asarray(quaternion, float))
    return turn.reshape(3, 3)


def control(number, least, most):
    """A control of an actuator, within its range."""
    value = 0.3 + 0.1 * number
    return value if least is None else least + value * (most - least)


COUNTS = {"revolute": (1, 1), "prismatic": (1, 1), "spherical": (4, 3), "floating": (7, 6)}


class Imported:
    """The model of a file, whose joints start where and as fast as parameters say; without stops, dry friction and contacts, which depend
    on laws of their own. `at(positions, speeds)`: accelerations of its joints, of free ones of frame and rotation in world axes."""

    def __init__(self, ballesta, path, folder, driven=False, options=None):
        self.driven = driven
        made = ballesta.import_model(path, folder / "model", **(options or {}))
        self.model = tomllib.loads(Path(made.file).read_text())
        without = ("bump_stop", "ball_stop", "friction", "solid_contact", "shape", "output")
        model = {key: of for key, of in self.model.items() if key not in without}
        model["model"] = {**model["model"], "integrator": "rk4", "step": 1e-7}
        model["parameter"], model["output"], self.joints, joints = [], [], {}, []
        sums = [coupler["coordinates"][-1]["joint"] for coupler in self.model.get("coupler", []) if "ratio" in coupler["coordinates"][0]]
        for number, given in enumerate(model.get("input", []) if driven else []):
            given["start"] = control(number, given.get("min"), given.get("max"))
        for number, joint in enumerate(model["joint"]):
            # Rotors of motors and tendons follow their joints.
            if joint["type"] in COUNTS and not joint.get("cut") and not joint["name"].endswith(".rotor") and joint["name"] not in sums:
                counts = zip(("q", "v"), COUNTS[joint["type"]])
                names = [[f"{letter}{number}_{index}" for index in range(count)] for letter, count in counts]
                one = {4: 0, 7: 3}.get(len(names[0]))
                for name in names[0] + names[1]:
                    start = 1.0 if one is not None and name == names[0][one] else 0.0
                    model["parameter"].append({"name": name, "value": start})
                is_single = len(names[0]) == 1
                joint = {**joint, "position": names[0][0] if is_single else names[0],
                         "speed": names[1][0] if is_single else names[1]}
                self.joints[joint["name"]] = (number, names, is_single)
                if is_single:
                    model["output"] += [{"name": f"{letter}{number}", "joint": joint["name"], "quantity": quantity}
                                        for letter, quantity in [("a", "acceleration"), ("p", "position")]]
                else:
                    of = {"body": joint["bodies"][1]}
                    model["output"] += [{"name": f"a{number}", **of, "point": joint["point"], "quantity": "acceleration"},
                                        {"name": f"w{number}", **of, "quantity": "angular_acceleration"}]
            joints.append(joint)
        model["joint"] = joints
        file = folder / "model/state.toml"
        file.write_text(toml(model))
        self.loaded = ballesta.load(file)

    def at(self, positions, speeds):
        values = {}
        for name, (_, names, _) in self.joints.items():
            for keys, given in zip(names, (positions, speeds)):
                values.update(zip(keys, map(float, given.get(name, []))))
        simulator = self.loaded.simulator(set=values)
        self.outputs = dict(zip(simulator.output_names, simulator.outputs()))
        return {name: [self.outputs[f"a{number}"]] if is_single else
                [self.outputs[f"{letter}{number}.{axis}"] for letter in "aw" for axis in "xyz"]
                for name, (number, _, is_single) in self.joints.items()}

    def position(self, name):
        return self.outputs[f"p{self.joints[name][0]}"]


def without_pictures(path, folder):
    """A URDF without what MuJoCo would look for as files."""
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", path.read_text(), flags=re.S)
    found = folder / "robot.urdf"
    found.write_text(text)
    return found


def theirs(path, folder):
    model = mujoco.MjModel.from_xml_path(str(without_pictures(path, folder) if path.suffix == ".urdf" else path))
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_EQUALITY
    # Air is listed as not converted.
    model.opt.density = model.opt.viscosity = 0
    model.opt.wind[:] = 0
    return model


def names(model, ours):
    """Our joint of each of theirs: of the same name, else the next of ours that has none."""
    given = [model.joint(number).name for number in range(model.njnt)]
    left = iter([name for name in ours if name not in given and name != "base"])
    return [name if name in ours else next(left) for name in given]


def frame(model, body):
    """Orientation of a body at the zero position."""
    turn = np.array([1.0, 0, 0, 0])
    above = []
    while body:
        above.append(body)
        body = model.body_parentid[body]
    for body in reversed(above):
        turn = product(turn, model.body_quat[body])
    return matrix(turn)


def mimics(model, joints):
    """Joints that follow others in a model file: the leader and the polynomial of its coordinate."""
    couplers = [coupler for coupler in model.get("coupler", []) if "ratio" in coupler]
    ends = [[coordinate["joint"] for coordinate in coupler["coordinates"]] for coupler in couplers]
    return {follower: (leader, np.polynomial.Polynomial([coupler.get("offset", 0.0), coupler["ratio"]]))
            for coupler, (leader, follower) in zip(couplers, ends) if {leader, follower} <= set(joints)}


def equalities(model, joints):
    """Joints that follow others in MuJoCo, or none: the leader and the polynomial. Both coordinates are zero at `qpos0`."""
    found = {}
    for number in np.flatnonzero((model.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (model.eq_active0 == 1)):
        leader, law = model.eq_obj2id[number], np.polynomial.Polynomial(model.eq_data[number][:5])
        is_led = leader >= 0 and law.coef[1:].any()
        found[joints[model.eq_obj1id[number]]] = (joints[leader], law) if is_led else (None, np.polynomial.Polynomial(law.coef[:1]))
    return found


def difference(ours, model, seed, states):
    """The largest difference of an acceleration in a random state, as a part of the largest acceleration of that state."""
    random = np.random.default_rng(seed)
    data, worst = mujoco.MjData(model), 0.0
    joints = names(model, list(ours.joints))
    followers = {**mimics(ours.model, joints), **equalities(model, joints)}
    # Each after its leader.
    led = []
    for _ in followers:
        led += [name for name, (leader, _) in followers.items() if name not in led and (leader in led or leader not in followers)]
    for _ in range(states):
        mujoco.mj_resetData(model, data)
        ranges = zip(model.actuator_ctrllimited, model.actuator_ctrlrange)
        for number, (is_limited, limits) in enumerate(ranges if ours.driven else []):
            data.ctrl[number] = control(number, *(limits if is_limited else (None, None)))
        positions, speeds = {}, {}
        # Columns: which speeds are free. A follower adds to the column of its leader; its acceleration has a part of its own.
        reduction, curved = np.eye(model.nv), np.zeros(model.nv)
        for joint, name in enumerate(joints):
            kind, q, v = model.jnt_type[joint], model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            zero = model.qpos0
            if kind >= SLIDE:
                size = 0.1 if kind == SLIDE else 1.0
                positions[name], speeds[name] = [random.uniform(-size, size)], [random.uniform(-1, 1)]
                continue
            turned, turning = random.normal(size=4), random.uniform(-1, 1, 3)
            turned /= np.linalg.norm(turned)
            data.qvel[v:v + 3] = turning
            if kind == BALL:
                axes = frame(model, model.jnt_bodyid[joint])
                data.qpos[q:q + 4] = turned
                positions[name] = [turned[0], *(axes @ turned[1:])]
                speeds[name] = axes @ matrix(turned) @ turning
            else:
                moved, moving = random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
                data.qpos[q:q + 7] = [*(zero[q:q + 3] + moved), *turned]
                data.qvel[v:v + 6] = [*moving, *turning]
                positions[name] = [*moved, *product(turned, zero[q + 3:q + 7] * [1, -1, -1, -1])]
                speeds[name] = [*moving, *(matrix(turned) @ turning)]
        for name in led:
            leader, law = followers[name]
            own = model.jnt_dofadr[joints.index(name)]
            at, rate = (positions[leader][0], speeds[leader][0]) if leader else (0.0, 0.0)
            slope = law.deriv()(at)
            positions[name], speeds[name] = [law(at)], [slope * rate]
            reduction[own, own], curved[own] = 0, law.deriv(2)(at) * rate ** 2
            if leader:
                of = model.jnt_dofadr[joints.index(leader)]
                reduction[own], curved[own] = slope * reduction[of], curved[own] + slope * curved[of]
        for joint, name in enumerate(joints):
            if model.jnt_type[joint] >= SLIDE:
                q = model.jnt_qposadr[joint]
                data.qpos[q] = model.qpos0[q] + positions[name][0]
                data.qvel[model.jnt_dofadr[joint]] = speeds[name][0]
        mujoco.mj_forward(model, data)
        free = reduction[:, np.abs(reduction).max(axis=0) > 0]
        mass = np.column_stack([multiplied(model, data, column) for column in free.T])
        load = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
        wanted = curved + free @ np.linalg.solve(free.T @ mass, free.T @ (load - multiplied(model, data, curved)))
        found = ours.at(positions, speeds)
        for joint, name in enumerate(joints):
            kind, v = model.jnt_type[joint], model.jnt_dofadr[joint]
            if kind >= SLIDE:
                right = wanted[v:v + 1]
            elif kind == FREE:
                right = [*wanted[v:v + 3], *(data.xmat[model.jnt_bodyid[joint]].reshape(3, 3) @ wanted[v + 3:v + 6])]
            else:
                # What it does to the rest is looked at there.
                continue
            apart = np.abs(np.subtract(found[name], right)).max() / np.abs(wanted).max()
            assert np.isfinite(apart), name
            worst = max(worst, apart)
    return worst


def near(one, other):
    return one is other is None or (one is not None and other is not None and np.allclose(one, other, rtol=1e-9, atol=1e-12))


def settings(model, joints):
    """Numbers of MuJoCo's model that accelerations do not show: ranges, frictions, controls, limits of forces, gravity, and sites of bodies."""
    found, zero = {}, model.qpos0
    for number, name in enumerate(joints):
        kind, is_limited, limits = model.jnt_type[number], model.jnt_limited[number], model.jnt_range[number]
        if kind >= SLIDE:
            found[f"range of {name}"] = limits - zero[model.jnt_qposadr[number]] if is_limited else None
            found[f"friction of {name}"] = model.dof_frictionloss[model.jnt_dofadr[number]]
        elif kind == BALL:
            found[f"range of {name}"] = limits[1] if is_limited else None
    for number in range(model.ntendon):
        if model.wrap_type[model.tendon_adr[number]] == mujoco.mjtWrap.mjWRAP_JOINT:
            name = model.tendon(number).name or f"tendon_{number + 1}"
            limits = model.tendon_range[number] - model.tendon_length0[number]
            found[f"range of {name}"] = limits if model.tendon_limited[number] else None
            found[f"friction of {name}"] = model.tendon_frictionloss[number]
    for number in range(model.nu):
        found[f"control {number}"] = model.actuator_ctrlrange[number] if model.actuator_ctrllimited[number] else None
        joint, limits = model.actuator_trnid[number][0], np.array([-np.inf, np.inf])
        if model.actuator_forcelimited[number]:
            limits = np.sort(model.actuator_gear[number][0] * model.actuator_forcerange[number])
        if model.actuator_trntype[number] == mujoco.mjtTrn.mjTRN_JOINT and model.jnt_actfrclimited[joint]:
            limits = [max(limits[0], model.jnt_actfrcrange[joint][0]), min(limits[1], model.jnt_actfrcrange[joint][1])]
        if model.actuator_trntype[number] == mujoco.mjtTrn.mjTRN_TENDON:
            # A spatial tendon has no joint in the model file.
            sums = model.wrap_type[model.tendon_adr[joint]] == mujoco.mjtWrap.mjWRAP_JOINT
            of = model.tendon(joint).name if sums else None
        else:
            of = joints[joint]
        if of is not None:
            found[f"forces of {of}, {number}"] = limits if np.isfinite(limits).any() else None
    has_weight = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    found["gravity"] = model.opt.gravity if has_weight else np.zeros(3)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for number in range(model.nsite):
        name = model.site(number).name
        if name and model.body_weldid[model.site_bodyid[number]]:
            found[f"site {name}"] = data.site_xpos[number]
    return found


def imported_settings(model):
    """As [`settings`], of a model file."""
    found = {f"range of {stop['joint']}": [stop["lower"], stop["upper"]] for stop in model.get("bump_stop", [])}
    found |= {f"range of {stop['name'].removesuffix('.stop')}": stop["rotation"] for stop in model.get("ball_stop", [])}
    found |= {f"friction of {friction['joint']}": friction["coulomb"] for friction in model.get("friction", [])}
    inputs = {given["name"]: number for number, given in enumerate(model.get("input", []))}
    found |= {f"control {number}": [given["min"], given["max"]] for number, given in enumerate(model.get("input", [])) if "min" in given}
    found |= {f"forces of {drive['joint']}, {inputs[drive['value']]}": [drive["min_effort"], drive["max_effort"]]
              for drive in model.get("drive", []) if "min_effort" in drive}
    found["gravity"] = model["model"].get("gravity", [0, 0, 0])
    found |= {f"site {output['name'].removesuffix('.position')}": output["point"] for output in model.get("output", []) if "point" in output}
    return found


def same_settings(ours, model):
    """Compares all numbers of MuJoCo's model with those of the model file."""
    wanted, found = settings(model, names(model, list(ours.joints))), imported_settings(ours.model)
    for name, value in wanted.items():
        assert near(found.get(name, 0.0 if name.startswith("friction") else None), value), (name, found.get(name), value)
    assert not {name for name in found if name.split()[0] not in ("site", "gravity")} - set(wanted)
    assert ours.model["model"].get("step", 1e-3) <= model.opt.timestep


def multiplied(model, data, column):
    result = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, result, np.ascontiguousarray(column))
    return result


@pytest.mark.parametrize("name", ["arm.urdf", "gripper.urdf", "arm.xml", "leg.xml"])
def test_own_robots_accelerate_as_in_mujoco(ballesta, tmp_path, name):
    path = OWN / name
    if name == "gripper.urdf":
        # MuJoCo leaves out inertias without mass, which a link of this one has.
        path = tmp_path / "gripper.urdf"
        path.write_text((OWN / name).read_text().replace('mass value="0"', 'mass value="0.05"'))
    ours = Imported(ballesta, path, tmp_path)
    assert difference(ours, theirs(path, tmp_path), 1, 100) < LIMIT


@pytest.mark.parametrize("name", ["ant", "half_cheetah", "hopper", "humanoid", "inverted_double_pendulum", "pusher", "reacher",
                                  "swimmer", "walker2d"])
def test_public_robots_accelerate_as_in_mujoco(ballesta, tmp_path, name):
    path = ROBOTS / f"{name}.xml"
    ours = Imported(ballesta, path, tmp_path)
    assert difference(ours, theirs(path, tmp_path), 2, 100) < LIMIT


def touching(model):
    """Pairs of names of solids that touch in a model, each sorted."""
    body = {solid["name"]: solid["body"] for solid in model.get("solid", [])}
    found = set()
    for contact in model.get("solid_contact", []):
        one, two = contact["solids"], contact.get("others", [])
        pairs = [(a, b) for a in one for b in two] if two else itertools.combinations(one, 2)
        found |= {tuple(sorted(pair)) for pair in pairs if body[pair[0]] != body[pair[1]]}
    return found


@pytest.mark.parametrize("path", [OWN / "quadruped.xml"] + [ROBOTS / f"{name}.xml" for name in ("ant", "humanoid", "half_cheetah")],
                         ids=lambda path: path.stem)
def test_the_pairs_that_touch_are_those_that_mujoco_finds(ballesta, tmp_path, path):
    """Of random positions that are full of contacts MuJoCo finds no pair that is not there, and all that two thousand show."""
    made = tomllib.loads(Path(ballesta.import_model(path, tmp_path / "model").file).read_text())
    wanted = touching(made)
    model = mujoco.MjModel.from_xml_path(str(path))
    names = [model.geom(geom).name for geom in range(model.ngeom)]
    random, data, found = np.random.default_rng(4), mujoco.MjData(model), set()
    for _ in range(2000):
        mujoco.mj_resetData(model, data)
        data.qpos[:] = model.qpos0
        for joint in range(model.njnt):
            q, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
            if kind >= SLIDE:
                data.qpos[q] += random.uniform(-3, 3) if kind > SLIDE else random.uniform(-1, 1)
            elif kind == FREE:
                data.qpos[q:q + 3] = random.uniform(-0.2, 0.2, 3)
                turned = random.normal(size=4)
                data.qpos[q + 3:q + 7] = turned / np.linalg.norm(turned)
        mujoco.mj_fwdPosition(model, data)
        found |= {tuple(sorted(names[geom] for geom in pair.geom)) for pair in data.contact[:data.ncon]}
    named = {pair for pair in found if all(pair)}
    assert named <= wanted, sorted(named - wanted)
    assert len(wanted - named) <= 0.1 * len(wanted), sorted(wanted - named)


@pytest.mark.parametrize("name, drivers", [
    ("four_bar", ["crank"]),
    ("delta", ["arm1", "arm2", "arm3"]),
    ("rods_leg", ["hip", "knee", "shin", "foot_crank"]),
])
def test_closed_chains_are_the_limit_of_stiff_constraints(ballesta, tmp_path, name, drivers):
    """MuJoCo's constraints give way by a part 1 − d of what would hold them; at rest the rest of the motion is the same."""
    path = OWN / f"{name}.xml"
    ours = Imported(ballesta, path, tmp_path)
    model = theirs(path, tmp_path)
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    model.opt.iterations, model.opt.tolerance = 1000, 1e-16
    data = mujoco.MjData(model)
    # MuJoCo takes no d beyond 0.9999; what is left at d = 1 follows from the last two.
    softness = [1e-1, 1e-2, 1e-3, 1e-4]
    worst, beyond, random = np.zeros(4), 0.0, np.random.default_rng(3)
    for _ in range(8):
        found = ours.at({driver: [random.uniform(-0.6, 0.6)] for driver in drivers}, {})
        for joint in range(model.njnt):
            data.qpos[joint] = ours.position(model.joint(joint).name)
        wanted = np.array([found[model.joint(joint).name][0] for joint in range(model.njnt)])
        apart = []
        for soft in softness:
            model.eq_solimp[:, :2] = 1 - soft
            data.qvel[:] = 0
            mujoco.mj_forward(model, data)
            apart.append((data.qacc - wanted) / np.abs(wanted).max())
        worst = np.maximum(worst, np.abs(apart).max(axis=1))
        beyond = max(beyond, np.abs(apart[3] - (apart[2] - apart[3]) / 9).max())
    assert (worst[1:] < 0.2 * worst[:-1]).all(), worst
    assert beyond < 1e-5, beyond


def test_a_wrong_file_raises_with_its_place_and_writes_nothing(ballesta, tmp_path):
    with pytest.raises(ballesta.ModelError) as wrong:
        ballesta.import_model(ROOT / "tests/broken_import/numbers.urdf", tmp_path / "new")
    assert (wrong.value.line, wrong.value.key) == (4, "mass.value")
    assert not list(tmp_path.iterdir())
    ballesta.import_model(OWN / "arm.urdf", tmp_path / "arm")
    with pytest.raises(ballesta.UsageError, match="already exists"):
        ballesta.import_model(OWN / "arm.urdf", tmp_path / "arm")
    assert ballesta.import_model(OWN / "arm.urdf", tmp_path / "arm", force=True).name == "arm"
    with pytest.raises(ballesta.UsageError, match='expected "all"'):
        ballesta.import_model(OWN / "arm.urdf", tmp_path / "other", contacts="some")
