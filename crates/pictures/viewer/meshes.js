// Meshes of unit size: [x, y, z, nx, ny, nz] per corner, three corners per triangle. Their axis is z.

/** A surface of revolution from pairs of radius and height; kinks stay sharp. */
function lathe(profile, around = 16) {
  const out = [];
  for (let i = 0; i + 1 < profile.length; i++) {
    const [r0, z0] = profile[i];
    const [r1, z1] = profile[i + 1];
    const length = Math.hypot(r1 - r0, z1 - z0) || 1;
    const [nr, nz] = [(z1 - z0) / length, -(r1 - r0) / length];
    for (let k = 0; k < around; k++) {
      const angles = [k, k + 1].map((n) => (2 * Math.PI * n) / around);
      const corner = (r, z, a) => [r * Math.cos(a), r * Math.sin(a), z, nr * Math.cos(a), nr * Math.sin(a), nz];
      const [a, b] = [corner(r0, z0, angles[0]), corner(r0, z0, angles[1])];
      const [c, d] = [corner(r1, z1, angles[1]), corner(r1, z1, angles[0])];
      if (r0 > 0) out.push(...a, ...b, ...c);
      if (r1 > 0) out.push(...a, ...c, ...d);
    }
  }
  return out;
}

function boxMesh(low = [-0.5, -0.5, -0.5], high = [0.5, 0.5, 0.5]) {
  const out = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [low, high]) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const corner = (s, t) => {
        const place = [0, 0, 0];
        const normal = [0, 0, 0];
        place[axis] = side[axis];
        place[u] = (s ? high : low)[u];
        place[v] = (t ? high : low)[v];
        normal[axis] = side === high ? 1 : -1;
        return [...place, ...normal];
      };
      out.push(...corner(0, 0), ...corner(1, 0), ...corner(1, 1), ...corner(0, 0), ...corner(1, 1), ...corner(0, 1));
    }
  }
  return out;
}

function sphereMesh(around = 12, rings = 6) {
  const out = [];
  const corner = (i, k) => {
    const [theta, phi] = [(Math.PI * i) / rings, (2 * Math.PI * k) / around];
    const n = [Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)];
    return [...n, ...n];
  };
  for (let i = 0; i < rings; i++) {
    for (let k = 0; k < around; k++) {
      const [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
      if (i + 1 < rings) out.push(...a, ...b, ...c);
      if (i > 0) out.push(...a, ...c, ...d);
    }
  }
  return out;
}

/** A wire that winds around z from 0 to 1 with radius 1. */
function helixMesh(turns = 7, pieces = 12, sides = 5) {
  const out = [];
  const total = turns * pieces;
  // The position is the middle of the wire. The shader adds its thickness along the normal, independent of stretching.
  const corner = (i, k) => {
    const angle = (2 * Math.PI * i) / pieces;
    const side = (2 * Math.PI * k) / sides;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [c, s, 0.03 + (0.94 * i) / total, Math.cos(side) * c, Math.cos(side) * s, Math.sin(side)];
  };
  for (let i = 0; i < total; i++) {
    for (let k = 0; k < sides; k++) {
      const [a, b, c, d] = [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
      out.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  }
  return out;
}

/** Five spokes and a hub, in a tyre of radius and width 1. */
function rimMesh() {
  const out = lathe([[0, -0.3], [0.16, -0.3], [0.16, 0.3], [0, 0.3]], 12);
  // The flanges towards the tyre.
  for (const side of [-1, 1]) out.push(...lathe([[0.58, 0.22], [0.58, 0.37], [0.66, 0.4], [0.66, 0.37]].map(([r, z]) => [r, side * z]), 24));
  for (let i = 0; i < 5; i++) {
    const angle = (2 * Math.PI * i) / 5;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const spoke = boxMesh([0.1, -0.07, -0.22], [0.64, 0.07, 0.22]);
    for (let k = 0; k < spoke.length; k += 3) {
      const [x, y] = [spoke[k], spoke[k + 1]];
      spoke[k] = c * x - s * y;
      spoke[k + 1] = s * x + c * y;
    }
    out.push(...spoke);
  }
  return out;
}

const MESHES = {
  cylinder: () => lathe([[0, -0.5], [1, -0.5], [1, 0.5], [0, 0.5]], 12),
  cone: () => lathe([[0, 0], [1, 0], [0, 1]], 14),
  box: () => boxMesh(),
  sphere: () => sphereMesh(),
  helix: () => helixMesh(),
  tyre: () => lathe([[0.62, -0.36], [0.66, -0.46], [0.9, -0.5], [0.985, -0.4], [1, 0], [0.985, 0.4], [0.9, 0.5], [0.66, 0.46], [0.62, 0.36], [0.62, -0.36]], 28),
  rim: () => rimMesh(),
  bellows: () => lathe([[0, 0], [0.7, 0], [0.7, 0.12], [1, 0.25], [0.75, 0.45], [0.75, 0.5], [1, 0.7], [0.7, 0.85], [0.7, 1], [0, 1]], 16),
  ring: () => lathe([[0.72, -0.5], [1, -0.5], [1, 0.5], [0.72, 0.5], [0.72, -0.5]], 18),
};

/** The same with fewer triangles. */
const COARSE = {
  bar: () => lathe([[1, -0.5], [1, 0.5]], 6),
  cylinder: () => lathe([[0, -0.5], [1, -0.5], [1, 0.5], [0, 0.5]], 7),
  cone: () => lathe([[0, 0], [1, 0], [0, 1]], 8),
  sphere: () => sphereMesh(7, 4),
  tyre: () => lathe([[0.64, -0.4], [0.9, -0.5], [1, 0], [0.9, 0.5], [0.64, 0.4]], 18),
  bellows: () => lathe([[0, 0], [0.7, 0.1], [1, 0.25], [0.75, 0.48], [1, 0.7], [0.7, 1], [0, 1]], 9),
  ring: () => lathe([[0.72, -0.5], [1, -0.5], [1, 0.5], [0.72, 0.5], [0.72, -0.5]], 9),
  helix: () => helixMesh(7, 8, 3),
};
