//! Torque bias and automatic shifts in a vehicle: `models/van/automatic.toml`.

use super::driver::Driven;

const MODEL: &str = "van/automatic.toml";

/// The van with the start value of an input or the value of a parameter changed.
fn van(changes: &[(&str, f64)]) -> Driven {
    Driven::with(MODEL, changes)
}

#[test]
fn it_shifts_at_the_speeds_of_its_table_and_no_more_often() {
    let mut van = van(&[]);
    van.set("throttle", 1.0);
    let (mut last, mut passed) = (1.0, Vec::new());
    van.run(16.0, ["gearbox.gear", "propeller_shaft.speed"], |_, [gear, speed]| {
        let half = last.floor() + 0.5;
        if last < half && gear >= half {
            passed.push((half, speed));
        }
        assert!(gear >= last - 1e-3 && (0.999..5.001).contains(&gear), "{last} {gear}");
        last = gear;
    });
    // Half of the shift, 0.15 s, lies behind the speed of the table.
    let table = [95.2, 173.9, 275.9];
    assert!(passed.len() >= 3, "{passed:?}");
    for ((half, speed), up) in passed.iter().zip(table) {
        let late = speed - up;
        assert!((-0.5..8.0).contains(&late), "{half}: {speed} {up}");
    }
}

#[test]
fn on_ice_under_one_wheel_the_other_gets_the_bias_times_its_force() {
    let names = ["axle2.left.tyre.Fx", "axle2.right.tyre.Fx", "axle2.left.wheel.speed", "axle2.right.wheel.speed"];
    let pull = |bias: f64| {
        let mut van = van(&[("left_friction", 0.1), ("differential.bias", bias)]);
        van.set("throttle", 0.6);
        let mut found = [0.0; 4];
        van.run(2.5, names, |_, values| found = values);
        found
    };
    let [left, right, spins, rolls] = pull(1.0);
    assert!(spins > 3.0 * rolls, "{spins} {rolls}");
    // Each wheel takes torque for its own acceleration.
    assert!((right / left - 1.0).abs() < 0.35, "{left} {right}");
    let [left, right, spins, rolls] = pull(2.5);
    assert!(spins > 1.5 * rolls, "{spins} {rolls}");
    assert!((right / left - 2.5).abs() < 0.5, "{left} {right}");
}
