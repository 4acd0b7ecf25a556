//! `ballesta reduce` and `ballesta modes`.

use super::*;
use ballesta::math::largest;

/// A plane bar with an interface at either end.
const BAR: &str = r#"
[structure]
name = "bar"
dimension = 2
[nodes]
A = [0, 0]
B = [1, 0]
[[material]]
name = "steel"
youngs_modulus = 2.1e11
density = 7800
[[section]]
name = "square"
shape = "rectangle"
width = 0.02
height = 0.02
[[beam]]
name = "bar"
nodes = ["A", "B"]
material = "steel"
section = "square"
divisions = 6
[[interface]]
name = "A"
node = "A"
[[interface]]
name = "B"
node = "B"
[reduction]
modes = 3
"#;

fn frequencies(findings: &Value) -> Vec<f64> {
    findings["frequencies_hz"].as_array().expect("frequencies").iter().map(|f| f.as_f64().unwrap()).collect()
}

fn files(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.0).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Names of all elements of an XML document that is well-formed.
fn elements(svg: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(svg);
    reader.config_mut().check_end_names = true;
    let (mut names, mut depth) = (Vec::new(), 0);
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}: {svg}")) {
            quick_xml::events::Event::Start(tag) => {
                depth += 1;
                names.push(tag.name().as_ref().to_string());
            }
            quick_xml::events::Event::Empty(tag) => names.push(tag.name().as_ref().to_string()),
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    names
}

#[test]
fn a_reduction_writes_the_same_model_twice_and_reports_what_it_is() {
    let folder = Folder::new("reduce");
    let models = ["a.rom.toml", "b.rom.toml"].map(|name| folder.path(name));
    let svg = folder.path("frame.svg");
    let findings = ballesta(["reduce", "models/structures/frame", "-o", &models[0], "--svg", &svg, "--json"]).json();
    for key in ["frequencies_hz", "checks", "seconds", "modes", "comparison", "mass_kg", "coordinates"] {
        assert!(findings.get(key).is_some(), "{key} in {findings:#}");
    }
    assert_eq!((&findings["structure"], &findings["file"]), (&"frame".into(), &models[0].as_str().into()));
    assert_eq!(findings["checks"]["rigid_modes"], 3);
    assert_eq!(findings["checks"]["modes_counted"], findings["checks"]["modes_found"]);
    assert!(findings["seconds"].as_f64().unwrap() > 0.0);
    let compared = findings["comparison"].as_array().unwrap();
    assert!(compared.iter().all(|pair| pair["relative_error"].as_f64().unwrap() > -1e-9), "{compared:?}");

    let answer = ballesta(["reduce", "models/structures/frame", "-o", &models[1], "--no-comparison"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for words in
        ["Structure frame reduced to", "7 internal modes", "fixed interfaces", "modes computed / counted", "ωh"]
    {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
    assert!(!answer.stdout.contains("MAC"), "without comparison");
    assert!(answer.stderr.contains("required memory"), "memory is predicted: {}", answer.stderr);
    let texts = models.clone().map(|path| fs::read_to_string(path).unwrap());
    assert!(texts[0] == texts[1], "two runs give the same bytes");

    // The free frequencies of the file are those of the report.
    let modes = ballesta(["modes", &models[0], "--count", "1000", "--json"]).json();
    let (of_file, of_report) = (frequencies(&modes), frequencies(&findings));
    assert_eq!((of_file.len(), modes["rigid_modes"].as_u64()), (of_report.len(), Some(3)));
    let worst = largest(of_file.iter().zip(&of_report).map(|(a, b)| a / b - 1.0));
    assert!(worst < 1e-12, "{worst:e}");

    let elements = elements(&fs::read_to_string(svg).unwrap());
    assert_eq!(elements[0], "svg");
    assert_eq!(elements.iter().filter(|name| *name == "g").count(), 9, "one panel a mode");
}

#[test]
fn a_model_is_named_after_its_structure_unless_it_is_told_otherwise() {
    let folder = Folder::new("reduce-name");
    folder.file("structure.toml", BAR);
    let run = |arguments: &[&str]| Command::new(PROGRAM).args(arguments).current_dir(&folder.0).output().unwrap();
    let output = run(&["reduce", "."]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.0.join("bar.rom.toml").is_file());
    let modes = run(&["modes", "bar.rom.toml"]);
    let page = String::from_utf8(modes.stdout).unwrap();
    assert!(page.starts_with("bar, free: 3 rigid-body modes\n"), "{page}");
    // A free uniform bar: (4.7300407/L)² √(EI/ρA) / 2π.
    let expected =
        4.730040744862704_f64.powi(2) * (2.1e11 / 7800.0 * 0.02 * 0.02 / 12.0_f64).sqrt() / std::f64::consts::TAU;
    let first: f64 = page.lines().nth(2).unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((first / expected - 1.0).abs() < 1e-3, "{first} {expected}");
}

#[test]
fn what_is_wrong_with_a_structure_ends_with_1_and_nothing_is_written() {
    let folder = Folder::new("reduce-wrong");
    for (wrong, place, words) in [
        (BAR.replace("\"steel\"\nsection", "\"steal\"\nsection"), ":20:", "\"steel\""),
        (BAR.replace("modes = 3", "modes = 300"), ":30:", "fewer modes"),
        (BAR.replace("[reduction]\nmodes = 3", ""), "", "[reduction]"),
        (BAR.replace("modes = 3", "modes = 3\nsupport = \"C\""), ":31:", "`A`"),
    ] {
        let structure = folder.file("structure.toml", &wrong);
        for json in [&[][..], &["--json"][..]] {
            let rom = folder.path("bar.rom.toml");
            let svg = folder.path("bar.svg");
            let answer = ballesta([&["reduce", &structure, "-o", &rom, "--svg", &svg], json].concat());
            assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{}", answer.stderr);
            let said = match json.is_empty() {
                true => answer.stderr,
                false => crate::json::lines(&answer).join("\n"),
            };
            assert!(said.contains(&format!("{structure}{place}")), "{said}");
            assert!(said.contains(words), "{words} in {said}");
        }
        assert_eq!(files(&folder), ["structure.toml"]);
    }
}

#[test]
fn a_model_that_cannot_be_written_ends_with_2_and_leaves_nothing() {
    let folder = Folder::new("reduce-unwritable");
    let structure = folder.file("structure.toml", BAR);
    fs::create_dir(folder.0.join("taken")).unwrap();
    for (output, words) in [("none/bar.rom.toml", "No such file"), ("taken", "cannot write")] {
        let answer = ballesta(["reduce", &structure, "-o", &folder.path(output)]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
        assert!(answer.stderr.contains(words), "{}", answer.stderr);
        let mut left = files(&folder);
        left.sort();
        assert_eq!(left, ["structure.toml", "taken"]);
    }
    let answer = ballesta(["reduce", &folder.path("none.toml")]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("cannot read"), "{}", answer.stderr);
}

#[test]
fn modes_of_the_truss_are_those_of_the_reference() {
    let text = fs::read_to_string(Path::new(ROOT).join("tests/reference/structures.json")).unwrap();
    let reference: Value = serde_json::from_str(&text).unwrap();
    for (key, held) in [("free_free_consistent_Hz", &[][..]), ("supported_consistent_Hz", &["--supported"][..])] {
        let wanted: Vec<f64> =
            reference["truss"][key].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
        let count = wanted.len().to_string();
        let arguments = ["modes", "models/structures/truss", "--count", &count, "--json"];
        let findings = ballesta([&arguments, held].concat()).json();
        assert_eq!(findings["held"], !held.is_empty());
        let found = frequencies(&findings);
        assert_eq!(found.len(), wanted.len(), "{key}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found / wanted - 1.0).abs() < 1e-9, "{key}: {found} {wanted}");
        }
    }
}

#[test]
fn mode_shapes_are_drawn_and_wrong_requests_refused() {
    let folder = Folder::new("modes");
    let svg = folder.path("modes.svg");
    let arguments = ["modes", "models/structures/truss", "--supported", "--count", "4", "--svg", &svg];
    let answer = ballesta(arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(
        answer.stdout.starts_with("truss, held by its supports: no rigid-body modes")
            || answer.stdout.contains("held by")
    );
    assert_eq!(elements(&fs::read_to_string(&svg).unwrap()).iter().filter(|name| *name == "g").count(), 4);

    let rom = folder.path("x.rom.toml");
    let structure = folder.file("structure.toml", BAR);
    assert_eq!(ballesta(["reduce", &structure, "-o", &rom]).code, 0);
    for (arguments, code, words) in [
        (vec!["modes", &structure, "--supported"], 2, "no supports"),
        (vec!["modes", &rom, "--supported"], 2, "need a structure"),
        (vec!["modes", &rom, "--svg", &svg], 2, "need a structure"),
        (vec!["modes", "tests/broken_roms/indefinite_mass.toml"], 1, "error"),
        (vec!["modes", "no.rom.toml"], 2, "cannot read"),
        (vec!["modes", &structure, "--svg", "no/folder/x.svg"], 2, "cannot write"),
    ] {
        let answer = ballesta(&arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
    }
    let text = fs::read_to_string(&rom).unwrap();
    let broken = folder.file("broken.rom.toml", &text.replacen("mass = [", "mass = [nan,", 1));
    let answer = ballesta(["modes", &broken]);
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""));
    assert!(answer.stderr.contains("broken.rom.toml:"), "{}", answer.stderr);
}
