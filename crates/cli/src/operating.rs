//! Text about the operating point of `check`, `modes` and `linearize`.

use crate::text;
use ballesta::analysis::equilibrium::{Driving, Equilibrium};
use ballesta::analysis::modal::{MAX_CERTAIN_ERROR, Mode, Modes};
use ballesta::analysis::operating_point::positions;
use ballesta::simulate::Simulator;
use ballesta_run::modes::moves;
pub use ballesta_run::operating::{Operating, failure, refuse_long_step};

/// One line per mode: number, frequency, damping ratio, eigenvalue and largest shares.
pub fn mode_table(modes: &Modes, motions: &[String], count: usize) -> String {
    let mut rows = vec![["mode", "Hz", "damping", "eigenvalue in 1/s", "moves"].map(String::from).to_vec()];
    for (index, mode) in modes.modes.iter().enumerate().take(count) {
        let (re, im) = (text::short(mode.eigenvalue.re, 6), text::short(mode.eigenvalue.im, 6));
        rows.push(vec![
            (index + 1).to_string(),
            text::short(mode.frequency_hz(), 9) + if mode.is_uncertain() { " ?" } else { "" },
            text::short(mode.damping(), 4),
            if mode.oscillates() { format!("{re} ± {im} i") } else { re },
            moves(mode, motions),
        ]);
    }
    text::table(&rows) + &uncertain_line(modes.modes.iter().take(count))
}

/// Explanation of the question marks in a table of modes; empty if there are none.
fn uncertain_line<'a>(modes: impl Iterator<Item = &'a Mode>) -> String {
    let Some(largest) =
        modes.map(|mode| mode.uncertainty).filter(|part| !(*part <= MAX_CERTAIN_ERROR)).reduce(f64::max)
    else {
        return String::new();
    };
    format!(
        "?  relative rounding error may exceed {MAX_CERTAIN_ERROR}, up to {}: the model also has much stiffer \
         modes\n",
        text::short(largest, 2)
    )
}

/// Lines about steady driving.
fn steady_lines(driving: &Driving) -> String {
    let mut lines = format!("  steady at {} m/s", text::short(driving.speed, 6));
    if driving.turning.abs() > 1e-9 {
        let radius = text::short((driving.speed / driving.turning).abs(), 6);
        lines += &format!(", yaw rate {} rad/s, radius {radius} m", text::short(driving.turning, 6));
    }
    if let Some(torque) = driving.torque {
        lines += &format!(", drive torque {} N m", text::short(torque, 6));
    }
    if driving.held != 0.0 {
        let held = text::short(driving.held, 6);
        lines += &format!(", balanced by {held} N; without a speed control the vehicle slows down");
    }
    lines += "\n";
    if driving.weight_turns {
        lines += "  the road is inclined: the direction of gravity changes during the turn, so the motion is not \
                  steady\n";
    }
    if let Some(target) = driving.target {
        let (speed, target) = (text::short(driving.speed, 6), text::short(target, 6));
        lines += &format!("  a run starts at {speed} m/s; the speed control then changes to {target} m/s\n");
    }
    lines
}

/// The equilibrium for the report of `check`.
pub fn equilibrium_lines(simulator: &Simulator, found: &Equilibrium) -> String {
    let mut lines = format!(
        "\nEquilibrium\n  found in {}, potential energy {} J, largest residual force {} N or N m\n",
        text::count(found.iterations, "iteration"),
        text::short(found.energy, 9),
        text::short(found.largest_force(), 2)
    );
    if found.unstable > 0 {
        lines += &format!("  unstable: {} with negative stiffness\n", text::count(found.unstable, "direction"));
    }
    if let Some(driving) = &found.driving {
        lines += &steady_lines(driving);
    }
    let left = |name: &str| found.forces.iter().find(|force| force.0 == name).map(|force| force.1);
    let mut rows = vec![["coordinate", "rad or m", "residual force in N m or N"].map(String::from).to_vec()];
    for (name, value) in positions(simulator.system(), simulator.state()) {
        let force = left(&name).map_or("dependent or driven".to_string(), |force| text::short(force, 2));
        rows.push(vec![name, text::short(value, 12), force]);
    }
    lines + &text::table(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_in_doubt_have_a_question_mark_that_is_explained() {
        let mode = |uncertainty| Mode { eigenvalue: Default::default(), count: 1, shares: vec![], uncertainty };
        let table = |list: &[f64]| {
            mode_table(&Modes { modes: list.iter().map(|&part| mode(part)).collect(), symmetric: true }, &[], 10)
        };
        assert!(!table(&[0.0, 9e-4]).contains('?'));
        for doubt in [0.016, f64::NAN] {
            let table = table(&[0.0, doubt, 1e-9]);
            assert_eq!(table.matches(" ?").count(), 1, "{table}");
            assert!(table.contains("\n?  relative rounding error may exceed 0.001"), "{table}");
        }
        assert!(table(&[0.016, 0.002]).contains("up to 0.016"));
    }
}
