"""Small robots with one feature each: their accelerations in random states beside those of MuJoCo, which reads the same file."""

import struct

import numpy as np
import pytest

from test_import import LIMIT, Imported, difference, matrix, same_settings, theirs

ARM = '<body name="arm"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>{}</body>'
FORE = '<body name="fore" pos=".4 0 0"><joint name="elbow" axis="0 0 1"/><geom type="box" size=".1 .02 .03" pos=".1 0 0"/>{}</body>'
TWO = ARM.format(FORE.format(""))
SLIDER = '<body name="cart"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/>' + ARM.format("") + "</body>"
FREE = '<body name="base"><freejoint/>{}<body pos="0 0 .2"><joint name="hinge" axis="1 0 0"/><geom size=".05" pos="0 .1 0"/></body></body>'
# An L-shaped prism, whose hull is larger; its triangles as numbers of corners.
PRISM = ('vertex="0 0 0  .2 0 0  .2 .1 0  .1 .1 0  .1 .2 0  0 .2 0  0 0 .1  .2 0 .1  .2 .1 .1  .1 .1 .1  .1 .2 .1  0 .2 .1" '
         'face="0 2 1 0 3 2 0 4 3 0 5 4  6 7 8 6 8 9 6 9 10 6 10 11  0 1 7 0 7 6  1 2 8 1 8 7  2 3 9 2 9 8  3 4 10 3 10 9  4 5 11 4 11 10 '
         '5 0 6 5 6 11"')
OPEN = PRISM.replace(" 5 0 6 5 6 11", "")
POINTS = 'vertex="0 0 0  .2 0 0  0 .2 0  0 0 .2  .05 .05 .05"'
HULLED = FREE.format('<geom type="mesh" mesh="m"/>')


def mesh(keys, geom="", body=FREE):
    """A free body with a mesh, which gives it its mass."""
    return f'<asset><mesh name="m" {keys}/></asset><worldbody>{body.format(f"""<geom type="mesh" mesh="m" {geom}/>""")}</worldbody>'


def world(bodies, rest="", before=""):
    return f"{before}<worldbody>{bodies}</worldbody>{rest}"


def shell(geom):
    return world(FREE.format(f'<geom {geom} shellinertia="true"/>'))


def tendon(keys="", joints=(("hinge", 2.0), ("elbow", -0.5)), more="", rest=""):
    terms = "".join(f'<joint joint="{name}" coef="{factor}"/>' for name, factor in joints)
    return world(TWO, f'<tendon><fixed name="t" {keys}>{terms}</fixed>{more}</tendon>{rest}')


def spatial(keys="", path=("w", "a", "f"), rest="", before=""):
    """A tendon over sites of the world, the arm and the forearm; numbers are divisors of pulleys."""
    parts = "".join(f'<pulley divisor="{part}"/>' if isinstance(part, float) else f'<site site="{part}"/>' for part in path)
    arm = ARM.format('<site name="a" pos=".3 0 .05"/><site name="b" pos=".1 .05 0"/>' + FORE.format('<site name="f" pos=".1 .05 0"/>'))
    bodies = '<site name="w" pos="0 .2 1"/><site name="x" pos=".5 0 -.4"/>' + arm
    return world(bodies, f'<tendon><spatial name="t" {keys}>{parts}</spatial></tendon>{rest}', before)


def actuated(element):
    return world(TWO, f"<actuator>{element}</actuator>")


MJCF = {
    # Joints
    "hinge and box": world(TWO),
    "slide": world(SLIDER),
    "ref": world(TWO.replace('name="hinge"', 'name="hinge" ref="30"')),
    "springref": world(TWO.replace('name="hinge"', 'name="hinge" ref="30" springref="10" stiffness="3" damping=".2"')),
    "ref of a slide": world(SLIDER.replace('name="slide"', 'name="slide" ref=".2" springref=".1" stiffness="30"')),
    "polynomial damping, linear term": world(TWO.replace('name="hinge"', 'name="hinge" damping=".3 0 0"')),
    "armature": world(TWO.replace('name="hinge"', 'name="hinge" armature=".2"')),
    "armature of both": world(TWO.replace('name="hinge"', 'name="hinge" armature=".2"').replace('"elbow"', '"elbow" armature=".1"')),
    "two joints of one body": world(ARM.format('<joint name="other" axis="0 0 1" pos=".1 0 0"/>')),
    "free joint": world(FREE.format('<geom type="ellipsoid" size=".1 .2 .3"/>')),
    "damping of a free joint": world(FREE.format('<geom size=".1"/>').replace("<freejoint/>", '<joint type="free" damping=".4"/>')),
    "armature of a free joint": world(FREE.format('<geom size=".1" pos=".1 0 .05"/>').replace("<freejoint/>", '<joint type="free" armature=".7"/>')),
    "ball joint": world(ARM.format('<body pos=".4 0 0"><joint name="b" type="ball" damping=".1"/><geom size=".05" pos="0 .1 0"/></body>')),
    # Frames and angles
    "euler in radian": world(TWO.replace('pos=".4 0 0"', 'pos=".4 0 0" euler=".3 .2 .1"'), before='<compiler angle="radian"/>'),
    "eulerseq of fixed axes": world(TWO.replace('pos=".4 0 0"', 'pos=".4 0 0" euler="30 20 10"'), before='<compiler eulerseq="ZYX"/>'),
    "axisangle": world(TWO.replace('pos=".4 0 0"', 'pos=".4 0 0" axisangle="1 1 0 40"')),
    "xyaxes": world(TWO.replace('pos=".4 0 0"', 'pos=".4 0 0" xyaxes="1 1 0 0 1 1"')),
    "zaxis": world(TWO.replace('pos=".4 0 0"', 'pos=".4 0 0" zaxis="0 1 1"')),
    "frame": world(f'<frame pos="1 0 0" euler="0 0 30">{TWO}</frame>'),
    "frame in a body": world(ARM.format('<frame pos=".4 0 0" euler="10 20 30"><geom size=".05"/><site name="s"/></frame>')),
    "frame with a class": world(f'<frame childclass="c">{TWO}</frame>', before='<default><default class="c"><joint damping="2"/></default></default>'),
    "own euler and quat of the class": world(ARM.format('<geom class="c" type="box" size=".1 .05 .02" euler="0 0 30"/>'),
                                             before='<default><default class="c"><geom quat="0 1 0 0"/></default></default>'),
    # Masses
    "mass of a geom": world(TWO.replace('size=".03"', 'size=".03" mass="2"')),
    "density": world(TWO.replace('size=".03"', 'size=".03" density="300"')),
    "inertial": world(TWO.replace('<joint name="elbow"', '<inertial pos=".1 0 .02" mass="2" diaginertia=".01 .02 .02"/><joint name="elbow"')),
    "full inertia": world(TWO.replace('<joint name="elbow"',
                                      '<inertial pos=".1 0 .02" mass="2" fullinertia=".01 .02 .02 .001 .002 -.003"/><joint name="elbow"')),
    "inertial in a frame": world(TWO.replace('<joint name="elbow"', '<frame pos="0 .1 0" euler="0 40 0"><inertial pos=".1 0 .02" mass="2" '
                                             'diaginertia=".01 .02 .02"/></frame><joint name="elbow"')),
    "inertiafromgeom": world(TWO.replace('<joint name="elbow"', '<inertial pos=".1 0 .02" mass="2" diaginertia=".01 .02 .02"/><joint name="elbow"'),
                             before='<compiler inertiafromgeom="true"/>'),
    "inertiagrouprange": world(ARM.format('<geom size=".1" group="3"/>'), before='<compiler inertiagrouprange="0 1"/>'),
    "boundmass and boundinertia": world(TWO, before='<compiler boundmass="1" boundinertia=".01"/>'),
    "settotalmass": world(TWO, before='<compiler settotalmass="10"/>'),
    "balanceinertia": world(TWO.replace('<joint name="elbow"', '<inertial pos="0 0 0" mass="2" diaginertia=".01 .02 .05"/><joint name="elbow"'),
                            before='<compiler balanceinertia="true"/>'),
    "shell sphere": shell('size=".1"'),
    "shell capsule": shell('type="capsule" size=".1 .2"'),
    "shell cylinder": shell('type="cylinder" size=".1 .2"'),
    "shell box": shell('type="box" size=".1 .2 .3"'),
    "shell ellipsoid": shell('type="ellipsoid" size=".1 .2 .3"'),
    "shell with a mass": shell('type="box" size=".1 .2 .3" mass="3"'),
    # Meshes
    "mesh": mesh(PRISM),
    "legacy mesh, open": mesh(OPEN),
    "exact mesh, open": mesh(f'{OPEN} inertia="exact"'),
    "convex mesh": mesh(f'{PRISM} inertia="convex"'),
    "shell mesh": mesh(f'{PRISM} inertia="shell"'),
    "shell mesh with a mass": mesh(f'{PRISM} inertia="shell"', 'mass="2"'),
    "mesh with a mass": mesh(PRISM, 'mass="2"'),
    "mesh with a scale per axis": mesh(f'{PRISM} scale="1 2 .5"'),
    "mirrored mesh": mesh(f'{PRISM} scale="1 -1 1" inertia="exact"'),
    "refpos and refquat": mesh(f'{PRISM} refpos=".1 0 .05" refquat="1 1 0 0"'),
    "turned mesh": mesh(PRISM, 'pos=".1 .2 .3" euler="10 20 30"'),
    "vertices alone": mesh(POINTS),
    "two meshes": mesh(PRISM, body=FREE.replace("{}", '{}<geom type="mesh" mesh="m" pos=".3 0 0"/>')),
    "mesh of MuJoCo's format": mesh('file="prism.msh"'),
    "obj with vertices alone": mesh('file="points.obj"'),
    "obj with continued lines": mesh('file="continued.obj"'),
    "stl with a header that begins with solid": mesh('file="binary.stl"'),
    "ascii stl in upper case, with tabs and empty lines": mesh('file="text.stl"'),
    "primitive fitted to a mesh": mesh(PRISM, body=FREE.replace("{}", '<geom type="cylinder" mesh="m"/><!--{}-->')),
    # Generated bodies
    "replicate": world('<replicate count="3" offset="0 .5 0" euler="0 0 20" sep="-">' + TWO + "</replicate>"),
    "replicate of geoms": world(ARM.format('<replicate count="12" euler="0 0 30"><geom size=".02" pos=".1 0 0"/></replicate>')),
    "nested replicates": world('<replicate count="2" offset="1 0 0"><replicate count="2" offset="0 1 0" sep="_">' + ARM.format("")
                               + "</replicate></replicate>"),
    "replicate with actuators": world('<replicate count="2" offset="0 .5 0">' + TWO + "</replicate>",
                                      '<actuator><position joint="hinge" kp="3" kv=".2"/></actuator>'),
    "attach": world('<body name="base"><freejoint/><geom size=".2"/><frame pos=".3 0 0"><attach model="sub" body="one" prefix="a_"/></frame>'
                    '<attach model="sub" prefix="b_"/></body>', before='<asset><model name="sub" file="sub.xml"/></asset>'),
    "attached model without a name": world('<attach model="part" prefix="a_"/>', before='<asset><model file="sub.xml"/></asset>'),
    "replicated attach": world('<replicate count="2" offset="0 0 1"><attach model="sub" prefix="a_"/></replicate>',
                               before='<asset><model name="sub" file="sub.xml"/></asset>'),
    "include": world('<include file="bodies.xml"/>'),
    # Tendons
    "spring of a tendon": tendon('stiffness="4" damping=".3"'),
    "defaults of tendons": world(TWO, '<tendon><fixed><joint joint="hinge" coef="2"/></fixed></tendon>', '<default><tendon stiffness="7"/></default>'),
    "springlength": tendon('stiffness="4" springlength=".3"'),
    "tendon with ref and springref": world(TWO.replace('name="hinge"', 'name="hinge" ref="20" springref="40"'),
                                           '<tendon><fixed stiffness="5"><joint joint="hinge" coef="2"/><joint joint="elbow" coef="1"/></fixed></tendon>'),
    "armature of a tendon": tendon('armature=".4"'),
    "motor on a tendon": tendon(rest='<actuator><motor tendon="t" gear="3"/></actuator>'),
    "position on a tendon": tendon(rest='<actuator><position tendon="t" kp="6" kv=".3"/></actuator>'),
    "tendon of hinge and slide": world(SLIDER, '<tendon><fixed stiffness="20"><joint joint="slide" coef="3"/><joint joint="hinge" coef="1"/></fixed></tendon>'),
    # Spatial tendons
    "spring of a spatial tendon": spatial('stiffness="30" damping=".5"'),
    "springlength of a spatial tendon": spatial('stiffness="30" springlength=".8"'),
    "dead band, short": spatial('stiffness="30" damping="1" springlength="3 4"'),
    "dead band, long": spatial('stiffness="30" springlength=".1 .2"'),
    "dead band, inside": spatial('stiffness="30" damping="1" springlength=".1 4"'),
    "pulleys": spatial('stiffness="30"', ("w", "a", 2.0, "a", "f", 3.0, "x", "f")),
    "pulley first": spatial('stiffness="30"', (2.0, "w", "a", "f")),
    "twice over a body": spatial('stiffness="30"', ("w", "b", "f", "a", "x")),
    "class of a spatial tendon": spatial(before='<default><tendon stiffness="20" damping="2"/></default>'),
    "motor on a spatial tendon": spatial(rest='<actuator><motor tendon="t" gear="3"/></actuator>'),
    "position on a spatial tendon": spatial(rest='<actuator><position tendon="t" gear="2" kp="6" kv=".3"/></actuator>'),
    "position with a force range": spatial(rest='<actuator><position tendon="t" gear="-2" kp="60" forcerange="-1 2"/></actuator>'),
    "velocity on a spatial tendon": spatial(rest='<actuator><velocity tendon="t" kv="4"/></actuator>'),
    "general on a spatial tendon": spatial(rest='<actuator><general tendon="t" gainprm="3" biastype="affine" biasprm=".4 0 -.5"/></actuator>'),
    "spring and two actuators": spatial('stiffness="3"', rest='<actuator><motor tendon="t"/><position tendon="t" kp="2"/></actuator>'),
    # Actuators
    "motor": actuated('<motor joint="hinge" gear="2.5"/>'),
    "position": actuated('<position joint="hinge" kp="4" kv=".5"/>'),
    "velocity": actuated('<velocity joint="elbow" kv=".7"/>'),
    "general, affine": actuated('<general joint="hinge" gainprm="3" biastype="affine" biasprm=".5 -2 -.3"/>'),
    "position with gear": actuated('<position joint="hinge" kp="4" gear="3"/>'),
    "actuator with armature and damping": actuated('<motor joint="hinge" armature=".1" damping=".2" gear="2"/>'),
    "jointinparent": actuated('<motor jointinparent="hinge" gear="2"/>'),
    "two actuators of one joint": actuated('<motor joint="hinge" gear="2"/><position joint="hinge" kp="3"/>'),
    "range without zero": actuated('<motor joint="hinge" ctrlrange="1 2"/>'),
    "forcerange": actuated('<motor joint="hinge" gear="20" forcerange="-1 .1"/>'),
    "forcerange of a position": actuated('<position joint="hinge" kp="400" kv="5" gear="-2" forcerange="-3 2"/>'),
    "actuatorfrcrange": world(TWO.replace('name="hinge"', 'name="hinge" actuatorfrcrange="-2 1"'), '<actuator><position joint="hinge" kp="400"/></actuator>'),
    "springdamper": world(TWO.replace('name="hinge"', 'name="hinge" springdamper=".5 .8" armature=".05"')
                          .replace('axis="0 0 1"', 'axis="0 1 0" springdamper=".3 1.2" ref="10"')),
    "dampratio": world(TWO.replace('axis="0 0 1"', 'axis="0 1 0"'), '<actuator><position joint="hinge" kp="7" dampratio="1.3" gear="2"/>'
                       '<position joint="elbow" kp="3" dampratio="1"/></actuator>'),
    "springdamper below a free joint": world(FREE.format('<geom size=".1"/>').replace('name="hinge"', 'name="hinge" springdamper=".2 .5"')),
    "gravcomp": world(TWO.replace('name="fore"', 'name="fore" gravcomp=".7"')),
    "inheritrange": world(TWO.replace('name="hinge"', 'name="hinge" range="-50 80"'), '<actuator><position joint="hinge" kp="2" inheritrange="1"/></actuator>'),
    # Options
    "gravity": world(TWO, before='<option gravity="1 2 -3"/>'),
    "no gravity": world(TWO, before='<option><flag gravity="disable"/></option>'),
    # Text
    "prefix without a declaration": world(TWO.replace("</body>", '<vendor:tag x="1"/></body>', 1)).replace('<vendor:tag x="1"/>', ""),
    "dashes in a comment": world("<!-- a -- b --->" + TWO),
}
SUB = ('<mujoco model="part"><compiler angle="radian"/><default><geom density="500"/><default class="k"><joint damping=".3"/></default></default>'
       '<worldbody><body name="one" pos="0 0 .3"><joint name="j" class="k" axis="0 1 0" ref=".4" springref=".2" stiffness="2"/><geom size=".1" pos=".1 0 0"/>'
       '<body name="two" pos=".2 0 .2" euler=".1 .2 .3"><joint name="k" axis="1 0 0"/><geom type="box" size=".1 .05 .02"/></body></body></worldbody>'
       '<actuator><motor name="m" joint="k" gear="2"/></actuator></mujoco>')


def prism():
    keys = PRISM.split('"')
    corners = np.array(keys[1].split(), float).reshape(-1, 3)
    return corners, np.array(keys[3].split(), int).reshape(-1, 3)


def with_files(folder):
    """The files that the features name."""
    corners, faces = prism()
    (folder / "sub.xml").write_text(SUB)
    (folder / "bodies.xml").write_text(f"<mujocoinclude>{TWO}</mujocoinclude>")
    (folder / "prism.msh").write_bytes(struct.pack("<4i", len(corners), 0, 0, len(faces)) + corners.astype("<f4").tobytes()
                                       + faces.astype("<i4").tobytes())
    (folder / "points.obj").write_text("".join("v {} {} {}\n".format(*corner) for corner in corners[[0, 1, 5, 6, 7]]))
    (folder / "continued.obj").write_text("".join("v {} \\\n{} {}\n".format(*corner) for corner in corners)
                                          + "".join("f {} {} \\\n  {}\n".format(*(face + 1)) for face in faces))
    triangle = lambda face: struct.pack("<12fH", 0, 0, 0, *corners[face].ravel(), 0)
    (folder / "binary.stl").write_bytes(b"solid exported".ljust(80) + struct.pack("<I", len(faces)) + b"".join(map(triangle, faces)))
    text = "".join("\tFACET NORMAL 0 0 0\n\n\t\tOUTER LOOP\n" + "".join("\t\t\tVERTEX\t{} {} {}\n".format(*corners[corner]) for corner in face)
                   + "\t\tENDLOOP\n\tENDFACET\n" for face in faces)
    (folder / "text.stl").write_text(f"\n\nSOLID a\n{text}ENDSOLID a\n")


@pytest.mark.parametrize("feature", MJCF)
def test_a_feature_of_mjcf_accelerates_as_in_mujoco(ballesta, tmp_path, feature):
    with_files(tmp_path)
    path = tmp_path / "robot.xml"
    path.write_text(f'<mujoco model="robot">{MJCF[feature]}</mujoco>')
    # MuJoCo reads no ASCII STL, no continued lines, and takes this header for text.
    read = path
    if any(name in feature for name in ("stl", "continued")):
        read = tmp_path / "read.xml"
        read.write_text(f'<mujoco model="robot">{MJCF["mesh"]}</mujoco>')
    ours, model = Imported(ballesta, path, tmp_path, driven=True), theirs(read, tmp_path)
    assert difference(ours, model, 5, 10) < LIMIT
    same_settings(ours, model)


def turned(roll, pitch, yaw):
    about = lambda axis, angle: np.array(matrix([np.cos(angle / 2), *(np.sin(angle / 2) * np.eye(3)[axis])]))
    return about(2, yaw) @ about(1, pitch) @ about(0, roll)


def link(name, mass=1.0, inertia=(0.02, 0.03, 0.04), more=""):
    xx, yy, zz = inertia
    return (f'<link name="{name}"><inertial><origin xyz=".1 .02 0" rpy=".1 .2 .3"/><mass value="{mass}"/><inertia ixx="{xx}" ixy="0" ixz="0" '
            f'iyy="{yy}" iyz="0" izz="{zz}"/></inertial>{more}</link>')


def joint(name, parent, child, kind="revolute", limit='<limit lower="-2" upper="2" effort="9" velocity="3"/>', more=""):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz=".3 0 .1" rpy=".2 0 .4"/>'
            f'<axis xyz="0 1 1"/>{limit}{more}</joint>')


BODIES = link("base") + link("one") + link("two") + joint("a", "base", "one") + joint("b", "one", "two")
# The same robot with what only pictures, ranges, names and declarations differ in.
URDF = {
    "prefix without a declaration": BODIES + "<gazebo:plugin gazebo:x='1'/>",
    "sphere without extent": BODIES.replace("</inertial>", '</inertial><visual><geometry><sphere radius="0"/></geometry></visual>', 1),
    "negative box": BODIES.replace("</inertial>", '</inertial><visual><geometry><box size="-1 1 1"/></geometry></visual>', 1),
    "visual without geometry": BODIES.replace("</inertial>", "</inertial><visual/>", 1),
    "one scale": BODIES.replace("</inertial>", '</inertial><visual><geometry><mesh filename="points.obj" scale="2"/></geometry></visual>', 1),
    "four scales": BODIES.replace("</inertial>", '</inertial><visual><geometry><mesh filename="points.obj" scale="2 2 2 1"/></geometry></visual>', 1),
    "mesh that is missing": BODIES.replace("</inertial>", '</inertial><visual><geometry><mesh filename="none.stl"/></geometry></visual>', 1),
    "without limit": BODIES.replace('<limit lower="-2" upper="2" effort="9" velocity="3"/>', "", 1),
    "exchanged limits": BODIES.replace('lower="-2" upper="2"', 'lower="1" upper="0"', 1),
    "ground that no link defines": BODIES.replace(link("base"), "").replace('link="base"', 'link="world"'),
    "mimic of an unknown joint": BODIES.replace('velocity="3"/>', 'velocity="3"/><mimic joint="none"/>', 1),
    "rounded inertia": BODIES.replace(link("two"), link("two", inertia=(0.02, 0.02, 0.04))).replace('izz="0.04"/></inertial></link><joint',
                                                                                                     'izz="0.0400001"/></inertial></link><joint'),
    "dashes in a comment": "<!-- a -- b -->" + BODIES,
    "text after the end": BODIES + "</robot>\n</robot>\0",
}


def accelerations(ballesta, folder, text, head="", **options):
    folder.mkdir()
    with_files(folder)
    path = folder / "robot.urdf"
    path.write_text(f'{head}<robot name="robot">{text}' + ("" if "</robot>" in text else "</robot>"))
    return Imported(ballesta, path, folder, options=options).at({"a": [0.7], "b": [-0.4]}, {"a": [0.3], "b": [1.1]})


@pytest.mark.parametrize("variant", URDF)
def test_a_urdf_is_not_stopped_by_pictures_ranges_and_declarations(ballesta, tmp_path, variant):
    plain = BODIES if variant != "rounded inertia" else BODIES.replace(link("two"), link("two", inertia=(0.02, 0.02, 0.04)))
    wanted = accelerations(ballesta, tmp_path / "plain", plain)
    found = accelerations(ballesta, tmp_path / "other", URDF[variant], head="\n \n<?xml version='1.0'?>")
    for name in "ab":
        assert found[name] == pytest.approx(wanted[name], rel=1e-4 if variant == "rounded inertia" else 1e-14), name


def test_an_impossible_inertia_is_the_choice_of_the_user(ballesta, tmp_path):
    """Kept: the pendulum of a file with I = 0.09 about its axis, which exceeds the sum of 0.01 and 0.02. Nearest: another one."""
    bodies = (link("base") + '<link name="arm"><inertial><origin xyz="0 0 -.5"/><mass value="2"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".09" '
              'iyz="0" izz=".02"/></inertial></link><joint name="a" type="continuous"><parent link="base"/><child link="arm"/>'
              '<axis xyz="0 1 0"/></joint>')
    with pytest.raises(ballesta.ModelError, match="larger than the sum of the other two.*--mend-inertias.*--as-they-are"):
        accelerations(ballesta, tmp_path / "rejected", bodies)
    kept = accelerations(ballesta, tmp_path / "kept", bodies, as_they_are=True)["a"][0]
    inertia = lambda moment: -2 * 9.81 * 0.5 * np.sin(0.7) / (moment + 2 * 0.25)
    assert kept == pytest.approx(inertia(0.09), rel=1e-13)
    # Second moments 0.05, -0.03, 0.04 of the mass about x, y, z: the negative one becomes zero.
    nearest = accelerations(ballesta, tmp_path / "nearest", bodies, mend_inertias=True)["a"][0]
    assert nearest == pytest.approx(inertia(0.05 + 0.04), rel=1e-13)
    with pytest.raises(ballesta.UsageError, match="exclude each other"):
        accelerations(ballesta, tmp_path / "both", bodies, mend_inertias=True, as_they_are=True)


def test_fixed_links_are_possible_together(ballesta, tmp_path):
    """A cover with an impossible inertia on an arm: only the sum counts."""
    bad = link("cover", mass=0.2, inertia=(1e-4, 1e-4, 9e-4))
    bodies = BODIES + bad + joint("fix", "two", "cover", kind="fixed", limit="")
    found = accelerations(ballesta, tmp_path / "sum", bodies)
    # The same sum in one link.
    own, at = turned(0.1, 0.2, 0.3), np.array([0.1, 0.02, 0])
    frame, place = turned(0.2, 0, 0.4), np.array([0.3, 0, 0.1])
    parts = [(1.0, at, own @ np.diag([0.02, 0.03, 0.04]) @ own.T),
             (0.2, place + frame @ at, frame @ own @ np.diag([1e-4, 1e-4, 9e-4]) @ own.T @ frame.T)]
    mass = sum(part[0] for part in parts)
    com = sum(part[0] * part[1] for part in parts) / mass
    about = sum(i + m * ((d := c - com) @ d * np.eye(3) - np.outer(d, d)) for m, c, i in parts)
    keys = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{about[i, j]!r}"' for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    one = (f'<link name="two"><inertial><origin xyz="{" ".join(map(repr, com.tolist()))}"/><mass value="{mass!r}"/>'
           f'<inertia {keys.replace("np.float64(", "").replace(")", "")}/></inertial></link>')
    wanted = accelerations(ballesta, tmp_path / "one", BODIES.replace(link("two"), one))
    for name in "ab":
        assert found[name] == pytest.approx(wanted[name], rel=1e-12)
    assert 'moved to body' in (tmp_path / "sum/model/model.toml").read_text()


def test_joints_without_inertia_follow_inputs(ballesta, tmp_path):
    """A robot of pictures alone, with a follower."""
    text = ('<robot name="r"><link name="base"/><link name="one"/><link name="two"/>'
            + joint("a", "base", "one") + joint("b", "one", "two", more='<mimic joint="a" multiplier="-2" offset=".1"/>') + "</robot>")
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    model = ballesta.import_model(path, tmp_path / "model")
    result = model.run(inputs={"a.command": 0.5}, stop=2.0)
    assert result["a.position"][-1] == pytest.approx(0.5, abs=1e-6)
    assert result["b.position"][-1] == pytest.approx(-0.9, abs=1e-6)


def test_a_floating_urdf_comes_to_rest_on_a_floor(ballesta, tmp_path):
    """Its weight is the sum of the loads on the floor, which its lowest shape touches."""
    shape = '<collision><origin xyz="{}"/><geometry>{}</geometry></collision>'
    feet = "".join(shape.format(f"{x} {y} -.3", '<sphere radius=".05"/>') for x in (-0.2, 0.2) for y in (-0.2, 0.2))
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="robot">{link("base", mass=5.0, more=feet)}</robot>')
    model = ballesta.import_model(path, tmp_path / "model", floating=True)
    result = model.run(stop=2.0)
    loads = sum(result[name][-1] for name in result.names if name.endswith(".normal_force"))
    assert loads == pytest.approx(5 * 9.81, rel=1e-3)
    assert result["base.position.z"][-1] == pytest.approx(0, abs=2e-3)


def test_a_keyframe_has_positions_speeds_and_controls(ballesta, tmp_path):
    bodies = world(FREE.format('<geom size=".1"/>') + TWO.replace("hinge", "shoulder"),
                   '<actuator><position joint="shoulder" kp="3"/><motor joint="elbow"/></actuator><keyframe><key name="k" '
                   'qpos="1 2 3 .5 .5 .5 .5 .1 .2 .3" qvel=".1 .2 .3 .4 .5 .6 .7 .8 .9" ctrl="-.4 .6"/></keyframe>')
    path = tmp_path / "robot.xml"
    path.write_text(f'<mujoco model="robot">{bodies}</mujoco>')
    model = ballesta.import_model(path, tmp_path / "model", keyframe="k")
    result = model.run(stop=0.01)
    start = {name: result[name][0] for name in result.names}
    assert [start[f"{name}.{what}"] for name in ("hinge", "shoulder", "elbow") for what in ("position", "speed")] == pytest.approx(
        [0.1, 0.7, 0.2, 0.8, 0.3, 0.9])
    text = (tmp_path / "model/model.toml").read_text()
    assert "start = -0.4" in text and "start = 0.6" in text
    # The angular velocity is in axes of the body in MuJoCo: (x, y, z) of the body are (y, z, x) of the world.
    assert "speed = [0.1, 0.2, 0.3, 0.6, 0.4, 0.5]" in text.replace("0.6000000000000001", "0.6"), text[:3000]


def test_solids_that_overlap_at_the_start_are_listed_with_keyframes(ballesta, tmp_path):
    """Two balls 12 mm and 3 mm in the floor; from the keyframe, both are above it."""
    balls = "".join(f'<body pos="{x} 0 {z}"><freejoint/><geom name="{name}" size=".1"/></body>' for name, x, z in (("a", 0, .097), ("b", 1, .088)))
    path = tmp_path / "robot.xml"
    path.write_text(f'<mujoco model="robot"><worldbody><geom name="floor" type="plane" size="1 1 .1"/>{balls}</worldbody><keyframe><key name="up" '
                    'qpos="0 0 .2 1 0 0 0 1 0 .2 1 0 0 0"/></keyframe></mujoco>')
    notes = {}
    for keyframe in (None, "up"):
        ballesta.import_model(path, tmp_path / f"model_{keyframe}", keyframe=keyframe)
        notes[keyframe] = [line for line in (tmp_path / f"model_{keyframe}/model.toml").read_text().splitlines() if "pushes them apart" in line]
    assert len(notes[None]) == 1 and not notes["up"]
    assert all(part in notes[None][0] for part in ('\\"b\\"', '\\"floor\\"', "overlap by 12 mm and 1 other pair", "try --keyframe up"))


def test_what_an_import_leaves_out_is_listed(ballesta, tmp_path):
    """A range of the sum of forces on a joint that a tendon drives too, and sections of an attached model."""
    with_files(tmp_path)
    (tmp_path / "sub.xml").write_text(SUB.replace("<worldbody>", '<option timestep=".001"/><keyframe><key name="k"/></keyframe><worldbody>'))
    path = tmp_path / "robot.xml"
    driven = tendon(rest='<actuator><motor tendon="t"/><motor joint="hinge"/></actuator>').replace(
        'name="hinge"', 'name="hinge" actuatorfrcrange="-1 1"').replace("<worldbody>", '<worldbody><attach model="sub" prefix="s_"/>')
    path.write_text(f'<mujoco model="robot"><asset><model name="sub" file="sub.xml"/></asset>{driven}</mujoco>')
    text = (ballesta.import_model(path, tmp_path / "model") and (tmp_path / "model/model.toml").read_text())
    for note in ("actuatorfrcrange of a joint with several actuators", "<option> of an attached model", "<keyframe> of an attached model"):
        assert note in text, note
