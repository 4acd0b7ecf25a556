//! Energy balance with every force element, momenta of a free system.
//!
//! Kinetic + potential + dissipated energy − input work is constant; what it changes by is integration error, so it
//! must shrink with the order of the integrator.

use crate::check::larger;
use crate::verification::support::{
    Run, add_body_output, add_system_output, body_names, load, number, output_times, times, vector,
};
use crate::verification::verification_page::figure;
use ballesta::math::{Mat3, Vec3};
use ballesta::model::schema::{Model, Quantity};

/// Largest change of the energy balance, and largest energy moved (kinetic, dissipated, input), over the experiment.
fn balance_error(model: &Model, step: f64, stop: f64) -> (f64, f64) {
    let mut model = model.clone();
    model.general.step = step;
    model.outputs.clear();
    let moved = [Quantity::KineticEnergy, Quantity::DissipatedEnergy, Quantity::InputWork];
    for (name, quantity) in ["kinetic", "dissipated", "work"].into_iter().zip(moved) {
        add_system_output(&mut model, name, quantity);
    }
    add_system_output(&mut model, "balance", Quantity::EnergyBalance);
    let mut run = Run::new(&model);
    let start = run.get("balance");
    let (mut error, mut scale) = (0.0_f64, 0.0_f64);
    for time in times(0.0, stop, 0.02) {
        run.advance(time);
        error = larger(error, (run.get("balance") - start).abs());
        for name in ["kinetic", "dissipated", "work"] {
            scale = larger(scale, run.get(name).abs());
        }
    }
    (error, scale)
}

#[test]
fn energy_balance_with_dampers_drives_and_motions_converges_with_the_integrator() {
    // (model, coarse step, models' elements)
    for (name, step, elements) in [
        ("bushing_mount", 1e-3, "bushings, force and torque from inputs"),
        ("guided_five_bar", 4e-3, "joint spring with damping, prescribed motion"),
        ("driven_arm", 4e-3, "drives, force, torque, joint damping"),
        ("camera_gimbal", 4e-3, "prescribed table, prescribed inputs, joint damping"),
        ("cardan_shaft", 4e-3, "drive, viscous friction"),
        ("planar_puck", 8e-3, "translational spring"),
        ("watt_six_bar", 4e-3, "translational and joint springs"),
    ] {
        let model = load(name);
        let (coarse, _) = balance_error(&model, step, 2.0);
        let (fine, scale) = balance_error(&model, step / 2.0, 2.0);
        let order = (coarse / fine).log2();
        println!(
            "energy balance of {name} ({elements}): {coarse:.2e} J at {step:e} s, {fine:.2e} J at half of it, order \
             {order:.2}, \
             of {scale:.3e} J moved"
        );
        assert!(fine <= 1e-6 * scale, "{name}");
        assert!(order >= 3.5 || fine <= 1e-11 * scale, "{name}: order {order:.2}");
        for (cell, found) in
            [format!("{fine:.2e} J"), format!("{scale:.3e} J"), format!("{order:.2}")].iter().enumerate()
        {
            figure("Closure and energy", |cells| cells[..2] == [name, elements], cell + 2, found);
        }
    }
}

#[test]
fn energy_balance_holds_across_the_kinks_of_stops_tables_and_friction() {
    for (name, step) in [("hammer", 1e-4), ("rack_steering", 5e-4), ("five_link_suspension", 5e-4)] {
        let model = load(name);
        let (coarse, scale) = balance_error(&model, 4.0 * step, 2.0);
        let (fine, _) = balance_error(&model, step, 2.0);
        println!(
            "energy balance of {name}: {coarse:.2e} J at {:e} s, {fine:.2e} J at {step:e} s, of {scale:.3e} J moved",
            4.0 * step
        );
        assert!(fine <= 1e-5 * scale && fine < 0.5 * coarse, "{name}");
        let is_row = |cells: &[&str]| cells[0] == name && cells[1].starts_with("stops");
        let found = format!("{coarse:.2e} J at {:e} s, {fine:.2e} J at {step:e} s", 4.0 * step);
        figure("Closure and energy", is_row, 2, &found);
        figure("Closure and energy", is_row, 3, &format!("{scale:.3e} J"));
    }
}

#[test]
fn dissipated_energy_never_falls() {
    for name in ["bushing_mount", "hammer", "rack_steering", "five_link_suspension", "guided_five_bar"] {
        let mut model = load(name);
        model.outputs.clear();
        add_system_output(&mut model, "dissipated", Quantity::DissipatedEnergy);
        let mut run = Run::new(&model);
        let mut before = 0.0;
        for time in output_times(&model) {
            run.advance(time);
            let now = run.get("dissipated");
            assert!(now >= before, "{name}: dissipated energy falls from {before} to {now} J at {time} s");
            before = now;
        }
        assert!(before > 0.0, "{name} dissipates nothing");
        println!("{name} dissipates {before:.4e} J over its experiment");
    }
}

/// Rotation matrix of a unit quaternion (w, x, y, z).
fn rotation(q: [f64; 4]) -> Mat3 {
    let [w, x, y, z] = q;
    Mat3::new(
        w * w + x * x - y * y - z * z,
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    )
}

/// Linear momentum, and angular momentum about the world origin, from outputs of the bodies alone.
fn momenta(run: &Run, model: &Model) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::zeros(), Vec3::zeros());
    for body in &model.bodies {
        let name = &body.name;
        let mass = number(model, &body.mass);
        let j: Vec<f64> = body.inertia.as_ref().expect("given").iter().map(|n| number(model, n)).collect();
        let inertia = Mat3::new(j[0], j[3], j[5], j[3], j[1], j[4], j[5], j[4], j[2]);
        let r = rotation(run.quaternion(&format!("rotation.{name}")));
        let velocity = run.vector(&format!("velocity.{name}"));
        let spin = r * (inertia * r.tr_mul(&run.vector(&format!("spin.{name}"))));
        linear += velocity * mass;
        angular += run.vector(&format!("position.{name}")).cross(&velocity) * mass + spin;
    }
    (linear, angular)
}

#[test]
fn momenta_of_the_free_pair_are_kept() {
    let mut model = load("free_pair");
    model.outputs.clear();
    for name in body_names(&model) {
        add_body_output(&mut model, "position", &name, Quantity::Position);
        add_body_output(&mut model, "velocity", &name, Quantity::Velocity);
        add_body_output(&mut model, "rotation", &name, Quantity::Rotation);
        add_body_output(&mut model, "spin", &name, Quantity::AngularVelocity);
    }
    let mut run = Run::new(&model);
    let (linear, angular) = momenta(&run, &model);
    let (mut worst_linear, mut worst_angular, mut fastest) = (0.0_f64, 0.0_f64, 0.0_f64);
    for time in times(0.0, 10.0, 0.01) {
        run.advance(time);
        let (p, l) = momenta(&run, &model);
        worst_linear = larger(worst_linear, (p - linear).norm() / linear.norm());
        worst_angular = larger(worst_angular, (l - angular).norm() / angular.norm());
        for name in body_names(&model) {
            fastest = larger(fastest, run.vector(&format!("spin.{name}")).norm());
        }
    }
    println!(
        "free pair, 10 s at 1 ms, up to {fastest:.2} rad/s: linear momentum to {worst_linear:.1e}, angular momentum to \
         {worst_angular:.1e} (bar 1e-12)"
    );
    assert!((1.0..3.0).contains(&fastest));
    assert!(vector(&model, &model.general.gravity).norm() == 0.0);
    assert!(worst_linear <= 1e-12 && worst_angular <= 1e-12);
}
