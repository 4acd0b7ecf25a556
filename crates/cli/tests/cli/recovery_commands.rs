//! Recovery files: `reduce --recovery`, `run --recovery`, `view --recovery`.

use super::view_pages::data;
use super::*;
use ballesta::math::largest;

/// A cantilever in space of E = 210 GPa, 1.2 m long, 20 mm by 40 mm, with the modes that it is to keep.
const BEAM: &str = r#"
[structure]
name = "beam"
[nodes]
root = [0, 0, 0]
tip = [1.2, 0, 0]
[[material]]
name = "steel"
youngs_modulus = 2.1e11
density = 7850
[[section]]
name = "flat"
shape = "rectangle"
width = 0.02
height = 0.04
[[beam]]
name = "beam"
nodes = ["root", "tip"]
material = "steel"
section = "flat"
divisions = 8
[[interface]]
name = "root"
node = "root"
[[interface]]
name = "tip"
node = "tip"
[reduction]
modes = 1
"#;
const LENGTH: f64 = 1.2;
const STIFFNESS: f64 = 2.1e11 * 0.02 * 0.04 * 0.04 * 0.04 / 12.0;
/// z/I_y of the outer fibres.
const FIBRE: f64 = 0.02 / (0.02 * 0.04 * 0.04 * 0.04 / 12.0);
const WEIGHT: f64 = 7850.0 * 0.02 * 0.04 * 9.81;

/// The cantilever under its weight and a force at its tip, both along −z.
fn model(gravity: f64, stop: f64) -> String {
    format!(
        r#"
[model]
name = "cantilever"
gravity = [0, 0, {gravity}]
step = 1e-4
[experiment]
stop = {stop}
step = 1e-3
[points]
root = [0, 0, 0]
tip = [1.2, 0, 0]
[[flexible_body]]
name = "beam"
rom = "beam.rom.toml"
position = "root"
frame = "root"
stiffening = "none"
[[joint]]
name = "clamp"
type = "fixed"
bodies = ["ground", "beam.root"]
[[input]]
name = "force"
[[force]]
name = "force"
body = "beam.tip"
point = "tip"
value = [0, 0, "force"]
[[output]]
name = "tip"
flexible_body = "beam"
quantity = "strain_energy"
"#
    )
}

/// A folder with the reduced cantilever and its model; names of the model and of the recovery file.
fn cantilever(name: &str, modes: &str, gravity: f64, stop: f64) -> (Folder, String, String) {
    let folder = Folder::new(name);
    let structure = folder.file("structure.toml", BEAM);
    let [rom, recovery] = ["beam.rom.toml", "beam.recovery.toml"].map(|name| folder.path(name));
    let answer = ballesta(["reduce", &structure, "-o", &rom, "--recovery", &recovery, "--modes", modes]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("beam.recovery.toml"), "{}", answer.stdout);
    let model = folder.file("model.toml", &model(gravity, stop));
    (folder, model, recovery)
}

fn columns(file: &str) -> std::collections::BTreeMap<String, Vec<f64>> {
    let text = fs::read_to_string(file).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    let column = |k: usize| rows.lines().map(|row| row.split(',').nth(k).unwrap().parse().unwrap()).collect();
    head.split(',').enumerate().map(|(k, name)| (name.to_string(), column(k))).collect()
}

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-9 * wanted.abs()
}

#[test]
fn a_cantilever_with_a_force_at_its_tip_has_the_stress_and_the_deflection_of_statics() {
    // With a force at the interface alone the modes that are left out have no part: no mode, and no gravity.
    let (folder, model, recovery) = cantilever("recovery-tip", "0", 0.0, 1e-3);
    let (force, csv) = (-80.0, folder.path("out.csv"));
    let nodes: Vec<String> = (1..8).map(|k| format!("beam:{k}")).collect();
    let sections: Vec<String> = (1..=8).map(|k| format!("beam[{k}].start")).collect();
    let mut typed = vec!["run", &model, "--trim", "--set", "force=-80", "--recovery", &recovery, "--csv", &csv];
    typed.push("--json");
    nodes.iter().chain(&sections).for_each(|name| typed.extend(["--recover", name]));
    let answer = ballesta(&typed);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let found = columns(&csv);
    for k in 1..8 {
        let x = LENGTH * k as f64 / 8.0;
        let wanted = force * x * x * (3.0 * LENGTH - x) / (6.0 * STIFFNESS);
        let deflection = found[&format!("beam.beam[{k}].displacement.z")][0];
        assert!(close(deflection, wanted), "{k}: {deflection:e} instead of {wanted:e}");
    }
    for k in 1..=8 {
        let arm = LENGTH * (9 - k) as f64 / 8.0;
        let upper = found[&format!("beam.beam[{k}].start.stress.plus_plus")][0];
        let lower = found[&format!("beam.beam[{k}].start.stress.plus_minus")][0];
        let wanted = -force * arm * FIBRE;
        assert!(close(upper, wanted) && close(lower, -wanted), "{k}: {upper:e}, {lower:e} instead of ±{wanted:e}");
    }
    // The greatest of all nodes and fibres, and where.
    let greatest = &answer.json()["recovery"][0];
    let value = |key: &str| greatest[key].as_f64().unwrap();
    assert!(close(value("stress_pa"), -force * LENGTH * FIBRE), "{greatest}");
    assert!(close(value("displacement_m"), -force * LENGTH * LENGTH * LENGTH / (3.0 * STIFFNESS)), "{greatest}");
    assert!(greatest["stress_at"].as_str().unwrap().starts_with("beam[1].start, fibre "), "{greatest}");
    assert_eq!((&greatest["body"], &greatest["displacement_at"]), (&"beam".into(), &"tip".into()));
}

#[test]
fn under_its_weight_the_stress_is_that_of_statics_with_a_single_mode() {
    let (folder, model, recovery) = cantilever("recovery-weight", "1", -9.81, 1e-3);
    let csv = folder.path("out.csv");
    let sections: Vec<String> = (1..=8).map(|k| format!("beam[{k}].start")).collect();
    let mut typed = vec!["run", &model, "--trim", "--recovery", &recovery, "--csv", &csv];
    sections.iter().for_each(|name| typed.extend(["--recover", name]));
    let answer = ballesta(&typed);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("beam: greatest stress"), "{}", answer.stdout);
    let found = columns(&csv);
    for k in 1..=8 {
        let rest = LENGTH * (9 - k) as f64 / 8.0;
        let (stress, wanted) =
            (found[&format!("beam.beam[{k}].start.stress.plus_plus")][0], WEIGHT * rest * rest / 2.0);
        assert!(close(stress, wanted * FIBRE), "{k}: {stress:e} instead of {:e}", wanted * FIBRE);
    }
}

#[test]
fn stresses_of_a_motion_with_few_modes_are_those_of_the_whole_structure() {
    // All 42 modes of the structure leave nothing out. The force comes and goes in 60 ms; the static part of the modes
    // that are left out is in the stress all the same.
    let names = ["beam[1].start", "beam[4].start", "beam[7].start"];
    let of = |modes: &str| {
        let (folder, model, recovery) = cantilever(&format!("recovery-{modes}"), modes, 0.0, 0.06);
        let csv = folder.path("out.csv");
        let force = |k: i32| -40.0 * (1.0 - (std::f64::consts::TAU * f64::from(k) / 60.0).cos());
        let rows: Vec<String> = (0..=60).map(|k| format!("{},{}\n", 1e-3 * f64::from(k), force(k))).collect();
        let inputs = folder.file("force.csv", &format!("time,force\n{}", rows.concat()));
        let mut typed = vec!["run", &model, "--inputs", &inputs, "--recovery", &recovery, "--csv", &csv];
        names.iter().for_each(|name| typed.extend(["--recover", *name]));
        let text = fs::read_to_string(&model).unwrap();
        fs::write(&model, text.replace("step = 1e-4", "step = 1e-4\nintegrator = \"generalized_alpha\"")).unwrap();
        let answer = ballesta(&typed);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        columns(&csv)
    };
    let (few, all) = (of("3"), of("42"));
    for name in names {
        let key = format!("beam.{name}.stress.plus_plus");
        let most = largest(all[&key].iter().copied());
        let off = largest(few[&key].iter().zip(&all[&key]).map(|(a, b)| a - b));
        assert!(off < 2e-3 * most, "{name}: {off:e} Pa of {most:e}");
        if name == names[0] {
            let ratio = most / (80.0 * LENGTH * FIBRE);
            assert!((1.1..2.0).contains(&ratio), "it swings beyond the static stress: {ratio}");
        }
    }
}

#[test]
fn the_page_shows_the_whole_structure_and_its_stresses_and_no_bit_of_the_run_changes() {
    let (folder, model, recovery) = cantilever("recovery-page", "1", -9.81, 0.05);
    let [page, plain, with] = ["out.html", "plain.csv", "with.csv"].map(|name| folder.path(name));
    assert_eq!(ballesta(["run", &model, "--csv", &plain]).code, 0);
    let answer = ballesta(["run", &model, "--csv", &with, "--html", &page, "--recovery", &recovery]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(fs::read(&plain).unwrap() == fs::read(&with).unwrap(), "other outputs");
    let data = data(&page);
    let part = &data["parts"]["flexible"][0];
    // Two interfaces, then nine nodes with eight elements between them.
    assert_eq!((part["places"].as_array().unwrap().len(), part["edges"].as_array().unwrap().len()), (11, 8));
    assert_eq!((&part["edges"][0], &part["stress"]["ends"][7]), (&Value::from(vec![2, 4]), &Value::from(vec![14, 15])));
    assert_eq!(data["frames"]["stresses"][0][1].as_array().unwrap().len(), 16);
    let largest = part["stress"]["largest"].as_f64().unwrap();
    let ratio = largest / (WEIGHT * LENGTH * LENGTH / 2.0 * FIBRE);
    assert!((1.5..2.5).contains(&ratio), "it falls and swings: {ratio}");
    assert!(part["stress"]["told"][1].as_str().unwrap().contains("greatest stress"), "{}", part["stress"]["told"]);

    let answer = ballesta(["view", &model, "-o", &page, "--recovery", &recovery]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(super::view_pages::data(&page)["parts"]["flexible"][0]["edges"].as_array().unwrap().len(), 8);
}

/// A field of uniform stress and what makes von Mises' of it.
#[test]
fn stress_tensors_that_somebody_adds_are_outputs_and_colours() {
    let (folder, model, recovery) = cantilever("recovery-tensor", "0", 0.0, 1e-3);
    let text = fs::read_to_string(&recovery).unwrap();
    // σ_xx = 3 and σ_xy = 2 per m that the tip moves along z beside the root, less its turning: no rigid motion has it.
    let row = |factor: f64| {
        let mut row = vec![0.0; 12];
        (row[2], row[8], row[4]) = (-factor, factor, LENGTH * factor);
        format!("{row:?}")
    };
    let zero = row(0.0);
    let rows = [&row(3e9), &zero, &zero, &row(2e9), &zero, &zero].map(String::as_str).join(",\n");
    fs::write(&recovery, format!("{text}\n[[stress]]\nnode = \"tip\"\ncomponents = [\n{rows}]\n")).unwrap();
    let csv = folder.path("out.csv");
    let typed = ["--trim", "--set", "force=-80", "--recovery", &recovery, "--recover", "tip", "--csv", &csv];
    let answer = ballesta([&["run", &model][..], &typed].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let found = columns(&csv);
    let tip = found["beam.tip.displacement.z"][0];
    let [xx, yy, xy] = ["xx", "yy", "xy"].map(|word| found[&format!("beam.tip.stress.{word}")][0]);
    assert!(close(xx, 3e9 * tip) && close(xy, 2e9 * tip) && yy == 0.0, "{xx}, {xy}, {yy} at {tip}");
    // Invariants of σ_xx and σ_xy: the principal stresses are ½ σ_xx ± √(¼ σ_xx² + σ_xy²) and 0.
    let radius = (0.25 * xx * xx + xy * xy).sqrt();
    let [mises, shear, first, second, third] = ["von_mises", "max_shear", "principal_1", "principal_2", "principal_3"]
        .map(|word| found[&format!("beam.tip.stress.{word}")][0]);
    assert!(close(mises, (xx * xx + 3.0 * xy * xy).sqrt()) && close(shear, radius), "{mises}, {shear}");
    assert!(close(first, 0.5 * xx + radius) && close(third, 0.5 * xx - radius), "{first}, {third}");
    assert!(second.abs() <= 1e-12 * radius && first >= second && second >= third, "{second}");
    // The page plots them over time, as other outputs.
    let page = folder.path("out.html");
    let answer = ballesta([&["run", &model, "--html", &page][..], &typed[..7]].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(data(&page).to_string().contains("beam.tip.stress.von_mises"));
    let answer = ballesta([&["run", &model, "--html", &page, "--json"][..], &typed[..5]].concat());
    let greatest = answer.json()["recovery"][0]["stress_pa"].as_f64().unwrap();
    let wanted = (9e18_f64 + 3.0 * 4e18).sqrt() * tip.abs();
    let beam = 80.0 * LENGTH * FIBRE;
    assert!(close(greatest, wanted.max(beam)), "{greatest:e} instead of {wanted:e} or {beam:e}");
    assert_eq!(data(&page)["frames"]["stresses"][0][1].as_array().unwrap().len(), 17);
}

/// A cantilever tube under a torque T and a force F at its tip, and a flat one under T: closed forms of σ and τ.
#[test]
fn shear_stresses_of_torsion_and_bending_are_their_closed_forms() {
    let (folder, model, recovery) = cantilever("recovery-shear", "0", 0.0, 1e-3);
    let torque = "[[input]]\nname = \"torque\"\n[[torque]]\nname = \"torque\"\nbody = \"beam.tip\"\n\
                  value = [\"torque\", 0, 0]\n[[output]]";
    let text = fs::read_to_string(&model).unwrap().replace("[[output]]", torque);
    fs::write(&model, text).unwrap();
    let rectangle = "shape = \"rectangle\"\nwidth = 0.02\nheight = 0.04";
    let tube = "shape = \"tube\"\nouter_diameter = 0.04\nthickness = 0.005";
    let csv = folder.path("out.csv");
    let run = |section: &str| {
        let structure = folder.file("structure.toml", &BEAM.replace(rectangle, section));
        let rom = folder.path("beam.rom.toml");
        let answer = ballesta(["reduce", &structure, "-o", &rom, "--recovery", &recovery, "--modes", "0"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let typed = ["--set", "force=-80", "--set", "torque=50", "--recovery", &recovery];
        let named = ["--trim", "--recover", "beam[5].start", "--csv", &csv];
        let answer = ballesta([&["run", &model][..], &typed, &named].concat());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let found = columns(&csv);
        move |word: &str| found[&format!("beam.beam[5].start.stress.{word}")][0]
    };
    // The tip turns by 3e-3 rad, which changes the moments by the square of it.
    let near = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-5 * wanted.abs();
    let (force, torque, arm) = (-80.0, 50.0, 0.6);
    // The tube: T r/J at every point, and the force at the neutral axis.
    let found = run(tube);
    let [outer, inner] = [0.02_f64, 0.015];
    let area = std::f64::consts::PI * (outer * outer - inner * inner);
    let second = std::f64::consts::PI / 4.0 * (outer.powi(4) - inner.powi(4));
    let twist = torque * outer / (2.0 * second);
    let ring = 4.0 / 3.0 * (outer * outer + outer * inner + inner * inner) / (outer * outer + inner * inner);
    let across = force * ring / area;
    // around[0] is at +y, where torsion is along +z; around[4] is at +z, the outermost fibre.
    let bending = -force * arm * outer / second;
    assert!(near(found("around[0].shear"), (twist + across).abs()), "{}", found("around[0].shear"));
    assert!(near(found("around[8].shear"), (twist - across).abs()), "{}", found("around[8].shear"));
    assert!(near(found("around[4]"), bending) && near(found("around[4].shear"), twist), "{}", found("around[4]"));
    let mises = (bending * bending + 3.0 * twist * twist).sqrt();
    assert!(near(found("around[4].von_mises"), mises), "{}", found("around[4].von_mises"));
    // The rectangle of 20 × 40 mm: k₁ = 0.2287, and T/(k₂ a b²) with k₂ = 0.2459 at the long sides, which are along z.
    let found = run(rectangle);
    let side = torque / (0.245_9 * 0.04 * 0.02 * 0.02);
    let across = 1.5 * force / (0.02 * 0.04);
    let shear = [found("plus_middle.shear"), found("minus_middle.shear")];
    assert!(((shear[0] + shear[1]) / (2.0 * side) - 1.0).abs() < 5e-4, "{shear:?} {side}");
    assert!(((shear[1] - shear[0]) / (-2.0 * across) - 1.0).abs() < 1e-5, "{shear:?} {across}");
    assert!(near(found("plus_middle.von_mises"), 3.0_f64.sqrt() * shear[0]), "{shear:?}");
    assert_eq!(found("plus_plus.shear"), 0.0);
    assert!(near(found("plus_plus.von_mises"), found("plus_plus").abs()));
}

#[test]
fn a_recovery_file_that_does_not_fit_is_refused_with_the_reason() {
    let (folder, model, recovery) = cantilever("recovery-wrong", "1", 0.0, 1e-3);
    let text = fs::read_to_string(&recovery).unwrap();
    let wrong = folder.path("wrong.toml");
    let refused = |text: &str, words: &[&str]| {
        fs::write(&wrong, text).unwrap();
        let answer = ballesta(["run", &model, "--recovery", &wrong]);
        assert_eq!(answer.code, 1, "{words:?}: {}{}", answer.stdout, answer.stderr);
        for word in words.iter().chain(&["wrong.toml:"]) {
            assert!(answer.stderr.contains(word), "{word} in {}", answer.stderr);
        }
    };
    let other = folder.path("other.toml");
    let structure = folder.path("structure.toml");
    let reduce = |modes: &str| {
        let rom = folder.path("other.rom.toml");
        let answer = ballesta(["reduce", &structure, "-o", &rom, "--recovery", &other, "--modes", modes]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        fs::read_to_string(&other).unwrap()
    };
    refused(
        &reduce("3"),
        &["does not belong to any flexible body", "beam has 13 coordinates and needs 91 numbers of stiffness, not 120"],
    );
    let stiffer = folder.file("structure.toml", &BEAM.replace("2.1e11", "2.2e11"));
    assert_eq!(stiffer, structure);
    refused(&reduce("1"), &["beam has a different stiffness: difference 5e-2 in row 0, column 0", "in one command"]);
    refused(&text.replace("ballesta-recovery", "ballesta-rom"), &["found \"ballesta-rom\"", "format"]);
    refused(&text.replace("version = 1", "version = 2"), &["found version 2"]);
    refused(&text.replacen("[0, 2]", "[0, 9]", 1), &["line 0 is [0, 9]", "below 9"]);
    refused(&text.replacen("lines = [\n [0, 2],", "lines = [", 1), &["16 sections for 7 lines"]);
    refused(&text.replacen("position = [0.15,", "position = [0.25,", 1), &["node[2].displacement"]);
    refused(&format!("{text}\n[[stress]]\nnode = \"tap\"\ncomponents = []\n"), &["no node \"tap\"", "\"tip\""]);
    refused(&format!("{text}\n[[stress]]\nnode = \"tip\"\ncomponents = [[1]]\n"), &["six rows", "13 finite numbers"]);
    refused(&fs::read_to_string(&model).unwrap(), &["format"]);

    let usage = |typed: &[&str], words: &str| {
        let answer = ballesta([&["run", &model][..], typed].concat());
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains(words), "{words} in {}", answer.stderr);
    };
    usage(&["--recovery", "none.toml"], "cannot read");
    usage(&["--recover", "tip"], "pass the recovery file with --recovery");
    usage(&["--recovery", &recovery, "--recover", "beam:9"], "no recovery file has a node or section with this name");
    let answer = ballesta(["run", &model, "--recovery", &recovery, "--recovery", &recovery]);
    assert!(answer.code == 1 && answer.stderr.contains("already has a recovery file"), "{}", answer.stderr);
    let answer = ballesta(["run", "models/four_bar", "--recovery", &recovery]);
    assert!(answer.code == 1 && answer.stderr.contains("no flexible body"), "{}", answer.stderr);
}
