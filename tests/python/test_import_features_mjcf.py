"""MJCF files with one feature each: those that match MuJoCo, those that the import lists, and those that it rejects."""

import struct

import pytest

from test_import import LIMIT, Imported, difference, mujoco, same_settings, theirs
from test_import_features import (ARM, FORE, FREE, HULLED, OPEN, PRISM, SLIDER, SUB, TWO, actuated, mesh, prism, spatial, tendon, with_files,
                                  world)

INERTIAL = '<inertial pos=".1 0 .02" mass="2" diaginertia=".01 .02 .025"{}/>'
BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .1 0"/>'
BALL_ARM = ARM.format('<body name="end" pos=".4 0 0" euler="30 20 10"><joint name="b" type="ball"{}/><geom type="box" size=".05 .02 .1" pos="0 .1 0"/>'
                      '</body>')
SITED = TWO.replace('<joint name="elbow"', '<site name="s" pos=".1 0 0" euler="10 20 30"/><joint name="elbow"')
# Two levels, so that a class of the inner body differs.
NESTED = ('<body childclass="a"><joint name="hinge" axis="0 1 0"/><geom size=".1" pos=".1 0 0"/>{}<body pos=".2 0 0"{}><joint name="elbow" axis="1 0 0"/>'
          '<geom size=".1" pos="0 .1 0"/></body>{}</body>')
# A polynomial becomes a spline through 129 points, whose second derivative deviates.
SPLINE_LIMIT = 2e-6
# The vertices of this hull, which is 5 m long, have single precision.
HULL_LIMIT = 2e-6


def hinge(keys, elbow=""):
    """Two links with attributes of their joints."""
    return TWO.replace('name="hinge"', f'name="hinge" {keys}').replace('name="elbow"', f'name="elbow" {elbow}')


def default(inner, name=""):
    return f'<default><default class="{name}">{inner}</default></default>' if name else f"<default>{inner}</default>"


def compiler(keys):
    return f"<compiler {keys}/>"


def option(keys="", flag=""):
    return f"<option {keys}>" + (f"<flag {flag}/>" if flag else "") + "</option>"


def geom(keys, before=""):
    """A further geom of the first link."""
    return world(ARM.format(f"<geom {keys}/>"), before=before)


def inertial(element, before=""):
    return world(TWO.replace('<joint name="elbow"', element + '<joint name="elbow"'), before=before)


def forearm(keys, before=""):
    """Pose or attributes of the second link."""
    return world(TWO.replace('pos=".4 0 0"', f'pos=".4 0 0" {keys}'), before=before)


def free(keys="", content='<geom type="box" size=".1 .2 .3" pos=".1 .1 0" euler="0 30 0"/>'):
    return FREE.format(content).replace("<freejoint/>", f'<joint type="free" {keys}/>')


def driven(element, bodies=TWO, before=""):
    return world(bodies, f"<actuator>{element}</actuator>", before)


def coupled(element, bodies=TWO):
    return world(bodies, f"<equality>{element}</equality>")


def of_file(name, more="", before=""):
    return mesh(f'file="{name}" {more}') if not before else before + mesh(f'file="{name}" {more}')


def fitted(keys):
    return mesh(PRISM, body=FREE.replace("{}", f'<geom mesh="m" {keys}/><!--{{}}-->'))


def copies(inner, keys='count="2" offset="0 .5 0"'):
    return f"<replicate {keys}>{inner}</replicate>"


def attached(file):
    return world('<attach model="s" prefix="a_"/>' + ARM.format(""), before=f'<asset><model name="s" file="{file}"/></asset>')


def floored(keys):
    return world(ARM.format(f'<geom size=".1" {keys}/>') + '<geom type="plane" size="1 1 .1" pos="0 0 -2"/>')


MATCHING = {
    "mesh with different scales, one negative, and refquat": mesh(f'{PRISM} refpos=".1 0 .05" refquat="1 .5 .2 0" scale="1 1 -.5"'),
    # Defaults
    "range of a control in the class of another kind": driven('<position class="c" joint="hinge"/>', before=default(
        '<motor ctrlrange="-2 2" forcerange="-3 3"/>', "c")),
    "gear in the class of another kind": driven('<general joint="hinge"/>', before=default('<motor gear="7" ctrlrange="-2 2"/>')),
    "own quat and euler of the class": geom('class="c" type="box" size=".1 .05 .02" quat="1 1 0 0"', default('<geom euler="10 20 30"/>', "c")),
    "own density and mass of the class": geom('class="c" size=".1" density="5"', default('<geom mass="3"/>', "c")),
    "density of the class": geom('class="c" size=".1" pos=".1 0 0"', default('<geom density="300"/>', "c")),
    "type of the class": geom('size=".1 .2 .3"', default('<geom type="box"/>')),
    "childclass in a childclass": world(NESTED.format("", ' childclass="b"', ""), before=default(
        '<joint damping=".5"/><geom density="100"/><default class="b"><joint stiffness="3"/></default>', "a")),
    "class inside a childclass": world(NESTED.format("", "", "").replace('name="elbow"', 'name="elbow" class="b"'), before=(
        default('<joint damping=".5" stiffness="2"/>', "a") + default('<joint damping="3"/>', "b"))),
    "class main inside a childclass": world(NESTED.format("", "", "").replace('name="elbow"', 'name="elbow" class="main"'), before=default(
        '<joint stiffness="4"/><default class="a"><joint damping=".5" stiffness="2"/></default>')),
    "two sections of defaults": world(TWO, before=default('<joint damping=".7"/>') + default('<joint stiffness="3"/>')),
    "joint type of the class": world(f'<body><joint class="c"/>{BOX}</body>', before=default('<joint type="slide" axis="1 0 1" damping="2"/>', "c")),
    "point of a joint in the class": world(TWO, before=default('<joint pos=".1 .2 .3"/>')),
    "class of a mesh": world(HULLED, before=default('<mesh scale=".5 .5 .5"/>', "c") + f'<asset><mesh name="m" class="c" {PRISM}/></asset>'),
    "mesh in the class of a geom": world(FREE.format('<geom class="c"/>'), before=(
        default('<geom type="mesh" mesh="m"/>', "c") + f'<asset><mesh name="m" {PRISM}/></asset>')),
    "point of a site in the class": world(ARM.format('<site name="s" class="c"/>'), before=default('<site pos=".1 .2 .3"/>', "c")),
    "range and friction in the class": world(hinge('class="c"'), before=default('<joint range="-10 20" frictionloss=".2"/>', "c")),
    "no limits and range of the class": world(hinge('limited="false"'), before=default('<joint range="-10 20"/>')),
    "empty range and range of the class": world(hinge('range="0 0"'), before=default('<joint range="-10 20"/>')),
    "limited in the class": world(hinge('range="-1 2"'), before=compiler('autolimits="false"') + default('<joint limited="true" range="-3 3"/>')),
    "springref and ref in the class": world(hinge('stiffness="4"'), before=default('<joint springref="40" ref="5"/>')),
    "no armature and armature of the class": world(hinge('armature="0"'), before=default('<joint armature=".3"/>')),
    "armature and damping in the class of an actuator": driven('<motor joint="hinge" gear="3"/>', before=default('<motor armature=".1" damping=".2"/>')),
    "freejoint without its class": world(FREE.format(BOX), before=default('<joint damping="3" armature=".5"/>')),
    "free joint with its class": world(free(), before=default('<joint damping="3" armature=".5"/>')),
    "class of a tendon": world(TWO, '<tendon><fixed class="c" name="t"><joint joint="hinge" coef="2"/></fixed></tendon>',
                               default('<tendon stiffness="7" range="-1 1" frictionloss=".2"/>', "c")),
    "springdamper in the class": world(TWO, before=default('<joint springdamper=".3 .7"/>')),
    "dampratio in the class": driven('<position joint="hinge"/>', before=default('<position kp="5" dampratio=".8"/>')),
    "actuatorfrcrange in the class": driven('<position joint="hinge" kp="400"/>', before=default('<joint actuatorfrcrange="-2 1"/>')),
    "damping of the outer class and stiffness of the inner one": driven('<position joint="hinge" class="c"/>', before=(
        '<default><position kp="5" kv="1"/><default class="c"><position kp="9"/></default></default>')),
    "bias of the outer class and gain of the inner one": driven('<general joint="hinge" class="c"/>', before=(
        '<default><general gainprm="5" biastype="affine" biasprm="0 -5 -1"/><default class="c"><general gainprm="9"/></default></default>')),
    "dampratio and kv of the class": driven('<position joint="hinge" dampratio="1"/>', before=default('<position kp="5" kv="2"/>')),
    "timeconst 0 and timeconst of the class": driven('<position joint="hinge" kp="3" timeconst="0"/>', before=default('<position timeconst=".1"/>')),
    "forcelimited false in the class": driven('<motor joint="hinge" gear="50" forcerange="-1 1"/>', before=default('<general forcelimited="false"/>')),
    "limited auto and limited of the class": world(hinge('limited="auto"'), before=default('<joint limited="true" range="-10 20"/>')),
    "one number of gear and six of the class": driven('<motor joint="hinge" gear="2"/>', before=default('<motor gear="3 0 0 1 1 1"/>')),
    "springlength and dead band of the class": world(TWO, '<tendon><fixed stiffness="3" springlength=".2"><joint joint="hinge" coef="2"/></fixed></tendon>',
                                                     default('<tendon springlength=".1 .5"/>')),
    "gain and damping of a general class": driven('<position joint="hinge"/>', before=default(
        '<general gainprm="50" biastype="affine" biasprm="3 -50 -5"/>')),
    "stiffness over a general class": driven('<position joint="hinge" kp="7"/>', before=default('<general gainprm="50" biasprm="0 -4 -5"/>')),
    "velocity over a general class": driven('<velocity joint="hinge"/>', before=default('<general gainprm="50" biastype="affine" biasprm="3 -5 -5"/>')),
    "general over a class of positions": driven('<general joint="hinge"/>', before=default('<position kp="50" kv="3"/>')),
    "general with one number over a class of positions": driven('<general joint="hinge" biasprm="1"/>', before=default('<position kp="50" kv="3"/>')),
    "general over a damping ratio": driven('<general joint="hinge"/>', before=default('<position kp="50" dampratio="1"/>')),
    "general over positions and velocities": driven('<general joint="hinge"/>', before=default('<position kp="50" kv="3"/><velocity kv="2"/>')),
    "position over a class of velocities": driven('<position joint="hinge" kp="3"/>', before=default('<velocity kv="7"/>')),
    "velocity over a class of positions": driven('<velocity joint="hinge"/>', before=default('<position kp="5" kv="2"/>')),
    "position over a class of motors": driven('<position joint="hinge"/>', before=default('<position kp="5" kv="2"/><motor/>')),
    "position inside a class of velocities": driven('<position joint="hinge" class="c"/>', before=(
        '<default><position kp="5" kv="2"/><default class="c"><velocity kv="3"/></default></default>')),
    "position over another kind of dynamics": driven('<position joint="hinge"/>', before=default('<general dyntype="filter" dynprm=".3" gainprm="4"/>')),
    "motor over a class of positions": driven('<motor joint="hinge"/>', before=default('<position kp="50" kv="3" timeconst=".1"/>')),
    "motor over a class of affine gains": driven('<motor joint="hinge"/>', before=default('<general gaintype="affine" gainprm="1 2 3" dyntype="filter"/>')),
    "one number of biasprm": driven('<general joint="hinge" biasprm="1"/>', before=default('<general gainprm="3" biastype="affine" biasprm="0 -2 -3"/>')),
    "one size of a box and three of the class": geom('class="c" type="box" size=".1"', default('<geom size=".2 .3 .4"/>', "c")),
    "speed gain over the damping ratio of the class": driven('<position joint="hinge" kv="1"/>', before=default('<position kp="5" dampratio="2"/>')),
    "damping ratio of a general actuator": driven('<general joint="hinge" gainprm="3" biastype="affine" biasprm="0 -3 2"/>'),
    "inherited range over the range of the class": driven('<position joint="hinge" inheritrange="1"/>', hinge('range="-50 80"'),
                                                          default('<position ctrlrange="-1 1"/>')),
    "range over the inherited range of the class": driven('<position joint="hinge" ctrlrange="-1 1"/>', hinge('range="-50 80"'),
                                                          default('<position inheritrange="1"/>')),
    "no inherited range in a class of an inherited range": driven('<position joint="hinge" class="c"/>', hinge('range="-50 80"'), (
        '<default><position inheritrange="1"/><default class="c"><position ctrlrange="-1 1" inheritrange="0"/></default></default>')),
    "motor over an inherited range": driven('<motor joint="hinge"/>', hinge('range="-50 80"'), default('<position inheritrange="1" kp="3"/>')),
    "inherited range without ctrllimited": driven('<position joint="hinge" inheritrange="1" ctrllimited="false"/>', hinge('range="-50 80"')),
    "inherited range of a joint without limits": driven('<position joint="hinge" inheritrange="1"/>', hinge('range="-50 80" limited="false"')),
    "inheritrange in the class": driven('<position joint="hinge"/>', hinge('range="-50 80"'), default('<position inheritrange="1.2" kp="5"/>')),
    # Masses
    "inertiafromgeom false": inertial(INERTIAL.format(""), compiler('inertiafromgeom="false"')).replace(
        '<geom type="capsule"', INERTIAL.format("") + '<geom type="capsule"'),
    "inertial with euler": inertial(INERTIAL.format(' euler="10 20 30"')),
    "inertial with a long quaternion": inertial(INERTIAL.format(' quat="2 1 0 0"')),
    "balanceinertia of a full inertia": inertial('<inertial pos=".1 0 .02" mass="2" fullinertia=".01 .02 .05 .001 .002 -.003"/>',
                                                 compiler('balanceinertia="true"')),
    "boundinertia of a turned box": geom('type="box" size=".01 .02 .3" euler="10 20 30" pos="0 .1 0"', compiler('boundinertia=".05"')),
    "boundmass and boundinertia with several joints": world(ARM.format('<joint axis="0 0 1" pos=".1 0 0"/>'),
                                                            before=compiler('boundmass=".3" boundinertia=".01"')),
    "inertiafromgeom without geoms": world(TWO.replace('<geom type="box" size=".1 .02 .03" pos=".1 0 0"/>', INERTIAL.format("")),
                                           before=compiler('inertiafromgeom="true"')),
    "inertiafromgeom with geoms without mass": world(TWO.replace('<geom type="box" size=".1 .02 .03" pos=".1 0 0"/>', INERTIAL.format("")
                                                                 + '<geom size=".1" mass="0"/><geom size=".1" group="4"/>'),
                                                     before=compiler('inertiafromgeom="true" inertiagrouprange="0 3"')),
    "settotalmass with several joints": world(ARM.format('<joint axis="0 0 1" pos=".1 0 0"/>'), before=compiler('settotalmass="3"')),
    "settotalmass with a body of the world": world(TWO + '<body pos="1 0 0"><geom size=".2"/></body><geom size="1"/>', before=compiler('settotalmass="3"')),
    "settotalmass and boundmass": world(TWO, before=compiler('settotalmass="3" boundmass=".9"')),
    "inertiagrouprange and the group of a class": geom('class="v" size=".1" pos=".1 .2 .3"', compiler('inertiagrouprange="0 1"')
                                                       + default('<geom group="2"/>', "v")),
    "discardvisual": geom('size=".1" pos=".1 .2 .3" contype="0" conaffinity="0"', compiler('discardvisual="true"')),
    "fusestatic": world(ARM.format(f'<body pos=".1 .2 .3" euler="10 20 30">{BOX}<body pos=".1 0 0"><joint axis="1 0 0"/>{BOX}</body></body>'),
                        before=compiler('fusestatic="true"')),
    "fixed body": world(ARM.format(f'<body pos=".1 .2 .3" euler="10 20 30">{BOX}</body>')),
    "body without geoms between two others": world(ARM.format(f'<body pos=".1 .2 .3" euler="10 20 30"><body><joint axis="1 0 0"/>{BOX}</body></body>')),
    "moving body without geoms": world(f'<body><joint axis="1 0 0"/><body pos="0 0 .1">{BOX}</body></body>'),
    "mass 0 with a density": geom('size=".1" mass="0" density="500" pos=".1 .2 0"'),
    "density 0": geom('size=".1" density="0" pos=".1 .2 0"'),
    "heavy geoms of the world": world('<geom type="plane" size="1 1 .1"/><geom size=".5" pos="3 0 0"/>' + TWO),
    "fromto of a box": geom('type="box" size=".02" fromto="0 0 0 .1 .2 .3"'),
    "fromto of a cylinder with a length": geom('type="cylinder" size=".02 .7" fromto="0 0 0 .1 .2 .3"'),
    "fromto downwards": geom('type="box" size=".02" fromto="0 0 .3 0 0 0"'),
    "fromto in a frame": world(ARM.format('<frame pos=".1 0 0" euler="0 40 0"><geom type="cylinder" size=".02" fromto="0 0 0 .1 .2 .3"/></frame>')),
    "more sizes than needed": geom('type="sphere" size=".1 .2 .3"'),
    # Joints
    "spring of a ball joint": world(BALL_ARM.format(' stiffness="3"')),
    "point of a ball joint with spring and damper": world(BALL_ARM.format(' stiffness="3" damping=".2" pos=".02 .03 .05"')),
    "armature of a ball joint": world(BALL_ARM.format(' armature=".1"')),
    "range of a ball joint": world(BALL_ARM.format(' range="0 40"')),
    "ref and axis of a ball joint": world(BALL_ARM.format(' ref="30" springref="20" axis="1 1 1" stiffness="1"')),
    "point of a free joint": world(free('pos="1 2 3"')),
    "free joint in a frame": world(f'<frame pos="1 2 3" euler="10 20 30">{free()}</frame>'),
    "free joint in a frame of its body": world(f'<body euler="10 0 20"><frame pos=".1 0 0" euler="0 0 40"><freejoint/></frame>{BOX}</body>'),
    "alignfree": world(f'<body pos="1 0 0" euler="10 0 20"><freejoint/>{BOX}</body>', before=compiler('alignfree="true"')),
    "three slides and a ball": world('<body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
                                     f'<joint type="ball"/>{BOX}</body>'),
    "three hinges with springs at three points": world('<body euler="10 0 20"><joint axis="1 0 0" pos=".1 0 0" stiffness="2"/><joint axis="0 1 0" '
                                                       f'pos="0 .1 0" ref="20" damping=".3"/><joint axis="0 0 1" armature=".1"/>{BOX}</body>'),
    "hinge and slide of one body with ref": world(f'<body euler="10 0 20"><joint axis="1 0 0" ref="20"/><joint type="slide" axis="0 1 0" ref=".3"/>{BOX}'
                                                  '</body>'),
    "joint in nested frames": world('<body euler="10 0 20"><frame pos=".1 0 0" euler="0 0 40"><frame euler="20 0 0"><joint axis="1 0 0" pos="0 .1 0"/>'
                                    f'</frame></frame>{BOX}</body>'),
    "joints in a frame and after it": world(f'<body><frame euler="0 0 40"><joint axis="1 0 0"/></frame><joint axis="0 1 0"/>{BOX}</body>'),
    "axis of another length": world(TWO.replace('axis="0 1 0"', 'axis="0 3 4"')),
    "no axis": world(TWO.replace('axis="0 1 0"', "")),
    "springref outside of the range": world(hinge('springref="70" stiffness="3" range="-20 60"')),
    "range around ref": world(hinge('ref="45" range="30 60"')),
    "range in descending order": world(hinge('range="20 -10"')),
    "springdamper and stiffness": world(hinge('springdamper=".3 .7" stiffness="5" damping="1"')),
    "springdamper and a tendon": world(hinge('springdamper=".2 1"'), '<tendon><fixed><joint joint="hinge" coef="1"/><joint joint="elbow" coef="1"/>'
                                       "</fixed></tendon>"),
    "dampratio and a tendon with armature": tendon('armature=".4"', rest='<actuator><position joint="hinge" kp="3" dampratio="1"/></actuator>'),
    "springdamper and armature of an actuator": driven('<motor joint="hinge" armature=".2" gear="2"/>', hinge('springdamper=".3 .7"')),
    "gravcomp above 1": forearm('gravcomp="1.5"'),
    "negative gravcomp": forearm('gravcomp="-1"'),
    "gravcomp with another gravity": forearm('gravcomp="1"', option('gravity="1 2 -3"')),
    "gravcomp of a fixed body": world(ARM.format('<body pos="0 .1 .2" gravcomp="1"><geom size=".1"/></body>')),
    "gravcomp and settotalmass": forearm('gravcomp="1"', compiler('settotalmass="7"')),
    "gravcomp of a free joint with armature": world(free('armature=".7"').replace('name="base"', 'name="base" gravcomp=".5"')),
    "gravcomp in copies": world(copies(TWO.replace('name="fore"', 'name="fore" gravcomp=".7"'))),
    # Meshes
    "mirrored mesh, legacy": mesh(f'{PRISM} scale="-1 1 1"'),
    "mirrored along all axes": mesh(f'{PRISM} scale="-1 -1 -1"'),
    "mirrored convex mesh": mesh(f'{PRISM} scale="-1 1 1" inertia="convex"'),
    "mirrored shell": mesh(f'{PRISM} scale="1 -1 1" inertia="shell"'),
    "mirrored open mesh": mesh(f'{OPEN} scale="1 1 -1"'),
    "refpos alone": mesh(f'{PRISM} refpos=".1 .2 .3"'),
    "turned mesh with refpos and refquat": mesh(f'{PRISM} refpos=".1 0 .05" refquat="1 .5 .2 0"', 'pos=".1 .2 .3" euler="10 20 30"'),
    "density of a mesh": mesh(PRISM, 'density="300"'),
    "mesh of mass 0": mesh(PRISM, body=FREE.replace("{}", '<geom size=".1"/><geom type="mesh" mesh="m" mass="0"/><!--{}-->')),
    "obj with quadrangles": of_file("quads.obj"),
    "obj with negative indices": of_file("negative.obj"),
    "obj with normals and materials": of_file("normals.obj"),
    "obj with a vertex without faces": of_file("unused.obj"),
    "convex obj with a vertex without faces": (of_file("unused.obj", 'inertia="convex"'), HULL_LIMIT),
    "obj with a face without area": of_file("degenerate.obj"),
    "obj with inverted faces": of_file("inverted.obj"),
    "ending in upper case": of_file("UPPER.OBJ"),
    "msh with normals and textures": of_file("normals.msh"),
    "meshdir": of_file("folded.obj", before=compiler('meshdir="sub"')),
    "assetdir with a slash": of_file("folded.obj", before=compiler('assetdir="sub/"')),
    "meshdir before assetdir": of_file("folded.obj", before=compiler('meshdir="sub" assetdir="none"')),
    "strippath": of_file("a/b/folded.obj", before=compiler('meshdir="sub" strippath="true"')),
    "mesh named by its file": world(FREE.format('<geom type="mesh" mesh="folded"/>'), before='<asset><mesh file="sub/folded.obj"/></asset>'),
    "fitted box": fitted('type="box"'),
    "fitted capsule at a point": fitted('type="capsule" pos=".1 0 0"'),
    "fitted sphere with fitscale": fitted('type="sphere" fitscale="1.5"'),
    "fitted box with a mass": fitted('type="box" mass="3"'),
    "fitaabb": compiler('fitaabb="true"') + fitted('type="box" euler="0 20 0"'),
    "box with the mesh of its class": world(FREE.format('<geom class="c" type="box" size=".1 .1 .1"/>'), before=(
        default('<geom type="mesh" mesh="m"/>', "c") + f'<asset><mesh name="m" {PRISM}/></asset>')),
    # Generated bodies and files
    "copies in a body": world(ARM.format(copies(f'<body><joint axis="1 0 0"/>{BOX}</body>', 'count="3" offset=".1 0 0" euler="0 20 0"'))),
    "copies turned in radian": world(copies(ARM.format(""), 'count="2" euler="0 .3 .3" offset=".1 0 0"'), before=compiler('angle="radian"')),
    "copies turned about three axes": world(copies(ARM.format(""), 'count="4" euler="10 20 30" offset=".1 0 0"')),
    "copies with a coupling": world(copies(TWO, 'count="3"'), '<equality><joint name="q" joint1="elbow" joint2="hinge" polycoef="0 2 0 0 0"/></equality>'),
    "copies with an exclusion": world(copies(TWO, 'count="3"'), '<contact><exclude body1="arm" body2="fore"/></contact>'),
    "copies turned by another sequence": world(copies(ARM.format(""), 'count="2" euler="10 20 30" offset=".1 0 0"'), before=compiler('eulerseq="zYx"')),
    "copies with a tendon": world(copies(TWO), '<tendon><fixed name="t" stiffness="3"><joint joint="hinge" coef="1"/><joint joint="elbow" coef="2"/>'
                                               "</fixed></tendon>"),
    "childclass of copies": world(copies(TWO, 'count="2" offset="0 1 0" childclass="c"'), before=default('<joint damping="2"/>', "c")),
    "copies without names": world(copies(f'<body><joint axis="0 1 0"/>{BOX}</body>')),
    "frame in copies": world(copies(f'<frame pos="0 0 1" euler="0 0 10">{TWO}</frame>', 'count="2" offset="1 0 0" euler="0 30 0"')),
    "copies in a frame": world(f'<frame pos="0 0 1" euler="0 20 10">{copies(TWO)}</frame>'),
    "frames in frames": world(f'<frame pos="1 0 0"><frame euler="0 0 30"><frame pos="0 1 0">{TWO}</frame></frame></frame>'),
    "frame with a childclass in a childclass": world(NESTED.format('<frame childclass="b">', "", "</frame>"), before=(
        default('<joint damping=".5"/>', "a") + default('<joint stiffness="3"/>', "b"))),
    "frame inside a childclass": world(NESTED.format('<frame pos=".1 0 0">', "", "</frame>"), before=default('<joint damping=".5"/>', "a")),
    "xyaxes of a frame": world(f'<frame pos="1 0 0" xyaxes="0 1 0 0 0 1">{TWO}</frame>'),
    "include in a body": world(ARM.format('<include file="fore.xml"/>')),
    "include of a whole model": '<include file="whole.xml"/>' + world(TWO),
    "include from a folder": '<include file="sub/asset.xml"/>' + world(HULLED),
    "include in the defaults": default('<include file="damping.xml"/>') + world(TWO),
    "include in an include": '<include file="outer.xml"/>' + world(TWO),
    "include in the assets": "<asset><include file='mesh.xml'/></asset>" + world(HULLED),
    "attached model with its own sequence of angles": attached("sequence.xml"),
    "attached model with a coupling": attached("coupled.xml"),
    "attached model with a tendon": attached("tendon.xml"),
    "two sections of bodies": world(TWO) + world(ARM.format("").replace('"arm"', '"other"').replace('"hinge"', '"last"')),
    # Frames and angles
    "zaxis downwards": forearm('zaxis="0 0 -1"'),
    "xyaxes that are not orthogonal": forearm('xyaxes="1 .2 0 .3 1 .4"'),
    "long quaternion": forearm('quat="3 1 2 0"'),
    "axisangle in radian": forearm('axisangle="1 2 3 .7"', compiler('angle="radian"')),
    "eulerseq of fixed and moving axes": forearm('euler="30 20 10"', compiler('eulerseq="xYz"')),
    "eulerseq with an axis twice": forearm('euler="30 20 10"', compiler('eulerseq="zxz"')),
    "two compilers": forearm('euler=".3 .2 .1"', compiler('angle="radian"') + compiler('eulerseq="zyx"')),
    "compiler at the end": forearm('euler=".3 .2 .1"') + compiler('angle="radian"'),
    # Tendons
    "friction and range of a tendon": tendon('frictionloss=".3" range="-1 2"'),
    "range of a tendon with ref": world(hinge('ref="20"'), '<tendon><fixed name="t" range="-1 2"><joint joint="hinge" coef="2"/></fixed></tendon>'),
    "tendon without limits": tendon('range="-1 2" limited="false"'),
    "springlength -1": tendon('stiffness="4" springlength="-1"'),
    "factor 0": tendon('stiffness="4"', (("hinge", 0.0), ("elbow", 1.0))),
    "tendon of one joint with a negative factor": tendon('stiffness="4" damping=".1"', (("hinge", -2.0),)),
    "two tendons of the same joints": tendon('stiffness="4"', more='<fixed damping="2"><joint joint="elbow" coef="1"/><joint joint="hinge" coef="1"/>'
                                                                   "</fixed>"),
    "motor on a tendon with a force range": tendon(rest='<actuator><motor tendon="t" gear="-100" forcerange="-1 2"/></actuator>'),
    "position on a tendon with ref": driven('<position tendon="t" kp="3"/>', hinge('ref="20"')).replace(
        "<actuator>", '<tendon><fixed name="t"><joint joint="hinge" coef="2"/></fixed></tendon><actuator>'),
    "general on a tendon": tendon(rest='<actuator><general tendon="t" gainprm="3" biastype="affine" biasprm="1 -2 -3" gear="2"/></actuator>'),
    "armature and damping of a motor on a tendon": tendon(rest='<actuator><motor tendon="t" gear="2" armature=".1" damping=".2"/></actuator>'),
    "damper of a spatial tendon": spatial('damping="3"'),
    "springlength 0 of a spatial tendon": spatial('stiffness="30" springlength="0"'),
    "motor that pulls a spatial tendon": spatial(rest='<actuator><motor tendon="t" gear="-3" ctrlrange="0 1"/></actuator>'),
    "site between two points": world(ARM.format('<site name="s" type="capsule" size=".01" fromto="0 0 0 .1 .2 .3"/>')),
    "sites in frames": world('<site name="w" pos="0 .2 1"/>' + ARM.format('<frame pos=".1 0 0" euler="0 30 0"><site name="a" pos=".2 0 .05"/></frame>'),
                             '<tendon><spatial stiffness="30"><site site="w"/><site site="a"/></spatial></tendon>'),
    # Actuators
    "six numbers of gear": actuated('<motor joint="hinge" gear="2 0 0 0 0 0"/>'),
    "affine bias without numbers": actuated('<general joint="hinge" gainprm="2" biastype="affine"/>'),
    "numbers without a bias": actuated('<general joint="hinge" biasprm="1 2 3"/>'),
    "gain 0": actuated('<general joint="hinge" gainprm="0" biastype="affine" biasprm="0 -3 -1"/>'),
    "dyntype none": actuated('<general joint="hinge" dyntype="none" dynprm=".1" gainprm="3"/>'),
    "ten numbers": actuated('<general joint="hinge" gainprm="3 0 0 0 0 0 0 0 0 0" biastype="affine" biasprm="1 -2 -3 0 0 0 0 0 0 0"/>'),
    "forcelimited false": actuated('<motor joint="hinge" gear="20" forcelimited="false" forcerange="-1 1"/>'),
    "forcelimited without autolimits": driven('<motor joint="hinge" gear="20" forcelimited="true" forcerange="-1 1"/>',
                                              before=compiler('autolimits="false"')),
    "ctrllimited false": actuated('<motor joint="hinge" ctrllimited="false" ctrlrange="1 2"/>'),
    "negative gear and force range": actuated('<motor joint="hinge" gear="-20" forcerange="-1 3"/>'),
    "gear 0": actuated('<motor joint="hinge" gear="0"/>'),
    "ctrlrange in rad": actuated('<position joint="hinge" kp="3" ctrlrange="-90 90"/>'),
    "half of the inherited range with ref": driven('<position joint="hinge" inheritrange=".5"/>', hinge('range="-50 80" ref="10"')),
    "inherited range of a slide": driven('<position joint="slide" inheritrange="1"/>', SLIDER.replace('name="slide"', 'name="slide" range="-1 2"')),
    "inherited range of a tendon": tendon('range="-1 2"', rest='<actuator><position tendon="t" inheritrange="1"/></actuator>'),
    "inherited range of a general actuator": driven('<general joint="hinge" inheritrange="1" gainprm="3" biastype="affine" biasprm="0 -3"/>',
                                                    hinge('range="-50 80"')),
    "actuatorfrcrange and forcerange": driven('<position joint="hinge" kp="400" forcerange="-1.5 7"/>', hinge('actuatorfrcrange="-2 1"')),
    "actuatorfrclimited false": driven('<position joint="hinge" kp="400"/>', hinge('actuatorfrcrange="-2 1" actuatorfrclimited="false"')),
    "actuatorfrcrange and damping of an actuator": driven('<motor joint="hinge" gear="100" damping="5"/>', hinge('actuatorfrcrange="-2 1"')),
    "velocity with gear": actuated('<velocity joint="hinge" kv="3" gear="2"/>'),
    "velocity without kv": actuated('<velocity joint="hinge"/>'),
    "position of a slide with ref": driven('<position joint="slide" kp="30" kv="2"/>', SLIDER.replace('name="slide"', 'name="slide" ref=".3"')),
    "position of a hinge with ref and gear": driven('<position joint="hinge" kp="30" gear="2"/>', hinge('ref="40"')),
    "negative kp": actuated('<position joint="hinge" kp="-3"/>'),
    "dampratio and armatures": driven('<position joint="hinge" kp="5" dampratio="1" armature=".1"/>', hinge('armature=".3"')),
    "dampratio of a slide": driven('<position joint="slide" kp="5" dampratio="1"/>', SLIDER),
    "dampratio below a ball joint": driven('<position joint="last" kp="3" dampratio="1"/>', BALL_ARM.format("").replace(
        "</body></body>", f'<body><joint name="last" axis="1 0 0"/>{BOX}</body></body></body>')),
    "actuators before the bodies": '<actuator><motor joint="hinge" gear="2"/></actuator>' + world(TWO),
    "two sections of actuators": actuated('<motor joint="hinge" gear="2"/>') + '<actuator><motor joint="elbow" gear="3"/></actuator>',
    "actuators with the names of joints": actuated('<motor name="elbow" joint="hinge" gear="2"/><motor name="hinge" joint="elbow"/>'),
    "names with slashes and spaces": driven('<motor name="a/b c" joint="a/j" gear="2"/><motor name="a.b-c" joint="elbow"/>',
                                            TWO.replace("hinge", "a/j").replace('"arm"', '"a/arm 1"')),
    "names of digits": world(TWO.replace('"arm"', '"0"').replace('"fore"', '"1.5"')),
    "joint with the name of its body": world(TWO.replace('"hinge"', '"arm"')),
    "body with the name of the ground": world(TWO.replace('"arm"', '"ground"')),
    "long names that begin alike": world(TWO.replace('"arm"', f'"{250 * "a"}"').replace('"fore"', f'"{250 * "a"}b"')),
    "names like those of elements without a name": world(
        TWO.replace('name="fore"', "").replace('name="elbow"', "").replace('"arm"', '"body_2"').replace('"hinge"', '"body_2_2.joint"')),
    "no names": world(TWO.replace('name="arm"', "").replace('name="fore"', "").replace('name="hinge"', "").replace('name="elbow"', "")),
    "empty name": world(TWO.replace('"arm"', '""')),
    "names with quotes and backslashes": world(TWO.replace('"arm"', "'a\"b\\c'")),
    "names with umlauts": driven('<motor name="größe" joint="gelenk_ä"/>', TWO.replace("hinge", "gelenk_ä")),
    # Equality
    "coupling with ref": coupled('<joint joint1="elbow" joint2="hinge" polycoef=".1 2 0 0 0"/>', hinge('ref="20"', 'ref="-10"')),
    "coupling without numbers": coupled('<joint joint1="elbow" joint2="hinge"/>'),
    "coupling with one number": coupled('<joint joint1="elbow" joint2="hinge" polycoef=".2"/>'),
    "coupling with the factor 0": coupled('<joint joint1="elbow" joint2="hinge" polycoef=".3 0 0 0 0"/>'),
    "coupling with two numbers": coupled('<joint joint1="elbow" joint2="hinge" polycoef="0 -2"/>'),
    "polynomial with ref": (coupled('<joint joint1="elbow" joint2="hinge" polycoef=".1 2 .3 .1 .05"/>', hinge('range="-60 60" ref="20"', 'ref="10"')),
                            SPLINE_LIMIT),
    "held joint": coupled('<joint joint1="elbow" polycoef=".3 0 0 0 0"/>', hinge("", 'ref="20"')),
    # Options and text
    "shorter time step": world(TWO, before=option('timestep=".0001"')),
    "longer time step": world(TWO, before=option('timestep=".01"')),
    "two options": world(TWO, before=option('gravity="0 0 -1"') + option('timestep=".0002"')),
    "options of the solver": world(TWO, before=option('integrator="implicitfast" cone="elliptic" impratio="10" solver="CG" iterations="50"')),
    "no contacts": world(TWO, before=option(flag='contact="disable"')),
    "sizes, statistic, visual and custom": (
        '<size memory="1M" nuser_body="1"/><statistic extent="2" meanmass="3"/><visual><global azimuth="3"/><map force="2"/><rgba haze="1 0 0 1"/>'
        '</visual><custom><numeric name="a" data="1 2"/><text name="b" data="x"/><tuple name="c"><element objtype="body" objname="arm"/></tuple>'
        "</custom>" + world(TWO)),
    "cameras and lights": world(ARM.format('<camera pos="0 0 1" mode="track"/><light pos="0 0 2" dir="0 0 -1"/>') + "<light/><camera/>"),
    "textures and materials": world(TWO.replace('size=".03"', 'size=".03" material="m"'), before=(
        '<asset><texture name="t" type="2d" builtin="checker" width="8" height="8"/><texture type="skybox" builtin="gradient" width="8" height="8"/>'
        '<material name="m" texture="t" rgba="1 0 0 1" reflectance=".3"/></asset>')),
    "friction of contacts in the class": floored('class="c"').replace("<worldbody>", default('<geom condim="6" friction=".5 .1 .1"/>', "c")
                                                                      + "<worldbody>"),
    "one number of friction": floored('friction=".5"'),
    "entities in names": world(TWO.replace('"arm"', '"a&amp;b"').replace('"hinge"', '"h&lt;1&gt;"')),
    "exponents, signs, tabs and line ends": world(TWO.replace('size=".03"', 'size="\n3e-2\t"').replace('pos=".4 0 0"', 'pos="  +4.0E-1 0. -.0 "')),
    "single quotes": world(TWO.replace('"', "'")),
}


# With the feature, without it, and the text of the list.
def listed(content, feature, note, instead=""):
    assert feature in content
    return content, content.replace(feature, instead), note


# As a tuple: the content, MuJoCo's equivalent and the text of the list, which may be empty.
LISTED = {
    # Joints and bodies
    "polynomial damping": listed(world(hinge('damping=".3 .2 .1"')), ".3 .2 .1", "damping of <joint>: only the linear term", ".3"),
    "polynomial stiffness": listed(world(hinge('stiffness="3 2 1"')), "3 2 1", "stiffness of <joint>: only the linear term", "3"),
    "springyield": listed(world(hinge('stiffness="3" springyield="2"')), 'springyield="2"', "springyield of <joint>"),
    "friction of a ball joint": listed(world(BALL_ARM.format(' frictionloss=".1"')), 'frictionloss=".1"', "frictionloss of a ball joint"),
    "springdamper of a ball joint": listed(world(BALL_ARM.format(' springdamper=".1 1"')), 'springdamper=".1 1"', "springdamper of <joint>"),
    "friction of a free joint": listed(world(free('frictionloss=".4"')), 'frictionloss=".4"', "frictionloss of a free joint"),
    "stiffness of a free joint": listed(world(free('stiffness="4"')), 'stiffness="4"', "stiffness of a free joint"),
    "range of a free joint": listed(world(free('range="0 1"')), 'range="0 1"', "range of a free joint"),
    "actuatorgravcomp": listed(world(hinge('actuatorgravcomp="true"').replace('name="arm"', 'name="arm" gravcomp="1"'), '<actuator><motor joint="hinge" '
                                     'forcerange="-1 1"/></actuator>'), 'actuatorgravcomp="true"', "actuatorgravcomp of <joint>"),
    "mocap": listed(world(f'<body name="target" mocap="true" pos="1 2 3">{BOX}</body>' + TWO), 'mocap="true"',
                    "mocap of <body>: the body is fixed at its pose in the file"),
    "user of a body": listed('<size nuser_body="1"/>' + forearm('user="3"'), 'user="3"', "user of <body>"),
    # Geoms and meshes
    "fromto of an ellipsoid": listed(geom('type="ellipsoid" size=".02 .05 .1" fromto="0 0 0 .1 .2 .3"'), "", "shape of a geom of type ellipsoid"),
    "inheritrange without a range": (driven('<general joint="hinge" inheritrange="1" gainprm="3" biastype="affine" biasprm="0 -2"/>'),
                                     driven('<general joint="hinge" gainprm="3" biastype="affine" biasprm="0 -2"/>'), ""),
    "concave faces of an obj": (of_file("concave.obj", 'inertia="exact"'), mesh(f'{PRISM} inertia="exact"'), ""),
    "height field on a moving body": listed(geom('type="hfield" hfield="h"', '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 .1 .1"/></asset>'),
                                            '<geom type="hfield" hfield="h"/>', "mass of a geom of type hfield"),
    "maxhullvert": listed(mesh(f'{PRISM} maxhullvert="6"'), 'maxhullvert="6"', "maxhullvert of <mesh>: the hull uses all vertices"),
    "surface that moves": listed(floored('surfacevel="1 0 0 0 0 0"'), 'surfacevel="1 0 0 0 0 0"', "surfacevel of <geom>"),
    "gap of a pair": listed(floored('name="g"').replace('type="plane"', 'name="f" type="plane"') + '<contact><pair geom1="g" geom2="f" margin=".1" '
                            'gap=".1"/></contact>', "", "gap of <pair>: contact forces act only on overlap"),
    "layers of a material": listed(world(TWO, before='<asset><texture name="t" type="2d" builtin="checker" width="8" height="8"/><material name="m">'
                                         '<layer texture="t" role="rgb"/></material></asset>'), "", "<layer>"),
    # Options
    **{f"flag {name}": listed(world(hinge('stiffness="3" damping=".2" frictionloss=".1" range="-1 3"'), before=option(flag=f'{name}="disable"')),
                              f'{name}="disable"', f'{name}="disable\\" of <flag>: these loads act'.replace('="d', '=\\"d'))
       for name in ("spring", "damper", "frictionloss", "limit", "constraint", "equality")},
    "flag actuation": listed(driven('<position joint="hinge" kp="3" ctrlrange="1 2"/>', before=option(flag='actuation="disable"')),
                             'actuation="disable"', "of <flag>: these loads act"),
    "flag clampctrl": listed(driven('<position joint="hinge" kp="3" ctrlrange="1 2"/>', before=option(flag='clampctrl="disable"')),
                             'clampctrl="disable"', "of <flag>: these loads act"),
    "override of contacts": listed(world(TWO, before=option('o_margin=".1"', 'override="enable"')), "", "override of <flag>"),
    "disabled group of actuators": listed(driven('<motor joint="hinge" group="1"/>', before=option('actuatorgroupdisable="1"')),
                                          'actuatorgroupdisable="1"', "actuatorgroupdisable of <option>"),
    "wind": listed(world(TWO, before=option('wind="1 0 0" density="1.2"')), "", "wind of <option>"),
    "density of the air": listed(world(TWO, before=option('density="1.2"')), "", "density of <option>"),
    "viscosity of the air": listed(world(TWO, before=option('viscosity="2e-5"')), "", "viscosity of <option>"),
    "magnetic field": listed(world(TWO, before=option('magnetic="0 1 0"')), "", "magnetic of <option>"),
    "fluidshape": listed(geom('size=".1" fluidshape="ellipsoid"', option('density="1000"')), "", "fluidshape of <geom>"),
    # Actuators
    **{f"actuator {name}": listed(actuated(element), element, f"<{name}> of <actuator>") for name, element in (
        ("intvelocity", '<intvelocity joint="hinge" kp="4" actrange="-1 1"/>'), ("damper", '<damper joint="hinge" kv="4" ctrlrange="0 1"/>'),
        ("cylinder", '<cylinder joint="hinge" area="4" timeconst="1"/>'), ("muscle", '<muscle joint="hinge" lengthrange=".1 1"/>'),
        ("adhesion", '<adhesion body="fore" ctrlrange="0 1" gain="3"/>'), ("dcmotor", '<dcmotor joint="hinge" motorconst=".1" resistance="1"/>'),
        ("pid", '<pid joint="hinge" kp="3" ki="1"/>'))},
    **{f"transmission by {name}": listed(driven(element, '<site name="r" pos="0 0 1"/>' + SITED), element, "that acts on no joint and no tendon")
       for name, element in (("site", '<motor site="s" gear="1 0 0 0 0 0"/>'),
                             ("site and refsite", '<position site="s" refsite="r" gear="1 0 0 0 0 0"/>'),
                             ("crank", '<motor cranksite="s" slidersite="r" cranklength=".5"/>'), ("body", '<general body="fore"/>'))},
    "motor on a ball joint": listed(driven('<motor joint="b" gear="1 2 3"/>', BALL_ARM.format("")), '<motor joint="b" gear="1 2 3"/>',
                                    "<motor> on a ball or free joint"),
    "motor on a free joint": listed(driven('<motor joint="f" gear="1 2 3 0 0 1"/>', free('name="f"')), '<motor joint="f" gear="1 2 3 0 0 1"/>',
                                    "<motor> on a ball or free joint"),
    "timeconst": listed(actuated('<position joint="hinge" kp="4" timeconst=".1"/>'), 'timeconst=".1"', "timeconst of an actuator"),
    "affine gain": listed(actuated('<general joint="hinge" gaintype="affine" gainprm="1 2 3"/>'), '<general joint="hinge" gaintype="affine" '
                          'gainprm="1 2 3"/>', "actuator with gaintype affine"),
    "dyntype filter": listed(actuated('<general joint="hinge" dyntype="filter" dynprm=".1"/>'), 'dyntype="filter"', "dyntype filter of an actuator"),
    "dyntype integrator": listed(actuated('<general joint="hinge" dyntype="integrator" gainprm="3"/>'), 'dyntype="integrator"',
                                 "dyntype integrator of an actuator"),
    "delay of an actuator": listed(actuated('<motor joint="hinge" delay=".1" nsample="10"/>'), 'delay=".1" nsample="10"', "delay of <motor>"),
    "actuatorfrcrange and two motors": listed(driven('<motor joint="hinge" gear="100"/><motor joint="hinge" gear="-30"/>',
                                                     hinge('actuatorfrcrange="-2 1"')), 'actuatorfrcrange="-2 1"',
                                              "actuatorfrcrange of a joint with several actuators"),
    "plugin": (world(TWO, '<actuator><plugin joint="hinge" plugin="mujoco.pid"/></actuator>', '<extension><plugin plugin="mujoco.pid"/></extension>'),
               world(TWO), "<plugin> of <actuator>"),
    # Tendons
    **{f"tendon around a {name}": listed(
        world('<site name="w" pos="0 .2 1"/>' + ARM.format('<site name="side" pos=".2 0 .2"/><geom name="g" size=".05" pos=".2 0 0"/><geom name="c" '
              'type="cylinder" size=".05 .1" pos=".2 0 0"/>' + FORE.format('<site name="f" pos=".1 .05 0"/>')),
              f'<tendon><spatial stiffness="30"><site site="w"/>{part}<site site="f"/></spatial></tendon>'),
        f'<tendon><spatial stiffness="30"><site site="w"/>{part}<site site="f"/></spatial></tendon>', "<spatial> tendon around a <geom>")
       for name, part in (("sphere", '<geom geom="g"/>'), ("cylinder", '<geom geom="c"/>'), ("sphere from a side", '<geom geom="g" sidesite="side"/>'))},
    "friction of a spatial tendon": listed(spatial('frictionloss="3"'), 'frictionloss="3"', "frictionloss of <spatial>: cables have no friction"),
    "armature of a spatial tendon": listed(spatial('armature="3"'), 'armature="3"', "armature of <spatial>: cables have no inertia"),
    "actuatorfrcrange of a spatial tendon": listed(spatial('actuatorfrcrange="-1 1"', rest='<actuator><motor tendon="t" gear="100"/></actuator>'),
                                                   'actuatorfrcrange="-1 1"', "actuatorfrcrange of <spatial>"),
    "actuatorfrcrange of a tendon": listed(tendon('actuatorfrcrange="-1 1"', rest='<actuator><motor tendon="t" gear="100"/></actuator>'),
                                           'actuatorfrcrange="-1 1"', "actuatorfrcrange of <fixed>"),
    "polynomial stiffness of a tendon": listed(tendon('stiffness="4 1 1"'), "4 1 1", "stiffness of <fixed>: only the linear term", "4"),
    "polynomial stiffness of a spatial tendon": listed(spatial('stiffness="30 5"'), "30 5", "stiffness of <spatial>: only the linear term", "30"),
    "dead band of a tendon": listed(tendon('stiffness="4" springlength=".1 .5"'), ".1 .5", "springlength of <fixed> with a dead band", ".3"),
    "springyield of a tendon": listed(tendon('stiffness="3" springyield="1"'), 'springyield="1"', "springyield of <fixed>"),
    "dampratio of a tendon": listed(tendon(rest='<actuator><position tendon="t" kp="6" dampratio="1"/></actuator>'), 'dampratio="1"',
                                    "dampratio of a tendon: use kv instead"),
    "dampratio of a spatial tendon": listed(spatial(rest='<actuator><position tendon="t" kp="6" dampratio="1"/></actuator>'), 'dampratio="1"',
                                            "dampratio of a tendon: use kv instead"),
    "actuator with a negative stiffness of a spatial tendon": listed(
        spatial(rest='<actuator><position tendon="t" kp="-3"/></actuator>'), '<position tendon="t" kp="-3"/>',
        "actuator of a <spatial> tendon with a negative stiffness or damping"),
    "spatial tendon within one body": listed(spatial('stiffness="3"', ("a", "b")), "", "<spatial> tendon of constant length"),
    # Equality
    "inactive coupling": listed(coupled('<joint joint1="elbow" joint2="hinge" active="false"/>'), "", "inactive <joint>"),
    "coupling that is inactive in its class": listed(coupled('<joint class="c" joint1="elbow" joint2="hinge"/>').replace(
        "<worldbody>", default('<equality active="false"/>', "c") + "<worldbody>"), "", "inactive <joint>"),
    "inactive weld": listed(coupled('<weld body1="fore" body2="arm" active="false"/>'), "", "inactive <weld>"),
    "soft coupling": listed(coupled('<joint joint1="elbow" joint2="hinge" solref=".01 1"/>'), "", "solref of <joint>: the constraint is rigid"),
    # MuJoCo's model has the joint, the weld or the tendons replaced by their effect.
    "weld of two neighbours": (coupled('<weld body1="fore" body2="arm" relpose="0 0 0 0 0 0 0"/>'),
                               world(TWO.replace('<joint name="elbow" axis="0 0 1"/>', "")), ""),
    "coupling of two tendons": (world(TWO, '<tendon><fixed name="t"><joint joint="hinge" coef="2"/></fixed><fixed name="u"><joint joint="elbow" coef="4"/>'
                                      '</fixed></tendon><equality><tendon tendon1="t" tendon2="u" polycoef=".1 2"/></equality>'),
                                coupled('<joint joint1="elbow" joint2="hinge" polycoef="-.0125 .25 0 0 0"/>'), ""),
    "held tendon": (world(TWO, '<tendon><fixed name="t"><joint joint="hinge" coef="2"/><joint joint="elbow" coef="4"/></fixed></tendon><equality>'
                          '<tendon tendon1="t" polycoef=".2 0"/></equality>'),
                    coupled('<joint joint1="elbow" joint2="hinge" polycoef=".05 -.5 0 0 0"/>'), ""),
    # Sensors
    **{f"sensor {name}": listed(world(SITED, f"<sensor>{element}</sensor>"), "", f"sensor <{name}>") for name, element in (
        ("force", '<force site="s"/>'), ("torque", '<torque site="s"/>'), ("touch", '<touch site="s"/>'), ("rangefinder", '<rangefinder site="s"/>'),
        ("magnetometer", '<magnetometer site="s"/>'), ("jointactuatorfrc", '<jointactuatorfrc joint="hinge"/>'), ("clock", "<clock/>"),
        ("subtreecom", '<subtreecom body="arm"/>'), ("framexaxis", '<framexaxis objtype="site" objname="s"/>'),
        ("framepos", '<framepos objtype="site" objname="s" reftype="body" refname="arm"/>'))},
    "noise of a sensor": listed(world(TWO, '<sensor><jointpos joint="hinge" noise=".1"/></sensor>'), "", "noise of <jointpos>: the output is ideal"),
    "delay of a sensor": listed(world(TWO, '<sensor><jointpos joint="hinge" delay=".1" nsample="5"/></sensor>'), "", "delay of <jointpos>"),
    "gyro of a turned site": listed(world(SITED, '<sensor><gyro site="s"/></sensor>'), "", "not in the axes of the site"),
    # Other sections
    "option of an attached model": listed(attached("gravity.xml"), "", "<option> of an attached model"),
    "skin": listed(world(TWO, '<deformable><skin vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="arm" bindpos="0 0 0" bindquat="1 0 0 0" '
                         'vertid="0 1 2" vertweight="1 1 1"/></skin></deformable>'), "", "<deformable>"),
    "keyframe without a name": listed(world(TWO, '<keyframe><key qpos="1 2"/></keyframe>'), "", "<key>: use --keyframe NAME to start from a keyframe"),
}

# Files that MuJoCo rejects or accepts; the text of the error.
REJECTED = {
    "composite": (world(TWO + '<composite type="cable" curve="s" count="5 1 1" size="1"/>'), "<composite> generates bodies"),
    "flexcomp": (world(TWO + '<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1"/>'), "<flexcomp> generates bodies"),
    "polynomial without a range": (coupled('<joint joint1="elbow" joint2="hinge" polycoef=".1 2 .3 .1 .05"/>'), 'give joint "hinge" a `range`'),
    "sites apart": (coupled('<connect site1="e" site2="w"/>', ARM.format('<site name="e" pos=".4 0 0"/>') + '<site name="w" pos=".4 0 .1"/>'),
                    "the sites are 1.000e-1 m apart"),
    "weld apart": (coupled('<weld body1="fore" body2="arm" relpose=".1 0 0 1 0 0 0"/>'), "the relative pose is 5.000e-1 m and 0.000e0 rad from relpose"),
    "connect of one body": (coupled('<connect body1="fore" body2="fore" anchor="0 0 0"/>'), "connects a body to itself"),
    **{f"negative {key}": (content, f"{key} is -3; give 0 or more") for key, content in (
        ("stiffness", world(hinge('stiffness="-3"'))), ("armature", world(hinge('armature="-3"'))), ("damping", driven('<motor joint="hinge" damping="-3"/>')),
        ("kv", driven('<position joint="hinge" kv="-3"/>')), ("dampratio", driven('<position joint="hinge" dampratio="-3"/>')))},
    **{f"negative {key} of a tendon": (tendon(f'{key}="-3"'), f"{key} is -3; give 0 or more")
       for key in ("stiffness", "damping", "frictionloss", "armature")},
    **{f"negative {key} of a spatial tendon": (spatial(f'{key}="-3"'), f"{key} is -3; give 0 or more")
       for key in ("stiffness", "damping", "frictionloss", "armature")},
    **{f"{key} in descending order of {name}": (of(f'<motor {name} {key}range="1 -1" {key}limited="true"/>'), "the lower limit 1 is not below")
       for key in ("ctrl", "force") for name, of in (('joint="hinge"', actuated), ('tendon="t"', lambda it: spatial(rest=f"<actuator>{it}</actuator>")))},
    "range of a tendon in descending order": (tendon('range="1 -1" limited="true"'), "the lower limit 1 is not below"),
    "actuatorfrcrange in descending order": (world(hinge('actuatorfrcrange="1 -1" actuatorfrclimited="true"')), "the lower limit 1 is not below"),
    "both kinds of damping": (driven('<position joint="hinge" kv="1" dampratio="1"/>'), "kv and dampratio exclude each other"),
    "both ranges": (driven('<position joint="hinge" ctrlrange="-1 1" inheritrange="1"/>'), "inheritrange and ctrlrange exclude each other"),
    "builtin mesh": (mesh('builtin="sphere" params="2"'), 'a mesh of builtin="sphere", which is not supported'),
    "couplings that contradict each other": (coupled('<joint joint1="elbow" joint2="hinge"/><joint joint1="hinge" joint2="elbow" polycoef=".1 1"/>'),
                                             "their offsets contradict each other"),
    "joint coupled twice": (coupled('<joint joint1="elbow" joint2="hinge"/><joint joint1="elbow" joint2="hinge" polycoef="0 2"/>'), "already coupled"),
    "shellinertia of a mesh": (mesh(PRISM, 'shellinertia="true"'), 'set inertia="shell" on the mesh'),
    "inverted exact mesh": (of_file("inverted.obj", 'inertia="exact"'), "its triangles are inverted"),
    "mesh that is missing": (of_file("none.obj"), "the mass of the geom needs its mesh"),
    "impossible inertia": (inertial('<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'), "larger than the sum of the other two"),
    "negative mass": (inertial('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), "the mass is -1 kg"),
    "both inertias": (inertial('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/>'), "exclude each other"),
    "both orientations": (forearm('quat="1 0 0 0" euler="1 2 3"'), "quat and euler exclude each other"),
    "quaternion 0": (forearm('quat="0 0 0 0"'), "the orientation is undefined"),
    "global coordinates": (world(TWO, before=compiler('coordinate="global"')), '"global" is not a valid value'),
    "unit in upper case": (world(TWO, before=compiler('angle="Degree"')), "write one of radian, degree"),
    "unknown class": (world(hinge('class="zz"')), 'there is no class "zz"'),
    "unknown childclass": (world(TWO.replace('name="arm"', 'name="arm" childclass="zz"')), 'there is no class "zz"'),
    "unknown joint of an actuator": (actuated('<motor joint="zz"/>'), 'there is no joint "zz"'),
    "unknown body of an exclusion": (world(TWO, '<contact><exclude body1="arm" body2="zz"/></contact>'), 'there is no body "zz"'),
    "two bodies of one name": (world(TWO + TWO), 'there are two bodies "arm"'),
    "axis 0": (world(TWO.replace('axis="0 1 0"', 'axis="0 0 0"')), "the axis has zero length"),
    "two sizes of a box": (geom('type="box" size=".1 .1"'), "does not define a box"),
    "condim 2": (geom('condim="2" size=".1"'), "write 1, 3, 4 or 6"),
    "decimal comma": (world(hinge('damping="0,3"')), '"0,3" is not a finite number'),
    "range in descending order, limited": (world(hinge('range="20 -10" limited="true"')), "the lower limit 20 is not below the upper limit -10"),
    "include of a missing file": ('<include file="none.xml"/>' + world(TWO), "none.xml not found"),
    "include of itself": ('<include file="robot.xml"/>' + world(TWO), "includes itself"),
    "no body": (world('<geom size="1"/>'), "there is no <body> in <worldbody>"),
    "short gravity": (world(TWO, before=option('gravity="0 0"')), "2 numbers; write 3 numbers"),
}


def more_files(folder):
    """The files of this page's features."""
    with_files(folder)
    (folder / "sub").mkdir()
    corners, faces = prism()
    vertices = "".join("v {} {} {}\n".format(*corner) for corner in corners)
    lines = lambda form, numbers: "".join(form.format(*face) for face in numbers)
    triangles = lines("f {} {} {}\n", faces + 1)
    normals = f"# a prism\nmtllib none.mtl\no name\n{vertices}vn 0 0 1\ns off\nusemtl a\n" + lines("f {}//1 {}//1 {}//1\n", faces + 1)
    sides = lines("f {} {} {} {}\n", [(k + 1, (k + 1) % 6 + 1, (k + 1) % 6 + 7, k + 7) for k in range(6)])
    texts = {
        "quads.obj": vertices + sides + lines("f {} {} {}\n", faces[:8] + 1),
        "negative.obj": vertices + lines("f {} {} {}\n", faces - 12),
        "normals.obj": normals, "UPPER.OBJ": normals, "sub/folded.obj": normals,
        "unused.obj": f"{vertices}v 5 5 5\n{triangles}",
        "concave.obj": vertices + sides + "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n",
        "degenerate.obj": f"{vertices}{triangles}f 1 1 2\n",
        "inverted.obj": vertices + lines("f {} {} {}\n", faces[:, ::-1] + 1),
        "fore.xml": f"<mujocoinclude>{FORE.format('')}</mujocoinclude>",
        "whole.xml": '<mujoco><compiler angle="radian"/><default><joint damping=".4"/></default><option gravity="0 0 -3"/></mujoco>',
        "sub/asset.xml": '<mujoco><asset><mesh name="m" file="prism.msh"/></asset></mujoco>',
        "damping.xml": '<mujocoinclude><joint damping=".4"/></mujocoinclude>',
        "outer.xml": '<mujoco><include file="inner.xml"/></mujoco>',
        "inner.xml": '<mujoco><default><joint damping=".4"/></default></mujoco>',
        "mesh.xml": f'<mujocoinclude><mesh name="m" {PRISM}/></mujocoinclude>',
        "sequence.xml": SUB.replace('angle="radian"', 'angle="degree" eulerseq="ZYX"').replace(".1 .2 .3", "10 20 30"),
        "coupled.xml": SUB.replace("<actuator>", '<equality><joint joint1="k" joint2="j" polycoef="0 2 0 0 0"/></equality><actuator>'),
        "tendon.xml": SUB.replace("<actuator>", '<tendon><fixed name="t" stiffness="3"><joint joint="j" coef="2"/></fixed></tendon><actuator>'
                                                '<motor tendon="t"/>'),
        "gravity.xml": SUB.replace("<worldbody>", '<option gravity="0 0 -1"/><worldbody>'),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "normals.msh").write_bytes(struct.pack("<4i", 12, 12, 12, len(faces)) + 2 * corners.astype("<f4").tobytes() + bytes(96)
                                         + faces.astype("<i4").tobytes())


def written(folder, name, content):
    path = folder / f"{name}.xml"
    path.write_text(f'<mujoco model="robot">{content}</mujoco>')
    return path


def list_of(folder):
    return (folder / "model/model.toml").read_text().split("[model]")[0]


def notes(folder):
    """The list without overlaps at the start, which several of these robots have."""
    return [line for line in list_of(folder).splitlines() if line.startswith("#   ") and "pushes them apart" not in line]


@pytest.mark.parametrize("feature", MATCHING)
def test_a_feature_has_the_motion_and_the_numbers_of_mujoco(ballesta, tmp_path, feature):
    content, limit = MATCHING[feature] if isinstance(MATCHING[feature], tuple) else (MATCHING[feature], LIMIT)
    more_files(tmp_path)
    path = written(tmp_path, "robot", content)
    ours, model = Imported(ballesta, path, tmp_path, driven=True), theirs(path, tmp_path)
    assert difference(ours, model, 5, 5) < limit
    same_settings(ours, model)
    assert not notes(tmp_path)


@pytest.mark.parametrize("feature", LISTED)
def test_a_feature_that_is_not_converted_is_listed_and_the_rest_moves_as_in_mujoco(ballesta, tmp_path, feature):
    content, without, note = LISTED[feature]
    more_files(tmp_path)
    path = written(tmp_path, "robot", content)
    mujoco.MjModel.from_xml_path(str(path))
    ours = Imported(ballesta, path, tmp_path, driven=True)
    assert note in list_of(tmp_path), list_of(tmp_path)
    assert difference(ours, theirs(written(tmp_path, "other", without), tmp_path), 5, 5) < LIMIT


@pytest.mark.parametrize("feature", REJECTED)
def test_a_file_that_cannot_be_converted_has_a_clear_error(ballesta, tmp_path, feature):
    content, message = REJECTED[feature]
    more_files(tmp_path)
    with pytest.raises(ballesta.ModelError) as wrong:
        ballesta.import_model(written(tmp_path, "robot", content), tmp_path / "model")
    assert message in str(wrong.value) and wrong.value.line > 0
    assert not (tmp_path / "model").exists()
