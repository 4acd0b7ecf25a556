//! Convex solids with flat faces, and the intersection of two of them.
//!
//! The edges of the second solid, each with the faces on its left and right, are cut by the half spaces of the first,
//! one after the other. An edge that crosses the plane ends there, in a point that belongs to both of its faces; in
//! every face the points where its boundary leaves and enters the half space are joined by a new edge, which the face
//! of the plane has on its other side. So the surface remains closed under rounding: if a face is in the plane and its
//! boundary seems to cross more than twice, all crossings are joined to the first one. No order of edges and no list of
//! corners is kept.
//!
//! Volume, centre, second moments and the resultants of a linear pressure on the faces are sums over the edges of both
//! faces. Every edge forms a triangle with the first corner of its face, and a tetrahedron with one corner of the
//! solid. All sums are exact.
//!
//! Cost: edges times faces. Allocates nothing once the solids are made.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::math::hull::{Face, MAX_FACES, Polytope};
use crate::math::scalar::{Scalar, lift, times};
use crate::math::{Mat3, Vec3, minimum};

/// Largest number of faces of two solids together, and of edges of their intersection, including the edges that one
/// plane adds: 3 f − 6 with f faces, and as many as it has faces. Of boxes there is less to fill and to look through.
const MANY: [usize; 2] = [2 * MAX_FACES, 512];
const FEW: [usize; 2] = [16, 64];
// Face numbers are bytes, because the stack of a real-time thread may be small.
const _: () = assert!(MANY[0] <= 256);
/// Fraction of the cube of its size below which a common volume is rounding and counts as zero.
pub(super) const NOTHING: f64 = 1e-15;
/// Distance from a plane, as a fraction of the size, at which a point counts as on it: far above rounding. So coplanar
/// faces of two solids, as in a stack of equal boxes, do not cut each other by rounding.
const COPLANAR: f64 = 1e-12;

/// Rotation and origin of the second solid's axes in the axes of the first.
pub(crate) type Pose<S> = (Mat3<S>, Vec3<S>);

/// Intersection of two solids, in the axes of the first. Loads for a pressure of 1 Pa per m of depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlap<S> {
    /// V, m³.
    pub volume: S,
    /// Its centre c.
    pub centre: Vec3<S>,
    /// ∫ r rᵀ dV about the centre, m⁵.
    pub second: Mat3<S>,
    /// Of the first solid's face next to the centre the outward normal, of the second's the inward one.
    pub normals: [Vec3<S>; 2],
    /// Mean depth of the centre below these faces, m.
    pub depth: S,
    /// Force on the second solid, m³, and its moment about the centre, m⁴.
    pub force: Vec3<S>,
    pub moment: Vec3<S>,
}

impl<S: Scalar> Overlap<S> {
    /// This value with every number converted to another type.
    pub(super) fn map<T: Scalar>(&self, of: impl Fn(S) -> T + Copy) -> Overlap<T> {
        Overlap {
            volume: of(self.volume),
            centre: self.centre.map(of),
            second: self.second.map(of),
            normals: self.normals.map(|normal| normal.map(of)),
            depth: of(self.depth),
            force: self.force.map(of),
            moment: self.moment.map(of),
        }
    }

    /// This value plus `factor` times the difference of two others.
    pub(super) fn plus(&self, after: &Overlap<f64>, before: &Overlap<f64>, factor: S) -> Self {
        let vector = |own: &Vec3<S>, a: &Vec3, b: &Vec3| own + (a - b).map(|change| factor * change);
        let normal = |k: usize| vector(&self.normals[k], &after.normals[k], &before.normals[k]);
        Overlap {
            volume: self.volume + factor * (after.volume - before.volume),
            centre: vector(&self.centre, &after.centre, &before.centre),
            second: self.second + (after.second - before.second).map(|change| factor * change),
            normals: [normal(0), normal(1)],
            depth: self.depth + factor * (after.depth - before.depth),
            force: vector(&self.force, &after.force, &before.force),
            moment: vector(&self.moment, &after.moment, &before.moment),
        }
    }
}

/// An edge of the common solid.
#[derive(Clone, Copy)]
pub(super) struct Segment<S> {
    pub ends: [Vec3<S>; 2],
    pub faces: [u8; 2],
}

impl<S: Scalar> Segment<S> {
    /// An edge of zero length.
    pub(super) fn none() -> Self {
        Segment { ends: [Vec3::zeros(); 2], faces: [0; 2] }
    }
}

/// The common solid while it is cut. It borrows its arrays, which the caller makes in place: moved arrays would be on
/// the stack twice.
pub(super) struct Cut<'a, S> {
    pub segments: &'a mut [Segment<S>],
    pub len: usize,
    /// Of every face the first point of its boundary on the present plane, and the plane that it is of.
    first: &'a mut [Vec3<S>],
    plane: &'a mut [u8],
}

impl<'a, S: Scalar> Cut<'a, S> {
    /// Without edges; one item of the last two for every face, the planes zero.
    pub(super) fn new(segments: &'a mut [Segment<S>], first: &'a mut [Vec3<S>], plane: &'a mut [u8]) -> Self {
        Cut { segments, len: 0, first, plane }
    }

    pub(super) fn add(&mut self, segment: Segment<S>) {
        if self.len < self.segments.len() && segment.ends[0] != segment.ends[1] {
            self.segments[self.len] = segment;
            self.len += 1;
        }
    }

    /// Records a point at which the boundary of a face leaves or enters the half space of the face `plane`.
    fn join(&mut self, face: u8, p: Vec3<S>, leaves: bool, plane: u8) {
        let index = usize::from(face);
        if self.plane[index] != plane {
            (self.plane[index], self.first[index]) = (plane, p);
            return;
        }
        let first = self.first[index];
        self.add(Segment { ends: if leaves { [p, first] } else { [first, p] }, faces: [face, plane] });
    }

    /// Keeps the part in the half space of a face, which gets the number `plane`; `size` is the size of the solids, m.
    pub(super) fn clip(&mut self, face: &Face, plane: usize, size: f64) {
        let plane = plane as u8;
        let before = self.len;
        let on_the_plane = COPLANAR * size;
        let normal = lift::<S>(&face.normal);
        let mut kept = 0;
        for index in 0..before {
            let mut segment = self.segments[index];
            // Heights of both ends above the plane; next to the plane they count as zero.
            let heights = segment.ends.map(|end| {
                let height = normal.dot(&end) - face.offset;
                if height.value().abs() < on_the_plane { S::zero() } else { height }
            });
            let outside = heights.map(|height| height > 0.0);
            if outside == [true; 2] {
                continue;
            }
            // An edge that crosses the plane ends there; the crossing belongs to both of its faces.
            if outside != [false; 2] {
                let out = usize::from(outside[1]);
                let (inner, outer) = (segment.ends[1 - out], segment.ends[out]);
                let crossing = inner + (outer - inner) * (heights[1 - out] / (heights[1 - out] - heights[out]));
                segment.ends[out] = crossing;
                for side in 0..2 {
                    self.join(segment.faces[side], crossing, out != side, plane);
                }
            }
            self.segments[kept] = segment;
            kept += 1;
        }
        // The edges of the new face follow the kept ones.
        self.segments.copy_within(before..self.len, kept);
        self.len = kept + self.len - before;
    }

    /// Calls `see` with every triangle: number of its face, first corner of the face, and an edge of the face.
    fn triangles(&self, mut see: impl FnMut(usize, [Vec3<S>; 3])) {
        // Of every face the number of its first edge and the end of it.
        let mut corner = [None; MANY[0]];
        for (index, segment) in self.segments[..self.len].iter().enumerate() {
            for side in 0..2 {
                let face = usize::from(segment.faces[side]);
                let (edge, end) = *corner[face].get_or_insert((index as u16, side as u8));
                let first = self.segments[usize::from(edge)].ends[usize::from(end)];
                see(face, [first, segment.ends[side], segment.ends[1 - side]]);
            }
        }
    }
}

impl Polytope {
    /// The nearest face to a point inside: the depth below it and its outward normal.
    pub(super) fn nearest_face<S: Scalar>(&self, p: &Vec3<S>) -> (S, usize) {
        let depth = |face: &Face| -(lift::<S>(&face.normal).dot(p) - face.offset);
        let mut nearest = 0;
        for (index, face) in self.faces.iter().enumerate() {
            if depth(face) < depth(&self.faces[nearest]) {
                nearest = index;
            }
        }
        (depth(&self.faces[nearest]), nearest)
    }

    /// The largest distance of all corners of `other`, seen from here in `pose`, from one of the faces: positive only
    /// where the solids are apart.
    fn beyond<S: Scalar>(&self, other: &Polytope, pose: &Pose<S>) -> S {
        let mut most = S::from_f64(f64::NEG_INFINITY);
        for face in &self.faces {
            // n · (R x + t) − d, with the normal in the other's axes.
            let own = pose.0.tr_mul(&lift(&face.normal));
            let shift = lift::<S>(&face.normal).dot(&pose.1) - face.offset;
            let mut least = S::from_f64(f64::INFINITY);
            for corner in &other.corners {
                least = minimum(least, own.x * corner.x + own.y * corner.y + own.z * corner.z);
            }
            if !other.corners.is_empty() && least + shift > most {
                most = least + shift;
            }
        }
        most
    }

    /// Distance of two solids along the normal of a face, m; negative if no face separates them.
    pub(crate) fn separation<S: Scalar>(&self, other: &Polytope, pose: &Pose<S>) -> S {
        let back = (pose.0.transpose(), -pose.0.tr_mul(&pose.1));
        let (mine, others) = (self.beyond(other, pose), other.beyond(self, &back));
        if others > mine { others } else { mine }
    }

    /// Intersection of this solid and a second one with corners; `None` if they are apart.
    pub(crate) fn overlap<S: Scalar>(&self, second: &Polytope, pose: &Pose<S>) -> Option<Overlap<S>> {
        if self.separation(second, pose) > 0.0 {
            return None;
        }
        match self.faces.len() + second.faces.len() <= FEW[0] {
            true => self.common::<S, { FEW[0] }, { FEW[1] }>(second, pose),
            false => self.common::<S, { MANY[0] }, { MANY[1] }>(second, pose),
        }
    }

    /// As above, for solids that are not separated along the normal of a face, with the given largest numbers of faces
    /// and edges. Not inlined, so that small cases do not use the stack of large ones.
    #[inline(never)]
    fn common<S: Scalar, const FACES: usize, const EDGES: usize>(
        &self,
        second: &Polytope,
        (R_AB, p_AB): &Pose<S>,
    ) -> Option<Overlap<S>> {
        let mut segments = [Segment::none(); EDGES];
        let mut first = [Vec3::zeros(); FACES];
        let mut plane = [0; FACES];
        let mut cut = Cut::new(&mut segments, &mut first, &mut plane);
        // The edges of the second solid in the axes of the first, cut by the faces of the first.
        for edge in &second.edges {
            let ends = edge.ends.map(|end| times(R_AB, &second.corners[end]) + p_AB);
            cut.add(Segment { ends, faces: edge.faces.map(|face| face as u8) });
        }
        let own = second.faces.len();
        let size = second.corners.first().map_or(0.0, |corner| corner.norm());
        for (index, face) in self.faces.iter().enumerate() {
            cut.clip(face, own + index, size);
        }
        // Volume and moments as sums over tetrahedra with one corner at `origin`.
        let origin = cut.segments[..cut.len].first()?.ends[0];
        let (mut volume, mut first, mut moments) = (S::zero(), Vec3::zeros(), Mat3::zeros());
        cut.triangles(|_, corners| {
            let [a, b, c] = corners.map(|corner| corner - origin);
            let (six, sum) = (a.dot(&b.cross(&c)), a + b + c);
            volume += six;
            first += sum * six;
            moments += (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose()) * six;
        });
        let volume = volume / 6.0;
        if !(volume > NOTHING * size * size * size) {
            return None;
        }
        let middle = first / (volume * 24.0);
        let centre = origin + middle;
        let moments = moments / S::from_f64(120.0) - middle * middle.transpose() * volume;
        // Depths below the nearest faces, as d − n · x from the centre.
        let (depth, face) = self.nearest_face(&centre);
        let normal = lift::<S>(&self.faces[face].normal);
        let (other_depth, face) = second.nearest_face(&R_AB.tr_mul(&(centre - p_AB)));
        let other_normal = times(R_AB, &second.faces[face].normal);
        // Resultants of the linear pressures, exact for every triangle.
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        cut.triangles(|face, corners| {
            let [a, b, c] = corners.map(|corner| corner - centre);
            let area = (b - a).cross(&(c - a)) * S::from_f64(0.5);
            // The pressure of either solid acts on the surface of the other.
            let (depth, normal, sign) =
                if face < own { (depth, normal, -1.0) } else { (other_depth, other_normal, 1.0) };
            let depths = [a, b, c].map(|corner| depth - normal.dot(&corner));
            let sum = depths[0] + depths[1] + depths[2];
            let lever = a * depths[0] + b * depths[1] + c * depths[2] + (a + b + c) * sum;
            force += area * (sum * (sign / 6.0));
            moment += lever.cross(&area) * S::from_f64(sign / 24.0);
        });
        let depth = (depth + other_depth) * 0.5;
        Some(Overlap { volume, centre, second: moments, normals: [normal, -other_normal], depth, force, moment })
    }
}
