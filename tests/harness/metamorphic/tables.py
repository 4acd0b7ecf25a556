"""One random item of every table, with each optional key half of the time: `TABLES` by name, in which `on` of a sketch gives coordinates."""

import numpy as np

from rigid.algebra import unit
from rigid.scene import GROUND

from .sketch import COORDINATES

ROM = "models/tumbling_beam/beam.rom.toml"
TYRE, RADIUS, LOAD = "tests/tyres/mf_185_80R14.tir", 0.376, 3800.0


def line(s):
    bodies = s.two_bodies()
    return {"bodies": bodies, "points": [s.near(body) for body in bodies]}


def distance(item):
    return float(np.linalg.norm(np.subtract(*item["points"])))


def odd_rows(s, width):
    return [[-2 * width, -s.between(10, 20)], [-width, -s.between(2, 8)], [0.5 * width, s.between(1, 5)], [3 * width, s.between(8, 20)]]


def spring(s):
    item = line(s)
    item |= {"force_table": odd_rows(s, 0.2)} if s.chance(0.3) else s.some(stiffness=s.between(5, 50))
    item |= {"damping_table": odd_rows(s, 0.4)} if s.chance(0.3) else s.some(damping=s.between(0, 2))
    s.put("spring", item | s.some(preload=s.between(-5, 5), free_length=distance(item) * s.between(0.8, 1.1)))


def joint_spring(s):
    item = s.coordinate()
    item |= {"force_table": odd_rows(s, 0.2)} if s.chance(0.3) else {"stiffness": s.between(5, 50)}
    item |= {"damping_table": odd_rows(s, 0.4)} if s.chance(0.3) else s.some(damping=s.between(0, 2))
    s.put("joint_spring", item | s.some(preload=s.between(-5, 5), free_position=s.between(-0.3, 0.3)))


def torsion_bar(s):
    item = s.coordinate("angle")
    item |= {"stiffness": s.between(5, 50)} if s.chance(0.5) else {"length": 1.0, "diameter": 0.006, **s.some(inner_diameter=0.003, shear_modulus=8e10)}
    s.put("torsion_bar", item | s.some(damping=s.between(0, 2), preload=s.between(-5, 5), free_angle=s.between(-0.3, 0.3)))


def bushing(s):
    bodies = s.two_bodies()
    item = {"bodies": bodies, "point": s.near(bodies[0]), "stiffness": [s.between(5, 50) for _ in range(6)]}
    if s.chance(0.6):
        item["axis"] = s.direction()
        if s.chance(0.5):
            item["second_axis"] = [float(x) for x in unit(np.cross(item["axis"], s.direction()))]
    s.put("bushing", item | s.some(damping=[s.between(0, 1) for _ in range(6)], preload=[s.between(-3, 3) for _ in range(6)],
                                   break_torque=2.0)
          | ({"break_force": 4.0, **s.some(break_time=0.05)} if s.chance(0.5) else {}))


def bump_stop(s):
    if s.chance(0.6):
        item = s.coordinate()
        ends = {"lower": -s.between(0.02, 0.2), "upper": s.between(0.02, 0.3)}
    else:
        item = line(s)
        ends = {"lower": distance(item) * 0.98, "upper": distance(item) * 1.01}
    item |= s.pick([ends, {"lower": ends["lower"]}, {"upper": ends["upper"]}])
    item |= {"force_table": [[0.0, 0.0], [0.05, 3.0], [0.2, 20.0]]} if s.chance(0.3) else {"stiffness": s.between(20, 200), **s.some(exponent=1.5)}
    s.put("bump_stop", item | s.some(damping=s.between(0, 2), damping_depth=0.01))


def cable(s):
    bodies = [*s.two_bodies(), s.any_body()]
    item = {"bodies": bodies, "points": [s.near(body) for body in bodies], "stiffness": s.between(5, 50)}
    item |= s.some(strands=[1.0, 2.0], acts=s.pick(["tension", "compression", "both"]), damping=1.0)
    strands = item.get("strands", [1.0, 1.0])
    length = sum(n * float(np.linalg.norm(np.subtract(a, b))) for n, a, b in zip(strands, item["points"], item["points"][1:]))
    s.put("cable", item | s.some(free_length=length * s.between(0.9, 1.1), value=2.0, gain=-0.5, min_tension=-4.0, max_tension=6.0))


def freewheel(s):
    s.put("freewheel", s.coordinate() | {"stiffness": s.between(20, 200)} | s.some(sense=-1, damping=1.0, time=0.005))


def ball_stop(s):
    item = {"bodies": s.two_bodies(), "stiffness": s.between(20, 200), "swing": 0.01}
    s.put("ball_stop", item | {"axis": s.direction()} | s.some(twist_lower=-0.01, twist_upper=0.02, rotation=0.02, damping=0.5))


def expression(s):
    if s.chance(0.6):
        own = s.coordinate()
        other = s.pick(s.coordinates())
        item = own | {"effort": "-20 * q - 9 * q^3 - 0.5 * abs(v) * v + 3 * r * sin(3 * time)"}
        item["variables"] = [{"name": "q", **own, **s.some(factor=0.5)}, {"name": "v", **own, "rate": True}, {"name": "r", **other}]
    else:
        item = line(s) | {"effort": "30 * (length - 1) + if(speed, 2, 3) * speed"}
    s.put("expression", item | s.some(gain=-0.7))


def damper(s):
    item = line(s)
    item |= {"bump_table": [[0.0, 0.0], [0.5, 3.0], [1.0, 4.0]]} if s.chance(0.3) else s.some(bump_damping=3.0, bump_degressivity=0.5)
    item |= {"rebound_table": [[0.0, 0.0], [0.5, 5.0], [1.0, 7.0]]} if s.chance(0.3) else s.some(rebound_damping=5.0, rebound_degressivity=0.5)
    s.put("damper", item | s.some(gas_force=2.0, transition=0.02))


def leaf_spring(s):
    bodies = s.two_bodies()
    item = {"bodies": bodies, "point": s.near(bodies[1]), **s.some(axis=s.direction())}
    if s.chance(0.5):
        item["lateral_axis"] = s.direction()
    item |= {"force_table": odd_rows(s, 0.2)} if s.chance(0.3) else {"stiffness": s.between(5, 50)}
    # With a load: the law jumps where there is none, and rounding would decide.
    s.put("leaf_spring", item | {"load": 3.0} | s.some(damping=1.0, helper_stiffness=30.0, helper_deflection=0.02, friction=1.0, friction_coefficient=0.1,
                                       lateral_stiffness=20.0, lateral_damping=0.5, longitudinal_stiffness=25.0, longitudinal_damping=0.4,
                                       wind_up_stiffness=4.0, wind_up_damping=0.1, friction_time=0.01))


def air_spring(s):
    item = line(s)
    area = 1e-4
    item |= {"area_table": [[0.1, 2 * area], [3.0, area]]} if s.chance(0.3) else {"area": area}
    item |= {"pressure": s.signal(3e5)} if s.chance(0.5) else {"force": s.signal(15.0)}
    s.put("air_spring", item | s.some(reservoir=1e-4, exponent=1.4, ambient_pressure=1e5, height=distance(item), volume=1.5 * area * distance(item)))


def anti_roll_bar(s):
    while len(s.model.get("body", [])) < 2:
        s.tree(["revolute"])
    names = [body["name"] for body in s.model["body"]]
    one, two = (names[k] for k in s.random.permutation(len(names))[:2])
    frame = s.pick([GROUND] + [name for name in names if name not in (one, two)])
    law = {"stiffness": 15.0} if s.chance(0.5) else {"torsional_stiffness": 3.0, "arm_length": 0.4}
    s.put("anti_roll_bar", {"bodies": [frame, one, two], "points": [s.near(one), s.near(two)], **law, **s.some(axis=s.direction(), damping=0.5)})


def force(s):
    body = s.any_body(ground=False)
    s.put("force", {"body": body, "point": s.near(body), "value": s.vector(5), **s.some(axes=s.pick(["world", "body"]))})


def torque(s):
    s.put("torque", {"body": s.any_body(ground=False), "value": s.vector(2), **s.some(axes=s.pick(["world", "body"]))})


def friction(s):
    dry = {"coulomb": 1.0, "presliding": 0.02, **({"static": 1.4, "stribeck_speed": 0.3} if s.chance(0.5) else {})} if s.chance(0.7) else {}
    on = s.coordinate()
    kind = next(joint["type"] for joint in s.model["joint"] if joint["name"] == on["joint"])
    load = {}
    # Loops can leave the load of a bearing undetermined.
    if kind in ("revolute", "prismatic", "cylindrical") and not any("cut" in joint for joint in s.model["joint"]) and s.chance(0.4):
        turns = kind == "revolute" or on.get("coordinate") == "angle"
        load = {"coefficient": 0.2, "nominal_load": 20.0, "presliding": 0.02, **s.some(load_time=0.02, bearing_distance=0.3),
                **({"radius": 0.05, **s.some(thrust_radius=0.04)} if turns else {})}
    s.put("friction", on | dry | load | s.some(viscous=0.3, time=0.01))


def drive(s):
    s.put("drive", s.coordinate() | {"value": s.signal(s.between(-4, 4)), **s.some(
        gain=s.between(-2, 2), offset=s.between(-1, 1), position_gain=s.between(0, 5), speed_gain=s.between(0, 1),
        min_effort=s.between(-6, -3), max_effort=s.between(2, 5))})


def brake(s):
    s.put("brake", s.coordinate() | {"torque": s.signal(s.between(0.5, 4)), **s.some(gain=s.between(0.2, 2), presliding=0.05, time=0.005)})


def engine(s):
    item = s.coordinate() | {"speeds": [-20.0, 0.0, 30.0], "throttles": [0.0, 0.4, 1.0],
                             "torques": [[-0.5, 2.0, 5.0], [-1.0, 3.0, 6.0], [-2.0, 1.0, 2.0]], "throttle": s.signal(s.between(0, 1))}
    s.put("engine", item | s.some(idle_speed=3.0, idle_throttle=0.6, time=0.02))


def clutch(s):
    count = s.pick([1, 2, 2, 3])
    on = s.pair(count)
    if count == 3:
        for k, ratio in enumerate([1.0, -0.7, -0.7]):
            on[k]["ratio"] = ratio
    elif count == 2 or s.chance(0.5):
        for one in on:
            one["ratio"] = s.between(0.5, 1.5) * s.pick([1, -1])
    more = s.some(bias=2.0) if count == 3 else {}
    s.put("clutch", {"coordinates": on, "torque": s.signal(2.0), **more, **s.some(engagement=0.7, viscous=0.2, presliding=0.05, time=0.005)})


def gearbox(s):
    on = s.pair(2)
    for one in on:
        one |= {} if s.chance(0.6) else {"ratio": s.pick([1.0, -1.0])}
    item = {"coordinates": on, "ratios": [s.fixed(3.0), 1.5], "gear": s.signal(s.pick([1.0, 2.0])), "torque": 3.0}
    if s.chance(0.3):
        item["shifts"] = {"throttle": 0.5, "throttles": [0.0, 1.0], "up": [[0.5, 0.8]], "down": [[-0.5, -0.2]], **s.some(time=0.1)}
    elif s.chance(0.3):
        item |= {"reverse": 2.5, "gear": -1.0}
    s.put("gearbox", item | s.some(presliding=0.05, time=0.005))


def torque_converter(s):
    on = s.pair(2)
    for one in on:
        one |= {} if s.chance(0.6) else {"ratio": s.pick([1.0, -1.0])}
    s.put("torque_converter", {"coordinates": on, "table": [[-3.0, 0.5, 2.0], [0.0, 0.4, 2.0], [0.8, 0.3, 1.0], [1.5, -0.2, 1.0]]})


def brake_line(s):
    on = s.coordinate()
    press = s.input(0.0)
    s.put("brake", s.coordinate() | {"torque": press})
    item = on | {"demand": s.signal(1.5), "input": press, "gain": s.between(0.5, 2)}
    if s.chance(0.8):
        body = s.any_body(ground=False)
        item |= {"body": body, "point": s.near(body), "radius": 0.4, "slip": [0.05, 0.6], **s.some(axis=s.direction(), min_speed=0.05)}
    s.put("brake_line", item | s.some(time=0.03, build_rate=60.0, release_rate=70.0, valve=0.1))


def aerodynamic_drag(s):
    body = s.any_body(ground=False)
    s.put("aerodynamic_drag", {"body": body, "point": s.near(body), "drag_area": 0.2, **s.some(lift_area=0.3, lift_axis=s.direction(), density=1.5, wind=s.vector(6))})


def speed_control(s):
    body = s.any_body(ground=False)
    on = s.pair(s.pick([1, 2]))
    if s.chance(0.5):
        for one in on:
            one["share"] = s.between(0.2, 1) * s.pick([1, -1])
    item = {"body": body, "point": s.near(body), "target": s.signal(s.between(-3, 3)), "proportional": 1.0, "drives": on}
    if s.chance(0.5):
        item |= {"max_torque": 3.0, **s.some(min_torque=-2.0)}
    s.put("speed_control", item | s.some(axis=s.direction(), integral=2.0))


def driver(s):
    """The motion of a body steers and drives two coordinates."""
    s.model["_upright"] = True
    body = s.any_body(ground=False)
    point = s.near(body)
    path = [[point[0] + x, point[1] + y, point[2]] for x, y in ((-1.0, 0.2), (2.0, 0.1), (6.0, 0.8), (14.0, -0.5), (30.0, 1.0))]
    curve = s.put("curve", {"points": path})
    steer, target = s.input(0.0), s.input(0.0)
    s.put("drive", s.coordinate() | {"value": steer, **s.some(gain=-1.5)})
    s.put("drive", s.coordinate() | {"value": target, **s.some(gain=0.5)})
    item = {"body": body, "point": point, "curve": curve["name"], "steer": steer, "target": target, "wheelbase": 0.3, "speed": s.signal(2.0)}
    if s.chance(0.4):
        brake = s.input(0.0)
        s.put("brake", s.coordinate() | {"torque": brake})
        item |= {"brakes": [{"input": brake, "gain": 2.0}], "stop": [{"at": 2.0, "hold": 1.0}], "limits": [[1.0, 1.5], [3.0, 1.0]]}
    s.put("driver", item | s.some(axis=s.direction(), steering_ratio=3.0, understeer=0.01, preview=0.5, lead=0.02, steering_lag=0.1, max_angle=6.0,
                                  max_rate=60.0, acceleration=2.0, deceleration=3.0, full_braking=6.0, brake_lag=0.2))


SURFACES = ("plane", "sphere", "capsule", "cylinder", "box", "road")


def contact(s, surface=None):
    """A ball that is pressed in by a fixed part of its radius."""
    surface = surface or s.pick(SURFACES)
    first = GROUND if surface == "road" or not s.model.get("body") or s.chance(0.6) else s.any_body()
    centre = np.array(s.near(first, 0.5))
    radius, depth = 0.1, s.between(-0.002, 0.004)
    item = {"surface": surface, "radius": radius, "stiffness": 2000.0, "restitution": s.between(0.3, 0.9)}
    if surface == "road":
        road = s.model["road"][0] if s.model.get("road") else plane_road(s)
        item |= s.some(road=road["name"])
        height = road["height"] + road.get("slope", 0.0) * centre[0] + road.get("bank", 0.0) * centre[1]
        normal = unit(np.array([-road.get("slope", 0.0), -road.get("bank", 0.0), 1.0]))
        ball = np.array([centre[0], centre[1], height]) + normal * (radius - depth)
    else:
        item["point"] = [float(x) for x in centre]
        axis, away = np.array([0.0, 0.0, 1.0]), np.array(s.direction())
        if surface in ("plane", "capsule", "cylinder") and s.chance(0.5):
            axis = np.array(s.direction())
            item["axis"] = [float(x) for x in axis]
        if surface == "plane":
            away, far = axis, 0.0
        elif surface == "sphere":
            item["surface_radius"] = far = 0.3
        elif surface in ("capsule", "cylinder"):
            away = unit(np.cross(axis, away))
            item |= {"surface_radius": 0.3, "length": 0.5}
            far = 0.3
        else:
            x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
            if s.chance(0.5):
                x = np.array(s.direction())
                y = unit(np.cross(x, s.direction()))
                item |= {"x_axis": [float(v) for v in x], "y_axis": [float(v) for v in y]}
            item["size"] = [0.4, 0.6, 0.5]
            away, far = x, 0.2
        ball = centre + away * (far + radius - depth)
    body = s.body([float(x) for x in ball])
    s.joint("floating", GROUND, body["name"])
    s.model["joint"][-1] |= {"position": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}
    item |= {"bodies": [first, body["name"]], "points": [body["com"]]}
    s.put("contact", item | s.some(impact_speed=0.5, friction=s.signal(0.4), time=0.01, tangential_stiffness=1500.0))


def plane_road(s):
    slopes = [s.between(-0.1, 0.1), s.between(-0.1, 0.1)]
    return s.put("road", {"height": s.between(-1, 1), **s.some(slope=slopes[0], bank=slopes[1], friction=0.7)})


def road(s):
    if not s.model.get("road"):
        plane_road(s)


SOLIDS = ("plane", "sphere", "capsule", "box", "hull", "cylinder")


def solid(s, first=None, second=None):
    """Two solids that are pressed in by a part of a ball's radius."""
    kind = first or s.pick(SOLIDS)
    carrier = GROUND if not s.model.get("body") or s.chance(0.6) else s.any_body()
    centre = np.array(s.near(carrier, 0.5))
    item = {"body": carrier, "type": kind, "point": [float(x) for x in centre]}
    axis, away = np.array([0.0, 0.0, 1.0]), np.array(s.direction())
    if kind in ("plane", "capsule", "cylinder") and s.chance(0.5):
        axis = np.array(s.direction())
        item["axis"] = [float(x) for x in axis]
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    if kind in ("box", "hull") and s.chance(0.5):
        x = np.array(s.direction())
        y = unit(np.cross(x, s.direction()))
        if kind == "box":
            item |= {"x_axis": [float(v) for v in x], "y_axis": [float(v) for v in y]}
    far = {"plane": 0.0, "sphere": 0.3, "capsule": 0.2, "cylinder": 0.2, "box": 0.2, "hull": 0.2}[kind]
    if kind in ("sphere", "capsule", "cylinder"):
        item["radius"] = far
    if kind in ("capsule", "cylinder"):
        away = unit(np.cross(axis, away))
        if s.chance(0.3):
            del item["point"]
            item.pop("axis", None)
            item["points"] = [[float(v) for v in centre + side * 0.3 * axis] for side in (-1, 1)]
        else:
            item["length"] = 0.6
    if kind == "plane":
        away = axis
    if kind == "box":
        item["size"], away = [0.4, 0.6, 0.5], x
    if kind == "hull":
        del item["point"]
        z, away = np.cross(x, y), x
        item["points"] = [[float(v) for v in centre + a * 0.2 * x + b * 0.3 * y + c * 0.25 * z] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    if kind != "sphere" and s.chance(0.3):
        item["surface_velocity"] = s.vector(0.5)
    one = s.put("solid", item)
    radius, depth = 0.1, 0.003
    body = s.body([float(v) for v in centre + away * (far + radius - depth)])
    s.joint("floating", GROUND, body["name"])
    s.model["joint"][-1] |= {"position": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}
    other = s.put("solid", {"body": body["name"], "type": "sphere", "point": body["com"], "radius": radius})
    pair = {"solids": [one["name"], other["name"]]} if s.chance(0.5) else {"solids": [other["name"]], "others": [one["name"]]}
    law = {"stiffness": 1e6, "restitution": s.between(0.3, 0.9), "tangential_stiffness": 1500.0}
    s.put("solid_contact", pair | law | s.some(impact_speed=0.5, friction=s.signal(0.4), time=0.01, rolling_resistance=0.01, spinning_resistance=0.01))


def guided(s):
    found = s.coordinates(free=True)
    if not found:
        s.tree(["cylindrical"])
        found = [one for one in s.coordinates() if one["joint"] == s.model["joint"][-1]["name"]]
    item = s.coordinate() if getattr(s, "wanted", None) else s.pick(found)
    joint = next(joint for joint in s.model["joint"] if joint["name"] == item["joint"])
    s.constrained.add(joint["name"])
    for key in ("position", "speed"):
        joint.pop(key, None)
    way = s.pick(["motion", "spin_up", "table", "input", "inputs"])
    if way == "motion":
        item["motion"] = {"amplitude": s.between(0.02, 0.1), "frequency": 2.0, **s.some(offset=s.between(-0.1, 0.1), speed=s.between(-0.3, 0.3), phase=0.5)}
    elif way == "spin_up":
        item["spin_up"] = {"speed": s.between(-2, 2), "time": 0.2}
    elif way == "table":
        item["table"] = [[0.0, 0.1], [0.03, 0.12], [0.06, s.between(0.1, 0.15)], [0.1, 0.1]]
    elif way == "input":
        item |= {"input": s.input(s.between(-0.1, 0.1)), "filter_frequency": 5.0, **s.some(gain=-1.5)}
    else:
        item |= {"inputs": [s.input(s.between(-0.1, 0.1)), s.input(0.0), s.input(0.0)], **s.some(gain=-1.5)}
    s.put("guided", item)


def free_pair(s, measures=(None, None)):
    """Two coordinates of joints that no constraint prescribes yet; their joints start in the design position."""
    found = []
    for measure in measures:
        if getattr(s, "wanted", None) and (measure is None or (s.wanted[0].get("coordinate", "angle") in ("angle", "second_angle")) == (measure == "angle")):
            one = s.coordinate()
        else:
            some = [one for one in s.coordinates(measure, free=True) if one["joint"] not in [other["joint"] for other in found]]
            if not some:
                s.tree(["prismatic" if measure == "length" else "revolute"])
                some = [one for one in s.coordinates(measure, free=True) if one["joint"] == s.model["joint"][-1]["name"]]
            one = s.pick(some)
        s.constrained.add(one["joint"])
        joint = next(joint for joint in s.model["joint"] if joint["name"] == one["joint"])
        for key in ("position", "speed"):
            joint.pop(key, None)
        found.append(one)
    return found


def started(s, pair, ratio, offset=0.0):
    """A start on the constraint: the second coordinate is ratio times the first, plus the offset."""
    speed = s.between(-1.5, 1.5)
    for one, rate, place in zip(pair, (speed, ratio * speed), (0.0, offset)):
        joint = next(joint for joint in s.model["joint"] if joint["name"] == one["joint"])
        names = COORDINATES[joint["type"]]
        k = names.index(one.get("coordinate") or names[0])
        turn = [1.0, 0.0, 0.0, 0.0] if joint["type"] in ("floating", "point_on_curve") else []
        speeds = [rate if j == k else 0.0 for j in range(len(names))] + [0.0] * (3 if turn else 0)
        places = [place if j == k else 0.0 for j in range(len(names))] + turn
        joint |= {"speed": speeds if len(speeds) > 1 else speeds[0], "position": places if len(places) > 1 else places[0]}


def coupler(s, way=None):
    way = way or s.pick(["ratio", "own", "table", "cam", "geneva"])
    pair = free_pair(s, ("angle", "angle") if way == "geneva" else (None, None))
    if way == "ratio":
        ratio, offset = s.between(0.5, 1.5) * s.pick([1, -1]), s.between(-0.1, 0.1) if s.chance(0.5) else None
        started(s, pair, ratio, offset or 0.0)
        return s.put("coupler", {"coordinates": pair, "ratio": s.fixed(ratio), **({"offset": offset} if offset is not None else {})})
    if way == "own":
        a, b = s.between(0.5, 1.5), s.between(0.5, 1.5) * s.pick([1, -1])
        started(s, pair, -a / b)
        pair = [one | {"ratio": ratio} for one, ratio in zip(pair, (a, b))]
        return s.put("coupler", {"coordinates": pair})
    if way == "table":
        started(s, pair, 0.0)
        for one in pair:
            next(joint for joint in s.model["joint"] if joint["name"] == one["joint"]).pop("speed")
        return s.put("coupler", {"coordinates": pair, "table": [[-2.0, 0.5], [-0.6, 0.2], [0.0, 0.0], [0.8, 0.4], [2.0, 1.5]]})
    if way == "cam":
        segments = [{"motion": "polynomial_345", "over": 0.7, "rise": 0.2}, {"motion": "dwell", "over_deg": 30.0}, {"motion": "cycloidal", "over": 1.0, "rise": -0.1}]
        started(s, pair, 0.0, 0.0)
        joint = next(joint for joint in s.model["joint"] if joint["name"] == pair[0]["joint"])
        joint |= {"speed": [1.5 if x else 0.0 for x in joint["speed"]] if isinstance(joint["speed"], list) else 1.5}
        return s.put("coupler", {"coordinates": pair, "cam": segments, **s.some(offset=0.0)})
    started(s, pair, 0.0)
    for one in pair:
        next(joint for joint in s.model["joint"] if joint["name"] == one["joint"]).pop("speed")
    return s.put("coupler", {"coordinates": pair, "geneva": {"slots": 4, **s.some(internal=True)}})


def rack_and_pinion(s):
    pair = free_pair(s, ("angle", "length"))
    radius = s.between(0.2, 0.6) * s.pick([1, -1])
    started(s, pair, radius)
    s.put("rack_and_pinion", {"pinion": pair[0], "rack": pair[1], "radius": radius})


def constrained_body(s, kind="floating"):
    """A body that moves freely from rest, but for what is to come."""
    body = s.body()
    s.joint(kind, GROUND, body["name"])
    joint = s.model["joint"][-1]
    for key in ("position", "speed"):
        joint.pop(key, None)
    s.constrained.add(joint["name"])
    return body["name"]


def rod(s):
    body = constrained_body(s)
    s.put("rod", {"bodies": [GROUND, body], "points": [s.vector(), s.near(body)], **s.some(mass=0.3)})


def point_on_line(s):
    body = constrained_body(s)
    s.put("point_on_line", {"bodies": [GROUND, body], "point": s.near(body), "axis": s.direction()})


def point_in_plane(s):
    body = constrained_body(s)
    s.put("point_in_plane", {"bodies": [GROUND, body], "point": s.near(body), "normal": s.direction()})


def curve_on_curve(s):
    """A disc that rolls or slides on one that turns, in any plane."""
    normal, centre = np.array(s.direction()), np.array(s.vector())
    x = unit(np.cross(normal, s.direction()))
    radii = [0.4, 0.25]
    curves, bodies = [], []
    for k, radius in enumerate(radii):
        at = centre if k == 0 else centre + sum(radii) * x
        body = s.body([float(v) for v in at])
        curve = s.put("curve", {"centre": [float(v) for v in at], "radius": radius, "normal": [float(v) for v in normal]})
        kind = "revolute" if k == 0 else "planar"
        joint = s.put("joint", {"type": kind, "bodies": [GROUND, body["name"]], "point": [float(v) for v in at], "axis": [float(v) for v in normal]})
        s.constrained.add(joint["name"])
        curves.append(curve["name"])
        bodies.append(body["name"])
    s.put("curve_on_curve", {"bodies": bodies, "curves": curves, "point": [float(v) for v in centre + radii[0] * x], **s.some(rolling=True)})


def curve(s):
    s.tree([s.pick(["along_curve", "pin_on_curve", "point_on_curve"])])


def joint(s):
    s.tree([s.pick(list(COORDINATES))])


def flexible_body(s):
    """A beam on a fixed end: it cannot be mirrored."""
    s.model["_rigid"] = False
    s.model.setdefault("_files", []).append(ROM)
    axis = s.direction()
    item = {"rom": ROM.split("/")[-1], "position": s.vector()}
    if s.chance(0.5):
        item |= {"x_axis": axis, "y_axis": [float(v) for v in unit(np.cross(axis, s.direction()))]}
    beam = s.put("flexible_body", item | s.some(modes=3, deformation="none", section_forces="displacement", damping_ratio=0.02))
    s.put("joint", {"type": "floating", "bodies": [GROUND, beam["name"] + ".middle"], "speed": s.vector(0.3) + s.vector(1.0)})


def tyre(s):
    """A wheel on an arm, on a road."""
    s.model["_upright"] = True
    road = s.model["road"][0] if s.model.get("road") else plane_road(s)
    x, y = s.between(-1, 1), s.between(-1, 1)
    height = road["height"] + road.get("slope", 0.0) * x + road.get("bank", 0.0) * y
    centre = [x, y, height + RADIUS - 0.02]
    carrier, wheel = s.body(centre), s.body(centre)
    for body in (carrier, wheel):
        body |= {"mass": 20.0, "inertia": [1.0, 1.2, 1.1, 0.0, 0.0, 0.0]}
    speed = s.between(3, 12)
    s.put("joint", {"type": "floating", "bodies": [GROUND, carrier["name"]], "speed": [speed, 0.2, 0.0, 0.0, 0.0, 0.1]})
    spin = s.put("joint", {"type": "revolute", "bodies": [carrier["name"], wheel["name"]], "point": centre, "axis": [0.05, 1.0, 0.03], "speed": speed / RADIUS})
    s.put("tyre", {"joint": spin["name"], "file": TYRE.split("/")[-1], "side": s.pick(["left", "right"]),
                   **s.some(twin_spacing=0.25, road_height=0.005, friction=s.signal(0.8), road=road["name"], turn_slip=False, enveloping=False)})
    s.model.setdefault("_files", []).append(TYRE)
    return spin


def wheel_port(s):
    wheel = s.body()
    arm = s.any_body()
    joint = s.put("joint", {"type": "revolute", "bodies": [arm if arm != wheel["name"] else GROUND, wheel["name"]], "point": wheel["com"], "axis": s.direction(), "speed": 2.0})
    s.put("wheel_port", {"joint": joint["name"]})


def shape(s):
    kind = s.pick(["box", "cylinder", "sphere", "capsule"])
    item = {"body": s.any_body(), "type": kind, "point": s.vector(), **s.some(group="some", colour="#336699", opacity=0.5)}
    if kind == "box":
        item |= {"size": [0.1, 0.2, 0.3], **s.some(x_axis=[1.0, 0.2, 0.0], y_axis=[0.0, 1.0, 0.3])}
    else:
        item["radius"] = 0.1
    if kind in ("cylinder", "capsule"):
        item |= {"length": 0.4, **s.some(axis=s.direction())}
        if s.chance(0.3):
            item = {key: value for key, value in item.items() if key not in ("point", "length", "axis")} | {"points": [s.vector(), s.vector()]}
    s.put("shape", item, named=False)


def points(s):
    """Places that become names."""
    for table in ("spring", "joint", "body", "force"):
        for item in s.model.get(table, []):
            key = "com" if table == "body" else "point"
            for values, k in ([(item, key)] if key in item else []) + [(item.get("points", []), k) for k in range(len(item.get("points", [])))]:
                if isinstance(values[k], list) and s.chance(0.3):
                    s.serial += 1
                    s.model.setdefault("points", {})[f"at {s.serial}"] = values[k]
                    s.named.append((values, k, f"at {s.serial}"))


def plot(s):
    s.model["_plot"] = True


def page(s):
    if s.model.get("input"):
        driven = s.model["input"][0]
        ends = [driven.get("min", -1000.0), driven.get("max", 1000.0)]
        s.model["page"] = {"control": [{"variable": driven["name"], "range": ends, **s.some(up=["w"], down=["s"], returns=False)}]}
    else:
        drive(s)
        s.model["drive"][-1]["value"] = s.input(1.0)
        page(s)


def vehicle(s):
    body = s.any_body(ground=False)
    steer, target = s.input(0.0), s.input(0.0)
    s.put("drive", s.coordinate() | {"value": steer})
    s.put("drive", s.coordinate() | {"value": target})
    speed = s.put("parameter", {"value": 2.0})["name"]
    s.put("joint_spring", s.coordinate() | {"preload": 0.0, "stiffness": speed})
    s.model["vehicle"] = {"body": body, "point": s.near(body), "steer": steer, "target": target, "speed": speed, **s.some(wheelbase=2.0, steering_ratio=15.0)}


def published(s):
    s.model["published"] = {"source": "a paper", **s.some(dof=3, bodies=4)}


def experiment(s):
    s.model["experiment"] = {"start": 0.0, "stop": 0.5, **s.some(trim=False, step=0.01)}


def input(s):
    s.put("drive", s.coordinate() | {"value": s.input(2.0, **s.some(unit="N.m", min=-5.0, max=5.0, description="torque"))})


def parameter(s):
    s.put("joint_spring", s.coordinate() | {"stiffness": s.put("parameter", {"value": 20.0, **s.some(min=0.0, max=50.0, tunable=True)})["name"]})


ELEMENTS = {"spring": spring, "joint_spring": joint_spring, "torsion_bar": torsion_bar, "bushing": bushing, "bump_stop": bump_stop, "damper": damper,
            "leaf_spring": leaf_spring, "air_spring": air_spring, "anti_roll_bar": anti_roll_bar, "force": force, "torque": torque,
            "friction": friction, "drive": drive, "cable": cable, "freewheel": freewheel, "ball_stop": ball_stop, "expression": expression,
            "brake": brake, "engine": engine, "clutch": clutch, "gearbox": gearbox,
            "torque_converter": torque_converter, "brake_line": brake_line, "aerodynamic_drag": aerodynamic_drag, "speed_control": speed_control,
            "driver": driver, "contact": contact, "solid_contact": solid, "guided": guided, "coupler": coupler, "rack_and_pinion": rack_and_pinion,
            "rod": rod, "point_on_line": point_on_line, "point_in_plane": point_in_plane, "curve_on_curve": curve_on_curve, "curve": curve,
            "flexible_body": flexible_body, "tyre": tyre, "wheel_port": wheel_port, "road": road, "shape": shape, "points": points, "plot": plot,
            "page": page, "vehicle": vehicle, "published": published, "experiment": experiment, "input": input, "parameter": parameter, "joint": joint}
# What acts on a coordinate that can be named.
ON_COORDINATES = ("joint_spring", "torsion_bar", "bump_stop", "friction", "drive", "freewheel", "expression", "brake", "engine", "clutch", "gearbox",
                  "torque_converter", "brake_line",
                  "speed_control", "driver", "guided", "coupler", "rack_and_pinion")
