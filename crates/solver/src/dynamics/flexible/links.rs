//! Kinematics between the floating frame of a flexible body and its interfaces.
//!
//! An interface moves relative to the frame by s = Φ_t η − ½ ηᵀ K_t η and turns by exp(θ̃), θ = Φ_r η − ½ ηᵀ K_r η, in
//! the axes of C; the second-order terms are the displacement of a geometric stiffness K_j per unit load in direction j
//! (virtual work), so that forces at interfaces stiffen the body correctly. Its column of η̇_k is
//!
//! ```text
//!     c_k = (a_v + r × a_w ; a_w),   a_v = R_WC ∂s/∂η_k,   a_w = R_WC T(θ) ∂θ/∂η_k
//!     Σ ċ_k η̇_k = Z_frame ⨯ Σ c_k η̇_k + (b_v + V × W + r × b_w ; b_w)
//! ```
//!
//! (T = 1 for a linear body: the angular velocity is then θ̇, while the pose stays exp(θ̃)), with V = Σ a_v η̇, W = Σ
//! a_w η̇, b_w = R_WC (Ṫ θ̇ + T θ̈⁰), b_v = R_WC s̈⁰ and s̈⁰, θ̈⁰ = −η̇ᵀ K η̇ (theory section 9).

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::joint::{Link, Pose};
use crate::math::Vec3;
use crate::math::rotation::{exponential, exponential_bias, exponential_tangent};
use crate::math::scalar::{Scalar, copy_lifted, lift, lift_matrix};
use crate::math::spatial::Motion;
use crate::system::System;
use crate::system::flexible::{LinkShape, add_product, quadratic};
use crate::system::workspace::Kinematics;

/// Three entries starting at `first`.
fn part<S: Scalar>(values: &[S; 6], first: usize) -> Vec3<S> {
    Vec3::new(values[first], values[first + 1], values[first + 2])
}

/// Pose of the outboard body of link `joint`, its columns, and the interface's node from o.
pub(crate) fn update<S: Scalar>(
    system: &System,
    q: &[S],
    kinematics: &mut Kinematics<S>,
    joint: usize,
    link: &Link,
) -> (Pose<S>, Vec3<S>) {
    let Kinematics { bodies, columns, links, .. } = kinematics;
    let (tree, body) = (&system.joints[joint], &system.flexible[link.flexible]);
    let shape = &body.links[link.index];
    let eta = &q[body.q.clone()];
    let scratch = &mut links[joint];
    let mut displacement = [S::zero(); 6];
    for j in 0..6 {
        copy_lifted(&shape.shape[j], &mut scratch.slopes[j]);
        add_product(&shape.second[j], eta, -S::one(), &mut scratch.slopes[j]);
        // The displacement is the integral of the slopes: ½ (first + present) η.
        let pairs = shape.shape[j].iter().zip(&scratch.slopes[j]).zip(eta);
        displacement[j] = pairs.map(|((&first, &present), &eta)| (present + first) * 0.5 * eta).sum();
    }
    // The interface N moves by s and turns by exp(θ̃) relative to the floating frame C.
    let (u_C, theta) = (part(&displacement, 0), part(&displacement, 3));
    let R_CN = exponential(&theta);
    let (R_BC, p_BN_C) = (lift_matrix::<S>(&body.axes), lift(&shape.position));
    let inboard = &bodies[system.bodies[joint + 1].parent];
    let (R_WC, p_oN_W, pose) = if tree.reversed {
        let R_WC = inboard.rotation * R_BC * R_CN.transpose();
        let p_oB_W = inboard.position - R_WC * (p_BN_C + u_C);
        (R_WC, inboard.position, Pose { rotation: R_WC * R_BC.transpose(), position: p_oB_W })
    } else {
        let R_WC = inboard.rotation * R_BC;
        let p_oN_W = inboard.position + R_WC * (p_BN_C + u_C);
        (R_WC, p_oN_W, Pose { rotation: R_WC * R_CN * R_BC.transpose(), position: p_oN_W })
    };
    // Columns (a_v + r × a_w; a_w) of the elastic coordinates, relative to the inboard body.
    let tangent = if body.linear { R_WC } else { R_WC * exponential_tangent(&theta) };
    let sign = if tree.reversed { -S::one() } else { S::one() };
    for k in 0..link.modes {
        let slope = core::array::from_fn(|j| scratch.slopes[j][k]);
        let (lin, ang) = (R_WC * part(&slope, 0), tangent * part(&slope, 3));
        columns[link.slot + k] = Motion { lin: lin + p_oN_W.cross(&ang), ang } * sign;
    }
    (scratch.axes, scratch.tangent, scratch.theta, scratch.node) = (R_WC, tangent, theta, p_oN_W);
    (pose, p_oN_W)
}

/// Bias of the outboard body of link `joint`: Σ ċ_k η̇_k with the sign of the columns.
pub(crate) fn bias<S: Scalar>(
    system: &System,
    v: &[S],
    kinematics: &Kinematics<S>,
    joint: usize,
    link: &Link,
) -> Motion<S> {
    let (tree, body) = (&system.joints[joint], &system.flexible[link.flexible]);
    let (shape, scratch) = (&body.links[link.index], &kinematics.links[joint]);
    let rate = &v[body.v.clone()];
    let slope = |j: usize| -> S { scratch.slopes[j].iter().zip(rate).map(|(&slope, &rate)| slope * rate).sum() };
    let first: [S; 6] = core::array::from_fn(slope);
    let second: [S; 6] = core::array::from_fn(|j| second_rate(shape, j, rate));
    let theta_dot_C = part(&first, 3);
    let (v_W, w_W) = (scratch.axes * part(&first, 0), scratch.tangent * theta_dot_C);
    let b_v = scratch.axes * part(&second, 0);
    let T_dot_W =
        if body.linear { Vec3::zeros() } else { scratch.axes * exponential_bias(&scratch.theta, &theta_dot_C) };
    let b_w = T_dot_W + scratch.tangent * part(&second, 3);
    let relative = Motion { lin: v_W + scratch.node.cross(&w_W), ang: w_W };
    let frame = &kinematics.bodies[body.body].velocity;
    let bias = frame.cross(&relative) + Motion { lin: b_v + v_W.cross(&w_W) + scratch.node.cross(&b_w), ang: b_w };
    if tree.reversed { -bias } else { bias }
}

/// −η̇ᵀ K_j η̇.
fn second_rate<S: Scalar>(shape: &LinkShape, j: usize, rate: &[S]) -> S {
    -quadratic(&shape.second[j], rate)
}
