//! Modes of flexible bodies: which are dynamic, what is recovered when some are left out, how far a body may bend, and
//! whether the gallery's models run at steps that resolve them.

use crate::models;
use ballesta::analysis::step_map::{AnalysisExtent, step_limit};
use ballesta::compile;
use ballesta::compile::quasi_static;
use ballesta::math::larger;
use ballesta::model::Document;
use ballesta::model::schema::Integrator;
use ballesta::simulate::Simulator;
use ballesta::simulate::bending::{BOUND, Bending};
use ballesta::system::{System, Workspace};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Young's modulus, Pa, length, m, and mass, kg, of the arm link: a tube of 40 mm by 2 mm.
const MODULUS: f64 = 70e9;
const LENGTH: f64 = 1.0;
const MASS: f64 = 0.644654812516625;
const WEIGHT: f64 = 9.81;
/// Number of its elastic modes.
const MODES: usize = 10;

/// An arm link held at its root with a weight at its tip; `general` and `body` are further keys of these tables.
fn loaded_link(mass: f64, general: &str, body: &str) -> String {
    format!(
        r#"
        [model]
        name = "loaded_link"
        gravity = [0, 0, -9.81]
        integrator = "generalized_alpha"
        {general}
        [experiment]
        stop = 1
        [[flexible_body]]
        name = "link"
        rom = "link.rom.toml"
        {body}
        [[joint]]
        name = "clamp"
        type = "fixed"
        bodies = ["ground", "link.root"]
        [[body]]
        name = "weight"
        mass = {mass}
        com = [1, 0, 0]
        inertia = [1e-4, 1e-4, 1e-4, 0, 0, 0]
        [[joint]]
        name = "hold"
        type = "fixed"
        bodies = ["link.tip", "weight"]
        [[output]]
        name = "height"
        body = "weight"
        quantity = "position"
        component = "z"
        [[output]]
        name = "force"
        flexible_body = "link"
        section = "root.section"
        quantity = "section_force"
        [[output]]
        name = "moment"
        flexible_body = "link"
        section = "root.section"
        quantity = "section_moment"
        "#
    )
}

/// A model in the folder of the gallery model `folder`.
fn parse(folder: &str, text: &str) -> Document {
    let place = format!("{}/models/{folder}/model.toml", env!("CARGO_MANIFEST_DIR"));
    models::parse(text, &place)
}

fn parameters(document: &Document) -> Vec<f64> {
    document.model.parameters.iter().map(|parameter| parameter.value).collect()
}

fn compile(document: &Document) -> System {
    models::compiled_with(document, &parameters(document))
}

/// Outputs at the times `interval`, 2 `interval`, … up to `stop`, and how far the bodies bent.
struct Record {
    columns: BTreeMap<String, Vec<f64>>,
    bending: Bending,
}

impl Record {
    fn new(document: &Document, stop: f64, interval: f64) -> Record {
        let mut simulator = Simulator::new(Arc::new(compile(document)));
        let fault = |simulator: &Simulator, fault| -> ! {
            panic!("{}: {}", document.model.general.name, simulator.system().describe(&fault))
        };
        if let Err(found) = simulator.initialize(document.model.experiment.start) {
            fault(&simulator, found)
        }
        let names: Vec<String> = simulator.system().interface().outputs.iter().map(|o| o.name.clone()).collect();
        let mut rows = Vec::new();
        for k in 0..=(stop / interval).round() as usize {
            let mut values = vec![0.0; names.len()];
            if let Err(found) = simulator.advance(k as f64 * interval).and_then(|_| simulator.outputs(&mut values)) {
                fault(&simulator, found)
            }
            rows.push(values);
        }
        let column = |(k, name): (usize, String)| (name, rows.iter().map(|row| row[k]).collect());
        let bending = *simulator.judgement().bending();
        Record { columns: names.into_iter().enumerate().map(column).collect(), bending }
    }

    fn get(&self, name: &str) -> &[f64] {
        self.columns.get(name).unwrap_or_else(|| panic!("no output {name}: {:?}", self.columns.keys()))
    }

    fn first(&self, name: &str) -> f64 {
        self.get(name)[0]
    }
}

/// The largest; not a number if one is.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, larger)
}

/// Frequency in Hz of a series about its mean, from the times at which it rises through it.
fn frequency(series: &[f64], interval: f64) -> f64 {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    let rises: Vec<f64> = series
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < mean && pair[1] >= mean)
        .map(|(k, pair)| (k as f64 + (mean - pair[0]) / (pair[1] - pair[0])) * interval)
        .collect();
    (rises.len() - 1) as f64 / (rises[rises.len() - 1] - rises[0])
}

/// Frequency in Hz of the loaded cantilever: Rayleigh, 33/140 of its own mass at the tip.
fn cantilever(mass: f64) -> f64 {
    let bending = MODULUS * PI / 64.0 * (0.04f64.powi(4) - 0.036f64.powi(4));
    (3.0 * bending / (LENGTH.powi(3) * (mass + 33.0 / 140.0 * MASS))).sqrt() / TAU
}

#[test]
fn a_weight_on_a_link_that_is_too_fast_for_the_step_swings_all_the_same() {
    // The link alone has 272 Hz, ωh = 1.7 at 1 ms and 8.5 at 5 ms.
    for (mass, step) in [(20.0, 1e-3), (20.0, 5e-3), (5.0, 2e-3)] {
        let document = parse("serial_arm", &loaded_link(mass, &format!("step = {step}"), ""));
        assert!(compile(&document).report().flexible[0].modes.iter().all(|mode| !mode.quasi_static));
        let found = frequency(Record::new(&document, 6.0, step).get("height"), step);
        let wanted = cantilever(mass);
        println!("{mass} kg at {step} s: {found:.4} Hz, {wanted:.4} Hz");
        assert!((found / wanted - 1.0).abs() < 5e-3, "{mass} kg, {step} s: {found} Hz, {wanted} Hz");
    }
}

#[test]
fn quasi_static_modes_that_take_a_resolved_motion_away_are_found() {
    let with = |text: &str| {
        let document = parse("serial_arm", text);
        let found = quasi_static::changes(&document, &parameters(&document), &compile(&document));
        found.unwrap_or_else(|unknown| panic!("{unknown}"))
    };
    let lost = with(&loaded_link(20.0, "resolution = 1.5", ""));
    println!("{lost:?}");
    let wanted = cantilever(20.0);
    assert!((lost[0].dynamic / wanted - 1.0).abs() < 5e-3, "{} Hz, {wanted} Hz", lost[0].dynamic);
    // Nothing hangs on the tip, and what is held is far above what the step resolves: nothing changes.
    assert_eq!(with(&loaded_link(1e-6, "step = 1e-4\nresolution = 3", "frame = \"root\"")), []);
    assert_eq!(with(&loaded_link(20.0, "", "")), []);
    let bar = include_str!("../../models/stiff_bar/model.toml");
    let document = parse("stiff_bar", bar);
    let found =
        quasi_static::changes(&document, &[], &compile(&document)).unwrap_or_else(|unknown| panic!("{unknown}"));
    assert_eq!(found, []);
}

#[test]
fn section_forces_of_a_loaded_cantilever_do_not_depend_on_the_number_of_modes() {
    let (mass, static_start) = (10.0, "stiffening = \"none\"\ndeformation = \"static\"");
    let (shear, moment) = ((mass + MASS) * WEIGHT, (mass + 0.5 * MASS) * WEIGHT * LENGTH);
    // Seen from the mean axis the root is turned by the bending: of the order of the deflection over the length.
    for (frame, bar) in [("root", 1e-9), ("tip", 2e-3), ("mean_axis", 2e-3)] {
        for modes in 1..=MODES {
            let keys = format!("frame = \"{frame}\"\nmodes = {modes}\n{static_start}");
            let record = Record::new(&parse("serial_arm", &loaded_link(mass, "", &keys)), 0.0, 1.0);
            let found = [-record.first("force.z"), record.first("moment.y")];
            let off = [found[0] / shear - 1.0, found[1] / moment - 1.0];
            println!("{frame}, {modes} modes: {:.4} N, {:.4} N m, off by {off:?}", found[0], found[1]);
            assert!(off.iter().all(|off| off.abs() < bar), "{frame}, {modes} modes: {found:?}, {shear}, {moment}");
        }
    }
}

/// A horizontal rod from the tip to a light slide closes a loop through all modes and carries nothing at rest.
const SLIDE: &str = r#"
[[body]]
name = "slide"
mass = 0.01
com = [3, 0, 0]
[[joint]]
name = "way"
type = "prismatic"
bodies = ["ground", "slide"]
point = [3, 0, 0]
axis = [1, 0, 0]
[[rod]]
name = "rod"
bodies = ["slide", "weight"]
points = [[3, 0, 0], [1, 0, 0]]
"#;

#[test]
fn section_forces_of_a_statically_deformed_beam_in_a_loop_do_not_depend_on_the_number_of_modes() {
    let (mass, static_start) = (10.0, "stiffening = \"none\"\ndeformation = \"static\"");
    let (shear, moment) = ((mass + MASS) * WEIGHT, (mass + 0.5 * MASS) * WEIGHT * LENGTH);
    for (frame, bar) in [("root", 1e-9), ("tip", 2e-4), ("mean_axis", 1e-4)] {
        for modes in 1..=MODES {
            let keys = format!("frame = \"{frame}\"\nmodes = {modes}\n{static_start}");
            let text = loaded_link(mass, "", &keys) + SLIDE;
            let system = compile(&parse("serial_arm", &text));
            assert!(system.report().loops >= 1);
            let record = Record::new(&parse("serial_arm", &text), 0.0, 1.0);
            let found = [-record.first("force.z"), record.first("moment.y")];
            let off = [found[0] / shear - 1.0, found[1] / moment - 1.0];
            println!("{frame}, {modes} modes: {:.4} N, {:.4} N m, off by {off:?}", found[0], found[1]);
            assert!(off.iter().all(|off| off.abs() < bar), "{frame}, {modes} modes: {found:?}, {shear}, {moment}");
        }
    }
}

#[test]
fn a_turning_beam_with_bending_modes_alone_has_its_axial_force() {
    let text = std::fs::read_to_string("models/spinup_beam/model_3.toml").expect("readable");
    let text = text.replace("[[flexible_body]]", "[[flexible_body]]\nmodes = 3");
    let record = Record::new(&parse("spinup_beam", &text), 20.0, 0.1);
    for (place, wanted) in [("root", 2160.0), ("middle", 1620.0), ("tip", 0.0)] {
        let steady = &record.get(&format!("{place}.force.x"))[160..];
        let mean = steady.iter().sum::<f64>() / steady.len() as f64;
        println!("{place}: {mean:.3} N");
        assert!((mean - wanted).abs() < 0.5, "{place}: {mean} N, {wanted} N");
    }
}

#[test]
fn a_section_that_redundant_loops_leave_open_is_refused() {
    // Both ends clamped: six loop equations, of which two modes can follow two.
    let text = |modes: usize, output: &str| {
        format!(
            r#"
            [model]
            name = "both_clamped"
            gravity = [0, 0, -9.81]
            integrator = "generalized_alpha"
            [[flexible_body]]
            name = "link"
            rom = "link.rom.toml"
            modes = {modes}
            [[joint]]
            name = "clamp"
            type = "fixed"
            bodies = ["ground", "link.root"]
            [[joint]]
            name = "far"
            type = "fixed"
            bodies = ["ground", "link.tip"]
            [[output]]
            name = "inner"
            flexible_body = "link"
            {output}
            "#
        )
    };
    let section = "section = \"root.section\"\nquantity = \"section_moment\"";
    let compiled = |text: &str| {
        let document = parse("serial_arm", text);
        compile::compile(&document, &[]).map(|_| ()).map_err(|errors| errors.to_string())
    };
    let refusal = compiled(&text(2, section)).expect_err("refused");
    println!("{refusal}");
    assert!(refusal.contains("output[0]") && refusal.contains("keep all modes of \"link\""), "{refusal}");
    assert_eq!(compiled(&text(MODES, section)), Ok(()));
    assert_eq!(compiled(&text(2, "quantity = \"strain_energy\"")), Ok(()));
}

/// A link that hangs by its root on the joint `joint` and by two springs, in motion.
fn swinging_link(joint: &str, speed: &str, integrator: Integrator, step: f64) -> Document {
    let text = format!(
        r#"
        [model]
        name = "swinging_link"
        gravity = [0, 0, -9.81]
        [[flexible_body]]
        name = "link"
        rom = "link.rom.toml"
        stiffening = "none"
        [[joint]]
        name = "root"
        type = "{joint}"
        bodies = ["ground", "link.root"]
        axis = [0, 1, 0]
        speed = {speed}
        [[spring]]
        name = "first"
        bodies = ["ground", "link.root"]
        points = [[0, 0.3, 1], [0, 0, 0]]
        stiffness = 2000
        free_length = 0.9
        [[spring]]
        name = "second"
        bodies = ["ground", "link.tip"]
        points = [[1.3, 0.2, 1], [1, 0, 0]]
        stiffness = 2000
        free_length = 0.9
        [[output]]
        name = "tip"
        body = "link.tip"
        quantity = "position"
        [[output]]
        name = "energy"
        quantity = "energy_balance"
        "#
    );
    let text = if joint == "revolute" { text } else { text.replace("axis = [0, 1, 0]", "") };
    let mut document = parse("free_body_in_forces", &text);
    (document.model.general.integrator, document.model.general.step) = (integrator, step);
    document
}

/// The interface that a joint holds rings with modes up to ω h = 100: what turns the frame with it is a false load.
#[test]
fn a_body_that_hangs_by_an_interface_keeps_its_energy_at_steps_that_its_modes_are_too_fast_for() {
    for (joint, speed) in [("floating", "[0, 0, 0, 1, 2, 3]"), ("spherical", "[1, 2, 3]"), ("revolute", "1")] {
        let [coarser, coarse, exact] = [
            (Integrator::GeneralizedAlpha, 2e-3),
            (Integrator::GeneralizedAlpha, 1e-3),
            (Integrator::AugmentedLagrangian, 2e-4),
        ]
        .map(|(integrator, step)| Record::new(&swinging_link(joint, speed, integrator, step), 0.2, 0.02));
        for (record, step) in [(coarser, 2), (coarse, 1)] {
            let energy = record.get("energy");
            let gained = largest(energy.iter().map(|e| e - energy[0]));
            let tip = ["tip.x", "tip.y", "tip.z"]
                .map(|name| record.get(name).last().expect("a row") - exact.get(name).last().expect("a row"));
            let off = largest(tip.iter().map(|x| x.abs()));
            println!("{joint}, {step} ms: gains {gained:.2e} J at most, tip {off:.1e} m off");
            assert!(gained <= 0.5 && off <= 0.01, "{joint}, {step} ms: {gained} J, {off} m");
        }
    }
}

/// A frame that is tangent to an interface which a joint lets turn: what its modes leave it of inertia may vanish.
#[test]
fn a_frame_that_is_tangent_to_an_interface_which_turns_freely_is_warned_of_unless_something_holds_it() {
    let drive = "[[joint_spring]]\nname = \"hold\"\njoint = \"root\"\ncoordinate = \"angle\"\nstiffness = 10\n";
    let guide = "[[guided]]\nname = \"hold\"\njoint = \"root\"\nmotion = { amplitude = 0.1, frequency = 1 }\n";
    for (joint, frame, more, warned) in [
        ("revolute", "root", "", true),
        ("universal", "root", "", true),
        ("revolute", "mean_axis", "", false),
        ("revolute", "root", drive, false),
        ("revolute", "root", guide, false),
        ("fixed", "root", "", false),
    ] {
        let text = loaded_link(0.5, "step = 2e-4", &format!("frame = \"{frame}\""));
        let axes = if joint == "universal" { "axis = [0, 1, 0]\nsecond_axis = [0, 0, 1]" } else { "axis = [0, 1, 0]" };
        let axes = if joint == "fixed" { "" } else { axes };
        let hung = text.replace(
            "name = \"clamp\"\n        type = \"fixed\"",
            &format!("name = \"root\"\n        type = \"{joint}\"\n{axes}"),
        );
        assert_ne!(text, hung);
        let warnings = compile(&parse("serial_arm", &(hung + more))).report().warnings.join("\n");
        let said = warnings.contains(
            "the floating frame of `link` is tangent to its interface \"root\", but joint `root` \
             rotates freely there",
        ) && warnings.contains("set `frame = \"mean_axis\"`");
        assert_eq!(said, warned, "{joint}, {frame}, {more}: {warnings}");
    }
}

#[test]
fn a_beam_that_bends_too_far_is_named_with_the_remedy() {
    let soft = loaded_link(60.0, "", "");
    let document = parse("serial_arm", &soft);
    let bending = Record::new(&document, 1.0, 1e-2).bending;
    // It starts undeformed and swings to twice its static deflection.
    let deflection = 2.0 * WEIGHT / (cantilever(60.0) * TAU).powi(2);
    println!("bent by {:.4}, {deflection:.4} in linear theory", bending.ratio);
    assert!((bending.ratio / deflection - 1.0).abs() < 0.05, "{} and {deflection}", bending.ratio);
    let warning = bending.warning(&compile(&document)).expect("a warning");
    assert!(bending.ratio > BOUND && warning.contains("`link`") && warning.contains("divide"), "{warning}");
    let stiff = Record::new(&parse("serial_arm", &loaded_link(10.0, "", "")), 1.0, 1e-2).bending;
    assert!(stiff.ratio > 0.01 && stiff.warning(&compile(&document)).is_none(), "{stiff:?}");
}

/// A model of the gallery; until when it is compared, and how often, s; outputs that are compared beside the strain
/// energies.
type Compared = (&'static str, f64, f64, &'static [&'static str]);

const GALLERY: [Compared; 8] = [
    ("serial_arm/model", 1.0, 1e-3, &["shoulder.torque", "hand.x", "hand.y", "hand.z"]),
    ("flexible_four_bar/model", 0.4, 1e-3, &["crank.torque", "coupler.deflection", "rocker.deflection"]),
    ("flexible_slider_crank/model", 0.1, 2e-4, &["crank.torque", "rod.deflection", "rod.middle.y"]),
    ("free_body_in_forces/model", 0.2, 1e-3, &["tip.position.x", "tip.position.y", "tip.position.z"]),
    ("space_frame/model", 0.5, 1e-3, &["payload.z", "payload.displacement.z", "mount_1.force.z"]),
    ("tumbling_beam/model", 1.0, 1e-2, &["right.deflection.y", "right.deflection.z"]),
    ("spinup_beam/model", 2.0, 1e-2, &["tip.y", "root.moment.y"]),
    ("spinup_beam/model_3", 2.0, 1e-2, &["tip.y", "root.moment.y"]),
];

/// The page with the table of what this test finds.
const PAGE: &str = "docs/flexible-mechanisms.md";

#[test]
fn flexible_models_of_the_gallery_run_at_steps_that_resolve_them() {
    let mut rows = String::new();
    for (name, stop, interval, outputs) in GALLERY {
        let mut text = std::fs::read_to_string(format!("models/{name}.toml")).expect("readable");
        let folder = name.split_once('/').expect("a folder").0;
        let bodies: Vec<String> =
            parse(folder, &text).model.flexible_bodies.iter().map(|body| body.name.clone()).collect();
        for body in &bodies {
            text += &format!(
                "\n[[output]]\nname = \"strain.{body}\"\nflexible_body = \"{body}\"\nquantity = \"strain_energy\"\n"
            );
        }
        let own = parse(folder, &text);
        if own.model.general.integrator == Integrator::GeneralizedAlpha {
            // `check` and `run` take the step.
            let system = compile(&own);
            let mut ws = Workspace::new(&system);
            let limit = step_limit(&system, system.initial(), &mut ws, AnalysisExtent::OwnStep).expect("judged");
            assert!(limit.step >= system.step(), "{name}: {limit:?}");
        }
        let mut fine = own.clone();
        fine.model.general.step = (own.model.general.step / 4.0).min(5e-5);
        let [found, exact] = [&own, &fine].map(|document| Record::new(document, stop, interval));
        // The load of this one jumps at the start: it rings every mode up to 4 kHz, and the strain energy at a sample
        // is 15 % off at any step that one would choose for the motion.
        let rung = name.starts_with("free_body_in_forces");
        let energies = bodies.iter().filter(|_| !rung).map(|body| format!("strain.{body}"));
        for output in outputs.iter().map(|name| name.to_string()).chain(energies) {
            let (a, b) = (found.get(&output), exact.get(&output));
            let range = largest(b.iter().map(|value| value - b.iter().copied().fold(f64::INFINITY, f64::min)));
            let off = largest(a.iter().zip(b).map(|(a, b)| (a - b).abs())) / range;
            assert!(off < 0.01, "{name}, {output}: {off}");
            // The model of a folder is named after it.
            let shown = name.trim_end_matches("/model");
            let step = 1e3 * own.model.general.step;
            rows += &format!("| {shown} | {step} ms | {stop} s | `{output}` | {:.1} % |\n", 100.0 * off);
        }
        assert!(found.bending.ratio > 0.0, "{name}");
        assert_eq!(found.bending.warning(&compile(&own)), None, "{name}");
    }
    println!("{rows}");
    let text = std::fs::read_to_string(PAGE).expect("the page");
    let (head, rest) = text.split_once("<!-- generated: steps -->\n").expect("the table's begin");
    // The header has two lines.
    let start = rest.match_indices('\n').nth(1).expect("a header").0 + 1;
    let end = rest.find("<!-- end -->").expect("the table's end");
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        let (header, tail) = (&rest[..start], &rest[end..]);
        std::fs::write(PAGE, format!("{head}<!-- generated: steps -->\n{header}{rows}{tail}")).expect("writable");
        return;
    }
    // Digits may change with the order of operations: by a tenth of a percent here.
    let cells = |rows: &str| -> Vec<(String, f64)> {
        let row = |row: &str| {
            let (what, percent) = row.trim_end_matches(" % |").rsplit_once(" | ").expect("a row");
            (what.to_string(), percent.parse().expect("a number"))
        };
        rows.lines().map(row).collect()
    };
    let (written, found) = (cells(&rest[start..end]), cells(&rows));
    assert_eq!(written.len(), found.len(), "{PAGE} is not current (BALLESTA_REWRITE=1)");
    for (written, found) in written.iter().zip(&found) {
        assert!(written.0 == found.0 && (written.1 - found.1).abs() < 0.11, "{PAGE}: {written:?} for {found:?}");
    }
}
