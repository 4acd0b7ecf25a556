//! Closure errors and energy drift of every gallery model over its own experiment.

use crate::check::larger;
use crate::verification::page::{figure, went_through};
use crate::verification::support::{
    Run, add_system_output, four_bar_windows, gallery, in_parallel, load, output_times, parse,
};
use ballesta::model::schema::{Integrator, Model, Quantity};

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
        let bar = if *implicit {
            1e-3
        } else if *smooth {
            1e-6
        } else {
            1e-4
        };
        check("relative energy drift", relative, bar);
        for (cell, value) in [m.gap, m.velocity_gap, relative].into_iter().enumerate() {
            let is_row = |cells: &[&str]| cells.len() == 4 && cells[0] == name;
            figure("Closure and energy", is_row, cell + 1, &format!("{value:.1e}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    went_through("closure and energy", &names.iter().collect::<Vec<_>>());
}

#[test]
fn the_table_of_the_page_has_a_row_for_every_one_of_these_models() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/verification.md")).expect("the page");
    let (_, section) =
        page.split_once("| model | gap (m) | velocity gap (m/s) | relative energy drift |").expect("the table");
    let rows = section.lines().skip(2).take_while(|line| line.starts_with("| "));
    let listed: Vec<&str> = rows.filter_map(|row| row.split(" | ").next()?.strip_prefix("| ")).collect();
    assert_eq!(listed, gallery());
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
        let (first, second) = (windows.to_string(), format!("{step:e} s"));
        let is_row = |cells: &[&str]| cells.len() == 6 && cells[..2] == [first.as_str(), second.as_str()];
        for (cell, value) in [(2, m.gap), (3, m.velocity_gap), (5, m.flagged_velocity_gap)] {
            figure("Closure and energy", is_row, cell, &format!("{value:.1e}"));
        }
        figure("Closure and energy", is_row, 4, &format!("{} of {}", m.flagged, m.points));
    }
}
