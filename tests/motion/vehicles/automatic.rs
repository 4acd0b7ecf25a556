//! Torque bias and automatic shifts: `models/van/automatic.toml`, and a differential on a bench.

use super::driver::Driven;
use crate::check::larger;

const MODEL: &str = "van/automatic.toml";

#[test]
fn it_shifts_at_the_speeds_of_its_table_and_no_more_often() {
    let mut van = Driven::with(MODEL, &[]);
    van.set("throttle", 1.0);
    let names = ["gearbox.gear", "propeller_shaft.speed", "chassis.velocity.x", "energy_balance"];
    let [.., start] = van.get(names);
    let (mut last, mut passed, mut balance) = (1.0f64, Vec::new(), 0.0f64);
    van.run(16.0, names, |_, [gear, _, speed, energy]| {
        if last < last.floor() + 0.1 && gear >= last.floor() + 0.1 {
            passed.push(speed * 3.7 / 0.355);
        }
        assert!(gear >= last - 1e-3 && (0.999..5.001).contains(&gear), "{last} {gear}");
        (last, balance) = (gear, larger(balance, (energy - start).abs()));
    });
    assert_eq!(passed.len(), 3, "{passed:?}");
    // The rear wheels slip by some per cent, and a decision takes 50 ms, in which the shaft gains up to 2 rad/s.
    for (speed, up) in passed.iter().zip([95.2, 173.9, 275.9]) {
        assert!((0.94..1.05).contains(&(speed / up)), "{speed} {up}");
    }
    assert!(balance < 0.1, "{balance} J of 1.8 MJ");
}

#[test]
fn on_ice_under_one_wheel_the_other_pulls_with_the_bias_times_its_force() {
    let names = ["axle2.left.tyre.Fx", "axle2.right.tyre.Fx", "chassis.velocity.x"];
    let pull = |bias: f64| {
        let mut van = Driven::with(MODEL, &[("left_friction", 0.1), ("differential.bias", bias)]);
        van.set("throttle", 0.3);
        let (mut forces, mut last) = ([0.0; 2], 0.0);
        van.run(8.0, names, |time, [left, right, speed]| {
            // Behind the shifts.
            if time > 6.0 {
                forces = [forces[0] + left, forces[1] + right];
            }
            last = speed;
        });
        [forces[1] / forces[0], last]
    };
    let [open, slow] = pull(1.0);
    let [biased, fast] = pull(2.5);
    assert!((0.95..1.05).contains(&open) && (2.4..2.7).contains(&biased), "{open} {biased}");
    assert!(fast > 1.6 * slow, "{slow} {fast}");
}

/// An input shaft of 0.05 kg m² with 100 N m drives two discs through a differential, i = 4, against 20 N m on the
/// first one and 200 N m on the second.
const BENCH: &str = r#"
[model]
name = "bench"
step = 5e-4

[[body]]
name = "shaft"
mass = 1
inertia = [0.05, 1, 1, 0, 0, 0]

[[body]]
name = "one"
mass = 1
inertia = [1, 1, 1, 0, 0, 0]

[[body]]
name = "other"
mass = 1
inertia = [2, 2, 2, 0, 0, 0]

[[joint]]
name = "shaft"
type = "revolute"
bodies = ["ground", "shaft"]
point = [0, 0, 0]
axis = [1, 0, 0]

[[joint]]
name = "one"
type = "revolute"
bodies = ["ground", "one"]
point = [0, 0, 0]
axis = [1, 0, 0]

[[joint]]
name = "other"
type = "revolute"
bodies = ["ground", "other"]
point = [0, 0, 0]
axis = [1, 0, 0]

[[drive]]
name = "motor"
joint = "shaft"
value = 100

[[drive]]
name = "one.load"
joint = "one"
value = -20

[[drive]]
name = "other.load"
joint = "other"
value = -200

[[clutch]]
name = "differential"
coordinates = [{ joint = "shaft", ratio = 1 }, { joint = "one", ratio = -2 }, { joint = "other", ratio = -2 }]
torque = 500
bias = 3
presliding = 0.05

[[output]]
name = "one"
joint = "one"
quantity = "speed"

[[output]]
name = "other"
joint = "other"
quantity = "speed"

[[output]]
name = "energy_balance"
quantity = "energy_balance"
"#;

#[test]
fn discs_behind_a_differential_with_bias_turn_as_its_formula_says() {
    let mut bench = Driven::text("bench.toml", BENCH, &[]);
    let mut speeds = [[0.0; 2]; 2];
    bench.run(2.0, ["one", "other", "energy_balance"], |time, [one, other, balance]| {
        if (time - 1.0).abs() < 1e-9 {
            speeds[0] = [one, other];
        }
        speeds[1] = [one, other];
        assert!(balance.abs() < 1e-4, "{balance} J of 15 kJ");
    });
    let [one, other] = [0, 1].map(|k| speeds[1][k] - speeds[0][k]);
    // T and 3 T at the discs, together 4 times what is left of 100 N m: J₁ α₁ = T − 20, J₂ α₂ = 3 T − 200,
    // 4 T = 4 (100 − 0.05 · 2 (α₁ + α₂)).
    let torque = (100.0 + 0.1 * (20.0 + 100.0)) / (1.0 + 0.1 * (1.0 + 1.5));
    assert!((one / (torque - 20.0) - 1.0).abs() < 1e-3, "{one} {}", torque - 20.0);
    assert!((other / (1.5 * torque - 100.0) - 1.0).abs() < 1e-3, "{other} {}", 1.5 * torque - 100.0);
}
