//! Flexible bodies: inertia that depends on the deformation, its couplings, elasticity, stiffening by motion.
//!
//! Problem. With V, ω the velocity of the frame's origin and its angular velocity in the axes of C, and n elastic
//! coordinates η, the kinetic energy of a body is
//!
//! ```text
//!     T = ½ m V² + V · (ω × h) + V · C_t η̇ + ½ ω · J ω + ω · C_r η̇ + ½ η̇ᵀ η̇
//!     h = C_t⁰ η + ½ ηᵀ K_t η        C_t = C_t⁰ + K_t η        C_r = C_r⁰ + η × Φ-integrals + K_r η
//!     J = J⁰ + J¹ η + ηᵀ J² η − ηᵀ K_ω η
//! ```
//!
//! where K_t, K_r, K_ω are the geometric stiffness per unit of acceleration, angular acceleration and products of ω:
//! written as second-order displacements of the mass they are the stiffening, and the equations of motion that follow
//! from T conserve energy and momenta whatever the blocks are. With the spatial momentum M̄ Z + Σ C_k η̇_k about the
//! inertial point o,
//!
//! ```text
//!     frame:  M̄ Ż + Σ C_k η̈_k + Z ⨯* (M̄ Z + Σ C_k η̇_k) + (dM̄/dt)_η Z + (dC/dt)_η η̇ = load
//!     modes: C_k · Ż + η̈_k + C_t,k · (ω × V) + 2 ω · ∫ u̇ × Φ_k dm − ∂(½ ω · J ω)/∂η_k + ω_k² η_k + (D η̇)_k = load_k
//! ```
//!
//! One mass. M, the momenta C⁰ and all integrals describe one distribution of mass with the displacement u = Φ η.
//! Rotary inertia is modelled as offsets r from a node or section that turns by θ = Θ η. An offset moves by u₁ = θ × r,
//! which the integrals include like any displacement, and by u₂ = ½ θ × (θ × r). With the second moments S = ½ tr(J) 1
//! − J of the offsets (no mass, no first moment), u₂ adds to the angular momentum and to the inertia
//!
//! ```text
//!     ∫ r × u̇₂ dm = ½ ((S θ) × θ̇ + …) = η̇ᵀ K_r η        ∫ r u₂ᵀ + u₂ rᵀ dm → −ηᵀ K_ω η
//! ```
//!
//! that is, to K_r and K_ω; these blocks are added to the blocks of any stiffening (`rom::schema::Rotary`). At constant
//! ω the modes get ω × J ω of every node from J¹, and a disc that tilts by θ gets ½ ω² (J_t − J_p) θ².
//!
//! (theory section 9; integrals as in Shabana, Wallrapp, Schwertassek; one matrix product per pair of axes.)
//!
//! Frames. Blocks in the axes of C, wrenches C_k in world axes about o. Cost: about 9 n² + 12 n² multiplications for
//! the integrals and the stiffening blocks that are not zero. Nothing allocates or iterates.
//!
//! Verified by: crates/compile/src/solver_tests/evaluation.rs (energy derivative, momenta),
//! crates/fem/tests/fem/flexible_exact.rs (references).

#![expect(non_snake_case, reason = "monogram notation of frames")]

pub mod elimination;
pub(super) mod links;
pub mod section_recovery;

use crate::math::scalar::{Scalar, copy_lifted, lift, lift_matrix};
use crate::math::spatial::{Inertia, Motion, Wrench};
use crate::math::{Mat3, Vec3};
use crate::system::flexible::{add_product, quadratic};
use crate::system::workspace::{FlexibleScratch, Inertias, Kinematics};
use crate::system::{Flexible, System, Workspace};
use alloc::vec::Vec;
use core::ops::Mul;

/// Products of ω in the order of the stiffening blocks.
pub(super) fn products<S: Scalar>(w: &Vec3<S>) -> [S; 6] {
    [w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.y * w.z, w.x * w.z]
}

/// A vector from its rows.
fn column<S: Scalar>(rows: &[Vec<S>; 3], k: usize) -> Vec3<S> {
    Vec3::new(rows[0][k], rows[1][k], rows[2][k])
}

/// Adds `factor` · `row` to `out`.
fn add_scaled<S: Scalar>(row: &[S], factor: S, out: &mut [S]) {
    out.iter_mut().zip(row).for_each(|(out, &entry)| *out += factor * entry);
}

/// Row sums of three rows with `x`.
fn combine<T: Scalar, S: Scalar + Mul<T, Output = S>>(rows: &[Vec<T>; 3], x: &[S]) -> Vec3<S> {
    Vec3::from_fn(|a, _| rows[a].iter().zip(x).map(|(&row, &x)| x * row).sum())
}

/// Quantities that depend only on the deformation, for every flexible body: integrals, couplings, inertia of its frame
/// about o.
pub(super) fn calc_inertias<S: Scalar>(
    system: &System,
    q: &[S],
    kinematics: &Kinematics<S>,
    flexible: &mut [FlexibleScratch<S>],
    inertias: &mut Inertias<S>,
) {
    for (body, scratch) in system.flexible.iter().zip(flexible) {
        calc_integrals(body, &q[body.q.clone()], scratch);
        let pose = &kinematics.bodies[body.body];
        let R_BC = lift_matrix::<S>(&body.axes);
        let R_WC = pose.rotation * R_BC;
        for k in 0..body.modes() {
            let f_W = R_WC * column(&scratch.translation, k);
            let t_W = R_WC * column(&scratch.rotation, k);
            scratch.coupling[k] = Wrench { force: f_W, moment: t_W + pose.position.cross(&f_W) };
        }
        scratch.axes = R_WC;
        let mut own = Inertia::lift(&system.bodies[body.body].inertia);
        own += Inertia {
            mass: S::from_f64(body.mass),
            first: R_BC * scratch.first,
            second: R_BC * scratch.second * R_BC.transpose(),
        };
        inertias.bodies[body.body] = own.about(&pose.rotation, &pose.position);
    }
}

/// W_ab = X_ab + Σ P_ab η, C_t, C_r, h, J in the axes of C.
fn calc_integrals<S: Scalar>(body: &Flexible, eta: &[S], scratch: &mut FlexibleScratch<S>) {
    let one = S::one();
    // W_ab, then C_t and C_r axis by axis, with the stiffening blocks.
    for ab in 0..9 {
        copy_lifted(&body.position[ab], &mut scratch.moments[ab]);
        add_product(&body.product[ab], eta, one, &mut scratch.moments[ab]);
    }
    for a in 0..3 {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        copy_lifted(&body.translation[a], &mut scratch.translation[a]);
        add_product(&body.stiffening.translation[a], eta, one, &mut scratch.translation[a]);
        // ∫ (x + u) × Φ_k: entries bc − cb; the undeformed part is in the mass matrix itself.
        let (plus, minus) = (3 * b + c, 3 * c + b);
        for (k, moment) in scratch.rotation[a].iter_mut().enumerate() {
            let turn = (scratch.moments[plus][k] - body.position[plus][k])
                - (scratch.moments[minus][k] - body.position[minus][k]);
            *moment = turn + body.rotation[a][k];
        }
        add_product(&body.stiffening.rotation[a], eta, one, &mut scratch.rotation[a]);
    }
    for p in 0..6 {
        scratch.spin[p].fill(S::zero());
        add_product(&body.stiffening.products[p], eta, one, &mut scratch.spin[p]);
    }
    // h is the integral of C_t: ½ (C_t + C_t⁰) η.
    scratch.first = (combine(&scratch.translation, eta) + combine(&body.translation, eta)) * S::from_f64(0.5);
    let moment = |ab: usize| -> S {
        let pairs = body.position[ab].iter().zip(&scratch.moments[ab]);
        pairs.zip(eta).map(|((&rest, &now), &eta)| (now + rest) * 0.5 * eta).sum()
    };
    // J = J⁰ + J¹ η + ηᵀ J² η − ηᵀ K_ω η, from the second moments.
    let half = Mat3::from_fn(|a, b| moment(3 * a + b));
    let spin: [S; 6] = core::array::from_fn(|p| scratch.spin[p].iter().zip(eta).map(|(&spin, &eta)| spin * eta).sum());
    scratch.second = lift_matrix::<S>(&body.inertia) + inertia_of(&(half + half.transpose())) - spin_matrix(&spin);
}

/// tr(S) I − S: inertia of a second moment S.
fn inertia_of<S: Scalar>(s: &Mat3<S>) -> Mat3<S> {
    Mat3::identity() * s.trace() - s
}

/// The symmetric matrix whose form ½ ωᵀ A ω is ½ Σ values_p (products of ω)_p.
fn spin_matrix<S: Scalar>(values: &[S; 6]) -> Mat3<S> {
    let [xx, yy, zz, xy, yz, xz] = *values;
    let [xy, yz, xz] = [xy, yz, xz].map(|product| product * 0.5);
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Elastic part of the mass matrix of the open tree: η with η, with the motion of the frame, and through the links.
pub(super) fn add_mass(system: &System, columns: &[Motion], flexible: &[FlexibleScratch], mass: &mut [f64]) {
    let nv = system.nv;
    for (body, scratch) in system.flexible.iter().zip(flexible) {
        for (k, i) in body.v.clone().enumerate() {
            mass[i * nv + i] += 1.0;
            let mut carrier = body.body;
            while carrier != 0 {
                let joint = &system.joints[carrier - 1];
                for (j, slot) in joint.v_range().zip(joint.slot_range()) {
                    let entry = columns[slot].dot(&scratch.coupling[k]);
                    mass[i * nv + j] += entry;
                    mass[j * nv + i] += entry;
                }
                carrier = system.bodies[carrier].parent;
            }
        }
    }
}

/// Adds the elastic terms to the residual of every frame (the rigid terms, with the present M̄, are in it) and computes
/// the residuals of the modes: inertia, elasticity and damping less weight, at `ws.accelerations.bodies` and
/// `ws.accelerations.zdd`.
pub(super) fn calc_residuals<S: Scalar>(system: &System, ws: &mut Workspace<S>) {
    let Workspace { stage, kinematics, flexible, accelerations, residuals, .. } = ws;
    for (body, scratch) in system.flexible.iter().zip(flexible) {
        let (eta, rate, acceleration) =
            (&stage.q[body.q.clone()], &stage.v[body.v.clone()], &accelerations.zdd[body.v.clone()]);
        let (pose, z) = (&kinematics.bodies[body.body], &kinematics.bodies[body.body].velocity);
        let (R_WC, p_oB_W) = (scratch.axes, pose.position);
        // Motion of the frame and weight in the axes of C.
        let w_C = R_WC.tr_mul(&z.ang);
        let v_C = R_WC.tr_mul(&z.at(&p_oB_W));
        let g_C = R_WC.tr_mul(&lift(&system.gravity));

        // Rates of h, J and C by the deformation alone, about the origin of B, in the axes of C.
        let first_rate = combine(&scratch.translation, rate);
        let flow = Mat3::from_fn(|a, b| scratch.moments[3 * a + b].iter().zip(rate).map(|(&m, &r)| m * r).sum());
        let spin: [S; 6] =
            core::array::from_fn(|p| scratch.spin[p].iter().zip(rate).map(|(&spin, &rate)| spin * 2.0 * rate).sum());
        let second_rate = inertia_of(&(flow + flow.transpose())) - spin_matrix(&spin);
        let quadratics = |blocks: &[Vec<f64>; 3]| Vec3::from_fn(|a, _| quadratic(&blocks[a], rate));
        // Frame: Σ C_k η̈_k + Z ⨯* Σ C_k η̇_k + (dM̄/dt)_η Z + (dC/dt)_η η̇.
        let f_C = w_C.cross(&first_rate) + quadratics(&body.stiffening.translation);
        let t_C = first_rate.cross(&v_C) + second_rate * w_C + quadratics(&body.stiffening.rotation);
        let (mut elastic, mut inertial) = (Wrench::zero(), Wrench::zero());
        for k in 0..rate.len() {
            elastic += scratch.coupling[k] * rate[k];
            inertial += scratch.coupling[k] * acceleration[k];
        }
        let mut residual = inertial + z.cross_force(&elastic) + Wrench::at(&p_oB_W, R_WC * f_C);
        residual.moment += R_WC * t_C;
        residuals.bodies[body.body] += residual;

        // Modes: C_t,k · (ω × V − g), C_k · Ż + η̈_k + ω_k² η_k, and −∂(½ ω · J ω)/∂η_k.
        let square = w_C.dot(&w_C);
        let turning = w_C.cross(&v_C) - g_C;
        let motions = products(&w_C);
        let total = &accelerations.bodies[body.body];
        let centrifugal: [S; 9] = core::array::from_fn(|ab| {
            let (a, b) = (ab / 3, ab % 3);
            if a == b { square - w_C[a] * w_C[a] } else { -w_C[a] * w_C[b] }
        });
        scratch.acceleration.copy_from_slice(acceleration);
        for k in 0..rate.len() {
            scratch.residual[k] = total.dot(&scratch.coupling[k]) + acceleration[k] + eta[k] * body.stiffness[k];
        }
        for a in 0..3 {
            add_scaled(&scratch.translation[a], turning[a], &mut scratch.residual);
        }
        for ab in 0..9 {
            add_scaled(&scratch.moments[ab], -centrifugal[ab], &mut scratch.residual);
        }
        for p in 0..6 {
            add_scaled(&scratch.spin[p], motions[p], &mut scratch.residual);
        }
        // Damping, the Coriolis forces, and the axial stiffening.
        add_product(&body.damping, rate, S::one(), &mut scratch.residual);
        for a in 0..3 {
            // 2 ω · ∫ u̇ × Φ_k dm: u̇ takes the place of x in W.
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            add_product(&body.product[3 * b + c], rate, w_C[a] * 2.0, &mut scratch.residual);
            add_product(&body.product[3 * c + b], rate, w_C[a] * -2.0, &mut scratch.residual);
        }
        for (form, matrix) in &body.axial {
            let axial: S = form.iter().zip(eta).map(|(&form, &eta)| eta * form).sum();
            add_product(matrix, eta, axial, &mut scratch.residual);
        }
    }
}

/// Removes from the residuals of the modes the change of the damping forces between the velocities `before` and `v`, nv
/// each; S contains it ([`super::implicit`]).
pub(crate) fn remove_damping(system: &System, flexible: &mut [FlexibleScratch], v: &[f64], before: &[f64]) {
    for (body, scratch) in system.flexible.iter().zip(flexible) {
        let n = body.modes();
        for (l, rate) in body.v.clone().enumerate() {
            let change = v[rate] - before[rate];
            for (k, residual) in scratch.residual.iter_mut().enumerate() {
                *residual -= body.damping[k * n + l] * change;
            }
        }
    }
}

/// Weight of the flexible bodies on their frames; the part on the modes is in [`calc_residuals`].
pub(super) fn add_weight<S: Scalar>(system: &System, ws: &mut Workspace<S>) {
    let gravity = lift(&system.gravity);
    for (body, scratch) in system.flexible.iter().zip(&ws.flexible) {
        let position = ws.kinematics.bodies[body.body].position;
        let mut weight = Wrench::at(&position, gravity * S::from_f64(body.mass));
        weight.moment += (scratch.axes * scratch.first).cross(&gravity);
        ws.loads.wrenches[body.body] += weight;
    }
}

/// Power in W dissipated by the damping of the modes.
pub(super) fn damping_power<S: Scalar>(system: &System, ws: &Workspace<S>) -> S {
    let of = |body: &Flexible| -> S {
        let rate = &ws.stage.v[body.v.clone()];
        quadratic(&body.damping, rate)
    };
    system.flexible.iter().map(of).sum()
}

/// Kinetic energy in J of the elastic motion: Z · Σ C_k η̇_k + ½ η̇ᵀ η̇. (½ Z · M̄ Z of the frames is counted with the
/// bodies.)
pub(super) fn kinetic<S: Scalar>(system: &System, ws: &Workspace<S>) -> S {
    let of = |(body, scratch): (&Flexible, &FlexibleScratch<S>)| -> S {
        let z = &ws.kinematics.bodies[body.body].velocity;
        let rate = &ws.stage.v[body.v.clone()];
        rate.iter().zip(&scratch.coupling).map(|(&rate, coupling)| rate * (z.dot(coupling) + rate * 0.5)).sum()
    };
    system.flexible.iter().zip(&ws.flexible).map(of).sum()
}

/// Energy in J of deformation: ½ Σ ω² η² and the axial force's part of the stiffening by axial modes.
pub(super) fn strain<S: Scalar>(body: &Flexible, eta: &[S]) -> S {
    let mut energy: S = body.stiffness.iter().zip(eta).map(|(&stiffness, &eta)| eta * (0.5 * stiffness) * eta).sum();
    for (form, matrix) in &body.axial {
        let force: S = form.iter().zip(eta).map(|(&form, &eta)| eta * form).sum();
        energy += force * 0.5 * quadratic(matrix, eta);
    }
    energy
}

/// Potential energy in J of all flexible bodies: deformation, and weight (zero in the design position).
pub(super) fn potential<S: Scalar>(system: &System, ws: &Workspace<S>) -> S {
    let gravity = lift::<S>(&system.gravity);
    let of = |(body, scratch): (&Flexible, &FlexibleScratch<S>)| {
        let pose = &ws.kinematics.bodies[body.body];
        let rise = pose.position + pose.reference - lift(&system.bodies[body.body].design);
        let shift = scratch.axes * scratch.first;
        strain(body, &ws.stage.q[body.q.clone()]) - gravity.dot(&(rise * S::from_f64(body.mass) + shift))
    };
    system.flexible.iter().zip(&ws.flexible).map(of).sum()
}

/// Power in W of the inertia forces that belong to the change of the accelerations η̈ since [`calc_residuals`], and of
/// the inertia forces on the modes from the change of the frame's acceleration, `ws.elimination.change`: Σ (η̈ − η̈⁰)
/// (C · Z + η̇) + η̇ C · δŻ.
pub(super) fn change_power(system: &System, ws: &Workspace) -> f64 {
    let of = |(body, scratch): (&Flexible, &FlexibleScratch)| -> f64 {
        let (z, rates) = (&ws.kinematics.bodies[body.body].velocity, &ws.stage.v[body.v.clone()]);
        let change = Motion::from_six(&ws.elimination.change[body.body]);
        let accelerations = ws.accelerations.zdd[body.v.clone()].iter().zip(&scratch.acceleration);
        accelerations
            .zip(rates.iter().zip(&scratch.coupling))
            .map(|((now, before), (rate, coupling))| {
                (now - before) * (z.dot(coupling) + rate) + rate * change.dot(coupling)
            })
            .sum()
    };
    system.flexible.iter().zip(&ws.flexible).map(of).sum()
}

/// Power in W of the residuals of the modes.
pub(super) fn residual_power<S: Scalar>(system: &System, ws: &Workspace<S>) -> S {
    let of = |(body, scratch): (&Flexible, &FlexibleScratch<S>)| -> S {
        ws.stage.v[body.v.clone()].iter().zip(&scratch.residual).map(|(&rate, &residual)| rate * residual).sum()
    };
    system.flexible.iter().zip(&ws.flexible).map(of).sum()
}
