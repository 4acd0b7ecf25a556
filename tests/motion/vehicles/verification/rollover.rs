//! A van that rolls over: what the run says of it, and what the tread does when it leaves the road.

use super::*;

/// Steering to one side and then to the other at 108 km/h: the van lies on its side after 4.7 s and on its roof after
/// 5 s.
fn fishhook(t: f64) -> f64 {
    let corners = [(0.5, 0.0), (0.9, 5.0), (1.3, 5.0), (2.1, -6.0), (9.0, -6.0)];
    let next = corners.windows(2).find(|pair| t < pair[1].0 && t >= pair[0].0);
    next.map_or(0.0, |pair| pair[0].1 + (pair[1].1 - pair[0].1) * (t - pair[0].0) / (pair[1].0 - pair[0].0))
}

#[test]
fn a_van_that_rolls_over_says_so_and_one_that_drives_does_not() {
    let mut van = Vehicle::new(&document("van", &text("van", "model.toml")), 30.0, 1e-3, &[]);
    van.set("target_speed", 30.0);
    let mut roll = 0.0f64;
    for i in 1..=130 {
        let t = 0.05 * f64::from(i);
        van.set("steering_wheel.angle", fishhook(t));
        van.advance(t);
        roll = crate::check::larger(roll, van.get("chassis.angles.roll").abs());
        if i == 10 {
            assert_eq!(van.simulator.judgement().beyond(van.simulator.system()), None);
        }
    }
    let judgement = van.simulator.judgement();
    let (driving, warning) = (judgement.driving(), judgement.warning(van.simulator.system(), true));
    println!("rolls by {roll:.2} rad: {warning:?}");
    let warning = warning.expect("it has rolled over");
    assert!(roll > 2.0 && driving.depth > 0.1 && driving.beyond > 1.0, "{driving:?}");
    assert!(warning.contains("below the road") && warning.contains("widths of its range outside of it"), "{warning}");
    // Of 2 MJ that are exchanged: before the tread left the road smoothly, 1300 J were lost.
    assert!(judgement.energy_change().abs() < 3e-4 * judgement.energy_exchanged(), "{}", judgement.energy_change());
}
