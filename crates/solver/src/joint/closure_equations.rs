//! Closure equations between two bodies, each a scalar φ = 0 in m.
//!
//! Every row acts as a pair of opposite spatial forces: φ̇ = f_second · Z_second − f_first · Z_first. So its Jacobian
//! column of joint coordinate i is b_i · f on the leg of the second body and −b_i · f on the leg of the first, its bias
//! is the same product with rates, and its multiplier times f is the reaction. Each force refers to the reference point
//! of the branch of its body. Within one branch both forces are equal.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use super::Function;
use super::JointKind;
use crate::math::curve::Curve;
use crate::math::scalar::{Scalar, norm, times};
use crate::math::spatial::{BodyMotion, Motion, Wrench};
use crate::math::{Mat3, Vec3};
use alloc::{boxed::Box, vec, vec::Vec};

/// One closure equation. Points and directions are constant in the frames of the bodies named by the indices.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum Row {
    /// e · (p_second − p_first) = 0 with the direction e fixed in the first body.
    Along { first: usize, second: usize, e: Vec3, p_first: Vec3, p_second: Vec3 },
    /// e · (c − p_first) = 0 with the direction e fixed in the first body and c the lowest point along e of a convex
    /// curve of the second body. A face of the first body touches the curve.
    Touching { first: usize, second: usize, e: Vec3, p_first: Vec3, curve: Box<Curve> },
    /// scale · (u · w) = 0 with unit vectors u fixed in the first, w in the second body; scale in m.
    Perpendicular { first: usize, second: usize, u: Vec3, w: Vec3, scale: f64 },
    /// scale · (u₁ · w₁ − u₂ · w₂) / 2 = 0 with pairs of unit vectors u fixed in the first and w in the second body. It
    /// prevents rotation about u₁ × u₂ in a constant-velocity joint.
    Untwisted { first: usize, second: usize, u: [Vec3; 2], w: [Vec3; 2], scale: f64 },
    /// (|p_second − p_first|² − L²) / 2L = 0 (eq. 22, divided to be in m).
    Distance { first: usize, second: usize, p_first: Vec3, p_second: Vec3, length: f64 },
    /// scale · (Σ ratio · q − offset) = 0 between joint coordinates; scale in m per unit of the sum. Up to two of the
    /// first coordinates enter the sum as f(q) with the laws f.
    Coupled { terms: Vec<Term>, offset: f64, scale: f64, laws: Vec<Function> },
}

/// A joint coordinate in [`Row::Coupled`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Term {
    /// Position coordinate.
    pub position: usize,
    /// Velocity coordinate.
    pub velocity: usize,
    /// Its factor.
    pub ratio: f64,
}

/// Value of a row and its spatial forces.
#[derive(Clone, Copy, Debug)]
pub struct RowState<S = f64> {
    /// φ in m.
    pub gap: S,
    /// p_first and p_second from the o of their bodies, or u and w; world axes. Zero for [`Row::Coupled`] and
    /// [`Row::Untwisted`]. For [`Row::Touching`] the first is t × e / √(b · e) with t and b the first and second
    /// derivative of the curve at c, √m: its product with the relative angular velocity is √(b · e) times the rate at
    /// which c moves along the curve.
    pub ends: [Vec3<S>; 2],
    /// f about the first body's o (unit multiplier).
    pub on_first: Wrench<S>,
    /// f about the second body's o.
    pub on_second: Wrench<S>,
    /// f′ and f″ of the laws of a [`Row::Coupled`]; 1 and 0 without one.
    pub laws: [[S; 2]; 2],
}

impl<S: Scalar> RowState<S> {
    fn blank() -> RowState<S> {
        RowState {
            gap: S::zero(),
            ends: [Vec3::zeros(); 2],
            on_first: Wrench::zero(),
            on_second: Wrench::zero(),
            laws: [[S::one(), S::zero()]; 2],
        }
    }
}

impl Row {
    /// The two bodies; `None` if the row couples coordinates.
    pub fn bodies(&self) -> Option<(usize, usize)> {
        match *self {
            Row::Along { first, second, .. }
            | Row::Touching { first, second, .. }
            | Row::Perpendicular { first, second, .. }
            | Row::Untwisted { first, second, .. }
            | Row::Distance { first, second, .. } => Some((first, second)),
            Row::Coupled { .. } => None,
        }
    }

    /// The coordinates coupled by the row; empty unless it is [`Row::Coupled`].
    pub fn terms(&self) -> &[Term] {
        match self {
            Row::Coupled { terms, .. } => terms,
            _ => &[],
        }
    }

    /// Derivative of φ with respect to the coordinate of term `k`, m per unit; `state`: result of [`Row::state`].
    pub fn slope<S: Scalar>(&self, state: &RowState<S>, k: usize) -> S {
        match self {
            Row::Coupled { terms, scale, laws, .. } => {
                let slope = S::from_f64(scale * terms[k].ratio);
                if k < laws.len() { slope * state.laws[k][0] } else { slope }
            }
            _ => S::zero(),
        }
    }

    /// φ and forces at the present positions. For [`Row::Coupled`] the forces are zero. P and Q are the points of the
    /// first and of the second body, o1 and o2 the reference points of their branches.
    #[inline]
    pub fn state<S: Scalar>(&self, bodies: &[BodyMotion<S>], q: &[S]) -> RowState<S> {
        match self {
            // φ = e · (Q − P).
            Row::Along { first, second, e, p_first, p_second } => {
                let (a, b) = (&bodies[*first], &bodies[*second]);
                let (p_o1P_W, p_o2Q_W) = (a.point(p_first), b.point(p_second));
                let e_W = times(&a.rotation, e);
                let p_o1Q_W = p_o2Q_W + (b.reference - a.reference);
                RowState {
                    gap: e_W.dot(&BodyMotion::between(a, &p_o1P_W, b, &p_o2Q_W)),
                    ends: [p_o1P_W, p_o2Q_W],
                    on_first: Wrench::at(&p_o1Q_W, e_W),
                    on_second: Wrench::at(&p_o2Q_W, e_W),
                    ..RowState::blank()
                }
            }
            // φ = e · (c − P), with c the lowest point of the curve along e.
            Row::Touching { first, second, e, p_first, curve } => {
                let (a, b) = (&bodies[*first], &bodies[*second]);
                let e_W = times(&a.rotation, e);
                let [p_2Q, tangent, bend] = curve.at(curve.lowest(&b.rotation.tr_mul(&e_W)));
                let (p_o1P_W, p_o2Q_W) = (a.point(p_first), b.position + b.rotation * p_2Q);
                let bulge = (b.rotation * bend).dot(&e_W).sqrt();
                RowState {
                    gap: e_W.dot(&BodyMotion::between(a, &p_o1P_W, b, &p_o2Q_W)),
                    ends: [(b.rotation * tangent).cross(&e_W) / bulge, p_o2Q_W],
                    on_first: Wrench::at(&(p_o2Q_W + (b.reference - a.reference)), e_W),
                    on_second: Wrench::at(&p_o2Q_W, e_W),
                    ..RowState::blank()
                }
            }
            // φ = scale · (u · w).
            Row::Perpendicular { first, second, u, w, scale } => {
                let (u, w) = (times(&bodies[*first].rotation, u), times(&bodies[*second].rotation, w));
                let f = Wrench::couple(w.cross(&u) * S::from_f64(*scale));
                RowState { gap: u.dot(&w) * *scale, ends: [u, w], on_first: f, on_second: f, ..RowState::blank() }
            }
            // φ = scale · (u₁ · w₁ − u₂ · w₂)/2.
            Row::Untwisted { first, second, u, w, scale } => {
                let [(u, w), (x, y)] = pairs(&bodies[*first], &bodies[*second], u, w);
                let half = 0.5 * scale;
                let f = Wrench::couple((w.cross(&u) - y.cross(&x)) * S::from_f64(half));
                RowState { gap: (u.dot(&w) - x.dot(&y)) * half, on_first: f, on_second: f, ..RowState::blank() }
            }
            // φ = (|d|² − L²)/2L.
            Row::Distance { first, second, p_first, p_second, length } => {
                let (a, b) = (&bodies[*first], &bodies[*second]);
                let (p_o1P_W, p_o2Q_W) = (a.point(p_first), b.point(p_second));
                let p_PQ_W = BodyMotion::between(a, &p_o1P_W, b, &p_o2Q_W);
                let f = p_PQ_W / S::from_f64(*length);
                // (|d| − L)(|d| + L) / 2L avoids the cancellation in d·d − L².
                let distance = norm(&p_PQ_W);
                RowState {
                    gap: (distance - *length) * (distance + *length) / (2.0 * length),
                    ends: [p_o1P_W, p_o2Q_W],
                    on_first: Wrench::at(&p_o1P_W, f),
                    on_second: Wrench::at(&p_o2Q_W, f),
                    ..RowState::blank()
                }
            }
            // φ = scale · (Σ ratio · f(q) − offset).
            Row::Coupled { terms, offset, scale, laws } => {
                let first = |k: usize| {
                    let q = terms.get(k).map_or(S::zero(), |term| q[term.position]);
                    laws.get(k).map_or([q, S::one(), S::zero()], |law| law.value(q))
                };
                let first = [first(0), first(1)];
                RowState {
                    gap: (sum(terms, first.map(|[f, ..]| f), |term| q[term.position]) - *offset) * *scale,
                    laws: first.map(|[_, slope, curvature]| [slope, curvature]),
                    ..RowState::blank()
                }
            }
        }
    }

    /// φ̇ in m/s; `state`: result of [`Row::state`], with the velocities in `bodies` and `v`.
    pub fn rate<S: Scalar>(&self, state: &RowState<S>, bodies: &[BodyMotion<S>], v: &[S]) -> S {
        match self {
            Row::Coupled { terms, scale, laws, .. } => {
                let first = |k: usize| {
                    let v = terms.get(k).map_or(S::zero(), |term| v[term.velocity]);
                    if k < laws.len() { v * state.laws[k][0] } else { v }
                };
                sum(terms, [first(0), first(1)], |term| v[term.velocity]) * *scale
            }
            _ => {
                let (first, second) = self.bodies().unwrap_or((0, 0));
                bodies[second].velocity.dot(&state.on_second) - bodies[first].velocity.dot(&state.on_first)
            }
        }
    }

    /// φ̈ in m/s² for the spatial accelerations `accelerations` of all bodies (Ż at fixed o), the velocity coordinates
    /// `v` and their accelerations.
    pub fn acceleration<S: Scalar>(
        &self,
        state: &RowState<S>,
        bodies: &[BodyMotion<S>],
        accelerations: &[Motion<S>],
        [v, coordinate_accelerations]: [&[S]; 2],
    ) -> S {
        // The part that is linear in the accelerations.
        let main = |first: usize, second: usize| {
            accelerations[second].dot(&state.on_second) - accelerations[first].dot(&state.on_first)
        };
        match self {
            // The distance along a direction that turns with the first body: Coriolis and centripetal terms.
            Row::Along { first, second, .. } | Row::Touching { first, second, .. } => {
                let (a, b, e) = (&bodies[*first], &bodies[*second], &state.on_second.force);
                let p_o2Q_W = &state.ends[1];
                let v_Q_W = b.velocity.at(p_o2Q_W);
                let v_rel_W = v_Q_W - a.velocity.at(&(p_o2Q_W + (b.reference - a.reference)));
                let w_rel_W = b.velocity.ang - a.velocity.ang;
                let own = main(*first, *second) + a.velocity.ang.cross(e).dot(&v_rel_W) + w_rel_W.cross(&v_Q_W).dot(e);
                match self {
                    // The point slides on the surface while the normal turns.
                    Row::Touching { .. } => {
                        let slide = w_rel_W.dot(&state.ends[0]);
                        own - slide * slide
                    }
                    _ => own,
                }
            }
            // d/dt of w × u for two directions, each fixed in its body.
            Row::Perpendicular { first, second, scale, .. } => {
                let (a, b, [u, w]) = (&bodies[*first], &bodies[*second], &state.ends);
                let (u_rate, w_rate) = (a.velocity.ang.cross(u), b.velocity.ang.cross(w));
                let rate = w_rate.cross(u) + w.cross(&u_rate);
                main(*first, *second) + rate.dot(&(b.velocity.ang - a.velocity.ang)) * *scale
            }
            // Half the difference of two pairs of directions.
            Row::Untwisted { first, second, u, w, scale } => {
                let (a, b) = (&bodies[*first], &bodies[*second]);
                let [one, other] = pairs(a, b, u, w)
                    .map(|(u, w)| b.velocity.ang.cross(&w).cross(&u) + w.cross(&a.velocity.ang.cross(&u)));
                main(*first, *second) + (one - other).dot(&(b.velocity.ang - a.velocity.ang)) * (0.5 * scale)
            }
            // Relative velocity across the rod, and the centripetal accelerations of its ends.
            Row::Distance { first, second, length, .. } => {
                let (a, b, f) = (&bodies[*first], &bodies[*second], &state.on_second.force);
                let (v_P_W, v_Q_W) = (a.velocity.at(&state.ends[0]), b.velocity.at(&state.ends[1]));
                let centripetal = b.velocity.ang.cross(&v_Q_W) - a.velocity.ang.cross(&v_P_W);
                let v_rel_W = v_Q_W - v_P_W;
                main(*first, *second) + v_rel_W.dot(&v_rel_W) / *length + centripetal.dot(f)
            }
            // Chain rule for couplings that follow a law: φ' z̈ + φ'' ż².
            Row::Coupled { terms, scale, laws, .. } => {
                let first = |k: usize| {
                    let Some(term) = terms.get(k) else { return S::zero() };
                    let (rate, acceleration) = (v[term.velocity], coordinate_accelerations[term.velocity]);
                    match laws.get(k) {
                        Some(_) => acceleration * state.laws[k][0] + rate * rate * state.laws[k][1],
                        None => acceleration,
                    }
                };
                sum(terms, [first(0), first(1)], |term| coordinate_accelerations[term.velocity]) * *scale
            }
        }
    }

    /// The rows of a cut joint. `axes`: axis and the vectors that complete it (see [`super::TreeJoint::axes`]). `scale`
    /// in m weights directions.
    #[expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "for the compiler, before the first step")]
    pub fn of_cut(
        kind: JointKind,
        (first, second): (usize, usize),
        (p_first, p_second): (Vec3, Vec3),
        axes: &[Vec3; 3],
        scale: f64,
    ) -> Vec<Row> {
        let [u, n1, n2] = *axes;
        let along = |e: Vec3| Row::Along { first, second, e, p_first, p_second };
        let perpendicular = |u: Vec3, w: Vec3| Row::Perpendicular { first, second, u, w, scale };
        // Directions without translation.
        let mut rows: Vec<Row> = match kind.translations() {
            0 => Mat3::identity().column_iter().map(|e| along(e.into_owned())).collect(),
            1 => vec![along(n1), along(n2)],
            2 => vec![along(u)],
            _ => vec![],
        };
        // Axes without rotation.
        match kind.freedom() - kind.translations() {
            0 => rows.extend([perpendicular(n1, u), perpendicular(n2, u), perpendicular(n1, n2)]),
            1 => rows.extend([perpendicular(n1, u), perpendicular(n2, u)]),
            2 if kind.is_bisecting() => rows.push(Row::Untwisted { first, second, u: [u, n1], w: [n1, n2], scale }),
            2 => rows.push(perpendicular(u, n1)),
            _ => {}
        }
        rows
    }
}

/// The pairs of [`Row::Untwisted`], world axes.
fn pairs<S: Scalar>(a: &BodyMotion<S>, b: &BodyMotion<S>, u: &[Vec3; 2], w: &[Vec3; 2]) -> [(Vec3<S>, Vec3<S>); 2] {
    [0, 1].map(|k| (times(&a.rotation, &u[k]), times(&b.rotation, &w[k])))
}

/// Σ ratio · value, with `first` as the first two values.
fn sum<S: Scalar>(terms: &[Term], first: [S; 2], value: impl Fn(&Term) -> S) -> S {
    let values = first.into_iter().chain(terms.iter().skip(2).map(value));
    let parts = terms.iter().zip(values).map(|(term, value)| value * term.ratio);
    parts.reduce(|sum, part| sum + part).unwrap_or_else(S::zero)
}
