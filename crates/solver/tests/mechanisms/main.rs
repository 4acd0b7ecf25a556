//! Mechanisms that are built without a file.

#[allow(dead_code)]
#[path = "../../examples/car_corner.rs"]
mod car_corner;
#[allow(dead_code)]
#[path = "../../examples/four_bar.rs"]
mod four_bar;
#[allow(dead_code)]
#[path = "../../examples/pendulum.rs"]
mod pendulum;

mod defects;
mod parts;

#[test]
fn the_pendulum_has_the_period_of_the_elliptic_integral() {
    let [simulated, exact] = pendulum::periods().unwrap();
    assert!((simulated - exact).abs() < 2e-7, "{simulated} {exact}");
}

#[test]
fn the_four_bar_stays_closed_and_its_rocker_swings_as_far_as_the_law_of_cosines_says() {
    let four_bar::Turn { gap, swings: [simulated, exact], balance } = four_bar::turn().unwrap();
    assert!(gap < 1e-9, "{gap}");
    // The extremes lie between two steps of 0.36 degrees of the crank.
    assert!((simulated - exact).abs() < 1e-5, "{simulated} {exact}");
    assert!(balance < 1e-6, "{balance}");
}

#[test]
fn the_car_corner_rides_at_the_frequency_of_its_stiffness() {
    let car_corner::Ride { travel, motion_ratio, frequencies: [simulated, expected], gap } =
        car_corner::ride().unwrap();
    assert!(travel.abs() < 0.05 && (0.5..0.8).contains(&motion_ratio), "{travel} {motion_ratio}");
    // The expected frequency leaves out the mass of the wheel and the amplitude.
    assert!((simulated / expected - 1.0).abs() < 0.01, "{simulated} {expected}");
    assert!(gap < 1e-9, "{gap}");
}
