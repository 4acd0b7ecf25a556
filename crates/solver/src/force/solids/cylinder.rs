//! The common part of a round cylinder and a solid with flat faces.
//!
//! The surface of the common solid consists of flat regions and a part of the barrel. The flat regions are on the faces
//! of the other solid and on both ends of the cylinder. In the axes of the cylinder the field (0, 0, z) has no flow
//! through the barrel. So the divergence theorem gives volume, centre and second moments from the flat regions alone.
//! Flat regions and barrel close a surface, so the pressure on the barrel follows from the pressure on the flat
//! regions.
//!
//! A flat region is a convex polygon, cut by the ellipse in which its plane meets the barrel. Its boundary consists of
//! elliptical arcs and of straight edges, which the barrel cuts in closed form. An arc and its chord enclose the affine
//! image of a segment of a disc. Triangles are integrated exactly, segments of at most 60° by [`NODES`] to rounding.
//! Nothing depends on a direction across the axis.
//!
//! Cost: edges of the other solid. Allocates nothing.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::polytope::{Cut, NOTHING, Overlap, Pose, Segment};
use crate::math::elementary::{atan2, ceil, sin_cos};
use crate::math::hull::{Face, MAX_FACES, Polytope};
use crate::math::scalar::{Scalar, lift, norm, times};
use crate::math::{Mat3, Vec3, at_least, divisor, minimum, quotient};
use core::f64::consts::{PI, TAU};

/// Largest number of faces, both ends of the cylinder included, and of edges of the other solid between them.
const MANY: [usize; 2] = [MAX_FACES + 2, 5 * MAX_FACES];
const FEW: [usize; 2] = [8, 40];
/// Largest number of points in which the edges of one face meet the barrel.
const MAX_CROSSINGS: usize = 2 * (MAX_FACES + 2);
/// Normals with a smaller part along the axis are across it: their plane meets the barrel in straight lines.
const ACROSS: f64 = 1e-12;
/// Angle of an arc, rad, below which the arc may be the whole ellipse. Fraction of the radius below which the edges of
/// a face leave room for a whole ellipse.
const SMALL_ARC: f64 = 1e-6;
const SMALL_EDGE: f64 = 1e-5;
/// Largest angle of an arc that is integrated at once.
const MAX_ARC: f64 = PI / 3.0;
/// Positive abscissas and weights of the Gauss-Legendre rule with 12 points.
const NODES: [[f64; 2]; 6] = [
    [0.125_233_408_511_468_9, 0.249_147_045_813_402_78],
    [0.367_831_498_998_180_2, 0.233_492_536_538_354_8],
    [0.587_317_954_286_617_4, 0.203_167_426_723_065_92],
    [0.769_902_674_194_304_7, 0.160_078_328_543_346_23],
    [0.904_117_256_370_474_9, 0.106_939_325_995_318_43],
    [0.981_560_634_246_719_3, 0.047_175_336_386_511_83],
];
/// Abscissas of the rule with two points on 0 to 1, each with the weight 1/2.
const TWO: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// A cylinder around the z axis: radius and half its length, m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Cylinder {
    pub radius: f64,
    pub half: f64,
}

/// Integrals over a flat region: of 1, r, r rᵀ and z r rᵀ.
struct Region<S> {
    area: S,
    first: Vec3<S>,
    second: Mat3<S>,
    third: Mat3<S>,
    /// A point of it, from which the triangles start.
    corner: Option<Vec3<S>>,
}

impl<S: Scalar> Region<S> {
    fn new() -> Self {
        let (zero, none) = (S::zero(), Mat3::zeros());
        Region { area: zero, first: Vec3::zeros(), second: none, third: none, corner: None }
    }

    fn add(&mut self, p: &Vec3<S>, weight: S) {
        let weighted = p * weight;
        let square = weighted * p.transpose();
        self.area += weight;
        self.first += weighted;
        self.second += square;
        self.third += square * p.z;
    }

    /// The triangle of its corner and a straight part of its boundary, by a rule that is exact for cubic functions.
    fn edge(&mut self, a: &Vec3<S>, b: &Vec3<S>, normal: &Vec3<S>) {
        let corner = *self.corner.get_or_insert(*a);
        let area = normal.dot(&(a - corner).cross(&(b - corner))) * 0.5;
        let sum = corner + a + b;
        self.add(&(sum / S::from_f64(3.0)), area * (-27.0 / 48.0));
        for end in [&corner, a, b] {
            self.add(&((sum + end * S::from_f64(2.0)) / S::from_f64(5.0)), area * (25.0 / 48.0));
        }
    }
}

/// The plane n · x ≤ d of a face, in the axes of the cylinder.
type Plane<S> = (Vec3<S>, S);

/// The part of an edge inside the barrel, and which of its ends are on the barrel.
type Inside<S> = ([Vec3<S>; 2], [bool; 2]);

impl Cylinder {
    /// Radius of a sphere around it, m.
    pub(super) fn reach(&self) -> f64 {
        (self.radius * self.radius + self.half * self.half).sqrt()
    }

    /// Extent along a unit vector, m.
    pub(super) fn support<S: Scalar>(&self, n: &Vec3<S>) -> S {
        (n.x * n.x + n.y * n.y).sqrt() * self.radius + n.z.abs() * self.half
    }

    /// Depth of a point below the nearer of barrel and ends, and the outward normal there.
    pub(super) fn nearest_face<S: Scalar>(&self, p: &Vec3<S>) -> (S, Vec3<S>) {
        let across = (p.x * p.x + p.y * p.y).sqrt();
        let (side, end) = (-across + self.radius, -p.z.abs() + self.half);
        if across > 0.0 && side < end {
            return (side, Vec3::new(p.x / divisor(across), p.y / divisor(across), S::zero()));
        }
        (end, lift(&(Vec3::z() * if p.z < 0.0 { -1.0 } else { 1.0 })))
    }

    /// The part of an edge within the barrel.
    fn inside<S: Scalar>(&self, [a, b]: &[Vec3<S>; 2]) -> Option<Inside<S>> {
        let excess = |p: &Vec3<S>| p.x * p.x + p.y * p.y - self.radius * self.radius;
        let (from, to) = (excess(a), excess(b));
        let out = [from > 0.0, to > 0.0];
        if out == [false; 2] {
            return Some(([*a, *b], out));
        }
        // |a + t (b − a)|² = R²: squared t² + 2 half t + from = 0.
        let d = b - a;
        let (squared, half) = (d.x * d.x + d.y * d.y, d.x * a.x + d.y * a.y);
        let discriminant = half * half - squared * from;
        if out == [true; 2] && !(half < 0.0 && half + squared > 0.0 && discriminant > 0.0) {
            return None;
        }
        let root = at_least(discriminant, 0.0).sqrt();
        let on_edge = |t: S| a + d * t;
        let enters = || on_edge(quotient(from, root - half));
        let leaves = || on_edge(if half < 0.0 { quotient(root - half, squared) } else { quotient(-from, root + half) });
        Some(([if out[0] { enters() } else { *a }, if out[1] { leaves() } else { *b }], out))
    }

    /// An arc from `a` to `b` on the ellipse of a plane, `angle` rad about the axis in the sense of its normal.
    fn arc<S: Scalar>(
        &self,
        region: &mut Region<S>,
        ends: [Vec3<S>; 2],
        angle: f64,
        plane: &Plane<S>,
        origin: &Vec3<S>,
    ) {
        let (normal, offset) = plane;
        let [mut a, b] = ends;
        let parts = (ceil(angle / MAX_ARC) as usize).clamp(1, 6);
        let turn = angle / parts as f64 * if normal.z < 0.0 { -1.0 } else { 1.0 };
        let (sine, cosine) = sin_cos(turn);
        for part in 1..=parts {
            let next = if part == parts {
                b
            } else {
                let (x, y) = (a.x * cosine - a.y * sine, a.x * sine + a.y * cosine);
                Vec3::new(x, y, (*offset - normal.x * x - normal.y * y) / normal.z)
            };
            self.piece(region, [a, next], normal, origin);
            a = next;
        }
    }

    /// Chord and segment of an arc of at most 60°.
    fn piece<S: Scalar>(&self, region: &mut Region<S>, [a, b]: [Vec3<S>; 2], normal: &Vec3<S>, origin: &Vec3<S>) {
        region.edge(&(a - origin), &(b - origin), normal);
        let (chord, sum) = ((b - a) * S::from_f64(0.5), a + b);
        let sine = (chord.x * chord.x + chord.y * chord.y) / (self.radius * self.radius);
        let across = (sum.x * sum.x + sum.y * sum.y).sqrt();
        if !(sine > 0.0 && sine < 1.0 && across > 0.0 && normal.z.abs() > ACROSS) {
            return;
        }
        let cosine = (-sine + 1.0).sqrt();
        // From the middle of the chord to the middle of the arc, for the height 1 above the chord of the disc.
        let (x, y) = (sum.x / across, sum.y / across);
        let bulge = Vec3::new(x, y, -(normal.x * x + normal.y * y) / normal.z) * S::from_f64(self.radius);
        let (middle, area) = (sum * S::from_f64(0.5) - origin, norm(&chord.cross(&bulge)));
        for [node, weight] in NODES {
            let square = node * node;
            let height = sine * (1.0 - square) / ((-sine * square + 1.0).sqrt() + cosine);
            for (place, share) in [-node, node].into_iter().flat_map(|place| TWO.map(|share| (place, share))) {
                let p = middle + chord * S::from_f64(place) + bulge * (height * share);
                region.add(&p, area * height * (0.5 * weight));
            }
        }
    }

    /// The common part of this cylinder and a solid with faces; `pose` is relative to that solid. `None` if they are
    /// apart.
    pub(super) fn overlap<S: Scalar>(&self, first: &Polytope, pose: &Pose<S>) -> Option<Overlap<S>> {
        if self.beyond(first, pose) > 0.0 {
            return None;
        }
        match first.faces.len() + 2 <= FEW[0] {
            true => self.common::<S, { FEW[0] }, { FEW[1] }>(first, pose),
            false => self.common::<S, { MANY[0] }, { MANY[1] }>(first, pose),
        }
    }

    /// The largest distance of the cylinder from the plane of a face, positive only if they are apart.
    fn beyond<S: Scalar>(&self, first: &Polytope, (R_AB, p_AB): &Pose<S>) -> S {
        let mut most = S::from_f64(f64::NEG_INFINITY);
        for face in &first.faces {
            let n_A = lift::<S>(&face.normal);
            let gap = n_A.dot(p_AB) - face.offset - self.support(&R_AB.tr_mul(&n_A));
            most = if gap > most { gap } else { most };
        }
        most
    }

    /// Distance along the normal of a face, of an end, or of the barrel at the nearest edge.
    pub(super) fn separation<S: Scalar>(&self, first: &Polytope, pose: &Pose<S>) -> S {
        let mut most = self.beyond(first, pose);
        let own = |corner: usize| pose.0.tr_mul(&(lift::<S>(&first.corners[corner]) - pose.1));
        let mut nearest = (S::from_f64(f64::INFINITY), Vec3::zeros());
        for edge in &first.edges {
            let [a, b] = edge.ends.map(own).map(|p| Vec3::new(p.x, p.y, S::zero()));
            let foot = super::round::foot(&[a, b], &Vec3::zeros());
            let squared = foot.dot(&foot);
            nearest = if squared < nearest.0 { (squared, foot) } else { nearest };
        }
        let out = norm(&nearest.1);
        let normals =
            [lift(&Vec3::z()), lift(&-Vec3::z()), if out > 0.0 { nearest.1 / divisor(out) } else { Vec3::zeros() }];
        for normal in normals.iter().filter(|_| !first.corners.is_empty()) {
            let mut least = S::from_f64(f64::INFINITY);
            for corner in 0..first.corners.len() {
                least = minimum(least, normal.dot(&own(corner)));
            }
            let gap = least - self.support(normal);
            most = if norm(normal) > 0.0 && gap > most { gap } else { most };
        }
        most
    }

    /// Fills in the edges of the other solid between the planes of both ends, which are faces with the last two
    /// numbers.
    fn edges<S: Scalar>(&self, first: &Polytope, (R_AB, p_AB): &Pose<S>, planes: &[Plane<S>], cut: &mut Cut<S>) {
        let ends = [1.0, -1.0].map(|side| Face { normal: Vec3::z() * side, offset: self.half });
        let count = first.faces.len();
        if first.corners.is_empty() {
            // A half space: the lines in which its plane meets the planes of the ends, as far as the barrel reaches.
            let (normal, offset) = planes[0];
            let across = (normal.x * normal.x + normal.y * normal.y).sqrt();
            for (index, end) in ends.iter().enumerate() {
                let z = S::from_f64(end.normal.z * self.half);
                let distance = offset - normal.z * z;
                if !(across > 0.0) || distance.abs() > across * self.radius {
                    continue;
                }
                let (x, y) = (normal.x / across, normal.y / across);
                let foot = Vec3::new(x * (distance / across), y * (distance / across), z);
                let half_chord = Vec3::new(y, -x, S::zero()) * S::from_f64(2.0 * self.radius * end.normal.z);
                cut.add(Segment { ends: [foot - half_chord, foot + half_chord], faces: [0, (count + index) as u8] });
            }
            return;
        }
        // Otherwise the edges of the solid, in the axes of the cylinder, cut by the planes of both ends.
        for edge in &first.edges {
            let ends = edge.ends.map(|end| R_AB.tr_mul(&(lift::<S>(&first.corners[end]) - p_AB)));
            cut.add(Segment { ends, faces: edge.faces.map(|face| face as u8) });
        }
        for (index, end) in ends.iter().enumerate() {
            cut.clip(end, count + index, self.radius + self.half);
        }
    }

    /// Adds the region of one face within the barrel. Its boundary consists of the parts of the edges inside the
    /// barrel, and of an arc from each point where an edge leaves the barrel to the next point where one enters.
    #[inline(never)]
    fn region<S: Scalar>(
        &self,
        face: usize,
        segments: &[Segment<S>],
        planes: &[Plane<S>],
        origin: &Vec3<S>,
    ) -> Region<S> {
        let mut region = Region::new();
        let plane = &planes[face];
        let normal = &plane.0;
        let mut points = [[Vec3::zeros(); MAX_CROSSINGS]; 2];
        let (mut counts, mut length) = ([0; 2], S::zero());
        // The parts of the edges inside the barrel, and the points where they enter (0) and leave (1) it.
        for segment in segments {
            let Some(side) = segment.faces.iter().position(|of| usize::from(*of) == face) else { continue };
            let Some((mut ends, mut cut)) = self.inside(&segment.ends) else { continue };
            if side == 1 {
                (ends, cut) = ([ends[1], ends[0]], [cut[1], cut[0]]);
            }
            for end in 0..2 {
                if cut[end] && counts[end] < MAX_CROSSINGS {
                    points[end][counts[end]] = ends[end];
                    counts[end] += 1;
                }
            }
            length += norm(&(ends[1] - ends[0]));
            region.edge(&(ends[0] - origin), &(ends[1] - origin), normal);
        }
        // Edges of negligible length: the boundary is the whole ellipse.
        let whole = length <= SMALL_EDGE * self.radius && self.has_middle(face, planes);
        if counts[0] == 0 || counts[1] == 0 {
            if whole && region.corner.is_none() {
                let x = S::from_f64(self.radius);
                let start = Vec3::new(x, S::zero(), (plane.1 - normal.x * x) / normal.z);
                self.arc(&mut region, [start; 2], TAU, plane, origin);
            }
            return region;
        }
        // An arc from each point where an edge leaves to the next point where one enters.
        for leaves in &points[1][..counts[1]] {
            let (mut next, mut least) = (points[0][0], f64::INFINITY);
            for enters in &points[0][..counts[0]] {
                let angle = arc_angle(leaves, enters, normal.z.value(), whole);
                if angle < least {
                    (next, least) = (*enters, angle);
                }
            }
            self.arc(&mut region, [*leaves, next], least, plane, origin);
        }
        region
    }

    /// Whether the point of the axis in the plane of a face belongs to that face.
    fn has_middle<S: Scalar>(&self, face: usize, planes: &[Plane<S>]) -> bool {
        let (normal, offset) = &planes[face];
        if !(normal.z.abs() > ACROSS) {
            return false;
        }
        let z = *offset / normal.z;
        planes.iter().enumerate().all(|(index, (normal, offset))| index == face || normal.z * z <= *offset)
    }

    /// As `overlap`, for solids that are not apart along the normal of a face, with the given numbers of faces and
    /// edges. Not inlined, so that small cases do not use the stack of large ones.
    #[inline(never)]
    fn common<S: Scalar, const FACES: usize, const EDGES: usize>(
        &self,
        first: &Polytope,
        pose: &Pose<S>,
    ) -> Option<Overlap<S>> {
        let (R_AB, p_AB) = pose;
        let count = first.faces.len();
        // Planes of the faces and of both ends in the axes of the cylinder.
        let mut planes = [(Vec3::zeros(), S::zero()); FACES];
        for (plane, face) in planes.iter_mut().zip(&first.faces) {
            let normal = lift::<S>(&face.normal);
            *plane = (R_AB.tr_mul(&normal), -normal.dot(p_AB) + face.offset);
        }
        for (plane, side) in planes[count..].iter_mut().zip([1.0, -1.0]) {
            *plane = (lift(&(Vec3::z() * side)), S::from_f64(self.half));
        }
        let planes = &planes[..count + 2];
        // Edges of the solid between the planes of the ends.
        let mut segments = [Segment::none(); EDGES];
        let mut first_points = [Vec3::zeros(); FACES];
        let mut plane_numbers = [0; FACES];
        let mut cut = Cut::new(&mut segments, &mut first_points, &mut plane_numbers);
        self.edges(first, pose, planes, &mut cut);
        let segments = &cut.segments[..cut.len];
        // All positions from a point of the common solid, or next to it.
        let on_axis = || {
            let face = (0..planes.len()).find(|face| self.has_middle(*face, planes))?;
            Some(Vec3::new(S::zero(), S::zero(), planes[face].1 / planes[face].0.z))
        };
        let on_edge = segments.iter().find_map(|segment| self.inside(&segment.ends));
        let p_BO = on_edge.map(|(ends, _)| ends[0]).or_else(on_axis)?;

        // Volume, first and second moments as sums over the faces.
        let mut sums = Sums::new();
        for face in 0..planes.len() {
            let region = self.region(face, segments, planes, &p_BO);
            sums.add(&region, &planes[face].0, face < count);
        }
        let volume = sums.volume;
        let size = self.reach();
        if !(volume > NOTHING * size * size * size) {
            return None;
        }
        // Centre c, the depths below the faces next to c, and the loads.
        let p_OC = sums.first / volume;
        let p_BC = p_BO + p_OC;
        let p_AC = times(R_AB, &p_BC) + p_AB;
        let (depth, face) = first.nearest_face(&p_AC);
        let normal = lift::<S>(&first.faces[face].normal);
        let (own_depth, own_normal) = self.nearest_face(&p_BC);
        let (force, moment) = sums.load(&p_OC, depth + own_depth, &planes[face].0, &own_normal);
        let second = sums.second - p_OC * p_OC.transpose() * volume;
        Some(Overlap {
            volume,
            centre: p_AC,
            second: R_AB * second * R_AB.transpose(),
            normals: [normal, -times(R_AB, &own_normal)],
            depth: (depth + own_depth) * 0.5,
            force: times(R_AB, &force),
            moment: times(R_AB, &moment),
        })
    }
}

/// Angle of the arc between two points on the barrel, in the sense of the normal, rad. A small angle of either sign
/// counts as 0, unless the arc is the whole ellipse.
fn arc_angle<S: Scalar>(from: &Vec3<S>, to: &Vec3<S>, sense: f64, whole: bool) -> f64 {
    let [a, b] = [from, to].map(|p| [p.x.value(), p.y.value()]);
    let sine = (a[0] * b[1] - a[1] * b[0]) * if sense < 0.0 { -1.0 } else { 1.0 };
    let angle = atan2(sine, a[0] * b[0] + a[1] * b[1]);
    if angle.abs() < SMALL_ARC {
        return if whole { TAU + angle } else { angle.abs() };
    }
    if angle < 0.0 { angle + TAU } else { angle }
}

/// Sums over the flat regions, about a common point: sums of the solid, and sums of the faces of the first solid with
/// their normals, ∫ n dA, ∫ n rᵀ dA, ∫ r × n dA and ∫ (r × n) rᵀ dA.
struct Sums<S> {
    volume: S,
    first: Vec3<S>,
    second: Mat3<S>,
    normals: Vec3<S>,
    weighted: Mat3<S>,
    levers: Vec3<S>,
    weighted_levers: Mat3<S>,
}

impl<S: Scalar> Sums<S> {
    fn new() -> Self {
        let (none, zero) = (Mat3::zeros(), Vec3::zeros());
        let volume = S::zero();
        Sums { volume, first: zero, second: none, normals: zero, weighted: none, levers: zero, weighted_levers: none }
    }

    /// The flow of (0, 0, z), (0, 0, x z), … (0, 0, z³/3) through a region; `of_first`: it is on the first solid.
    fn add(&mut self, region: &Region<S>, normal: &Vec3<S>, of_first: bool) {
        let (n, part) = (normal.z, [1.0, 1.0, 0.5]);
        self.volume += region.first.z * n;
        for i in 0..3 {
            self.first[i] += region.second[(i, 2)] * n * part[i];
            for j in 0..3 {
                let divisor = if i == 2 && j == 2 { 1.0 / 3.0 } else { part[i] * part[j] };
                self.second[(i, j)] += region.third[(i, j)] * n * divisor;
            }
        }
        if of_first {
            self.normals += normal * region.area;
            self.weighted += normal * region.first.transpose();
            self.levers += region.first.cross(normal);
            for column in 0..3 {
                let lever = region.second.column(column).into_owned().cross(normal);
                self.weighted_levers.set_column(column, &(self.weighted_levers.column(column) + lever));
            }
        }
    }

    /// Force on the second solid and its moment about the centre `middle`, at which both depths have the sum `depth`.
    /// The depths grow against the outward normals of both solids. Together with the pressure on its own surface, the
    /// pressure of the first solid on the surface of the second has ∫ h₁ n dA = −n₁ V, without a moment about the
    /// centre.
    fn load(&self, middle: &Vec3<S>, depth: S, first: &Vec3<S>, second: &Vec3<S>) -> (Vec3<S>, Vec3<S>) {
        let falls = first + second;
        let depth = depth + falls.dot(middle);
        let force = self.normals * depth - self.weighted * falls;
        let moment = self.levers * depth - self.weighted_levers * falls - middle.cross(&force);
        let half = S::from_f64(0.5);
        ((first * self.volume + force) * half, moment * half)
    }
}
