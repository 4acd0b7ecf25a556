//! Closure errors and energy drift of every gallery model over its own experiment.

use crate::check::larger;
use crate::verification::support::{
    Run, add_system_output, four_bar_windows, gallery, in_parallel, load, output_times, parse,
};
use crate::verification::verification_page::{figure, went_through};
use ballesta::model::schema::{Integrator, Model, Quantity};

/// Rows of the page: models by what limits their energy drift.
const CLASSES: [&str; 3] = ["smooth forces", "stops and tables", "generalized-alpha"];

/// What one experiment showed.
struct Measured {
    gap: f64,
    velocity_gap: f64,
    /// Velocity gap at output points that the solver flags as near a singular position.
    flagged_velocity_gap: f64,
    flagged: usize,
    points: usize,
    drift: f64,
    scale: f64,
}

fn measure(model: &Model) -> Measured {
    let mut model = model.clone();
    model.outputs.clear();
    for (name, quantity) in [
        ("gap", Quantity::Gap),
        ("velocity_gap", Quantity::VelocityGap),
        ("near_singular", Quantity::NearSingular),
        ("kinetic", Quantity::KineticEnergy),
        ("potential", Quantity::PotentialEnergy),
        ("balance", Quantity::EnergyBalance),
    ] {
        add_system_output(&mut model, name, quantity);
    }
    let mut run = Run::new(&model);
    let (start, potential) = (run.get("balance"), run.get("potential"));
    let mut m = Measured {
        gap: run.get("gap"),
        velocity_gap: run.get("velocity_gap"),
        flagged_velocity_gap: 0.0,
        flagged: 0,
        points: 1,
        drift: 0.0,
        scale: run.get("kinetic"),
    };
    for time in output_times(&model) {
        run.advance(time);
        m.points += 1;
        m.gap = larger(m.gap, run.get("gap"));
        if run.get("near_singular") > 0.5 {
            m.flagged += 1;
            m.flagged_velocity_gap = larger(m.flagged_velocity_gap, run.get("velocity_gap"));
        } else {
            m.velocity_gap = larger(m.velocity_gap, run.get("velocity_gap"));
        }
        m.drift = larger(m.drift, (run.get("balance") - start).abs());
        m.scale = larger(larger(m.scale, run.get("kinetic")), (run.get("potential") - potential).abs());
    }
    m
}

/// Forces with kinks (tables, stops) limit the accuracy of the integration where the motion meets the kink, not the
/// closure.
fn is_smooth(model: &Model) -> bool {
    model.bump_stops.is_empty()
        && model.springs.iter().all(|s| s.force_table.is_none() && s.damping_table.is_none())
        && model.joint_springs.iter().all(|s| s.force_table.is_none() && s.damping_table.is_none())
}

#[test]
fn loops_stay_closed_and_energy_is_kept_in_every_model() {
    let names = gallery();
    let results = in_parallel(&names, |name| {
        let model = load(name);
        let implicit = model.general.integrator == Integrator::GeneralizedAlpha;
        (measure(&model), is_smooth(&model), implicit)
    });
    let mut complaints = Vec::new();
    let (mut counts, mut worst) = ([0; CLASSES.len()], [[0.0; 3]; CLASSES.len()]);
    for (name, (m, smooth, implicit)) in names.iter().zip(&results) {
        let relative = m.drift / m.scale;
        println!(
            "{name}: gap {:.1e} m, velocity gap {:.1e} m/s, near singular at {} of {} points (velocity gap {:.1e} \
             m/s), \
             energy drift {:.1e} J = {relative:.1e} of {:.3e} J",
            m.gap, m.velocity_gap, m.flagged, m.points, m.flagged_velocity_gap, m.drift, m.scale
        );
        // `!(a <= b)` is also true for NaN.
        let mut check = |what: &str, value: f64, bar: f64| {
            if !(value <= bar) {
                complaints.push(format!("{name}: {what} {value:.2e} above {bar:.0e}"));
            }
        };
        check("gap", m.gap, 1e-9);
        check("velocity gap", m.velocity_gap, 1e-9);
        check("velocity gap near a singular position", m.flagged_velocity_gap, 1e-7);
        let (class, bar) = if *implicit {
            (2, 1e-3)
        } else if *smooth {
            (0, 1e-6)
        } else {
            (1, 1e-4)
        };
        check("relative energy drift", relative, bar);
        counts[class] += 1;
        for (worst, value) in worst[class].iter_mut().zip([m.gap, m.velocity_gap, relative]) {
            *worst = larger(*worst, value);
        }
    }
    for ((class, count), worst) in CLASSES.iter().zip(counts).zip(worst) {
        let is_row = |cells: &[&str]| cells.len() == 5 && cells[0] == *class;
        figure("Closure and energy", is_row, 1, &count.to_string());
        for (cell, value) in worst.into_iter().enumerate() {
            figure("Closure and energy", is_row, cell + 2, &format!("{value:.1e}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    went_through("closure and energy", &names.iter().collect::<Vec<_>>());
}

/// The passage of the singular positions, seen at every internal step.
#[test]
fn loops_stay_closed_at_every_internal_step_through_singular_positions() {
    let runs = [(1, 0.3e-3), (1, 0.7e-3), (1, 1e-3), (2, 0.3e-3), (2, 0.7e-3), (2, 1e-3)];
    let results = in_parallel(&runs, |&(windows, step)| {
        let mut model = parse(&four_bar_windows(windows));
        model.general.step = step;
        model.experiment.step = Some(step);
        measure(&model)
    });
    for ((windows, step), m) in runs.iter().zip(&results) {
        println!(
            "{windows} windows, every step of {step:e} s: gap {:.1e} m, velocity gap {:.1e} m/s, near singular at {} \
             of {} \
             points (velocity gap {:.1e} m/s)",
            m.gap, m.velocity_gap, m.flagged, m.points, m.flagged_velocity_gap
        );
        assert!(m.points > 9000 && m.gap <= 1e-9 && m.velocity_gap <= 1e-9 && m.flagged_velocity_gap <= 1e-7);
    }
    let worst = |value: fn(&Measured) -> f64| results.iter().map(value).fold(0.0, larger);
    let (every, flagged) = ("A02, every internal step", "A02, flagged as near singular");
    for (row, cell, value) in [
        (every, 2, worst(|m| m.gap)),
        (every, 3, worst(|m| m.velocity_gap)),
        (flagged, 3, worst(|m| m.flagged_velocity_gap)),
    ] {
        let is_row = |cells: &[&str]| cells.len() == 5 && cells[0] == row;
        figure("Closure and energy", is_row, cell, &format!("{value:.1e}"));
    }
}
