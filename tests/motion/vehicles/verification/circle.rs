//! Steady turning at small lateral acceleration against closed forms with characteristics measured on the model.
//!
//! The leaf springs are without friction here: with it the roll angle depends on what was before.
//!
//! Closed form, per unit lateral acceleration a, of a vehicle of mass m with the centre of mass a and b from the axles,
//! L = a + b:
//!
//! ```text
//!     F_f = (m b − M)/L,   F_r = (m a + M)/L,   M = Σ (N_α α + N_γ γ)
//!     K = −α_f + α_r − (τ_f − τ_r),   α = (G γ − F)/C,   γ = Γ_φ φ + Γ_F F,   τ = ε φ + c F
//! ```
//!
//! with the cornering stiffness C, camber stiffness G, aligning stiffnesses N, roll camber Γ_φ, roll steer ε, and
//! compliances Γ_F and c of each axle. All of them come from two straight runs: one with a torque about x on the
//! chassis, one with a side force on it.

use super::*;
use crate::check::larger;
use ballesta::math::largest;

/// What acts on the vehicle besides its own.
const LOADS: &str = r#"
[[input]]
name = "test.torque"
unit = "N.m"
[[input]]
name = "test.force"
unit = "N"
[[torque]]
name = "test.torque"
body = "chassis"
value = ["test.torque", 0, 0]
[[force]]
name = "test.force"
body = "chassis"
point = "chassis_com"
value = [0, "test.force", 0]
"#;
const TORQUE: f64 = 500.0;
const FORCE: f64 = -600.0;

fn van() -> Document {
    let mut van = watched("van", |text| text + "\n" + LOADS);
    van.model.leaf_springs.iter_mut().for_each(|spring| spring.friction_coefficient = 0.0.into());
    van
}

/// State of an axle: means of left and right, sums of forces and moments.
#[derive(Clone, Copy)]
struct Axle {
    slip_angle: f64,
    camber: f64,
    /// Angle of the wheels to the chassis, positive to the left, rad.
    steer: f64,
    force: f64,
    moment: f64,
}

fn axle(van: &Vehicle, axle: usize) -> Axle {
    let heading = |turn: Mat3| (-turn[(0, 1)]).atan2(turn[(1, 1)]);
    let chassis = van.rotation("watch.chassis.rotation");
    let ahead = chassis[(1, 0)].atan2(chassis[(0, 0)]);
    let both = |name: &str| {
        ["left", "right"].map(|side| van.get(&format!("axle{axle}.{side}.tyre.{name}"))).iter().sum::<f64>()
    };
    let carriers = if axle == 1 { ["axle1.left.knuckle", "axle1.right.knuckle"] } else { ["axle2.axle"; 2] };
    let steer = carriers.map(|body| heading(van.rotation(&format!("watch.{body}.rotation"))) - ahead);
    Axle {
        slip_angle: 0.5 * both("slip_angle"),
        camber: 0.5 * both("camber"),
        steer: 0.5 * (steer[0] + steer[1]),
        force: both("Fy"),
        moment: both("Mz"),
    }
}

/// a₁ x + b₁ y = c₁, a₂ x + b₂ y = c₂.
fn solve([a1, b1, c1]: [f64; 3], [a2, b2, c2]: [f64; 3]) -> [f64; 2] {
    let d = a1 * b2 - a2 * b1;
    [(c1 * b2 - c2 * b1) / d, (a1 * c2 - a2 * c1) / d]
}

/// Linear characteristics of an axle.
struct Characteristics {
    /// C, N/rad, and G, N/rad: F = −C α + G γ.
    force: [f64; 2],
    /// N_α and N_γ, N m/rad.
    moment: [f64; 2],
    /// ε, rad/rad, and c, rad/N.
    steer: [f64; 2],
    /// Γ_φ, rad/rad, and Γ_F, rad/N.
    camber: [f64; 2],
}

/// From the changes of an axle, of the roll angle, and of steer and camber by the steering wheel, in the two runs.
fn characteristics(runs: [(Axle, f64, [f64; 2]); 2]) -> Characteristics {
    type Row<'r> = &'r dyn Fn(&Axle, f64, [f64; 2]) -> [f64; 3];
    let fit = |x: Row| {
        let [a, b] = runs.each_ref().map(|(axle, roll, wheel)| x(axle, *roll, *wheel));
        solve(a, b)
    };
    Characteristics {
        force: fit(&|a, _, _| [-a.slip_angle, a.camber, a.force]),
        moment: fit(&|a, _, _| [a.slip_angle, a.camber, a.moment]),
        steer: fit(&|a, roll, wheel| [roll, a.force, a.steer - wheel[0]]),
        camber: fit(&|a, roll, wheel| [roll, a.force, a.camber - wheel[1]]),
    }
}

fn change(now: Axle, before: Axle) -> Axle {
    Axle {
        slip_angle: now.slip_angle - before.slip_angle,
        camber: now.camber - before.camber,
        steer: now.steer - before.steer,
        force: now.force - before.force,
        moment: now.moment - before.moment,
    }
}

fn contacts(van: &Vehicle, axle: usize) -> Vec3 {
    ["left", "right"].map(|side| van.vector(&format!("watch.axle{axle}.{side}.tyre"))).iter().sum::<Vec3>() * 0.5
}

/// Σ m y, kg m, with y from the line between the middles of the axles' contact points: the lever of lateral
/// acceleration.
fn lever(van: &Vehicle) -> f64 {
    let (front, rear) = (contacts(van, 1), contacts(van, 2));
    let along = (front - rear).normalize();
    let across = Vec3::z().cross(&along);
    let moment = |mass: &Mass| -> f64 {
        let places = van.positions(mass);
        places.iter().map(|place| (place - rear).dot(&across)).sum::<f64>() * mass.mass / places.len() as f64
    };
    masses(&van.model).iter().map(moment).sum()
}

/// Angular momentum of an axle's wheels, N m s.
fn spin(van: &Vehicle, axle: usize) -> f64 {
    let wheels: Vec<Mass> = masses(&van.model)
        .into_iter()
        .filter(|mass| mass.name == format!("axle{axle}.left.wheel") || mass.name == format!("axle{axle}.right.wheel"))
        .collect();
    wheels
        .iter()
        .map(|mass| mass.inertia[(1, 1)] * van.vector(&format!("watch.{}.angular_velocity", mass.name)).y)
        .sum()
}

/// Steer and camber of the front axle per steering wheel angle, of the van at rest.
fn gear(document: &Document) -> [f64; 2] {
    let mut van = Vehicle::new(document, 0.0, 1e-3, &[]);
    let before = axle(&van, 1);
    van.ramp("steering_wheel.angle", 0.02, 1.0);
    van.advance(2.0);
    let turned = change(axle(&van, 1), before);
    [turned.steer / 0.02, turned.camber / 0.02]
}

/// Lateral acceleration, curvature, roll angle, largest balance left relative to the weight.
fn circle(document: &Document, acceleration: f64, radius: f64, steering: f64) -> [f64; 4] {
    let mut van = Vehicle::new(document, (acceleration * radius).sqrt(), 1e-3, &[]);
    van.ramp("steering_wheel.angle", steering, 1.0);
    let roll = |van: &Vehicle| van.get("chassis.angles.roll");
    van.advance(13.0);
    let before = (van.get("chassis.angular_velocity.z"), roll(&van));
    van.advance(14.0);
    let rate = van.get("chassis.angular_velocity.z");
    assert!((rate / before.0 - 1.0).abs() < 1e-5 && (roll(&van) / before.1 - 1.0).abs() < 1e-4, "not steady");
    let (mass, centre) = van.centre(|_| true);
    // About the point of the road below the centre of mass.
    let (force, moment) = van.balance(|_| true, &Vec3::new(centre.x, centre.y, 0.0));
    let velocity = van.vector("chassis.velocity");
    let speed = velocity.x.hypot(velocity.y);
    [rate * speed, rate / speed, roll(&van), largest(force.iter().chain(&moment)) / (mass * GRAVITY)]
}

#[test]
fn a_steady_circle_has_the_understeer_and_roll_gradients_of_the_closed_forms() {
    let document = van();
    let speed = 6.0;
    let straight = Vehicle::new(&document, speed, 1e-3, &[]);
    let (mass, centre) = straight.centre(|_| true);
    let (front, rear) = (contacts(&straight, 1), contacts(&straight, 2));
    let (a, b) = (front.x - centre.x, centre.x - rear.x);
    let wheelbase = a + b;
    // Two straight runs.
    let gear = gear(&document);
    let mut runs: [Vec<(Axle, f64, [f64; 2])>; 2] = [vec![], vec![]];
    let (mut displaced, mut gyroscopic) = (0.0, 0.0);
    for (input, load) in [("test.torque", TORQUE), ("test.force", FORCE)] {
        let mut run = Vehicle::new(&document, speed, 1e-3, &[]);
        run.ramp(input, load, 1.0);
        run.advance(6.0);
        // Steered to go straight.
        let rate = run.get("chassis.angular_velocity.z");
        run.ramp("steering_wheel.angle", 0.01, 6.5);
        run.advance(10.0);
        let turned = run.get("chassis.angular_velocity.z") - rate;
        let angle = -0.01 * rate / turned;
        run.ramp("steering_wheel.angle", angle, 10.5);
        run.advance(16.0);
        println!("{input}: lateral acceleration {:.1e} m/s2", speed * run.get("chassis.angular_velocity.z"));
        let roll = run.get("chassis.angles.roll");
        for (k, runs) in runs.iter_mut().enumerate() {
            let wheel = if k == 0 { gear.map(|gear| gear * angle) } else { [0.0; 2] };
            runs.push((change(axle(&run, k + 1), axle(&straight, k + 1)), roll, wheel));
        }
        if input == "test.torque" {
            displaced = lever(&run) - lever(&straight);
            gyroscopic = (0..2).map(|k| spin(&straight, k + 1) * runs[k][0].0.camber).sum::<f64>() / speed;
        }
    }
    let torque_roll = runs[0][0].1;
    let [f, r] = runs.map(|runs| characteristics([runs[0], runs[1]]));
    // By Betti's theorem the inertia forces of unit acceleration roll the vehicle by what the unit torque displaces the
    // masses, and so does the turning of the wheels' spin.
    let roll_gradient = (gyroscopic - displaced) / TORQUE;
    let mut moment = 0.0;
    let mut angles = [[0.0; 2]; 2];
    for _ in 0..20 {
        let forces = [(mass * b - moment) / wheelbase, (mass * a + moment) / wheelbase];
        moment = 0.0;
        for (k, c) in [&f, &r].into_iter().enumerate() {
            let camber = c.camber[0] * roll_gradient + c.camber[1] * forces[k];
            let slip = (c.force[1] * camber - forces[k]) / c.force[0];
            moment += c.moment[0] * slip + c.moment[1] * camber;
            angles[k] = [slip, c.steer[0] * roll_gradient + c.steer[1] * forces[k]];
        }
    }
    let gradient = -angles[0][0] + angles[1][0] - (angles[0][1] - angles[1][1]);
    let scale = mass * (b / f.force[0] + a / r.force[0]) / wheelbase;
    // The same steering at five speeds: L/R = δ − K a.
    let circles: Vec<[f64; 4]> = [0.1, 0.2, 0.3, 0.4, 0.5].map(|a| circle(&document, a, 100.0, 0.63)).to_vec();
    let (first, last) = (circles[0], circles[4]);
    let found = -wheelbase * (last[1] - first[1]) / (last[0] - first[0]);
    let found_roll = (last[2] - first[2]) / (last[0] - first[0]);
    let unbalanced = circles.iter().map(|circle| circle[3]).fold(0.0, larger);
    for (name, c) in [("front", &f), ("rear", &r)] {
        println!(
            "{name} axle: C {:.4e} N/rad, G {:.3e} N/rad, N_alpha {:.3e} N m/rad, roll steer {:.4}, roll camber {:.4}, \
             lateral force steer {:.2e} rad/N",
            c.force[0], c.force[1], c.moment[0], c.steer[0], c.camber[0], c.steer[1]
        );
    }
    println!(
        "radius {:.2} to {:.2} m, roll stiffness {:.4e} N m/rad",
        1.0 / first[1],
        1.0 / last[1],
        TORQUE / torque_roll
    );
    println!(
        "understeer gradient {found:.6} rad/(m/s2), closed form {gradient:.6}: {:.2} % of m (b/C_f + a/C_r)/L = \
         {scale:.6}",
        100.0 * (found - gradient).abs() / scale
    );
    println!(
        "roll gradient {found_roll:.6} rad/(m/s2), by the roll stiffness {roll_gradient:.6}: {:.2} %",
        100.0 * (found_roll / roll_gradient - 1.0).abs()
    );
    println!("forces and moments of tyres, weight, air, and inertia: {unbalanced:.1e} of the weight are left");
    assert!((found - gradient).abs() <= 0.02 * scale);
    assert!((found_roll / roll_gradient - 1.0).abs() <= 0.02);
    assert!(unbalanced <= 1e-6);
}
