"""Random structures in space: a tree of beams with further beams, trusses and springs, masses, loads, interfaces, outputs. Every node
is an output; so are two sections of every member."""

import random

import numpy as np


def structure(number):
    """The structure of this number, as a dictionary with the keys of its file, and `_spans`, which says where its inner nodes are."""
    rng = random.Random(f"structure {number}")
    nodes = {}
    while len(nodes) < rng.randint(3, 6):
        at = [round(rng.uniform(-1, 1), 3) for _ in range(3)]
        if all(np.linalg.norm(np.subtract(at, other)) > 0.35 for other in nodes.values()):
            nodes[f"n{len(nodes)}"] = at
    names = list(nodes)
    materials = [{"name": f"m{i}", "youngs_modulus": 10 ** rng.uniform(9.5, 11.3), "poisson_ratio": round(rng.uniform(0, 0.45), 2),
                  "density": round(10 ** rng.uniform(3, 4))} for i in range(2)]
    sections = []
    for i in range(3):
        area = 10 ** rng.uniform(-3.3, -2.3)
        sections.append({"name": f"s{i}", "shape": "given", "area": area, "inertia_y": area ** 2 * rng.uniform(0.06, 0.6),
                         "inertia_z": area ** 2 * rng.uniform(0.06, 0.6), "torsion": area ** 2 * rng.uniform(0.02, 0.5)})
    beams, trusses, springs, pairs = [], [], [], set()

    def beam(a, b, releases):
        item = {"name": f"b{len(beams)}", "nodes": [a, b], "material": rng.choice(materials)["name"], "section": rng.choice(sections)["name"],
                "divisions": rng.randint(1, 3), "up": [round(rng.uniform(-1, 1), 2) for _ in range(3)]}
        axis = np.subtract(nodes[b], nodes[a])
        if np.linalg.norm(np.cross(axis, item["up"])) < 0.2 * np.linalg.norm(axis):
            del item["up"]
        if rng.random() < 0.3:
            item["rotary_inertia"] = True
        if releases:
            ends = [[], []]
            ends[rng.randint(0, 1)] = rng.choice([["rx", "ry", "rz"], ["ry"], ["rz"], ["x"], ["y"], ["rx"]])
            item["releases"] = ends
        beams.append(item)

    for i in range(1, len(names)):
        a = names[rng.randrange(i)]
        pairs.add(frozenset((a, names[i])))
        beam(*rng.sample([a, names[i]], 2), releases=False)
    others = [frozenset((a, b)) for k, a in enumerate(names) for b in names[k + 1:]]
    others = [pair for pair in others if pair not in pairs]
    rng.shuffle(others)
    for pair in others[:rng.randint(0, 4)]:
        a, b = sorted(pair)
        kind = rng.choice(["beam", "released", "truss", "spring"])
        if kind == "truss":
            trusses.append({"name": f"t{len(trusses)}", "nodes": [a, b], "material": rng.choice(materials)["name"],
                            "area": 10 ** rng.uniform(-4.5, -3)})
        elif kind == "spring":
            springs.append({"nodes": [a, b], "stiffness": [10 ** rng.uniform(4, 7)]})
        else:
            beam(a, b, kind == "released")
    # A node that nothing but a truss holds has no rotations.
    if rng.random() < 0.4:
        held = rng.sample(names, 3) if len(names) > 3 else names[:3]
        apex = [round(rng.uniform(-1, 1), 3) + (2.0 if k == 2 else 0.0) for k in range(3)]
        normal = np.cross(np.subtract(nodes[held[1]], nodes[held[0]]), np.subtract(nodes[held[2]], nodes[held[0]]))
        height = abs(np.dot(normal, np.subtract(apex, nodes[held[0]]))) / max(np.linalg.norm(normal), 1e-9)
        if height > 0.4 and np.linalg.norm(normal) > 0.05:
            nodes["apex"] = apex
            for node in held:
                trusses.append({"name": f"t{len(trusses)}", "nodes": [node, "apex"], "material": "m0", "area": 10 ** rng.uniform(-4.5, -3)})
    masses = []
    for node in rng.sample(names, rng.randint(0, 2)):
        size = rng.uniform(0.02, 0.1)
        mass = round(rng.uniform(0.2, 5), 2)
        masses.append({"node": node, "mass": mass, "inertia": [round(mass * size ** 2 * f, 8) for f in (1, 1.3, 1.1, 0.1, -0.05, 0.08)],
                       "offset": [round(rng.uniform(-0.1, 0.1), 3) for _ in range(3)]})
    loads = []
    for node in rng.sample(list(nodes)[1:], rng.randint(1, 2)):
        load = {"name": "push", "node": node, "force": [round(rng.uniform(-100, 100), 1) for _ in range(3)]}
        if node != "apex":
            load["moment"] = [round(rng.uniform(-20, 20), 1) for _ in range(3)]
        loads.append(load)
    interfaces = [{"name": "root", "node": names[0]}]
    if rng.random() < 0.7:
        interfaces.append({"name": "tip", "node": names[-1]})
    outputs = [{"name": node, "node": node} for node in nodes]
    for item in beams:
        outputs += [{"name": f"{item['name']}.{i}", "beam": item["name"], "at": round(rng.random(), 2)} for i in range(2)]
    outputs += [{"name": f"{item['name']}.0", "truss": item["name"], "at": round(rng.random(), 2)} for item in trusses]
    inner = sum(item["divisions"] - 1 for item in beams) + len(nodes) - len(interfaces)
    return {"structure": {"name": f"random{number}"}, "nodes": nodes, "material": materials, "section": sections, "beam": beams,
            "truss": trusses, "spring": springs, "mass": masses, "interface": interfaces, "load": loads, "output": outputs,
            "support": [{"node": names[0], "fixed": ["x", "y", "z", "rx", "ry", "rz"]}],
            "reduction": {"modes": rng.randint(1, min(6, 3 * inner)), "residual": ["loads", "gravity"], "support": "root"}}


def text(model):
    """The structure file."""
    def value(of):
        if isinstance(of, bool):
            return str(of).lower()
        if isinstance(of, str):
            return f'"{of}"'
        if isinstance(of, list):
            return "[" + ", ".join(value(item) for item in of) + "]"
        return repr(of)

    lines = []
    for table, content in model.items():
        for item in content if isinstance(content, list) else [content]:
            lines.append(f"\n[[{table}]]" if isinstance(content, list) else f"\n[{table}]")
            lines += [f"{key} = {value(of)}" for key, of in item.items()]
    return "\n".join(lines) + "\n"
