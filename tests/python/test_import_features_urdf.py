"""URDF files with one feature each: those that match MuJoCo's reader, those that the import lists, and those that it rejects."""

import numpy as np
import pytest

from test_import import LIMIT, SLIDE, Imported, difference, names, theirs
from test_import_features import BODIES, joint, link, with_files

LINKS = link("base") + link("one") + link("two")
LIMITS = '<limit lower="-2" upper="2" effort="9" velocity="3"/>'
ORIGIN = '<origin xyz=".3 0 .1" rpy=".2 0 .4"/>'
AXIS = '<axis xyz="0 1 1"/>'
FIRST, SECOND = joint("a", "base", "one"), joint("b", "one", "two")
TRANSMISSION = ('<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="{}"/><actuator name="m">{}</actuator>'
                "</transmission>")
# Notes of every robot here: the solver limits no speeds, and without --floating nothing touches.
USUAL = ("velocity of <limit>", "contact of <collision>")


def first(old="", new="", kind="revolute", more=""):
    """The robot with another first joint."""
    return LINKS + joint("a", "base", "one", kind, more=more).replace(old, new) + SECOND


def second(old="", new="", kind="revolute", more=""):
    return LINKS + FIRST + joint("b", "one", "two", kind, more=more).replace(old, new)


def last(old, new):
    """The robot with another last link."""
    return LINKS.replace(link("two"), link("two").replace(old, new)) + FIRST + SECOND


def shape(content):
    return BODIES.replace("</inertial>", "</inertial>" + content, 1)


def settings(keys):
    return f"<mujoco><compiler {keys}/></mujoco>" + BODIES


def rotor(model):
    """The armature of a motor, which MuJoCo's reader leaves out."""
    model.dof_armature[0] = 0.001 * 12 ** 2


BOTH = LINKS + joint("a", "base", "one", more='<mimic joint="b" multiplier="{}"/>') + joint(
    "b", "one", "two", more='<mimic joint="a" multiplier="{}" offset="{}"/>')

THIRD = link("three") + joint("c", "two", "three")

MATCHING = {
    # Joints
    "no axis": first(AXIS),
    "axis of another length": first(AXIS, '<axis xyz="0 3 4"/>'),
    "axis 0 of a fixed joint": second(AXIS + LIMITS, '<axis xyz="0 0 0"/>', "fixed"),
    "no origin": first(ORIGIN),
    "origin with rpy alone": first(ORIGIN, '<origin rpy=".1 .2 .3"/>'),
    "origin with xyz alone": first(ORIGIN, '<origin xyz=".1 .2 .3"/>'),
    "empty attributes of an origin": first(ORIGIN, '<origin xyz="" rpy=""/>'),
    "large angles": first(ORIGIN, '<origin xyz=".1 .2 .3" rpy="1 .5 -2"/>'),
    "prismatic": first(kind="prismatic"),
    "continuous without limit": first(LIMITS, kind="continuous"),
    "continuous with an effort": first(LIMITS, '<limit effort="3" velocity="2"/>', "continuous"),
    "floating": first(LIMITS, kind="floating"),
    "spherical": first(LIMITS, kind="spherical"),
    "fixed between two others": first(LIMITS, kind="fixed"),
    "damping and friction": first(more='<dynamics damping=".7" friction=".3"/>'),
    "empty dynamics": first(more="<dynamics/>"),
    "effort 0": first('effort="9"', 'effort="0"'),
    "infinite limits": first('lower="-2" upper="2"', 'lower="-inf" upper="inf"'),
    "infinite effort and speed": first('effort="9" velocity="3"', 'effort="inf" velocity="inf"'),
    "limits of a fixed joint": second(kind="fixed"),
    "huge limits": first('lower="-2" upper="2"', 'lower="-1e16" upper="1e16"'),
    "no effort": first('effort="9" '),
    # Followers
    "mimic with offset": second(more='<mimic joint="a" multiplier="-2" offset=".1"/>'),
    "mimic without numbers": second(more='<mimic joint="a"/>'),
    "mimic of a later joint": first(more='<mimic joint="b" multiplier=".5"/>'),
    "prismatic mimic of a revolute joint": second(kind="prismatic", more='<mimic joint="a" multiplier=".1"/>'),
    "mimic with the factor 0": second(more='<mimic joint="a" multiplier="0" offset=".3"/>'),
    "mimic of a mimic": LINKS + link("three") + FIRST + joint("b", "one", "two", more='<mimic joint="a" multiplier="2"/>')
    + joint("c", "two", "three", more='<mimic joint="b" multiplier="-.5" offset=".2"/>'),
    # Links
    "inertial without origin": last('<origin xyz=".1 .02 0" rpy=".1 .2 .3"/>', ""),
    "turned inertial": last('rpy=".1 .2 .3"', 'rpy="1 -2 .5"'),
    "products of inertia": last('ixy="0" ixz="0"', 'ixy=".003" ixz="-.002"').replace('iyz="0"', 'iyz=".001"', 1),
    "mass before origin": last('<origin xyz=".1 .02 0" rpy=".1 .2 .3"/><mass value="1.0"/>', '<mass value="1.0"/><origin xyz=".1 .02 0" rpy=".1 .2 .3"/>'),
    "root without inertial": BODIES.replace(link("base"), '<link name="base"/>'),
    "last link without inertial": BODIES + '<link name="tool"/>' + joint("t", "two", "tool", "fixed", limit=""),
    "link without inertial between two others": LINKS + '<link name="flange"/>' + FIRST + joint("f", "one", "flange", "fixed", limit="")
    + joint("b", "flange", "two"),
    "reverse order": SECOND + FIRST + link("two") + link("one") + link("base"),
    "two branches": LINKS + joint("b", "base", "two") + FIRST,
    "link named world": BODIES.replace(link("base"), '<link name="world"/>').replace('link="base"', 'link="world"'),
    "names with slashes and spaces": BODIES.replace('"a"', '"ns/a"').replace('"one"', '"ns/one link"'),
    # Shapes, which change nothing
    "materials": shape('<visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material>'
                       '</visual>') + '<material name="n"><color rgba="0 1 0 1"/></material>',
    "texture": shape('<visual><geometry><box size="1 1 1"/></geometry><material name="m"><texture filename="x.png"/></material></visual>'),
    "several collisions": shape('<collision><geometry><box size="1 1 1"/></geometry></collision><collision name="c"><origin xyz="0 0 1"/><geometry>'
                                '<sphere radius=".1"/></geometry></collision>'),
    "capsule": shape('<collision><geometry><capsule radius=".1" length=".5"/></geometry></collision>'),
    "scaled mesh": shape('<visual><geometry><mesh filename="points.obj" scale=".001 .001 .001"/></geometry></visual>'),
    "mirrored mesh": shape('<visual><geometry><mesh filename="points.obj" scale="1 -1 1"/></geometry></visual>'),
    # MuJoCo's section and Drake's rotor
    "compiler with keys of pictures": settings('discardvisual="false" fusestatic="false" strippath="false" meshdir="x"'),
    "compiler with degrees": settings('angle="degree"'),
    "rotor of Drake": (BODIES + TRANSMISSION.format("a", '<rotor_inertia value=".001"/><gear_ratio value="-12"/>'), rotor),
}

# The text, and the note. MuJoCo reads the same file, or the third part of the tuple.
LISTED = {
    "continuous with limits": (first(kind="continuous"), "lower of <limit>"),
    "armature": (first(more='<dynamics damping=".7" armature=".2"/>'), "armature of <dynamics>"),
    "safety controller": (first(more='<safety_controller k_velocity="2" soft_lower_limit="-1" soft_upper_limit="1"/>'), "<safety_controller>"),
    "calibration": (first(more='<calibration rising="0" falling=".1"/>'), "<calibration>"),
    "limits of acceleration and jerk": (first('velocity="3"', 'velocity="3" acceleration="2" jerk="3"'), "jerk of <limit>"),
    "limits that are equal": (first('lower="-2" upper="2"', 'lower="0" upper="0"'), "<limit> from 0 to 0"),
    "limits that exclude zero": (first('lower="-2"', 'lower=".5"'), "range excludes the zero position: the joint starts at the nearer limit"),
    "mimic of a fixed joint": (LINKS + joint("a", "base", "one", "fixed", limit="") + joint("b", "one", "two", more='<mimic joint="a"/>'),
                               "<mimic> with a fixed joint"),
    "reduction of a transmission": (BODIES + TRANSMISSION.format("a", "<mechanicalReduction>50</mechanicalReduction>"),
                                    "mechanicalReduction of <transmission>: inputs are efforts at the joints"),
    "differential transmission": (BODIES + TRANSMISSION.format("a", "").replace("SimpleTransmission", "DifferentialTransmission"),
                                  "type transmission_interface/DifferentialTransmission of <transmission>"),
    "gazebo": (BODIES + '<gazebo reference="one"><material>Gazebo/Red</material><mu1>1</mu1></gazebo>', "<gazebo>"),
    "ros2_control": (BODIES + '<ros2_control name="r" type="system"><joint name="a"><command_interface name="position"/></joint></ros2_control>',
                     "<ros2_control>"),
    "loop joint": (BODIES + '<loop_joint name="l" type="revolute"><link1 link="two"/><link2 link="base"/></loop_joint>', "<loop_joint>"),
    "sensor": (BODIES + '<sensor name="imu" type="imu"><parent link="one"/></sensor>', "<sensor>"),
    # Both are at 0.6: a = 0.5 b and b = −a + 0.9.
    "mimics that hold each other": (BOTH.format("0.5", "-1", ".9") + THIRD, 'joints that lead each other: \\"b\\" is held',
                                    LINKS + joint("a", "base", "one", more='<mimic joint="b" multiplier="0" offset=".3"/>')
                                    + joint("b", "one", "two", more='<mimic joint="a" multiplier="0" offset=".6"/>') + THIRD),
    "mimics that imply each other": (BOTH.format("0.5", "2", "0"), "coupling that others already imply: left out",
                                     first(more='<mimic joint="b" multiplier="0.5"/>')),
    "balanceinertia": ('<mujoco><compiler balanceinertia="true"/></mujoco>' + link("base") + link("one") + link("two", inertia=(0.02, 0.03, 0.09))
                       + FIRST + SECOND, "impossible inertia replaced by its mean moment, because of balanceinertia"),
    "boundmass": (settings('boundmass="3"'), "boundmass of <compiler>", BODIES),
    "settotalmass": (settings('settotalmass="7"'), "settotalmass of <compiler>", BODIES),
    "inertiafromgeom": (settings('inertiafromgeom="true"'), "inertiafromgeom of <compiler>", BODIES),
    "eulerseq": (settings('eulerseq="zyx"'), "eulerseq of <compiler>"),
    "option": ('<mujoco><option gravity="0 0 -3" timestep=".0001"/></mujoco>' + BODIES, "<option>", BODIES),
    "cylinder without length": (shape('<visual><geometry><cylinder radius=".1"/></geometry></visual>'), "<cylinder> without positive length"),
    "mesh of an unknown package": (shape('<visual><geometry><mesh filename="package://none/x.stl"/></geometry></visual>'),
                                   "mesh package none not found in any parent folder"),
    "collada mesh": (shape('<visual><geometry><mesh filename="x.dae"/></geometry></visual>'), "mesh format .dae is not supported"),
}

REJECTED = {
    "axis 0": (first(AXIS, '<axis xyz="0 0 0"/>'), "the axis has zero length"),
    "negative damping": (first(more='<dynamics damping="-1"/>'), "damping is -1; give 0 or more"),
    "mimic of itself": (second(more='<mimic joint="b"/>'), 'joint "b" cannot follow "b"'),
    "mimic of a floating joint": (second(LIMITS, kind="floating", more='<mimic joint="a"/>'), 'joint "b" cannot follow "a"'),
    "mimics that contradict each other": (BOTH.format("1", "1", ".3"), "their offsets contradict each other"),
    "two roots": (BODIES + link("three"), 'several root links: "base", "three"'),
    "two parents": (BODIES + joint("c", "two", "one"), 'link "one" is the child of two joints'),
    "cycle": (link("base") + link("one") + joint("a", "base", "one") + joint("b", "one", "base"), "the links form a cycle"),
    "unknown child": (LINKS + FIRST + joint("b", "one", "three"), 'there is no link "three"'),
    "unknown type": (first(kind="revolut"), 'unknown joint type "revolut"'),
    "type in upper case": (first(kind="Revolute"), 'unknown joint type "Revolute"'),
    "no type": (first(' type="revolute"'), "<joint> has no type"),
    "no parent": (first('<parent link="base"/>'), "<joint> has no <parent>"),
    "two links of one name": (BODIES + link("one"), 'duplicate link name "one"'),
    "two joints of one name": (LINKS + link("three") + FIRST + SECOND + joint("a", "two", "three"), 'duplicate joint name "a"'),
    "negative mass": (last('value="1.0"', 'value="-1"'), "the mass is -1 kg"),
    "mass with a unit": (last('value="1.0"', 'value="1.0kg"'), '"1.0kg" is not a finite number'),
    "inertial without mass": (last('<mass value="1.0"/>', ""), "<inertial> has no <mass>"),
    "impossible inertia": (last('izz="0.04"', 'izz="0.09"'), "is larger than the sum of the other two"),
    "commas": (first('xyz=".3 0 .1"', 'xyz=".3, 0, .1"'), '".3," is not a finite number'),
    "two numbers": (first('xyz=".3 0 .1"', 'xyz=".3 0"'), "2 numbers; write 3 numbers"),
    "xacro": ('<xacro:property name="x" value="1"/>' + BODIES, "run xacro first"),
}


def written(folder, name, text):
    path = folder / f"{name}.urdf"
    path.write_text(f'<robot name="robot">{text}</robot>')
    return path


def notes(folder):
    text = (folder / "model/model.toml").read_text().split("[model]")[0]
    return [line for line in text.splitlines() if line.startswith("#   ") and not any(usual in line for usual in USUAL)]


def same_settings(ours, model):
    """Compares ranges, frictions and efforts."""
    stops = {stop["joint"]: [stop["lower"], stop["upper"]] for stop in ours.model.get("bump_stop", [])}
    frictions = {friction["joint"]: friction["coulomb"] for friction in ours.model.get("friction", [])}
    inputs = {given["name"]: given for given in ours.model.get("input", [])}
    efforts = {drive["joint"]: inputs[drive["value"]].get("max") for drive in ours.model.get("drive", [])}
    for number, name in enumerate(names(model, list(ours.joints))):
        if model.jnt_type[number] < SLIDE:
            continue
        is_limited = model.jnt_limited[number] and np.isfinite(model.jnt_range[number]).all()
        assert stops.pop(name, None) == (pytest.approx(list(model.jnt_range[number])) if is_limited else None), name
        assert frictions.pop(name, 0) == model.dof_frictionloss[model.jnt_dofadr[number]], name
        if name in efforts:
            most = model.jnt_actfrcrange[number][1]
            assert efforts[name] == (most if model.jnt_actfrclimited[number] and np.isfinite(most) else None), name
    assert not stops and not frictions


@pytest.mark.parametrize("feature", MATCHING)
def test_a_feature_has_the_motion_and_the_numbers_of_mujoco(ballesta, tmp_path, feature):
    text, change = MATCHING[feature] if isinstance(MATCHING[feature], tuple) else (MATCHING[feature], lambda model: None)
    with_files(tmp_path)
    path = written(tmp_path, "robot", text)
    ours = Imported(ballesta, path, tmp_path)
    path.rename(tmp_path / "theirs.urdf")
    model = theirs(tmp_path / "theirs.urdf", tmp_path)
    change(model)
    assert difference(ours, model, 5, 5) < LIMIT
    same_settings(ours, model)
    assert not notes(tmp_path)


@pytest.mark.parametrize("feature", LISTED)
def test_a_feature_that_is_not_converted_is_listed_and_the_rest_moves_as_in_mujoco(ballesta, tmp_path, feature):
    text, note, *without = LISTED[feature]
    with_files(tmp_path)
    (tmp_path / "x.dae").write_text("<COLLADA/>")
    ours = Imported(ballesta, written(tmp_path, "robot", text), tmp_path)
    assert any(note in line for line in notes(tmp_path)), notes(tmp_path)
    path = written(tmp_path, "theirs", without[0] if without else text)
    assert difference(ours, theirs(path, tmp_path), 5, 5) < LIMIT


@pytest.mark.parametrize("feature", REJECTED)
def test_a_file_that_cannot_be_converted_has_a_clear_error(ballesta, tmp_path, feature):
    text, message = REJECTED[feature]
    with pytest.raises(ballesta.ModelError) as wrong:
        ballesta.import_model(written(tmp_path, "robot", text), tmp_path / "model")
    assert message in str(wrong.value) and wrong.value.line > 0
    assert not (tmp_path / "model").exists()


def test_a_transmission_selects_the_joints_with_inputs(ballesta, tmp_path):
    path = written(tmp_path, "robot", BODIES + TRANSMISSION.format("b", ""))
    assert [given.name for given in ballesta.import_model(path, tmp_path / "model").inputs] == ["b.effort"]


def test_a_planar_joint_moves_in_the_plane_of_its_normal(ballesta, tmp_path):
    """The normal is x without an axis: the link falls along z and does not turn."""
    text = link("base") + link("plate") + '<joint name="p" type="planar"><parent link="base"/><child link="plate"/></joint>'
    model = ballesta.import_model(written(tmp_path, "robot", text), tmp_path / "model")
    result = model.run(stop=0.1)
    assert result["plate.position.z"][-1] == pytest.approx(-0.5 * 9.81 * 0.1 ** 2, rel=1e-9)
    assert [result[f"plate.rotation.{axis}"][-1] for axis in "wxyz"] == pytest.approx([1, 0, 0, 0], abs=1e-12)
    tilted = text.replace('type="planar">', 'type="planar"><axis xyz="0 0 1"/>')
    still = ballesta.import_model(written(tmp_path, "tilted", tilted), tmp_path / "still").run(stop=0.1)
    assert np.abs([still[f"plate.position.{axis}"][-1] for axis in "xyz"]).max() < 1e-12
