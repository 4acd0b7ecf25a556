// Bodies without shapes: the convex hull of the places that hold them, rounded; or a box with their inertia.

/** Numbers of the corners of the convex hull of points, three per triangle, seen from outside anticlockwise (incremental; no four points on a plane). */
function convexHull(points) {
  const volume = (a, b, c, d) => dot(cross(subtract(points[b], points[a]), subtract(points[c], points[a])), subtract(points[d], points[a]));
  const far = (size) => points.reduce((best, _, k) => (size(k) > size(best) ? k : best), 0);
  const b = far((k) => norm(subtract(points[k], points[0])));
  const c = far((k) => norm(cross(subtract(points[k], points[0]), subtract(points[b], points[0]))));
  const d = far((k) => Math.abs(volume(0, b, c, k)));
  const face = (i, j, k) => {
    const normal = cross(subtract(points[j], points[i]), subtract(points[k], points[i]));
    return { corners: [i, j, k], normal, height: dot(normal, points[i]) };
  };
  let faces = volume(0, b, c, d) < 0 ? [face(0, b, c), face(0, c, d), face(c, b, d), face(b, 0, d)] : [face(0, c, b), face(0, d, c), face(c, d, b), face(b, d, 0)];
  points.forEach((point, p) => {
    if ([0, b, c, d].includes(p)) return;
    const rim = new Map();
    const kept = faces.filter(({ corners, normal, height }) => {
      if (dot(normal, point) <= height) return true;
      corners.forEach((i, n) => {
        const j = corners[(n + 1) % 3];
        if (!rim.delete(`${j} ${i}`)) rim.set(`${i} ${j}`, [i, j]);
      });
      return false;
    });
    if (rim.size > 0) faces = [...kept, ...[...rim.values()].map(([i, j]) => face(i, j, p))];
  });
  return faces.flatMap(({ corners }) => corners);
}

/** Unit vectors spread evenly over a sphere, and a little off any symmetry, so that no four places of a hull are coplanar. */
function directions(count) {
  return Array.from({ length: count }, (_, k) => {
    const z = 1 - (2 * k + 1) / count;
    const angle = 2.399963 * k + 0.1;
    return [Math.sqrt(1 - z * z) * Math.cos(angle), Math.sqrt(1 - z * z) * Math.sin(angle), z];
  });
}

/** Corners of the region within `radius` of the convex hull of places. */
function hullMesh(places, radius) {
  const around = directions(places.length > 3 ? 40 : 60);
  const points = places.flatMap((place, p) => around.map((d, k) => add(place, scale(d, radius * (1 + 1e-5 * ((7 * k + 13 * p) % 11))))));
  return smoothCorners(points, convexHull(points));
}

/**
 * What a body without shapes looks like: its mesh in its frame, and whether it is so wide that one sees through it, since other parts are
 * within; null where its centre is the only place.
 */
function bodyHull(body, unit, size) {
  const places = [[0, 0, 0], ...body.pts.map(([, place]) => place)].filter((place, k, all) => all.findIndex((other) => norm(subtract(other, place)) < 3e-3 * size) === k);
  if (places.length === 1) return null;
  const reach = Math.max(...places.map(norm));
  const wide = places.length > 5 && places.some((a) => places.some((b) => norm(subtract(a, b)) > 0.5 * size));
  return { wide, corners: hullMesh(places, Math.min((places.length > 2 ? 1 : 1.2) * unit, Math.max(0.07 * reach, 0.35 * unit))) };
}
