"""Writes the mesh of a connecting rod with two bores, rod_mesh.inp: C3D8 hexahedra, units mm.

Two rings of 12 segments, joined by a tapering shank that shares the outer nodes at -30, 0 and 30 degrees of the rings.
"""

from math import cos, pi, sin

LENGTH = 120.0  # between the centres of the bores
RINGS = {"BIG": (0.0, 20.0, 32.0), "SMALL": (LENGTH, 10.0, 18.0)}  # centre x, bore radius, outer radius
SEGMENTS, RADIAL, ALONG = 12, 2, 6
LAYERS = [-8.0, 0.0, 8.0]

nodes, elements, sets = {}, [], {}


def node(x, y, z):
    """Number of the node at this place; nodes at the same place are one."""
    return nodes.setdefault((round(x, 9) + 0.0, round(y, 9) + 0.0, z), len(nodes) + 1)


def brick(corners):
    """One hexahedron through each layer over four plane corners, counterclockwise."""
    for below, above in zip(LAYERS, LAYERS[1:]):
        elements.append([node(*c, below) for c in corners] + [node(*c, above) for c in corners])


def on_ring(ring, radial, segment):
    centre, inner, outer = RINGS[ring]
    radius = inner + (outer - inner) * radial / RADIAL
    angle = 2 * pi * (segment % SEGMENTS) / SEGMENTS
    return centre + radius * cos(angle), radius * sin(angle)


for ring in RINGS:
    for s in range(SEGMENTS):
        for r in range(RADIAL):
            brick([on_ring(ring, *at) for at in [(r, s), (r + 1, s), (r + 1, s + 1), (r, s + 1)]])
    sets[f"{ring}_BORE"] = sorted(node(*on_ring(ring, 0, s), z) for s in range(SEGMENTS) for z in LAYERS)


def on_shank(along, across):
    big, small = on_ring("BIG", RADIAL, across - 1), on_ring("SMALL", RADIAL, 7 - across)
    t = along / ALONG
    return big[0] + t * (small[0] - big[0]), big[1] + t * (small[1] - big[1])


for i in range(ALONG):
    for j in range(2):
        brick([on_shank(*at) for at in [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]])

with open("rod_mesh.inp", "w") as out:
    print("** Connecting rod, written by mesh.py; mm\n*NODE, NSET=ALL", file=out)
    for (x, y, z), number in nodes.items():
        print(f"{number}, {x:.9f}, {y:.9f}, {z:.9f}", file=out)
    print("*ELEMENT, TYPE=C3D8, ELSET=ROD", file=out)
    for number, corners in enumerate(elements, 1):
        print(", ".join(map(str, [number] + corners)), file=out)
    for name, members in sets.items():
        print(f"*NSET, NSET={name}", file=out)
        for at in range(0, len(members), 12):
            print(", ".join(map(str, members[at : at + 12])), end=",\n", file=out)
