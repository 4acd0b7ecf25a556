//! Flexible bodies whose rotation stiffens them: the spin-up beam of Gutiérrez et al. with every form of stiffening,
//! and the frequencies of a rotating cantilever. With `BALLESTA_REWRITE=1` the pictures of docs/flexible-beams.md are
//! drawn anew.

use crate::check::larger;
use ballesta::analysis::modal;
use ballesta::compile;
use ballesta::model;
use ballesta::model::schema::{Integrator, SectionForces};
use ballesta::simulate::Simulator;
use ballesta_pictures::plot::{Curve, Panel, draw, draw_over, draw_panels};
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

/// Length of the spin-up beam, m.
const LENGTH: f64 = 10.0;
/// Time at which its speed is constant, s.
const STEADY: f64 = 15.0;
/// Model files of the spin-up beam that stay bounded, with their names in the pictures.
const FORMS: [(&str, &str); 4] =
    [("model_1", "model 1"), ("model_2", "model 2"), ("model_3", "model 3"), ("model", "general")];
/// Columns of the reference, and the outputs that they stand for.
const COMPARED: [(&str, &str, f64); 5] = [
    ("tip_v_m", "tip.y", 1.0),
    ("N_root_N", "root.force.x", 1.0),
    ("N_mid_N", "middle.force.x", 1.0),
    ("M_root_Nm", "root.moment.y", -1.0),
    ("M_mid_Nm", "middle.moment.y", -1.0),
];

/// How a model is run, where it differs from its file.
#[derive(Default)]
struct Changes {
    integrator: Option<Integrator>,
    step: Option<f64>,
    resolution: Option<f64>,
    section_forces: Option<SectionForces>,
}

/// Outputs over time.
struct Record {
    times: Vec<f64>,
    columns: HashMap<String, Vec<f64>>,
}

impl Record {
    fn get(&self, name: &str) -> &[f64] {
        self.columns.get(name).unwrap_or_else(|| panic!("no output {name}"))
    }

    /// Least value of an output, and its time.
    fn least(&self, name: &str) -> (f64, f64) {
        let pairs = self.get(name).iter().copied().zip(self.times.iter().copied());
        pairs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a row")
    }

    /// Mean of an output from the time on at which the speed is constant.
    fn steady(&self, name: &str) -> f64 {
        let late = self.times.iter().zip(self.get(name)).filter(|(time, _)| **time > STEADY).map(|(_, value)| *value);
        let count = late.clone().count();
        late.sum::<f64>() / count as f64
    }
}

/// Runs a model file of the spin-up beam up to `stop`, with an output row every `interval` s.
fn run(file: &str, changes: &Changes, stop: f64, interval: f64) -> Record {
    let path = Path::new("models/spinup_beam").join(file).with_extension("toml");
    let mut document = model::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
    let general = &mut document.model.general;
    general.integrator = changes.integrator.unwrap_or(general.integrator);
    general.step = changes.step.unwrap_or(general.step);
    general.resolution = changes.resolution.or(general.resolution);
    let body = &mut document.model.flexible_bodies[0];
    body.section_forces = changes.section_forces.unwrap_or(body.section_forces);
    let system = Arc::new(compile::compile(&document, &[]).unwrap_or_else(|errors| panic!("{file}: {errors}")));
    let names: Vec<String> = system.interface().outputs.iter().map(|output| output.name.clone()).collect();
    let mut simulator = Simulator::new(system);
    simulator.initialize(0.0).expect("a position");
    let (mut times, mut rows) = (Vec::new(), Vec::new());
    for k in 0..=(stop / interval).round() as usize {
        let time = k as f64 * interval;
        let mut row = vec![0.0; names.len()];
        let done = simulator.advance(time).and_then(|()| simulator.outputs(&mut row));
        done.unwrap_or_else(|fault| panic!("{file} at {time} s: {}", simulator.system().describe(&fault)));
        times.push(time);
        rows.push(row);
    }
    let column = |i: usize| rows.iter().map(|row| row[i]).collect();
    Record { times, columns: names.into_iter().enumerate().map(|(i, name)| (name, column(i))).collect() }
}

/// The reference: time in s and the columns by name, rows every 0.05 s.
fn reference() -> Record {
    let text = std::fs::read_to_string("tests/reference/spinup_beam.csv").expect("the reference");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|word| word.parse().expect("a number")).collect()).collect();
    let column = |i: usize| -> Vec<f64> { rows.iter().map(|row| row[i]).collect() };
    let columns = names.iter().enumerate().map(|(i, name)| (name.to_string(), column(i))).collect();
    Record { times: column(0), columns }
}

/// Greatest difference of two series.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, larger)
}

/// Root mean square of the difference of two series.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    (a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

#[test]
fn the_deflection_of_the_tip_is_the_one_of_each_form_of_stiffening() {
    crate::root::at_root();
    for ((file, name), expected) in FORMS.into_iter().zip([-0.5144, -0.5806, -0.5743, -0.5743]) {
        let (least, time) = run(file, &Changes::default(), 10.0, 1e-3).least("tip.y");
        println!("{name}: {least:.5} m at {time:.3} s ({expected})");
        assert!((least - expected).abs() < 1e-3, "{name}: {least} {expected}");
    }
}

#[test]
fn twelve_modes_with_general_stiffening_meet_the_exact_deflection_extension_and_axial_force() {
    crate::root::at_root();
    let found = run("model", &Changes::default(), 20.0, 1e-3);
    let (least, _) = found.least("tip.y");
    let extension = found.steady("tip.x");
    let forces = ["root", "middle", "tip"].map(|place| found.steady(&format!("{place}.force.x")));
    println!("tip {least:.5} m, extension {extension:.5e} m, axial forces {forces:.2?} N");
    assert!((least + 0.57378).abs() < 1e-3, "{least}");
    assert!((extension / 5.1429e-4 - 1.0).abs() < 5e-3, "{extension:e}");
    assert!((forces[0] / 2160.0 - 1.0).abs() < 1e-2 && (forces[1] / 1620.0 - 1.0).abs() < 1e-2, "{forces:?}");
    assert!(found.get("tip.force.x").iter().all(|force| force.abs() < 2.0));
    assert!(found.get("tip.moment.y").iter().all(|moment| moment.abs() < 1e-3));
}

#[test]
fn section_forces_are_near_those_of_the_exact_beam() {
    crate::root::at_root();
    let exact = reference();
    // Deflection in m; axial force at root and middle in N; bending moment there in N m.
    let bars = [
        [0.12, 8.0, 8.0, 40.0, 50.0],
        [0.013, 8.0, 8.0, 21.0, 6.0],
        [1e-3, 3.0, 3.0, 18.0, 5.0],
        [1e-3, 3.0, 3.0, 3.5, 0.2],
    ];
    for ((file, name), bars) in FORMS.into_iter().zip(bars) {
        let found = run(file, &Changes::default(), 20.0, 0.05);
        for ((column, output, sign), bar) in COMPARED.into_iter().zip(bars) {
            let signed: Vec<f64> = found.get(output).iter().map(|value| sign * value).collect();
            let most = difference(&signed, exact.get(column));
            println!("{name}: {column} differs by {most:.3e} at most ({bar})");
            assert!(most < bar, "{name}, {column}: {most}");
        }
        let free =
            ["tip.force.x", "tip.moment.y"].map(|name| found.get(name).iter().fold(0.0f64, |a, b| larger(a, b.abs())));
        let steady = ["root", "middle", "tip"].map(|place| found.steady(&format!("{place}.force.x")));
        let (extension, balance) = (found.steady("tip.x"), found.get("balance"));
        let off = balance.iter().map(|value| (value - balance[0]).abs()).fold(0.0, larger);
        println!("{name}: steadily {extension:.4e} m, {steady:.1?} N; energy balance off by {off:.1e} J at most");
        assert!((extension / 5.1429e-4 - 1.0).abs() < 5e-3 && off < 15.0, "{name}: {extension:e} m, {off:e} J");
        let wanted = steady.iter().zip([2160.0, 1620.0, 0.0]);
        assert!(wanted.clone().all(|(force, wanted)| (force - wanted).abs() < 1.0), "{name}: {steady:?}");
        println!("{name}: at the free end N {:.2e} N, M {:.2e} N m at most", free[0], free[1]);
        assert!(free[0] < 8.0 && free[1] < 1e-3, "{name}: {free:?}");
    }
}

/// Models as the paper publishes them: section forces of displacements (equations 20 to 24), model 3 without an axial
/// mode.
const PUBLISHED: [(&str, &str); 4] = [
    ("paper_1", "model 1"),
    ("paper_2", "model 2"),
    ("paper_3", "model 3"),
    ("paper_3_two_axial", "model 3, two axial modes"),
];
/// The paper's points, and what the outputs there are called.
const POINTS: [(&str, &str); 3] = [("A", "root"), ("B", "middle"), ("C", "tip")];

#[test]
fn axial_forces_of_displacements_are_constant_in_model_1_vary_in_model_2_and_are_none_in_model_3() {
    crate::root::at_root();
    // Steady: E A Φ₁′ η₁ = ρ A ω² L²/3 = 1440 N; the sinusoidal mode adds 2 ρ A ω² L²/π² · cos(π x/L), ±875.4 N at the
    // ends. An element has one axial strain, so that cos is taken half an element off: 875.4 sin(π/128) = 21.5 N less
    // in the middle.
    for ((file, name), expected) in PUBLISHED.into_iter().zip([
        [1440.0, 1440.0, 1440.0],
        [2315.2, 1418.5, 564.8],
        [0.0, 0.0, 0.0],
        [2315.2, 1418.5, 564.8],
    ]) {
        let found = run(file, &Changes::default(), 20.0, 0.01);
        let forces = POINTS.map(|(_, place)| found.steady(&format!("{place}.force.x")));
        println!("{name}: {forces:.2?} N at A, B, C");
        assert!(forces.iter().zip(expected).all(|(force, wanted)| (force - wanted).abs() < 1.5), "{name}: {forces:?}");
        let same = POINTS.map(|(_, place)| found.get(&format!("{place}.force.x")).to_vec());
        let apart = difference(&same[0], &same[2]);
        // Always, not in the steady part alone.
        assert!(if file == "paper_1" || file == "paper_3" { apart < 1e-6 } else { apart > 1e3 }, "{name}: {apart}");
    }
}

#[test]
fn mode_acceleration_finds_the_axial_force_without_an_axial_mode_but_not_the_extension() {
    crate::root::at_root();
    let exact = reference();
    let differences = ["paper_3", "model_3", "model"].map(|file| {
        let by_loads = Changes { section_forces: Some(SectionForces::ModeAcceleration), ..Changes::default() };
        let found = run(file, &by_loads, 20.0, 0.05);
        let steady = POINTS.map(|(_, place)| found.steady(&format!("{place}.force.x")));
        let most = COMPARED.map(|(column, output, sign)| {
            let signed: Vec<f64> = found.get(output).iter().map(|value| sign * value).collect();
            difference(&signed, exact.get(column))
        });
        let extension = found.steady("tip.x");
        println!(
            "{file}: steadily {steady:.1?} N, extension {extension:.2e} m; differs by {most:.2?} (m, N, N, N m, N m)"
        );
        assert!(steady.iter().zip([2160.0, 1620.0, 0.0]).all(|(force, wanted)| (force - wanted).abs() < 1.0), "{file}");
        (extension, most)
    });
    // Forces are answered without the mode; the extension that goes with them is not there.
    assert!(differences[0].0.abs() < 1e-12 && (differences[1].0 / 5.1429e-4 - 1.0).abs() < 5e-3);
    assert!(differences.iter().all(|(_, most)| most[1] < 12.0 && most[2] < 12.0), "{differences:?}");
}

#[test]
fn the_motion_does_not_depend_on_how_section_forces_are_found() {
    crate::root::at_root();
    for (file, published) in [("model_1", "paper_1"), ("model_2", "paper_2")] {
        let [ours, theirs] = [file, published].map(|file| run(file, &Changes::default(), 8.0, 0.01));
        assert_eq!(ours.get("tip.y"), theirs.get("tip.y"));
        assert!(difference(ours.get("root.force.x"), theirs.get("root.force.x")) > 10.0, "{file}");
    }
}

#[test]
fn the_table_of_the_page_on_the_paper_shows_these_extremes() {
    crate::root::at_root();
    use std::fmt::Write;
    const PAGE: &str = "docs/papers/gutierrez.md";
    let exact = reference();
    let most = |values: &[f64]| values.iter().fold(0.0_f64, |a, b| larger(a, b.abs()));
    let mut table = String::from(
        "| | least deflection, m | largest N at A / B / C, N | steady N at A / B / C, N | largest M at A / B / C, N m \
         |\n|---|---|---|---|---|\n",
    );
    for (file, name) in PUBLISHED {
        let found = run(file, &Changes::default(), 20.0, 0.01);
        let of = |quantity: &str| POINTS.map(|(_, place)| most(found.get(&format!("{place}.{quantity}"))));
        let steady = POINTS.map(|(_, place)| found.steady(&format!("{place}.force.x")).abs());
        let three = |values: [f64; 3], digits: usize| values.map(|v| format!("{v:.digits$}")).join(" / ");
        let (force, moment) = (three(of("force.x"), 0), three(of("moment.y"), 1));
        let least = found.least("tip.y").0;
        writeln!(table, "| {name} | {least:.4} | {force} | {} | {moment} |", three(steady, 0)).expect("a string");
    }
    let (force, moment) = (["N_root_N", "N_mid_N"], ["M_root_Nm", "M_mid_Nm"]);
    let [force, moment] = [force, moment].map(|names| names.map(|name| most(exact.get(name))));
    let steady = ["N_root_N", "N_mid_N"].map(|name| exact.steady(name));
    writeln!(
        table,
        "| exact beam | {:.4} | {:.0} / {:.0} / 0 | {:.0} / {:.0} / 0 | {:.1} / {:.1} / 0.0 |",
        exact.least("tip_v_m").0,
        force[0],
        force[1],
        steady[0],
        steady[1],
        moment[0],
        moment[1]
    )
    .expect("a string");
    print!("{table}");
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let begin = "<!-- extremes -->\n";
    let (before, rest) = page.split_once(begin).expect("the mark of the table");
    let (kept, after) = rest.split_once("<!-- end -->").expect("its end");
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::write(PAGE, format!("{before}{begin}{table}<!-- end -->{after}")).expect("writable");
    } else {
        assert!(kept == table, "{PAGE} is not current (BALLESTA_REWRITE=1):\n{table}");
    }
}

#[test]
fn linear_elasticity_diverges() {
    crate::root::at_root();
    let found = run("linear", &Changes::default(), 12.0, 0.05);
    let tip = |time: f64| found.get("tip.y")[(time / 0.05).round() as usize].abs();
    println!("tip at 4.9, 8, 10, 12 s: {:.4} {:.3} {:.2} {:.0} m", tip(4.9), tip(8.0), tip(10.0), tip(12.0));
    assert!((tip(4.9) - 0.5039).abs() < 1e-3);
    assert!(tip(12.0) > 1e3 * LENGTH && tip(12.0) > 100.0 * tip(11.0) / 10.0 && tip(11.0) > 10.0 * tip(10.0));
}

#[test]
fn the_deflection_converges_with_order_two_in_the_step() {
    crate::root::at_root();
    // Every mode stays an oscillator, whatever the step.
    let every = |step: f64| Changes { step: Some(step), resolution: Some(1e9), ..Changes::default() };
    for (file, name) in FORMS {
        let tip = |step: f64| run(file, &every(step), 10.0, 0.1).get("tip.y").to_vec();
        let finest = tip(1.25e-4);
        let errors = [2.5e-4, 5e-4, 1e-3, 2e-3].map(|step| distance(&tip(step), &finest));
        let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[1] / pair[0]).log2()).collect();
        println!("{name}: {:.3?} µm at 0.25, 0.5, 1, 2 ms; orders {orders:.3?}", errors.map(|error| 1e6 * error));
        // Order 2 against a reference that has an error itself: h² − h₀² for h = 2, 4, 8, 16 h₀.
        for (order, ratio) in orders.iter().zip([15.0 / 3.0, 63.0 / 15.0, 255.0 / 63.0]) {
            assert!((order - f64::log2(ratio)).abs() < 0.05, "{name}: {orders:?}");
        }
    }
}

#[test]
fn runge_kutta_and_the_generalized_alpha_method_agree() {
    crate::root::at_root();
    for ((file, name), (step, bar)) in FORMS.into_iter().zip([(5e-4, 2e-6), (5e-4, 1e-4), (5e-4, 2e-6), (2.5e-4, 2e-6)])
    {
        let explicit = Changes { integrator: Some(Integrator::Rk4), step: Some(step), ..Changes::default() };
        let [explicit, implicit] = [explicit, Changes::default()].map(|changes| run(file, &changes, 10.0, 0.05));
        let most = difference(explicit.get("tip.y"), implicit.get("tip.y"));
        println!("{name}: RK4 at {step} s, generalized alpha at 0.001 s: deflections differ by {most:.2e} m");
        assert!(most < bar, "{name}: {most}");
    }
}

/// First flap frequency ω √(ρA L⁴ / EI) for γ = Ω √(ρA L⁴ / EI) = 0 … 6, hub radius 0.
const FLAP: [f64; 7] = [3.5160, 3.6816, 4.1373, 4.7973, 5.5850, 6.4495, 7.3604];

/// First frequencies in rad/s of the rotating cantilever at this speed in rad/s, flap and lag, from the lowest.
fn frequencies(speed: f64) -> Vec<f64> {
    let document = model::load(Path::new("models/rotating_cantilever")).unwrap_or_else(|errors| panic!("{errors}"));
    let system = compile::compile(&document, &[speed]).unwrap_or_else(|errors| panic!("{errors}"));
    let mut simulator = Simulator::new(Arc::new(system));
    simulator.initialize(0.0).expect("an equilibrium");
    let modes = modal::modes(&simulator.linearize().expect("linearized")).expect("modes");
    modes.modes.iter().map(|mode| TAU * mode.frequency_hz()).collect()
}

#[test]
fn flap_and_lag_frequencies_of_a_rotating_cantilever_are_those_of_the_literature() {
    crate::root::at_root();
    for (gamma, flap) in FLAP.into_iter().enumerate() {
        let lag = (flap * flap - (gamma * gamma) as f64).sqrt();
        let found = frequencies(gamma as f64);
        let errors = [found[1] / flap - 1.0, found[0] / lag - 1.0];
        println!("γ = {gamma}: flap {:.4} ({flap:.4}), lag {:.4} ({lag:.4}); {errors:.5?}", found[1], found[0]);
        assert!(errors.iter().all(|error| error.abs() < 2e-3), "γ = {gamma}: {found:?}");
    }
}

/// Writes a picture of the documentation when asked to; in any case it has to be there.
fn picture(name: &str, svg: &str) {
    let path = Path::new("docs/pictures").join(name);
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::create_dir_all("docs/pictures").expect("writable");
        std::fs::write(&path, svg).expect("writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; BALLESTA_REWRITE=1", path.display()));
    let captions =
        |svg: &str| svg.lines().filter(|line| line.starts_with("<text")).map(String::from).collect::<Vec<_>>();
    assert!(captions(svg) == captions(&kept), "{} is out of date: BALLESTA_REWRITE=1", path.display());
}

#[test]
fn pictures_of_the_documentation_show_these_results() {
    crate::root::at_root();
    let exact = reference();
    let found = FORMS.map(|(file, _)| run(file, &Changes::default(), 20.0, 0.05));
    let curves = |column: Option<&str>, output: &str, sign: f64, unit: &'static str| -> Vec<(&str, &str, Vec<f64>)> {
        let all = FORMS.iter().zip(&found);
        let signed = |record: &Record| record.get(output).iter().map(|value| sign * value).collect();
        let mut curves: Vec<_> = all.map(|((_, name), record)| (*name, unit, signed(record))).collect();
        curves.extend(column.map(|column| ("exact", unit, exact.get(column).to_vec())));
        curves
    };
    let show = |file: &str, title: &str, series: Vec<(&str, &str, Vec<f64>)>| {
        let of =
            |(name, unit, values)| Curve { name, unit, description: "", stepped: false, diagnostic: false, values };
        let curves: Vec<Curve> =
            series.iter().map(|(name, unit, values)| of((*name, *unit, values.as_slice()))).collect();
        picture(file, &draw(title, "Spin-up to 6 rad/s in 15 s, step 1 ms", &exact.times, &curves));
    };
    show("spinup_deflection.svg", "Deflection of the tip", curves(Some("tip_v_m"), "tip.y", 1.0, "m"));
    for (place, column) in [("root", Some("root")), ("middle", Some("mid")), ("tip", None)] {
        let columns = column.map(|name| (format!("N_{name}_N"), format!("M_{name}_Nm")));
        let (force, moment) = (format!("{place}.force.x"), format!("{place}.moment.y"));
        let mut series = curves(columns.as_ref().map(|both| both.0.as_str()), &force, 1.0, "N");
        series.extend(curves(columns.as_ref().map(|both| both.1.as_str()), &moment, -1.0, "N.m"));
        show(&format!("spinup_{place}.svg"), &format!("Axial force and bending moment, {place}"), series);
    }
    let speeds: Vec<f64> = (0..=24).map(|k| 0.25 * f64::from(k)).collect();
    let found: Vec<Vec<f64>> = speeds.iter().map(|speed| frequencies(*speed)).collect();
    let mode = |k: usize| found.iter().map(|frequencies| frequencies[k]).collect::<Vec<f64>>();
    let of = |name, values| Curve { name, unit: "rad/s", description: "", stepped: false, diagnostic: false, values };
    let (flap, lag) = (mode(1), mode(0));
    let svg = draw_over(
        ("speed", "rad/s"),
        "Rotating cantilever, EI/(ρAL⁴) = 1 s⁻²",
        "First frequencies over the speed of the hub",
        &speeds,
        &[of("flap", &flap), of("lag", &lag)],
    );
    picture("rotating_cantilever.svg", &svg);
}

/// Curves with their names.
type Series = Vec<(&'static str, Vec<f64>)>;

#[test]
fn pictures_of_the_paper_show_these_results() {
    crate::root::at_root();
    let exact = reference();
    let until = exact.times.iter().position(|time| *time > STEADY).expect("a time after the spin-up");
    let times = &exact.times[..until];
    let found = PUBLISHED.map(|(file, _)| run(file, &Changes::default(), STEADY, 0.05));
    let exact_of = |name: &str| exact.get(name)[..until].to_vec();
    let curves = |output: &str, sign: f64, column: Option<&str>| -> Series {
        let signed = |record: &Record| record.get(output).iter().map(|value| sign * value).collect();
        let mut curves: Vec<_> =
            PUBLISHED.iter().zip(&found).map(|((_, name), record)| (*name, signed(record))).collect();
        curves.extend(column.map(|column| ("exact beam", exact_of(column))));
        curves
    };
    let show = |file: &str, title: &str, unit: &'static str, panels: Vec<(String, Series)>| {
        let drawn: Vec<Panel> = panels
            .iter()
            .map(|(heading, all)| Panel {
                title: Some(heading),
                unit,
                factor: 1.0,
                curves: all
                    .iter()
                    .map(|(name, values)| Curve {
                        name,
                        unit,
                        description: "",
                        stepped: false,
                        diagnostic: false,
                        values,
                    })
                    .collect(),
                low: false,
                along: None,
            })
            .collect();
        let note = "Spin-up to 6 rad/s in 15 s, step 1 ms, section forces of displacements";
        picture(file, &draw_panels(("time", "s"), title, note, times, &drawn));
    };
    let deflection = vec![("deflection".to_string(), curves("tip.y", 1.0, Some("tip_v_m")))];
    show("gutierrez_7.svg", "Elastic displacement of the tip", "m", deflection);
    let columns = [Some(("N_root_N", "M_root_Nm")), Some(("N_mid_N", "M_mid_Nm")), None];
    let both = POINTS.iter().zip(columns);
    let axial = both.clone().map(|((point, place), column)| {
        (format!("axial force at {point}"), curves(&format!("{place}.force.x"), 1.0, column.map(|names| names.0)))
    });
    show("gutierrez_8.svg", "Axial force at A (root), B (middle), C (tip)", "N", axial.collect());
    let bending = both.map(|((point, place), column)| {
        (format!("bending moment at {point}"), curves(&format!("{place}.moment.y"), -1.0, column.map(|names| names.1)))
    });
    show("gutierrez_9.svg", "Bending moment at A (root), B (middle), C (tip)", "N.m", bending.collect());
}
