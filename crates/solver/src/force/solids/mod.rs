//! Contact of solids with each other: spheres, capsules, boxes, cylinders, convex hulls, half spaces.
//!
//! # Law
//!
//! Every solid is a bed of springs: at a depth h below its nearest face it acts on a penetrating solid with the
//! pressure κ h. Of two solids with faces, each with a bed of half that stiffness, the common part has the volume V and
//! the centre c, and
//!
//! ```text
//!     U = ½ κ ∫ (h₁ + h₂) dV = κ V ½ (h₁(c) + h₂(c)),
//! ```
//!
//! h₁ and h₂ the depths below the faces next to c ([`polytope`]). The barrel of a cylinder is such a face, with the
//! tangent plane next to c; V, c and the forces are computed for the round solid ([`cylinder`], and [`cylinders`] for
//! two). The forces are the derivatives of U: the pressure ½ κ h of either solid on the surface of the other. A face on
//! a face with the area A and the depth δ pushes with κ A δ and resists tilting with κ times the second moments of the
//! area. A barrel on a face over the length L pushes with 5/3 κ √(2 R) L δ^(3/2). An edge on an edge and a corner on a
//! face push with higher powers of δ, like every contact that begins in a point. Round solids touch at points that push
//! with π κ R δ² ([`round`]), the law of this bed under a paraboloid. κ (`stiffness`) is in N/m³, the modulus of
//! subgrade reaction of a foundation.
//!
//! With the force F along n, the normal force is N = max(0, F + damping): the damping of each bed is κ χ h' per volume
//! with the rate h' of the depth of every place, so that rocking faces are damped like approaching faces. χ follows
//! from restitution and impact speed as in [`super::contact`], exactly for a free mass that moves along n.
//!
//! Friction is one spring, damper and slider per pair at c, as there, with the limit μ N; one more for the turning
//! about n with μ N ρ, ρ 0.94 times the radius of gyration of the pressure (exact for a disc under even pressure); with
//! the same spring rolling resistance, up to N times its length. Both turn an arm, half the radius of the smaller
//! solid.
//!
//! The springs of two solids of different kinds turn with the first of plane, solid with faces, cylinder, capsule,
//! sphere: rolling turns no spring. The springs of two solids of one kind, with the radii R₁ and R₂ (half the thickness
//! of solids with faces), turn with (R₁ ω₁ + R₂ ω₂)/(R₁ + R₂), as the contact of two rolling spheres does. So the order
//! of names does not matter.
//!
//! # Reasons for this law
//!
//! *Pressure in a volume*, and not points at corners with edges on edges: it covers all positions without case
//! distinctions, including equal boxes on each other, whose corners are on the sides of the other box, where the
//! nearest face is ambiguous. A patch resists tilting. *A potential*, so that contacts do not gain energy by rocking.
//! *One face per solid* in h, the face next to c, instead of the nearest face at every point: forces jump when another
//! face becomes the nearest to c, U does not. *One spring per pair*: two convex solids touch in one patch.
//!
//! # Energy
//!
//! Stored: U and ½ k_t (u² + φ²). Dissipated: the power of damping, χ κ ∫ h'² dV, and of the sliders, each ≥ 0. A
//! surface that moves in its solid, as on a conveyor (`surface_velocity`), does work: input work.
//!
//! # Cost
//!
//! The cost is one distance of the centres for separate pairs, and edges times faces for touching pairs. Six states per
//! pair.
//!
//! # Limits
//!
//! Forces jump where the nearest face changes; a solid that penetrates another by more than half its thickness is
//! pushed out on the other side. A capsule whose line is inside a solid with flat faces is supported only at its ends.
//! Spin does not reduce the friction of a sliding patch.
//!
//! # Source
//!
//! The pressure is the pressure of R. Elandt, E. Drumwright, M. Sherman, A. Ruina, A pressure field model for fast,
//! robust approximation of net contact force and moment between nominally rigid objects, IROS 2019, with a potential in
//! the place of the surface of equal pressure; foundation: K. L. Johnson, Contact Mechanics, 1985, chapter 4.3. Damping
//! and friction: as [`super::contact`].
//!
//! # Tests
//!
//! tests.rs, with `check.rs`: every pair of kinds. tests/motion/solids.rs: rest, restitution, slopes, stacks, drops.

#![expect(non_snake_case, reason = "monogram notation of frames")]

mod cylinder;
mod cylinders;
mod polytope;
mod round;
#[cfg(test)]
mod tests;

use alloc::{string::String, vec::Vec};
use core::f64::consts::PI;
use core::ops::Range;

use super::contact::{ContactReadout, ContactShape};
use super::tyre::Patch as TyrePatch;
use super::{
    BodyIx, Coefficient, Connections, Direction, ForceElement, ForceLaw, Loads, Quantity, Surroundings, Tangent, Values,
};
use crate::math::hull::Polytope;
use crate::math::rotation::complement;
use crate::math::scalar::{Scalar, lift, matrix_product, norm, times};
use crate::math::spatial::Wrench;
use crate::math::{Mat3, Vec3, at_least, divisor, larger, maximum, quotient};
pub use cylinder::Cylinder;
use round::Line;

/// States of a pair: u and φ.
const STATES: usize = 6;
/// Radius of gyration of an even pressure on a disc, to the mean distance from its middle: 2/3 √2.
const MEAN: f64 = 0.942_809_041_582_063_4;
/// A face points to another solid if its normal is within 30 degrees of the line to that solid. A barrel does if the
/// axis of the cylinder is within 30 degrees of a right angle to that line.
const FACING: f64 = 0.866;
const SIDEWAYS: f64 = 0.5;
/// For a barrel on a face: dU/dδ for κ √(2 R) L = 1 and δ = 1.
const LINE: f64 = 5.0 / 3.0;

/// Solids in contact with each other; only solids on different bodies form pairs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct SolidContact {
    /// Name in the model file.
    pub name: String,
    /// The solids.
    pub solids: Vec<Solid>,
    /// Pairs on different bodies.
    pub pairs: Vec<Pair>,
    /// κ, N/m³.
    pub stiffness: Coefficient,
    /// χ, s/m.
    pub loss: f64,
    /// V, m/s.
    pub speed: f64,
    /// μ.
    pub friction: Coefficient,
    /// k_t, N/m; τ, s.
    pub tangential: f64,
    pub time: f64,
    /// Lengths of the resistances to rolling and spinning, m.
    pub rolling: f64,
    pub spinning: f64,
    /// Index of its first state among the auxiliary states.
    pub first: usize,
}

/// A solid on its body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Solid {
    name: String,
    body: BodyIx,
    /// Position and axes in the frame of the body.
    place: Vec3,
    axes: Mat3,
    form: Form,
    /// Velocity of its surface in the frame of the body, m/s.
    belt: Option<[Coefficient; 3]>,
    /// Radius of a sphere around it, m; infinite for a half space.
    reach: f64,
    /// Smallest width, m.
    thickness: f64,
}

/// Shape in local axes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Form {
    /// A solid with faces, and its simpler form for point contacts if available.
    Faces(Polytope, Option<ContactShape>),
    /// A cylinder around its z axis.
    Cylinder(Cylinder),
    /// All points within the radius, m, of a line with this half length along z.
    Round(f64, f64),
}

/// Two solids in the order half space, faces, cylinder, capsule, sphere; of two of a kind the one on the body with the
/// lower number is first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Pair {
    solids: [usize; 2],
    /// The deflections of the springs turn with the first body, and with this fraction of the rotation of the second
    /// relative to it.
    turning: f64,
    /// Lever arm of the rotational friction, m.
    arm: f64,
}

/// Contact of two solids, in the axes of the first; for κ = 1 N/m³.
struct Patch<S> {
    /// U, m⁴.
    energy: S,
    /// On the second solid, m³ and, about the centre, m⁴.
    force: Vec3<S>,
    moment: Vec3<S>,
    /// c.
    centre: Vec3<S>,
    /// ∫ dV, m³, and ∫ r rᵀ dV about c, m⁵; for round solids sums over their contact points.
    weight: S,
    second: Mat3<S>,
    /// Directions in which the beds push the second solid.
    normals: [Vec3<S>; 2],
    /// Stiffness along the normal, m².
    slope: S,
    /// Square of the radius of gyration that `second` does not have, m².
    radius_squared: S,
    /// Distance of the surfaces, m, negative where they touch.
    distance: S,
}

/// A pair at one instant. A and B are the frames of the first and of the second solid; C is the point c.
struct Touch<S> {
    patch: Patch<S>,
    /// Axes of A in W; C from the o of both bodies, world axes.
    R_WA: Mat3<S>,
    p_oC_W: [Vec3<S>; 2],
    /// Force, and torque about C, on the second solid.
    f_B_A: Vec3<S>,
    t_B_A: Vec3<S>,
    /// Direction of the elastic force; N.
    n_A: Vec3<S>,
    push: S,
    /// u̇ and φ̇, m/s.
    rates_A: [Vec3<S>; 2],
    /// Whether u, φ along n and φ perpendicular to n stick.
    sticks: [bool; 3],
    dissipated: S,
    input: S,
}

impl Solid {
    /// A solid with this shape, position and axes in the frame of its body.
    pub fn new(
        name: String,
        body: BodyIx,
        (place, axes): (Vec3, Mat3),
        form: Form,
        belt: Option<[Coefficient; 3]>,
    ) -> Solid {
        let (reach, thickness) = match &form {
            Form::Faces(faces, _) if faces.corners.is_empty() => (f64::INFINITY, f64::INFINITY),
            Form::Faces(faces, _) => {
                (faces.corners.iter().map(|corner| corner.norm()).fold(0.0, larger), faces.thickness())
            }
            Form::Cylinder(cylinder) => (cylinder.reach(), 2.0 * f64::min(cylinder.radius, cylinder.half)),
            Form::Round(radius, half) => (radius + half, 2.0 * radius),
        };
        Solid { name, body, place, axes, form, belt, reach, thickness }
    }

    /// Half spaces, solids with faces, cylinders, capsules, spheres.
    fn rank(&self) -> usize {
        match &self.form {
            Form::Faces(faces, _) => usize::from(!faces.corners.is_empty()),
            Form::Cylinder(_) => 2,
            Form::Round(_, half) => {
                if *half > 0.0 {
                    3
                } else {
                    4
                }
            }
        }
    }

    /// Radius of round solids, m; of other solids half the smallest width.
    fn roundness(&self) -> f64 {
        match &self.form {
            Form::Faces(..) => 0.5 * self.thickness,
            Form::Cylinder(cylinder) => cylinder.radius,
            Form::Round(radius, _) => *radius,
        }
    }

    /// Its middle from the o of its body, and its axes; world axes.
    fn pose<S: Scalar>(&self, s: &Surroundings<S>) -> (Vec3<S>, Mat3<S>) {
        let body = s.body(self.body);
        (body.point(&self.place), matrix_product(&body.rotation, &self.axes))
    }

    /// Velocity of its surface relative to its body, world axes.
    fn surface_velocity<S: Scalar>(&self, s: &Surroundings<S>) -> Vec3<S> {
        self.belt.as_ref().map_or(Vec3::zeros(), |belt| s.body(self.body).rotation * s.values(belt))
    }
}

/// The force of a spring and damper that slides at `limit`, the rate of its state, and whether it sticks: never without
/// a limit. `f_spring`: force of the spring.
fn slide<S: Scalar>(f_spring: Vec3<S>, velocity: Vec3<S>, damping: f64, limit: S) -> (Vec3<S>, Vec3<S>, bool) {
    let f_stick = f_spring + velocity * S::from_f64(damping);
    let size = norm(&f_stick);
    if !(limit > 0.0) {
        return (Vec3::zeros(), f_spring * S::from_f64(-1.0 / divisor(damping)), false);
    }
    if size <= limit {
        return (f_stick, velocity, true);
    }
    let f_slide = f_stick * (limit / divisor(size));
    (f_slide, (f_slide - f_spring) / S::from_f64(damping), false)
}

impl Pair {
    /// The pair of two of the solids; `None` if they are on one body or are both half spaces.
    pub fn between(all: &[Solid], [a, b]: [usize; 2]) -> Option<Pair> {
        let order = |solid: usize| (all[solid].rank(), all[solid].body.0);
        let (first, second) = if order(b) < order(a) { (b, a) } else { (a, b) };
        (all[a].body != all[b].body && all[second].rank() > 0).then(|| Pair::new(all, [first, second]))
    }

    fn new(all: &[Solid], solids: [usize; 2]) -> Pair {
        let [first, second] = solids.map(|solid| &all[solid]);
        let turning = if first.rank() == second.rank() {
            second.roundness() / (first.roundness() + second.roundness())
        } else {
            0.0
        };
        Pair { solids, turning, arm: 0.5 * f64::min(first.reach, second.reach) }
    }
}

impl SolidContact {
    fn solids_of(&self, pair: &Pair) -> [&Solid; 2] {
        pair.solids.map(|solid| &self.solids[solid])
    }

    /// From the middle A of the first solid to the middle B of the second, and whether they may touch; world axes.
    fn between<S: Scalar>(&self, s: &Surroundings<S>, [first, second]: [&Solid; 2]) -> (Vec3<S>, bool) {
        let bodies = [first, second].map(|solid| s.body(solid.body));
        let p_AB_W = bodies[1].point(&second.place) - bodies[0].point(&first.place)
            + (bodies[1].reference - bodies[0].reference);
        let near = if first.reach.is_finite() {
            let reach = first.reach + second.reach;
            p_AB_W.dot(&p_AB_W) <= reach * reach
        } else {
            let n_W = times(&bodies[0].rotation, &first.axes.column(2).into_owned());
            n_W.dot(&p_AB_W) <= second.reach
        };
        (p_AB_W, near)
    }

    /// Contact of two solids, with the pose of the second in the axes of the first.
    fn patch<S: Scalar>(&self, [first, second]: [&Solid; 2], pose: &(Mat3<S>, Vec3<S>)) -> Option<Patch<S>> {
        let overlap = match (&first.form, &second.form) {
            (Form::Faces(one, _), Form::Faces(other, _)) => one.overlap(other, pose)?,
            (Form::Faces(one, _), Form::Cylinder(other)) => other.overlap(one, pose)?,
            (Form::Cylinder(one), Form::Cylinder(other)) => cylinders::overlap([one, other], pose)?,
            _ => {
                let patch = self.round([first, second], pose);
                return (patch.weight > 0.0).then_some(patch);
            }
        };
        let depth = overlap.depth;
        Some(Patch {
            energy: overlap.volume * depth,
            force: overlap.force,
            moment: overlap.moment,
            centre: overlap.centre,
            weight: overlap.volume,
            second: overlap.second,
            normals: overlap.normals,
            slope: if depth > 0.0 { overlap.volume / divisor(depth * 2.0) } else { S::zero() },
            radius_squared: S::zero(),
            distance: depth * -2.0,
        })
    }

    /// Contact of two solids if the second is round; `None` otherwise.
    fn round<S: Scalar>(&self, [first, second]: [&Solid; 2], (R_AB, p_AB): &(Mat3<S>, Vec3<S>)) -> Patch<S> {
        let Form::Round(radius, half) = second.form else { return round::nothing() };
        let half_axis_B = R_AB.column(2).into_owned() * S::from_f64(half);
        let line: Line<S> = [p_AB - half_axis_B, p_AB + half_axis_B];
        match &first.form {
            Form::Faces(faces, surface) => round::on_faces((faces, *surface), &line, radius, half == 0.0),
            Form::Cylinder(cylinder) => round::on_cylinder(cylinder, &line, radius, half == 0.0),
            Form::Round(near, own) => {
                let half_axis_A = lift::<S>(&(Vec3::z() * *own));
                round::on_round([&[-half_axis_A, half_axis_A], &line], [*near, radius], [*own == 0.0, half == 0.0])
            }
        }
    }

    /// One pair that touches.
    fn touch<S: Scalar>(&self, s: &Surroundings<S>, index: usize) -> Option<Touch<S>> {
        let pair = &self.pairs[index];
        let solids = self.solids_of(pair);
        let (p_AB_W, near) = self.between(s, solids);
        if !near {
            return None;
        }
        let [(p_oA_W, R_WA), (_, R_WB)] = solids.map(|solid| solid.pose(s));
        // The common part in the axes of A, and the motion of B relative to A at C.
        let patch = self.patch(solids, &(R_WA.transpose() * R_WB, R_WA.tr_mul(&p_AB_W)))?;
        let bodies = solids.map(|solid| s.body(solid.body));
        let p_oC_W = p_oA_W + R_WA * patch.centre;
        let p_oC_W = [p_oC_W, p_oC_W + (bodies[0].reference - bodies[1].reference)];
        let v_rel_A = R_WA.tr_mul(&(bodies[1].velocity.at(&p_oC_W[1]) - bodies[0].velocity.at(&p_oC_W[0])));
        let w_rel_A = R_WA.tr_mul(&(bodies[1].velocity.ang - bodies[0].velocity.ang));
        let v_belt_A = R_WA.tr_mul(&(solids[1].surface_velocity(s) - solids[0].surface_velocity(s)));

        // Elastic force along n; `patch` holds the force for κ = 1 N/m³.
        let stiffness = at_least(s.value(&self.stiffness), 0.0);
        let elastic = norm(&patch.force);
        let n_A = if elastic > 0.0 { patch.force / divisor(elastic) } else { patch.normals[0] };
        // Unlimited damping force of both beds.
        let half = stiffness * (0.5 * self.loss);
        let (mut f_damping_A, mut t_damping_A, mut dissipated) = (Vec3::zeros(), Vec3::zeros(), S::zero());
        // Each bed damps with κ χ h′ per volume; h′ is the rate of depth of every place.
        for e in patch.normals {
            let (approach, across) = (-e.dot(&v_rel_A), e.cross(&w_rel_A));
            let spread = patch.second * across;
            f_damping_A += e * (half * patch.weight * approach);
            t_damping_A += e.cross(&spread) * half;
            dissipated += half * (patch.weight * approach * approach + across.dot(&spread));
        }
        // The beds never pull.
        let (push, damping) = (stiffness * elastic, f_damping_A.dot(&n_A));
        let share = if damping < -push { push / divisor(-damping) } else { S::one() };
        let (push, f_damping_A, t_damping_A) =
            (maximum(S::zero(), push + damping * share), f_damping_A * share, t_damping_A * share);
        let dissipated = dissipated * share;

        // Friction: u and the slip along the surface, φ and the rotation times the arm.
        let place = self.first + STATES * index;
        let state = |from: usize| Vec3::from([0, 1, 2].map(|k| s.auxiliary[place + from + k]));
        let along = |v: &Vec3<S>| n_A * n_A.dot(v);
        let (k, c) = (S::from_f64(self.tangential), self.tangential * self.time);
        let limit = push * at_least(s.value(&self.friction), 0.0);
        let (u, phi, slip_A, turned_A) = (state(0), state(3), v_rel_A + v_belt_A, w_rel_A * S::from_f64(pair.arm));
        // ρ is 0.94 times the radius of gyration about n.
        let trace = patch.second.trace() - n_A.dot(&(patch.second * n_A));
        let gyration = (trace / patch.weight + patch.radius_squared).sqrt() * MEAN;
        let spin_limit = (limit * gyration + push * self.spinning) / pair.arm;
        let roll_limit = push * (self.rolling / pair.arm);
        let parts = [
            slide((u - along(&u)) * k, slip_A - along(&slip_A), c, limit),
            slide(along(&phi) * k, along(&turned_A), c, spin_limit),
            slide((phi - along(&phi)) * k, turned_A - along(&turned_A), c, roll_limit),
        ];
        let [(f_t_A, u_dot_A, _), (spin, spin_rate, _), (roll, roll_rate, _)] = parts;
        let w_springs_A = w_rel_A * S::from_f64(pair.turning);
        // The part of u along n has no effect and decays.
        let lost = along(&u) * S::from_f64(-1.0 / self.time);
        let squares = lost.dot(&lost) + u_dot_A.dot(&u_dot_A) + spin_rate.dot(&spin_rate) + roll_rate.dot(&roll_rate);
        // Power of the three sliders, f · (v_t − u̇); the dampers take c_t u̇².
        let slipped = f_t_A.dot(&(slip_A - along(&slip_A) - u_dot_A))
            + spin.dot(&(along(&turned_A) - spin_rate))
            + roll.dot(&(turned_A - along(&turned_A) - roll_rate));
        Some(Touch {
            R_WA,
            p_oC_W,
            f_B_A: patch.force * stiffness + f_damping_A - f_t_A,
            t_B_A: patch.moment * stiffness + t_damping_A - (spin + roll) * S::from_f64(pair.arm),
            n_A,
            push,
            // The rotation of the springs stores no energy. A pair of two kinds has no such term, because its springs
            // turn with the first body.
            rates_A: match pair.turning > 0.0 {
                true => [u_dot_A + lost + w_springs_A.cross(&u), spin_rate + roll_rate + w_springs_A.cross(&phi)],
                false => [u_dot_A + lost, spin_rate + roll_rate],
            },
            sticks: parts.map(|part| part.2),
            dissipated: dissipated + slipped + squares * c,
            input: f_t_A.dot(&v_belt_A),
            patch,
        })
    }

    /// Values of outputs: the force on the body of the first solid.
    pub(crate) fn measure<S: Scalar>(&self, s: &Surroundings<S>) -> ContactReadout<S> {
        let mut readout =
            ContactReadout { force: Vec3::zeros(), normal: S::zero(), distance: S::from_f64(f64::INFINITY) };
        for (index, pair) in self.pairs.iter().enumerate() {
            let distance = match self.touch(s, index) {
                Some(touch) => {
                    let sign = [-1.0, 1.0].into_iter().zip(pair.solids).find(|(_, solid)| *solid == 0);
                    readout.force += touch.R_WA * touch.f_B_A * S::from_f64(sign.map_or(0.0, |(sign, _)| sign));
                    readout.normal += touch.push;
                    touch.patch.distance
                }
                None => self.apart(s, pair),
            };
            if distance < readout.distance {
                readout.distance = distance;
            }
        }
        readout
    }

    /// Distance of two separate solids: exact for round solids, otherwise a lower bound along the normal of a face.
    fn apart<S: Scalar>(&self, s: &Surroundings<S>, pair: &Pair) -> S {
        let solids = self.solids_of(pair);
        let (p_AB_W, _) = self.between(s, solids);
        let [(_, R_WA), (_, R_WB)] = solids.map(|solid| solid.pose(s));
        let X_AB = (R_WA.transpose() * R_WB, R_WA.tr_mul(&p_AB_W));
        let distance = match (&solids[0].form, &solids[1].form) {
            (Form::Faces(first, _), Form::Faces(second, _)) => first.separation(second, &X_AB),
            (Form::Faces(first, _), Form::Cylinder(second)) => second.separation(first, &X_AB),
            (Form::Cylinder(first), Form::Cylinder(second)) => cylinders::separation([first, second], &X_AB),
            _ => self.round(solids, &X_AB).distance,
        };
        at_least(distance, 0.0)
    }

    /// Number of pairs.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Names of the solids of a pair.
    pub fn names(&self, index: usize) -> [&str; 2] {
        self.solids_of(&self.pairs[index]).map(|solid| solid.name.as_str())
    }

    /// For one pair: its bodies, the direction from the middle of the first solid to the middle of the second, or of
    /// the plane's normal, the middles from the o of both bodies, and their speed of separation along it; world axes.
    pub fn approach(&self, s: &Surroundings, index: usize) -> ([BodyIx; 2], Vec3, [Vec3; 2], f64) {
        let solids = self.solids_of(&self.pairs[index]);
        let (p_AB_W, _) = self.between(s, solids);
        let bodies = solids.map(|solid| s.body(solid.body));
        let second = bodies[1].point(&solids[1].place);
        let (n_W, first) = if solids[0].reach.is_finite() {
            (p_AB_W.try_normalize(0.0).unwrap_or(Vec3::z()), bodies[0].point(&solids[0].place))
        } else {
            // For a plane, the point below the other centre is used.
            let n_W = bodies[0].rotation * solids[0].axes.column(2);
            (n_W, second + (bodies[1].reference - bodies[0].reference))
        };
        let rate = n_W.dot(&(bodies[1].velocity.at(&second) - bodies[0].velocity.at(&first)));
        (solids.map(|solid| solid.body), n_W, [first, second], rate)
    }

    /// k, N/mⁿ, and n of the force between one pair: flat faces on each other (the smaller of the largest faces), or
    /// round solids. k = 0 if an edge or a corner of a solid is in contact instead of a face.
    pub fn stiffest(&self, s: &Surroundings, index: usize) -> (f64, f64) {
        let stiffness = at_least(s.value(&self.stiffness), 0.0);
        let (mut curvature, mut barrels, mut length, mut area) = (0.0, 0.0, f64::INFINITY, f64::INFINITY);
        let n_W = self.approach(s, index).1;
        // For each solid, the direction n in its own axes selects the feature that is in contact.
        for solid in self.solids_of(&self.pairs[index]) {
            let n_F = solid.axes.tr_mul(&s.body(solid.body).rotation.tr_mul(&n_W));
            let shows = |faces: &Polytope| faces.faces.iter().any(|face| face.normal.dot(&n_F).abs() > FACING);
            match &solid.form {
                Form::Round(radius, _) => curvature += 1.0 / radius,
                Form::Cylinder(Cylinder { radius, .. }) if n_F.z.abs() > FACING => {
                    area = f64::min(area, PI * radius * radius)
                }
                Form::Cylinder(Cylinder { radius, half }) if n_F.z.abs() < SIDEWAYS => {
                    (barrels, length) = (barrels + 1.0 / radius, f64::min(length, 2.0 * half))
                }
                Form::Faces(faces, _) if faces.corners.is_empty() => {}
                Form::Faces(faces, _) if shows(faces) => area = f64::min(area, faces.largest_face()),
                _ => area = 0.0,
            }
        }
        // Two round solids: π κ R δ² with 1/R = Σ 1/Rᵢ. Otherwise flat faces: κ A δ.
        if curvature > 0.0 {
            (stiffness * PI / curvature, 2.0)
        } else if barrels > 0.0 && area > 0.0 {
            // Lengthwise on a face: V = 4/3 √(2 R) L δ^(3/2), U = ½ κ V δ.
            (stiffness * LINE * length * (2.0 / barrels).sqrt(), 1.5)
        } else {
            (stiffness * area, 1.0)
        }
    }

    /// How fast two solids approach that are within reach of a step of `h` seconds, in the smaller thickness of both
    /// per step; the speed, m/s, and the thickness, m. Of the pair with the most.
    pub fn fastest(&self, s: &Surroundings, h: f64) -> Option<(f64, f64, f64)> {
        let mut most: Option<(f64, f64, f64)> = None;
        for pair in &self.pairs {
            let solids = self.solids_of(pair);
            let (p_AB_W, _) = self.between(s, solids);
            let bodies = solids.map(|solid| s.body(solid.body));
            let v_rel_W = bodies[1].velocity.at(&bodies[1].point(&solids[1].place))
                - bodies[0].velocity.at(&bodies[0].point(&solids[0].place));
            // Distance and speed of the middles; for a half space along its normal.
            let (reach, distance, speed) = if solids[0].reach.is_finite() {
                (solids[0].reach + solids[1].reach, p_AB_W.norm(), v_rel_W.norm())
            } else {
                let n_W = bodies[0].rotation * solids[0].axes.column(2);
                (solids[1].reach, n_W.dot(&p_AB_W), n_W.dot(&v_rel_W).abs())
            };
            let thickness = f64::min(solids[0].thickness, solids[1].thickness);
            let share = speed * h / thickness;
            if distance <= reach + speed * h && most.is_none_or(|(most, ..)| share > most) {
                most = Some((share, speed, thickness));
            }
        }
        most
    }

    /// See [`Element::touching`](super::Element::touching).
    pub(crate) fn touching(&self, k: usize) -> Option<[BodyIx; 2]> {
        self.pairs.get(k).map(|pair| self.solids_of(pair).map(|solid| solid.body))
    }

    /// See [`Element::push_at`](super::Element::push_at).
    pub(crate) fn push_at(&self, s: &Surroundings, k: usize) -> Option<(Vec3, Vec3)> {
        let touch = self.touch(s, k)?;
        let first = s.body(self.solids_of(&self.pairs[k])[0].body);
        Some((touch.R_WA * touch.f_B_A, touch.p_oC_W[0] + first.reference))
    }
}

impl ForceLaw for SolidContact {
    fn add_loads<S: Scalar>(&self, s: &Surroundings<S>, loads: &mut Loads<S>) {
        for (index, pair) in self.pairs.iter().enumerate() {
            let place = self.first + STATES * index;
            let Some(touch) = self.touch(s, index) else {
                // Out of contact the springs relax.
                let damping = self.tangential / self.time;
                for k in place..place + STATES {
                    loads.rates[k] = s.auxiliary[k] * (-1.0 / self.time);
                    loads.dissipated_power += s.auxiliary[k] * s.auxiliary[k] * damping;
                }
                continue;
            };
            loads.rates[place..place + 3].copy_from_slice(touch.rates_A[0].as_slice());
            loads.rates[place + 3..place + STATES].copy_from_slice(touch.rates_A[1].as_slice());
            let (f_B_W, t_B_W) = (touch.R_WA * touch.f_B_A, touch.R_WA * touch.t_B_A);
            let [first, second] = pair.solids.map(|solid| self.solids[solid].body);
            loads.wrenches[first.0] += Wrench::at(&touch.p_oC_W[0], -f_B_W) + Wrench::couple(-t_B_W);
            loads.wrenches[second.0] += Wrench::at(&touch.p_oC_W[1], f_B_W) + Wrench::couple(t_B_W);
            loads.dissipated_power += touch.dissipated;
            loads.input_power += touch.input;
        }
    }

    fn potential<S: Scalar>(&self, s: &Surroundings<S>) -> S {
        let stiffness = at_least(s.value(&self.stiffness), 0.0);
        let mut energy = S::zero();
        for pair in &self.pairs {
            let solids = self.solids_of(pair);
            let (p_AB_W, near) = self.between(s, solids);
            if near {
                let [(_, R_WA), (_, R_WB)] = solids.map(|solid| solid.pose(s));
                let patch = self.patch(solids, &(R_WA.transpose() * R_WB, R_WA.tr_mul(&p_AB_W)));
                energy += patch.map_or(S::zero(), |patch| patch.energy) * stiffness;
            }
        }
        for k in self.states() {
            energy += s.auxiliary[k] * s.auxiliary[k] * (0.5 * self.tangential);
        }
        energy
    }

    fn read<S: Scalar>(&self, s: &Surroundings<S>, _: &[Option<TyrePatch<S>>], values: &mut Values<S>) {
        self.measure(s).write(values);
    }
}

impl ForceElement for SolidContact {
    fn name(&self) -> &str {
        &self.name
    }

    fn quantities(&self) -> &'static [Quantity] {
        Quantity::OF_CONTACTS
    }

    /// Stiffness and damping along the normal and against tilting where it pushes, along and about what sticks.
    fn visit_tangents(&self, s: &Surroundings, visit: &mut dyn FnMut(&Tangent)) {
        let stiffness = at_least(s.value(&self.stiffness), 0.0);
        for (index, pair) in self.pairs.iter().enumerate() {
            let Some(touch) = self.touch(s, index) else { continue };
            let bodies = pair.solids.map(|solid| self.solids[solid].body);
            // Stiffness and damping along n.
            let n_W = touch.R_WA * touch.n_A;
            let (x, y) = complement(&n_W);
            let patch = &touch.patch;
            let (slope, damping) = (stiffness * patch.slope, stiffness * patch.weight * self.loss);
            let mut show = |direction, stiffness, damping| visit(&Tangent { direction, stiffness, damping });
            show(Direction::force(bodies, &touch.p_oC_W, &n_W), slope, damping);
            // The square root of the second moments across n, as two couples.
            let spread = touch.R_WA * patch.second * touch.R_WA.transpose() / patch.weight;
            let [xx, xy, yy] = [x.dot(&(spread * x)), x.dot(&(spread * y)), y.dot(&(spread * y))];
            // Not negative but for rounding. A guard would be moved behind the root, which then raises an exception.
            let first = xx.abs().sqrt();
            let mixed = quotient(xy, first);
            let second = (yy - mixed * mixed).abs().sqrt();
            for lever in [x * first + y * mixed, y * second] {
                show(Direction::couple(bodies, &lever.cross(&n_W)), slope, damping);
            }
            // The springs of friction, as far as they stick.
            let (k, c) = (self.tangential, self.tangential * self.time);
            let turning = pair.arm * pair.arm;
            if touch.sticks[0] {
                for axis in [x, y] {
                    show(Direction::force(bodies, &touch.p_oC_W, &axis), k, c);
                }
            }
            if touch.sticks[1] {
                show(Direction::couple(bodies, &n_W), k * turning, c * turning);
            }
            if touch.sticks[2] {
                for axis in [x, y] {
                    show(Direction::couple(bodies, &axis), k * turning, c * turning);
                }
            }
        }
    }

    fn connect(&self, list: &mut Connections) {
        // The pairs of the last and the first solid, and the others.
        let others = &self.solids[1..self.solids.len() - 1];
        let ends = [self.solids.last(), self.solids.first()];
        list.add_bodies(ends.into_iter().flatten().chain(others).map(|solid| solid.body));
        list.add_coefficients([self.stiffness, self.friction]);
        list.add_coefficients(self.solids.iter().filter_map(|solid| solid.belt).flatten());
    }

    /// u and φ of every pair.
    fn states(&self) -> Range<usize> {
        self.first..self.first + STATES * self.pairs.len()
    }

    /// Sticking displacements are fractions of a millimetre.
    fn state_size(&self) -> (&'static str, f64) {
        ("m", 1e-3)
    }

    fn place_states(&mut self, first: usize) {
        self.first = first;
    }
}
