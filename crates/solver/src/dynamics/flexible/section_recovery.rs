//! Internal forces at sections, stresses, displacements of nodes, from a complete evaluation.
//!
//! Section forces follow from the displacement, the elastic acceleration, the acceleration of the frame less gravity
//! and the products of its angular velocity, each with its rows of the reduced-order model (mode acceleration form: the
//! rows include the static response of the omitted modes). Axes of the section's element, x along it. With
//! `section_forces = "displacement"` only the rows of the displacement and of the geometric stiffness are not zero: R.
//! Gutiérrez, U. Lugrís, J. Cuadrado, L. E. Romera, equations 20 to 24. Their geometric term P K_GL (equation 23) has
//! no part in the axial force, adds P v′ to the shear force and about P L² / 12 to the E I of an element of length L. P
//! is the axial force of the displacement.
//!
//! If the model keeps fewer modes than the reduced-order model has, the static response of the modes left out is added:
//! with D φ_l the section force of a unit amplitude, Σ_l D φ_l ω_l⁻² · (φ_lᵀ load). Their load follows from the frame's
//! acceleration and angular velocity, in the rows, and from the forces at the interfaces, which the links transmit.

#![expect(non_snake_case, reason = "monogram notation of frames")]

use crate::math::Vec3;
use crate::math::scalar::{Scalar, lift, lift_matrix};
use crate::system::flexible::{NodeShape, SectionShape};
use crate::system::{Flexible, System, Workspace};
use alloc::vec::Vec;

use super::{products, strain};

fn six<S: Scalar>(rows: &[Vec<f64>; 6], x: &[S]) -> [S; 6] {
    core::array::from_fn(|i| rows[i].iter().zip(x).map(|(row, x)| *x * *row).sum())
}

/// Force in N and moment in N m about its node, axes of C, on flexible body `index` at the interface of one of its
/// links. The workspace holds the reactions.
pub(crate) fn interface_load<S: Scalar>(system: &System, ws: &Workspace<S>, index: usize, link: usize) -> [S; 6] {
    let is_it = |joint: &crate::joint::TreeJoint| {
        joint.link.as_ref().is_some_and(|own| (own.flexible, own.index) == (index, link))
    };
    let Some(joint) = system.joints.iter().position(is_it) else { return [S::zero(); 6] };
    let body = &system.flexible[index];
    let R_WC = ws.kinematics.bodies[body.body].rotation * lift_matrix(&body.axes);
    // The link transmits the wrench to its outboard body: to the frame, or from it.
    let sign = if system.joints[joint].reversed { S::one() } else { -S::one() };
    let wrench = &ws.residuals.bodies[joint + 1];
    let f_C = R_WC.tr_mul(&wrench.force) * sign;
    let t_C = R_WC.tr_mul(&wrench.moment_about(&ws.kinematics.links[joint].node)) * sign;
    [f_C.x, f_C.y, f_C.z, t_C.x, t_C.y, t_C.z]
}

/// N, Vy, Vz in N, T, My, Mz in N m at a section of flexible body `index`. The workspace holds the reactions.
pub fn section_forces<S: Scalar>(system: &System, ws: &Workspace<S>, index: usize, section: &SectionShape) -> [S; 6] {
    let body = &system.flexible[index];
    let (pose, total) = (&ws.kinematics.bodies[body.body], &ws.accelerations.bodies[body.body]);
    let R_WC = pose.rotation * lift_matrix(&body.axes);
    let (w_C, alpha_C) = (R_WC.tr_mul(&pose.velocity.ang), R_WC.tr_mul(&total.ang));
    // Acceleration of the origin of C, which is −centre from the origin of B.
    let a_B_W = crate::dynamics::kinematics::point_acceleration(pose, total, &pose.position);
    let p_CB_C = lift(&body.centre);
    let a_origin_C =
        R_WC.tr_mul(&(a_B_W - lift(&system.gravity))) - alpha_C.cross(&p_CB_C) - w_C.cross(&w_C.cross(&p_CB_C));
    let rigid = [a_origin_C.x, a_origin_C.y, a_origin_C.z, alpha_C.x, alpha_C.y, alpha_C.z];
    let spin = products(&w_C);
    let eta = &ws.stage.q[body.q.clone()];
    let displacement = six(&section.displacement, eta);
    let acceleration = six(&section.acceleration, &ws.accelerations.zdd[body.v.clone()]);
    let mut forces: [S; 6] = core::array::from_fn(|i| {
        let frame: S = (0..6).map(|k| rigid[k] * section.rigid[i][k] + spin[k] * section.centrifugal[i][k]).sum();
        displacement[i] + acceleration[i] + frame
    });
    if let Some(rows) = &section.geometric {
        let geometric = six(rows, eta);
        forces.iter_mut().zip(geometric).for_each(|(force, part)| *force += displacement[0] * part);
    }
    for link in 0..section.loads.len() {
        let answer = section.answer(link, &interface_load(system, ws, index, link));
        forces.iter_mut().zip(answer).for_each(|(force, answer)| *force += answer);
    }
    forces
}

/// Elastic displacement in m and rotation in rad of a node relative to the floating frame, axes of C.
pub fn node_displacement<S: Scalar>(ws: &Workspace<S>, body: &Flexible, node: &NodeShape) -> [S; 6] {
    six(&node.shape, &ws.stage.q[body.q.clone()])
}

/// Position in m of a node from the model's origin, world axes.
pub(crate) fn node_position<S: Scalar>(ws: &Workspace<S>, body: &Flexible, node: &NodeShape) -> Vec3<S> {
    let pose = &ws.kinematics.bodies[body.body];
    let u = node_displacement(ws, body, node);
    let p_BN_C = lift(&node.position) + Vec3::new(u[0], u[1], u[2]);
    pose.position + pose.rotation * (lift_matrix(&body.axes) * p_BN_C) + pose.reference
}

/// Energy of deformation in J.
pub(crate) fn strain_energy<S: Scalar>(ws: &Workspace<S>, body: &Flexible) -> S {
    strain(body, &ws.stage.q[body.q.clone()])
}
