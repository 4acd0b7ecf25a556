//! A joint of the spanning tree: pose, velocity columns and bias of the outboard body.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::JointKind;
use crate::math::curve::Curve;
use crate::math::moving_frame::MovingFrame;
use crate::math::rotation::{about, matrix, normalized, product, quaternion_about, quaternion_rate, turned};
use crate::math::scalar::{Scalar, lift, matrix_product, norm, times};
use crate::math::spatial::{BodyMotion, Motion};
use crate::math::{Mat3, Vec3, divisor};
use alloc::boxed::Box;

/// Tolerance for the round-off of a joint at the end of its curve, as a fraction of the length of the curve.
const CURVE_END_TOLERANCE: f64 = 1e-9;

/// Rotation of a body and its origin from the branch's reference point o, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<S = f64> {
    /// R_WB.
    pub rotation: Mat3<S>,
    /// Origin of B from o, m.
    pub position: Vec3<S>,
}

/// A tree joint between the floating frame of a flexible body and one of its interfaces: it has no joint coordinates,
/// but columns for the elastic coordinates of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Link {
    /// The flexible body.
    pub flexible: usize,
    /// Index of the link in the flexible body.
    pub index: usize,
    /// Number of elastic coordinates.
    pub modes: usize,
    /// Index of the first column.
    pub slot: usize,
}

/// The curve of a tree joint that replaces a straight axis.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Path {
    /// Curve relative to the joint point in the design position, in the frame of the first body.
    pub curve: Box<Curve>,
    /// Parameter of the curve where the travel of the joint is 0, m.
    pub start: f64,
    /// Moving frame, if the second body turns with the curve.
    pub frame: Option<Box<MovingFrame>>,
    /// Column that stores the derivative of the first column of the joint with respect to the travel, with the first
    /// body fixed.
    pub slot: usize,
}

/// The wheel of a tree joint that rolls on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Wheel {
    /// Radius of the ball or disc, m.
    pub radius: f64,
    /// The first of two columns that store, in world axes, the arm from the contact to the centre with the axis of a
    /// disc, and the vector s t / N ([`TreeJoint::contact_drift`]).
    pub slot: usize,
}

/// One tree joint with its constant geometry and the indices of its coordinates.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct TreeJoint {
    /// Kind.
    pub kind: JointKind,
    /// Whether the user's first body is the outboard body.
    pub reversed: bool,
    /// The inboard body is the ground: the joint's point on the ground is the branch's reference point o (for
    /// `floating`, the joint's point on the body is).
    pub root: bool,
    /// Set for the links of flexible bodies (kind `fixed`); `reversed` then means that the interface is the inboard
    /// body.
    pub link: Option<Link>,
    /// Set for joints along a curve: the travel is the change of its parameter.
    pub path: Option<Path>,
    /// Set for constant-velocity joints: the column for the half of the first angle that precedes the second angle.
    pub half: Option<usize>,
    /// Set for joints that roll.
    pub wheel: Option<Wheel>,
    /// First position coordinate.
    pub q: usize,
    /// First velocity coordinate.
    pub v: usize,
    /// Joint point in the frame of the first body, m.
    pub anchor_first: Vec3,
    /// Joint point in the frame of the second body, m.
    pub anchor_second: Vec3,
    /// Unit vectors: the axis and the vectors that complete it.
    ///
    /// - Joints that roll: the first is the normal of the plane and the others span it. The second is also the axis of
    ///   a disc, fixed in the second body.
    /// - Universal joints: the second is the second axis, fixed in the second body.
    /// - Planar joints: second and third span the plane, fixed in the first body.
    /// - Constant-velocity joints: the rotation is half of the first angle about the first, the second angle about the
    ///   second, and the other half about the third, a sequence that is symmetric with respect to the two shafts. The
    ///   second vector is perpendicular to both shafts. The first is perpendicular to it and to the shaft of the first
    ///   body, the third to it and to the shaft of the second body.
    pub axes: [Vec3; 3],
}

impl TreeJoint {
    /// Number of positions.
    pub fn positions(kind: JointKind) -> usize {
        kind.position_names().len()
    }

    /// Number of velocities (degrees of freedom).
    pub fn freedom(kind: JointKind) -> usize {
        kind.freedom()
    }

    /// Whether velocity `k` of a joint of this kind is a rotation.
    pub fn is_rotation(kind: JointKind, k: usize) -> bool {
        kind.is_rotation(k)
    }

    /// Range of the joint's positions.
    pub fn q_range(&self) -> core::ops::Range<usize> {
        self.q..self.q + self.link.map_or(Self::positions(self.kind), |link| link.modes)
    }

    /// Range of the joint's velocities.
    pub fn v_range(&self) -> core::ops::Range<usize> {
        self.v..self.v + self.link.map_or(Self::freedom(self.kind), |link| link.modes)
    }

    /// Range of the joint's columns, one per velocity.
    pub fn slot_range(&self) -> core::ops::Range<usize> {
        self.link.map_or(self.v_range(), |link| link.slot..link.slot + link.modes)
    }

    /// Axes and angles of a joint without a free rotation. Each axis is turned by the preceding angles. `q`: positions
    /// of the joint.
    fn angles<S: Scalar>(&self, q: &[S]) -> impl Iterator<Item = (&Vec3, S)> {
        let angles = &q[self.kind.translations()..self.kind.freedom()];
        let angle = |k: usize| angles.get(k).copied().unwrap_or_else(S::zero);
        let (list, count) = match self.kind.is_bisecting() {
            true => ([angle(0) * 0.5, angle(1), angle(0) * 0.5], 3),
            false => ([angle(0), angle(1), angle(2)], angles.len()),
        };
        self.axes.iter().zip(list).take(count)
    }

    /// Rotation of the second body relative to the first; `None` if the joint does not rotate. `q`: positions of the
    /// joint.
    fn turn<S: Scalar>(&self, q: &[S]) -> Option<Mat3<S>> {
        if let Some(Path { curve, start, frame: Some(frame), .. }) = &self.path {
            return Some(frame.turn(&curve.at(q[0] + *start)[1]));
        }
        match self.kind.quaternion() {
            Some(k) => Some(matrix(&[q[k], q[k + 1], q[k + 2], q[k + 3]])),
            None => self
                .angles(q)
                .map(|(axis, angle)| about(axis, angle))
                .reduce(|first, second| matrix_product(&first, &second)),
        }
    }

    /// Quaternion of the outboard body relative to the inboard one, continuous in `q`, the positions of all joints.
    pub(crate) fn quaternion<S: Scalar>(&self, q: &[S]) -> [S; 4] {
        let q = &q[self.q_range()];
        let path = self.path.as_ref().and_then(|path| Some((path, path.frame.as_ref()?)));
        let about = |(axis, angle)| quaternion_about(axis, angle);
        let [w, x, y, z] = match (path, self.kind.quaternion()) {
            (Some((path, frame)), _) => frame.quaternion(&path.curve, q[0] + path.start),
            (_, Some(k)) => [q[k], q[k + 1], q[k + 2], q[k + 3]],
            _ => self.angles(q).map(about).reduce(|a, b| product(&a, &b)).unwrap_or([
                S::one(),
                S::zero(),
                S::zero(),
                S::zero(),
            ]),
        };
        if self.reversed { [w, -x, -y, -z] } else { [w, x, y, z] }
    }

    /// Position on the path and its three derivatives at the positions `q` of the joint, in the frame of the first
    /// body.
    #[inline]
    fn path_derivatives<S: Scalar>(&self, q: &[S]) -> Option<[Vec3<S>; 4]> {
        self.path.as_ref().map(|path| path.curve.derivatives(q[0] + path.start))
    }

    /// Whether the joint has moved beyond an end of its curve; `q`: all positions.
    pub fn is_beyond_path(&self, q: &[f64]) -> bool {
        self.path.as_ref().is_some_and(|Path { curve, start, .. }| {
            let (s, length) = (q[self.q] + start, curve.length());
            !curve.is_closed() && (s < -CURVE_END_TOLERANCE * length || s > (1.0 + CURVE_END_TOLERANCE) * length)
        })
    }

    /// Arm from the contact point to the centre of a body that rolls, in the frame of the first body. `R_12`: rotation
    /// of the second body relative to the first.
    ///
    /// With the normal n and the axis a of a disc, the arm of a disc is r u, u = (n − s a)/N, s = n · a, N = |n − s a|.
    fn arm<S: Scalar>(&self, wheel: &Wheel, R_12: &Mat3<S>) -> Vec3<S> {
        let n_1 = lift::<S>(&self.axes[0]);
        if self.kind == JointKind::RollingBall {
            return n_1 * S::from_f64(wheel.radius);
        }
        let a_1 = times(R_12, &self.axes[1]);
        let upright = n_1 - a_1 * n_1.dot(&a_1);
        upright * (S::from_f64(wheel.radius) / divisor(norm(&upright)))
    }

    /// Stores the columns of a body that rolls; `R_W1`, `R_W2`: rotations of the user's bodies. Returns the arm in
    /// world axes.
    fn calc_wheel<S: Scalar>(
        &self,
        wheel: &Wheel,
        R_W1: &Mat3<S>,
        R_W2: &Mat3<S>,
        columns: &mut [Motion<S>],
    ) -> Vec3<S> {
        let R_12 = R_W1.tr_mul(R_W2);
        let arm_W = R_W1 * self.arm(wheel, &R_12);
        let (mut a_W, mut lean_W) = (Vec3::zeros(), Vec3::zeros());
        if self.kind == JointKind::RollingDisc {
            let n_W = times(R_W1, &self.axes[0]);
            a_W = times(R_W2, &self.axes[1]);
            let s = n_W.dot(&a_W);
            let across = norm(&(n_W - a_W * s));
            lean_W = a_W.cross(&arm_W) * (s / divisor(across * S::from_f64(wheel.radius)));
        }
        columns[wheel.slot] = Motion { lin: arm_W, ang: a_W };
        columns[wheel.slot + 1] = Motion { lin: lean_W, ang: Vec3::zeros() };
        arm_W
    }

    /// Velocity of the geometric contact point on the plane, for the angular velocity `w_rel_W` of the second body
    /// relative to the first, world axes.
    ///
    /// The centre moves with ω × r u. From ȧ = ω × a follows u̇ = −(ω · t) a + (s/N) (ω · u) t with t = a × u, and the
    /// contact point moves with ω × r u − r u̇.
    fn contact_drift<S: Scalar>(wheel: &Wheel, columns: &[Motion<S>], w_rel_W: &Vec3<S>) -> Vec3<S> {
        let (Motion { lin: arm_W, ang: a_W }, lean_W) = (&columns[wheel.slot], &columns[wheel.slot + 1].lin);
        let turn = a_W * w_rel_W.dot(&a_W.cross(arm_W)) - lean_W * w_rel_W.dot(arm_W);
        w_rel_W.cross(arm_W) + turn
    }

    /// Translation of the joint point of the second body in the frame of the first; `None` if the kind allows no
    /// translation. `path`: result of [`path_derivatives`](Self::path_derivatives).
    fn shift<S: Scalar>(&self, q: &[S], path: &Option<[Vec3<S>; 4]>) -> Option<Vec3<S>> {
        if let Some(wheel) = &self.wheel {
            // The centre of a leaning disc is lower.
            let R_12 = matrix(&[q[0], q[1], q[2], q[3]]);
            let [normal, second, third] = self.axes.each_ref().map(lift::<S>);
            let rise = normal.dot(&self.arm(wheel, &R_12)) - wheel.radius;
            return Some(second * q[4] + third * q[5] + normal * rise);
        }
        let [axis, second, third] = self.axes.each_ref().map(lift::<S>);
        match self.kind.translations() {
            0 => None,
            1 if let Some([p, ..]) = path => Some(*p),
            1 => Some(axis * q[0]),
            2 => Some(second * q[0] + third * q[1]),
            _ => Some(Vec3::new(q[0], q[1], q[2])),
        }
    }

    /// Position of the branch's reference point o from the model's origin, for a root joint; `q`: all positions.
    pub(crate) fn reference<S: Scalar>(&self, q: &[S]) -> Vec3<S> {
        let p_WJ = lift(if self.reversed { &self.anchor_second } else { &self.anchor_first });
        match self.shift(&q[self.q_range()], &None) {
            Some(p_J1J2) if self.kind.is_free() => p_WJ + p_J1J2,
            _ => p_WJ,
        }
    }

    /// Pose of the outboard body, its columns b, and the joint's point from o.
    ///
    /// `parent`: the inboard body (unused for root joints); `q`: all positions; `columns`: all columns; the columns of
    /// this joint are written. Column k is the spatial velocity of the outboard body relative to the inboard one per
    /// unit of ż_k (eq. 5 for the elementary joints).
    #[inline]
    pub(crate) fn calc_pose<S: Scalar>(
        &self,
        parent: &BodyMotion<S>,
        q: &[S],
        columns: &mut [Motion<S>],
    ) -> (Pose<S>, Vec3<S>) {
        // Relative motion of the joint in the frame of its first body.
        let q = &q[self.q_range()];
        let at_reference = self.root && self.kind.is_free();
        let path = self.path_derivatives(q);
        let (R_12, p_J1J2) = (self.turn(q), self.shift(q, &path).filter(|_| !at_reference));
        // The inboard body P and the joint point J on it, from o.
        let R_WP = if self.root { Mat3::identity() } else { parent.rotation };
        let p_PJ_P = if self.reversed { &self.anchor_second } else { &self.anchor_first };
        let p_oJ_W = if self.root { Vec3::zeros() } else { parent.position + times(&R_WP, p_PJ_P) };
        // A reversed joint has its second body of the file inboard, so its motion is inverted.
        let (pose, R_W1, R_W2, p_oJ2_W) = if self.reversed {
            let R_WB = R_12.map_or(R_WP, |R_12| matrix_product(&R_WP, &R_12.transpose()));
            let p_BJ_W = match p_J1J2 {
                Some(p_J1J2) => times(&R_WB, &(p_J1J2 + lift(&self.anchor_first))),
                None => times(&R_WB, &self.anchor_first),
            };
            let p_oB_W = p_oJ_W - p_BJ_W;
            (Pose { rotation: R_WB, position: p_oB_W }, R_WB, R_WP, p_oJ_W)
        } else {
            let R_WB = R_12.map_or(R_WP, |R_12| matrix_product(&R_WP, &R_12));
            let p_oJ2_W = p_J1J2.map_or(p_oJ_W, |p_J1J2| p_oJ_W + times(&R_WP, &p_J1J2));
            (Pose { rotation: R_WB, position: p_oJ2_W - times(&R_WB, &self.anchor_second) }, R_WP, R_WB, p_oJ2_W)
        };
        // Columns of the rotations and translations of the joint. A body that rolls rotates about the contact point.
        let p_oC_W = match &self.wheel {
            Some(wheel) => p_oJ2_W - self.calc_wheel(wheel, &R_W1, &R_W2, columns),
            None => p_oJ2_W,
        };
        self.calc_columns(&R_W1, &R_W2, &p_oC_W, &mut columns[self.v_range()]);
        // The extra column of a constant-velocity joint, which passes half of the rotation to each side.
        if let Some(half) = self.half {
            let rotation = |u: Vec3<S>| Motion { lin: p_oJ2_W.cross(&u), ang: u };
            let sign = S::from_f64(if self.reversed { -1.0 } else { 1.0 });
            let part = sign * 0.5;
            let before = rotation(times(&R_W1, &self.axes[0])) * part;
            let middle = times(&about(&self.axes[0], q[0] * 0.5), &self.axes[1]);
            columns[half] = before;
            columns[self.v] = before + rotation(times(&R_W2, &self.axes[2])) * part;
            columns[self.v + 1] = rotation(R_W1 * middle) * sign;
        }
        // Columns of a joint along a curve: the tangent, and its rate per unit of speed. A frame also turns.
        if let (Some(path), Some([_, tangent, bend, third])) = (&self.path, path) {
            let translation = |u: Vec3<S>| Motion { lin: times(&R_W1, &u), ang: Vec3::zeros() };
            let (mut column, mut change) = (translation(tangent), translation(bend));
            if let Some(frame) = &path.frame {
                let [spin, spin_rate] = frame.spin(&[tangent, bend, third]);
                let rotation = |u: Vec3<S>| Motion { lin: p_oJ2_W.cross(&u), ang: u };
                column += rotation(times(&R_W1, &spin));
                change += translation(tangent.cross(&spin)) + rotation(times(&R_W1, &spin_rate));
            }
            (columns[self.v], columns[path.slot]) = if self.reversed { (-column, -change) } else { (column, change) };
        }
        (pose, p_oJ2_W)
    }

    /// `R_W1`, `R_W2`: rotations of the user's bodies; `p_oJ2_W`: joint point on the second body from o.
    fn calc_columns<S: Scalar>(&self, R_W1: &Mat3<S>, R_W2: &Mat3<S>, p_oJ2_W: &Vec3<S>, columns: &mut [Motion<S>]) {
        let rotation = |u: Vec3<S>| Motion { lin: p_oJ2_W.cross(&u), ang: u };
        let translation = |u: Vec3<S>| Motion { lin: u, ang: Vec3::zeros() };
        let [axis, other, third] = &self.axes;
        // Translations along axes of the first body.
        let translations = self.kind.translations();
        match translations {
            0 => {}
            1 => columns[0] = translation(times(R_W1, axis)),
            2 => {
                columns[0] = translation(times(R_W1, other));
                columns[1] = translation(times(R_W1, third));
            }
            _ => (0..3).for_each(|k| columns[k] = translation(R_W1.column(k).into_owned())),
        }
        // Rotations about axes of the first and of the second body, through the joint point.
        let turns = &mut columns[translations..];
        match turns.len() {
            0 => {}
            1 => turns[0] = rotation(times(R_W1, axis)),
            2 => {
                turns[0] = rotation(times(R_W1, axis));
                turns[1] = rotation(times(R_W2, other));
            }
            _ => (0..3).for_each(|k| turns[k] = rotation(R_W2.column(k).into_owned())),
        }
        // The columns are velocities of the outboard body, which is the first body if reversed.
        if self.reversed {
            columns.iter_mut().for_each(|column| *column = -*column);
        }
    }

    /// Velocity of the outboard body relative to the inboard one, Σ b_k ż_k.
    pub fn relative_velocity<S: Scalar>(&self, columns: &[Motion<S>], v: &[S]) -> Motion<S> {
        sum(&columns[self.slot_range()], &v[self.v_range()])
    }

    /// Bias d of the outboard body: d = Σ_k carrier_k ⨯ b_k ż_k, where carrier_k is the velocity of the frame in which
    /// column k is fixed. The columns of free rotations are fixed in the second body. Other columns move with the first
    /// body and with the preceding columns. `parent`, `child`: spatial velocities of the inboard and the outboard body.
    pub fn bias<S: Scalar>(&self, parent: &Motion<S>, child: &Motion<S>, columns: &[Motion<S>], v: &[S]) -> Motion<S> {
        let one = S::one();
        let (sign, first, second) = if self.reversed { (-one, child, parent) } else { (one, parent, child) };
        // Curvature of a path, and the joints with one axis.
        let bend = self.path.as_ref().map(|path| columns[path.slot] * (v[self.v] * v[self.v]));
        // The contact point of a body that rolls moves along the plane.
        let drift = self.wheel.as_ref().map(|wheel| {
            let w_rel_W = self.relative_velocity(columns, v).ang * sign;
            Self::contact_drift(wheel, columns, &w_rel_W).cross(&w_rel_W) * sign
        });
        let range = self.v_range();
        let half = self.half.map(|slot| columns[slot]);
        let (columns, v, translations) = (&columns[range.clone()], &v[range], self.kind.translations());
        if let (true, [column], [v]) = (self.kind.turns_about_axis(), columns, v) {
            return first.cross(&(*column * *v));
        }
        // A translation does not rotate the carrier of the following columns, so all translations share one carrier.
        // Translations: ω_first × v_rel.
        let relative = sum(&columns[..translations], &v[..translations]);
        let turns = self.path.as_ref().is_some_and(|path| path.frame.is_some());
        let lin = first.ang.cross(&relative.lin);
        let mut d = if turns { first.cross(&relative) } else { Motion { lin, ang: Vec3::zeros() } };
        if let Some(bend) = bend {
            d += bend;
        }
        if let Some(drift) = drift {
            d += Motion { lin: drift, ang: Vec3::zeros() };
        }
        let (columns, v) = (&columns[translations..], &v[translations..]);
        if self.kind.quaternion().is_some() {
            return d + second.cross(&sum(columns, v));
        }
        // Rotations in turn: each column moves with the first body and the preceding columns.
        let mut carrier = *first + relative * sign;
        let mut carry = |relative: Motion<S>| {
            d += carrier.cross(&relative);
            carrier += relative * sign;
        };
        if let (Some(half), [both, middle], [v, w]) = (half, columns, v) {
            carry(half * *v);
            carry(*middle * *w);
            carry((*both - half) * *v);
            return d;
        }
        columns.iter().zip(v).for_each(|(column, v)| carry(*column * *v));
        d
    }

    /// Rates of the joint's positions from its velocities. `q`, `v`: all; `rate`: all; the rates of this joint are
    /// written. (For links, the rates of the elastic coordinates.)
    pub fn calc_position_rate<S: Scalar>(&self, q: &[S], v: &[S], rate: &mut [S]) {
        let (qs, vs) = (self.q_range(), self.v_range());
        match self.kind.quaternion() {
            None => rate[qs].iter_mut().zip(&v[vs]).for_each(|(rate, v)| *rate = *v),
            Some(first) => {
                let (iq, iv) = (qs.start + first, vs.start + first);
                rate[qs.start..iq].copy_from_slice(&v[vs.start..iv]);
                let omega = Vec3::new(v[iv], v[iv + 1], v[iv + 2]);
                let turn = [q[iq], q[iq + 1], q[iq + 2], q[iq + 3]];
                rate[iq..iq + 4].copy_from_slice(&quaternion_rate(&turn, &omega));
                if let Some(travel) = self.travel(&turn, &omega) {
                    rate[iq + 4..qs.end].copy_from_slice(&travel);
                }
            }
        }
    }

    /// Travel of the centre of a body that rolls along the two directions of the plane, for a small rotation or an
    /// angular velocity `omega` in the axes of the second body.
    fn travel<S: Scalar>(&self, turn: &[S; 4], omega: &Vec3<S>) -> Option<[S; 2]> {
        let wheel = self.wheel.as_ref()?;
        let R_12 = matrix(turn);
        let along = (R_12 * omega).cross(&self.arm(wheel, &R_12));
        Some([1, 2].map(|k| along.dot(&lift::<S>(&self.axes[k]))))
    }

    /// Transforms the angular velocity of a free rotation from the axes of the first body, used in model files, to the
    /// axes of the second body, used by the velocity coordinates. (In body axes the spin of a free body is steady or
    /// slow, which keeps the integration error of its momentum small.) `q`: all positions; `v`: all velocities.
    pub fn turn_speeds(&self, q: &[f64], v: &mut [f64]) {
        if let Some(first) = self.kind.quaternion() {
            let iv = self.v + first;
            let R_12 = self.turn(&q[self.q_range()]).unwrap_or_else(Mat3::identity);
            let w_rel_2 = R_12.tr_mul(&Vec3::new(v[iv], v[iv + 1], v[iv + 2]));
            v[iv..iv + 3].copy_from_slice(w_rel_2.as_slice());
        }
    }

    /// Scales the joint's quaternion, if any, to unit length.
    pub fn normalize<S: Scalar>(&self, q: &mut [S]) {
        if let Some(first) = self.kind.quaternion() {
            let iq = self.q + first;
            let unit = normalized(&[q[iq], q[iq + 1], q[iq + 2], q[iq + 3]]);
            q[iq..iq + 4].copy_from_slice(&unit);
        }
    }

    /// Moves the joint's positions by finite increments of its velocity coordinates: q ← q₀ ⊕ u. A free rotation is
    /// turned by the rotation vector u in the second body's axes, q ∘ exp(u / 2). `start`, `increments`, `q`: of all
    /// joints.
    pub(crate) fn add_increments(&self, start: &[f64], increments: &[f64], q: &mut [f64]) {
        let (qs, vs) = (self.q_range(), self.v_range());
        let plain = self.kind.quaternion().unwrap_or(vs.len());
        for k in 0..plain {
            q[qs.start + k] = start[qs.start + k] + increments[vs.start + k];
        }
        if plain < vs.len() {
            let (iq, iv) = (qs.start + plain, vs.start + plain);
            let u = Vec3::new(increments[iv], increments[iv + 1], increments[iv + 2]);
            let from = [start[iq], start[iq + 1], start[iq + 2], start[iq + 3]];
            q[iq..iq + 4].copy_from_slice(&turned(&from, &u));
            // A body that rolls travels by the rotation in the middle.
            if let Some(travel) = self.travel(&turned(&from, &(u * 0.5)), &u) {
                (0..2).for_each(|k| q[iq + 4 + k] = start[iq + 4 + k] + travel[k]);
            }
        }
    }

    /// Moves velocity coordinate `k` (0-based within the joint) by `increment` rad or m: q ← q ⊕ increment.
    pub fn add_increment(&self, q: &mut [f64], k: usize, increment: f64) {
        match self.kind.quaternion() {
            Some(first) if k >= first => {
                let iq = self.q + first;
                let q4 = [q[iq], q[iq + 1], q[iq + 2], q[iq + 3]];
                let mut omega = Vec3::zeros();
                omega[k - first] = increment;
                let rate = quaternion_rate(&q4, &omega);
                let travel = self.travel(&q4, &omega);
                for i in 0..4 {
                    q[iq + i] += rate[i];
                }
                if let Some(travel) = travel {
                    (0..2).for_each(|k| q[iq + 4 + k] += travel[k]);
                }
                self.normalize(q);
            }
            _ => q[self.q + k] += increment,
        }
    }

    /// The change of velocity coordinate `k` (0-based within the joint) equivalent to the change `change` of all
    /// positions `q`, to first order. A change of the length of a quaternion gives no rotation.
    pub fn change_along(&self, q: &[f64], change: &[f64], k: usize) -> f64 {
        match self.kind.quaternion() {
            Some(first) if k >= first => {
                let square: f64 = q[self.q + first..self.q + first + 4].iter().map(|part| part * part).sum();
                2.0 * self.relative_turn(q, change)[k - first] / square
            }
            _ => change[self.q + k],
        }
    }

    /// The increment of velocity coordinate `k` (0-based within the joint) from `from` to `to`, to first order.
    pub(crate) fn increment_between(&self, from: &[f64], to: &[f64], k: usize) -> f64 {
        match self.kind.quaternion() {
            Some(first) if k >= first => 2.0 * self.relative_turn(from, to)[k - first],
            _ => to[self.q + k] - from[self.q + k],
        }
    }

    /// Vector part of the conjugate of the joint's quaternion in `from` times the quaternion in `to`; zero for a joint
    /// without a quaternion.
    fn relative_turn(&self, from: &[f64], to: &[f64]) -> [f64; 3] {
        let Some(first) = self.kind.quaternion() else { return [0.0; 3] };
        let iq = self.q + first;
        let [w, x, y, z] = [from[iq], from[iq + 1], from[iq + 2], from[iq + 3]];
        let [a, b, c, d] = [to[iq], to[iq + 1], to[iq + 2], to[iq + 3]];
        [w * b - x * a - y * d + z * c, w * c - y * a - z * b + x * d, w * d - z * a - x * c + y * b]
    }
}

/// Σ b_k ż_k.
fn sum<S: Scalar>(columns: &[Motion<S>], v: &[S]) -> Motion<S> {
    let terms = columns.iter().zip(v).map(|(column, v)| *column * *v);
    terms.reduce(|sum, term| sum + term).unwrap_or_else(Motion::zero)
}
