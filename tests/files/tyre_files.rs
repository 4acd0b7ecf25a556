//! Tyre files: what is read from them, and what is said about broken ones (`BALLESTA_REWRITE=1` writes the transcripts
//! anew).

use crate::transcripts::files;
use ballesta::document::Diagnostics;
use ballesta::tyre::keys::{ALIASES, MissingKey, ROWS};
use ballesta::tyre::{self, Coefficients, Formula, Input, Law, Mode, Properties, Side};
use std::fmt::Write;
use std::path::Path;

fn read(path: &Path) -> Result<Properties, Diagnostics> {
    ballesta::model::tir::read(
        &ballesta::model::tir::decode(&std::fs::read(path).expect("readable")),
        &path.to_string_lossy(),
    )
}

fn good(name: &str) -> Properties {
    read(&Path::new("tests/tyres").join(name)).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

#[test]
fn every_broken_tyre_is_refused_with_its_transcript() {
    let broken = files("tests/tyres/broken", "tir");
    assert!(broken.len() >= 15);
    crate::transcripts::compare(&broken, "txt", |path| read(path).map(|_| ()));
}

#[test]
fn every_message_says_where_what_and_what_would_be_right() {
    for path in files("tests/tyres/broken", "tir") {
        let text = ballesta::model::tir::decode(&std::fs::read(&path).expect("readable"));
        for diagnostic in read(&path).expect_err("broken").0 {
            assert!(!diagnostic.found.is_empty() && !diagnostic.expected.is_empty(), "{diagnostic}");
            if diagnostic.line > 0 {
                let line = text.lines().nth(diagnostic.line - 1).expect("the line is there");
                assert!((1..=line.chars().count() + 1).contains(&diagnostic.column), "{diagnostic}");
            }
        }
    }
}

/// All numbers of a tyre with their names.
fn numbers(properties: &Properties) -> Vec<(&'static str, f64)> {
    let mut coefficients: Coefficients = properties.coefficients;
    let names = ROWS.iter().flat_map(|row| row.keys.iter().copied());
    names.map(|name| (name, *coefficients.field_mut(name).expect("every key has a field"))).collect()
}

#[test]
fn units_do_not_matter() {
    let (metres, millimetres) = (good("mf_185_80R14.tir"), good("mf_185_80R14_mm.tir"));
    assert_eq!((metres.formula, metres.side), (millimetres.formula, millimetres.side));
    for ((name, a), (_, b)) in numbers(&metres).into_iter().zip(numbers(&millimetres)) {
        assert!((a - b).abs() <= 1e-14 * a.abs(), "{name}: {a} {b}");
    }
}

#[test]
fn formulas_and_sides_are_recognised() {
    assert_eq!(good("mf_185_80R14.tir").formula, Formula::Mf52);
    let car = good("mf61_205_60R16.tir");
    assert_eq!((car.formula, car.side), (Formula::Mf61, Side::Right));
    assert_eq!((car.coefficients.q_v2, car.coefficients.inflpres), (0.04667, 230e3));

    let sparse = std::fs::read_to_string("tests/tyres/sparse.tir").expect("readable");
    let with = |line: &str| {
        ballesta::model::tir::read(&sparse.replace("fittyp = 6", line), "sparse.tir").map(|tyre| tyre.formula)
    };
    for line in [
        "FITTYP = 5",
        "FITTYP=51",
        "FITTYP 	= 52",
        "Property_File_Format='PAC2002'",
        "PROPERTY_FILE_FORMAT = \"MF_05\"",
    ] {
        assert_eq!(with(line), Ok(Formula::Mf52), "{line}");
    }
    for line in ["FITTYP = 61", "FITTYP=62", "PROPERTY_FILE_FORMAT='MF61'", "PROPERTY_FILE_FORMAT='MF-TYRE'\nFITTYP=61"]
    {
        assert_eq!(with(line), Ok(Formula::Mf61), "{line}");
    }
}

#[test]
fn a_sparse_file_gets_the_documented_defaults_and_notes() {
    let sparse = good("sparse.tir");
    let given = [
        "unloaded_radius",
        "fnomin",
        "vertical_stiffness",
        "pcx1",
        "pdx1",
        "pkx1",
        "pcy1",
        "pdy1",
        "pky1",
        "pky2",
        "bottoming_radius",
    ];
    let mut defaults = Properties { coefficients: Coefficients::defaults(), ..sparse.clone() };
    let derived = ["q_fz1", "fzmax", "presmax", "pae", "pbe"];
    for ((name, value), (_, default)) in numbers(&sparse).into_iter().zip(numbers(&defaults)) {
        assert!(given.contains(&name) || derived.contains(&name) || value == default, "{name}: {value} {default}");
    }
    assert_eq!(sparse.coefficients.fzmax, 75e3);
    assert_eq!((sparse.deflection_load.len(), sparse.bottoming.len()), (4, 2));
    assert!(sparse.notes.iter().any(|note| note.key == "UNITS"), "{:?}", sparse.notes);
    defaults.coefficients = sparse.coefficients;
    assert_eq!(defaults, sparse);
}

/// The sparse file with lines behind that of `PKX1`, and the number of the first of them.
fn sparse_with_lines(lines: &str) -> (Result<Properties, Diagnostics>, usize) {
    let sparse = std::fs::read_to_string("tests/tyres/sparse.tir").expect("readable");
    let before = sparse.lines().position(|line| line == "pkx1 = 14").expect("the line is there") + 1;
    (sparse_with(&[("pkx1 = 14\n", &format!("pkx1 = 14\n{lines}\n"))]), before + 1)
}

#[test]
fn values_that_no_tyre_has_are_refused_with_key_and_line() {
    for (line, key, found) in [
        ("rim_radius = 0.5", "RIM_RADIUS", "the rim radius is 0.5 m, but the free radius of the tyre is 0.5 m"),
        ("rim_radius = 0.6", "RIM_RADIUS", "the rim radius is 0.6 m"),
        ("rim_radius = -0.2", "RIM_RADIUS", "the value -0.2 is negative"),
        ("bottom_stiff = -1e5", "BOTTOM_STIFF", "the value -100000 is negative"),
        ("dreff = -1", "DREFF", "m, exceeds the free radius, 0.5 m"),
        ("breff = -8.4", "BREFF", "m, exceeds the free radius, 0.5 m"),
        ("freff = -1", "FREFF", "m, exceeds the free radius, 0.5 m"),
        ("dreff = 100", "DREFF", "the effective rolling radius is not positive at a load of"),
        ("freff = 20", "FREFF", "the effective rolling radius is not positive at a load of"),
        ("fzmax = 0", "FZMAX", "the range from 0 to 0 is empty"),
        ("fzmax = 0\nfzmin = 190", "FZMAX", "the range from 190 to 0 is empty"),
        ("fzmax = 9000\nfzmin = 9000", "FZMAX", "the range from 9000 to 9000 is empty"),
        ("fzmax = -5", "FZMAX", "the range from 0 to -5 is empty"),
        ("TYRESIDE = 'MIDDLE'", "TYRESIDE", "unknown side `MIDDLE`"),
    ] {
        let (result, number) = sparse_with_lines(line);
        let Diagnostics(all) = result.expect_err(line);
        let [only] = &all[..] else { panic!("{line}: {all:?}") };
        assert_eq!((only.key.as_str(), only.line), (key, number), "{line}");
        assert!(only.found.contains(found), "{line}: {only}");
    }
}

#[test]
fn values_that_are_doubtful_or_replaced_are_noted_with_key_and_line() {
    for (lines, key, text) in [
        (
            "qsy1 = -0.01",
            "QSY1",
            "the rolling resistance is -0.0100 under FNOMIN at 16.7 m/s: the wheel would drive itself",
        ),
        ("qsy3 = -0.02\nqsy1 = 0.01", "QSY3", "the rolling resistance is -0.0100 under FNOMIN at 16.7 m/s"),
        // It brakes at the reference speed, and drives at a standstill.
        ("qsy1 = -0.01\nqsy3 = 0.03", "QSY1", "the rolling resistance is -0.0100 under FNOMIN at 0 m/s"),
        ("qsy4 = -0.002\nqsy1 = 0.01", "QSY4", "the rolling resistance is -0.0220 under FNOMIN at 33.4 m/s"),
        ("lmy = -1\nqsy1 = 0.01", "LMY", "the rolling resistance is -0.0100 under FNOMIN"),
        ("pvx1 = 0.01", "PVX1", "the rolling resistance is -0.0100 under FNOMIN"),
        ("phx1 = 0.001", "PHX1", "the rolling resistance is -0.0140 under FNOMIN"),
        ("TYRESIDE = 'BOTH'", "TYRESIDE", "`BOTH` is not a side: 'LEFT' is used; write 'LEFT', 'RIGHT' or"),
        ("TYRESIDE = UNKNOWN", "TYRESIDE", "`UNKNOWN` is not a side: 'LEFT' is used"),
        ("TYRESIDE = 1", "TYRESIDE", "`1` is not a side: 'RIGHT' is used"),
        ("inflpres = 0", "INFLPRES", "0 is treated as a missing key: `NOMPRES`"),
        ("presmax = 0", "PRESMAX", "0 is treated as a missing key: no bound"),
    ] {
        let (result, number) = sparse_with_lines(lines);
        let notes = result.unwrap_or_else(|wrong| panic!("{lines}: {wrong}")).notes;
        let found = notes.iter().find(|note| note.key == key).unwrap_or_else(|| panic!("{lines}: {notes:?}"));
        assert!(found.line == number && found.text.contains(text), "{lines}: {found:?}");
    }
    let usual = sparse_with_lines("").0.expect("a right file").notes;
    for lines in
        ["TYRESIDE = 'SYMMETRIC'", "TYRESIDE = 'right'", "qsy1 = 0.01", "phx1 = -0.001", "dreff = 0\nfreff = 0"]
    {
        assert_eq!(sparse_with_lines(lines).0.expect("a right file").notes, usual, "{lines}");
    }
}

#[test]
fn keys_without_effect_are_notes_with_their_lines() {
    let car = good("mf61_205_60R16.tir");
    let text = std::fs::read_to_string("tests/tyres/mf61_205_60R16.tir").expect("readable");
    let unused: Vec<&str> = car.notes.iter().map(|note| note.key.as_str()).collect();
    for key in ["IXX", "YAW_STIFFNESS", "MC_CONTOUR_A", "PDXP1"] {
        assert!(unused.contains(&key), "{key}: {unused:?}");
    }
    for note in car.notes.iter().filter(|note| note.line > 0) {
        assert!(text.lines().nth(note.line - 1).expect("the line is there").contains(&note.key), "{note:?}");
    }
}

#[test]
fn measurements_of_braking_alone_are_taken_for_driving_as_well() {
    let both = "[LONG_SLIP_RANGE]\nKPUMIN = -0.8\nKPUMAX = 0\n[SLIP_ANGLE_RANGE]\nALPMIN = 0\nALPMAX = 0.2\n[MODEL]";
    let read = sparse_with(&[("[model]", both)]).expect("readable");
    let c = &read.coefficients;
    assert_eq!([c.kpumin, c.kpumax, c.alpmin, c.alpmax], [-0.8, 0.8, -0.2, 0.2]);
    assert!(notes(&read, "KPUMAX")[0].contains("treated as 0.8"), "{:?}", read.notes);
    assert!(notes(&read, "ALPMIN")[0].contains("treated as -0.2"), "{:?}", read.notes);
}

#[test]
fn what_only_6_1_has_does_not_act_in_a_file_of_5_2() {
    let later = "[VERTICAL]\nPKY4 = 1.5\nRBX3 = 3000\nQSX10 = 3\nPPX1 = -0.5\n[model]";
    let read = sparse_with(&[("[model]", later)]).expect("readable");
    assert_eq!([read.coefficients.pky4, read.coefficients.rbx3, read.coefficients.qsx10], [2.0, 0.0, 0.0]);
    for key in ["PKY4", "RBX3", "QSX10"] {
        assert!(notes(&read, key)[0].contains("MF 5.2"), "{:?}", read.notes);
    }
    assert_eq!(read.coefficients.ppx1, -0.5);
    assert_ne!(good("mf61_205_60R16.tir").coefficients.rbx3, 0.0);
}

#[test]
fn a_load_without_slip_stiffness_is_a_note() {
    let stiffness = |properties: &Properties| notes(properties, "PKX1, PKX2, PKX3");
    assert!(stiffness(&good("sparse.tir")).is_empty());
    let text = std::fs::read_to_string("models/van/van.tir").expect("readable");
    let falling = text.lines().map(|line| if line.starts_with("PKX2") { "PKX2 = -90" } else { line });
    let falling = ballesta::model::tir::read(&falling.collect::<Vec<_>>().join("\n"), "falling.tir").expect("readable");
    assert!(stiffness(&falling)[0].contains("slip stiffness is zero at a load of"), "{:?}", falling.notes);
}

/// `sparse.tir` with other lines.
fn sparse_with(changes: &[(&str, &str)]) -> Result<Properties, Diagnostics> {
    let mut text = std::fs::read_to_string("tests/tyres/sparse.tir").expect("readable");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    ballesta::model::tir::read(&text, "sparse.tir")
}

fn notes(properties: &Properties, key: &str) -> Vec<String> {
    properties.notes.iter().filter(|note| note.key == key).map(|note| note.text.clone()).collect()
}

#[test]
fn a_negative_friction_is_taken_by_its_size_with_a_note() {
    let usual = sparse_with(&[("pdy1 = 0.75", "pdy1 = 0.75\npdy2 = -0.1")]).expect("good");
    let negative = sparse_with(&[("pdy1 = 0.75", "pdy1 = -0.75\npdy2 = 0.1")]).expect("read");
    assert_eq!(usual.coefficients, negative.coefficients);
    assert!(notes(&negative, "PDY1")[0].contains("friction is positive"), "{:?}", negative.notes);
    assert!(notes(&usual, "PDY1").is_empty());
    assert!(sparse_with(&[("pdx1 = 0.85", "pdx1 = -0.85")]).is_err());
}

#[test]
fn optional_keys_may_be_empty_and_keys_without_effect_texts() {
    let usual = sparse_with(&[]).expect("good");
    let read =
        sparse_with(&[("fittyp = 6", "fittyp = 6\nFZMIN =\nwidth = [m]\nmass = 'kg'\nbreff = ''")]).expect("read");
    assert_eq!(usual.coefficients, read.coefficients);
    for key in ["FZMIN", "WIDTH", "MASS", "BREFF"] {
        assert_eq!(notes(&read, key).len(), 1, "{key}: {:?}", read.notes);
    }
    let refused = sparse_with(&[("pkx1 = 14", "pkx1 =")]).expect_err("a required key").to_string();
    assert!(refused.contains("no value follows the equals sign"), "{refused}");
}

#[test]
fn a_section_that_stands_twice_must_say_the_same() {
    let usual = sparse_with(&[]).expect("good");
    let again = |rows: &str, value: &str| {
        let all = format!("[coefficients]\n{value}\n[deflection_load_curve]\n{rows}\n[coefficients]\n");
        sparse_with(&[("[coefficients]\n", &format!("[coefficients]\npex1 = 0.5\n{all}"))])
    };
    let rows: String = usual.deflection_load.iter().map(|[x, y]| format!("{x} {y}\n")).collect();
    let same = again(&rows, "pex1 = 0.50").expect("the same again");
    assert_eq!(same.deflection_load, usual.deflection_load);
    assert_eq!(notes(&same, "DEFLECTION_LOAD_CURVE").len(), 1, "{:?}", same.notes);
    assert!(again("0 1", "pex1 = 0.5").expect_err("other rows").to_string().contains("with other rows"));
    assert!(again(&rows, "pex1 = 0.4").expect_err("another value").to_string().contains("occurs in line"));
}

#[test]
fn use_mode_says_what_acts() {
    let mode = |text: &str| sparse_with(&[("fittyp = 6", &format!("fittyp = 6\nUSE_MODE = {text}"))]).expect("good");
    for (text, acts, combined, turns, relaxes) in [
        ("0", [false, false], false, false, false),
        ("1", [true, false], false, false, false),
        ("2", [false, true], false, false, false),
        ("3", [true, true], false, false, false),
        ("4", [true, true], true, false, false),
        ("11", [true, false], false, false, true),
        ("14", [true, true], true, false, true),
        ("15", [true, true], true, true, true),
        ("124", [true, true], true, false, true),
    ] {
        assert_eq!(mode(text).mode, Mode { acts, combined, turns, relaxes }, "{text}");
    }
    for text in ["-1", "'combined'", "2.5"] {
        let tyre = mode(text);
        assert_eq!(tyre.mode, Mode::ALL, "{text}");
        assert_eq!(notes(&tyre, "USE_MODE").len(), 1, "{text}: {:?}", tyre.notes);
    }
    assert_eq!(sparse_with(&[]).expect("good").mode, Mode::ALL);
}

#[test]
fn files_of_mf_6_2_are_read_as_6_1_and_say_what_is_left_out() {
    let with = |more: &str| sparse_with(&[("fittyp = 6", &format!("fittyp = 62\n{more}"))]);
    let read = with("Q_CAM1 = 0.7\nQ_FYS1 = 0\nQ_FCY2 = -0.1\nMC_CONTOUR_A = 0\nPKY4 = 1.9").expect("read");
    assert_eq!((read.formula, read.coefficients.pky4), (tyre::Formula::Mf61, 1.9));
    for (key, count) in [("FITTYP", 1), ("Q_CAM1", 1), ("Q_FYS1", 0), ("Q_FCY2", 1), ("MC_CONTOUR_A", 1)] {
        assert_eq!(notes(&read, key).len(), count, "{key}: {:?}", read.notes);
    }
    let refused = sparse_with(&[("fittyp = 6", "PROPERTY_FILE_FORMAT = 'PAC_MC'")]).expect_err("a motorcycle's");
    assert!(refused.to_string().contains("the crown of motorcycle tyres is not evaluated"), "{refused}");
    let refused = with("ELLIPS_ORDER = 0.5").expect_err("a hollow cam").to_string();
    assert!(refused.contains("write an exponent from 1 to 10"), "{refused}");
}

#[test]
fn no_piece_of_a_file_makes_the_reader_panic() {
    for path in files("tests/tyres", "tir") {
        let bytes = std::fs::read(&path).expect("readable");
        for end in 0..bytes.len() {
            let _ = ballesta::model::tir::read(&ballesta::model::tir::decode(&bytes[..end]), "piece.tir");
        }
        // Each byte replaced by one that means something to the reader.
        let marks = b"=[]'\"$!\n\r\t .,eD-\xe9\x00";
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] = marks[at / 7 % marks.len()];
            let _ = ballesta::model::tir::read(&ballesta::model::tir::decode(&changed), "changed.tir");
        }
    }
}

/// The table of keys as it stands in the documentation.
fn key_table() -> String {
    let mut text = String::new();
    let mut section = "";
    for row in ROWS {
        if row.section != section {
            section = row.section;
            let _ = write!(text, "\n### {section}\n\n| keys | unit | when missing | meaning |\n|---|---|---|---|\n");
        }
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{}`", key.to_uppercase())).collect();
        let default = match row.default {
            MissingKey::Required => "**required**".to_string(),
            MissingKey::Number(value) => format!("{value}"),
            MissingKey::Derived(text) => text.to_string(),
        };
        let _ = writeln!(text, "| {} | {} | {default} | {} |", keys.join(" "), row.dimension.unit(), row.meaning);
    }
    let others: Vec<String> =
        ALIASES.iter().map(|(alias, key)| format!("`{}` for `{}`", alias.to_uppercase(), key.to_uppercase())).collect();
    text + &format!("\nOther spellings: {}; underscores may be left out.\n", others.join(", "))
}

#[test]
fn the_documented_keys_are_those_of_the_reader() {
    const START: &str = "<!-- keys: written by tests/files/tyre_files.rs -->\n";
    let path = "docs/tyres.md";
    let text = std::fs::read_to_string(path).expect("readable");
    let (before, old) = text.split_once(START).expect("the mark of the table");
    let table = key_table();
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        std::fs::write(path, format!("{before}{START}{table}")).expect("writable");
    } else {
        assert_eq!(old, table, "run with BALLESTA_REWRITE=1");
    }
}

#[test]
fn loads_far_above_a_tiny_nominal_one_give_finite_forces() {
    // Found by fuzzing: e to a power that grows with the load was infinite, and what it is multiplied by zero.
    let text = std::fs::read_to_string("tests/tyres/mf_185_80R14.tir").expect("readable");
    for (key, value) in [("LFZO", 1.6e-6), ("PKX3", 1e5), ("PKX3", -1e5), ("PTX3", -1e5)] {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_else(|| panic!("{key}"));
        let changed = text.replace(line, &format!("{key} = {value:e}"));
        let properties =
            ballesta::model::tir::read(&changed, "changed.tir").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let law = Law::new(&properties, Side::Left);
        for load in [0.0, 1.0, 3800.0, 1e6] {
            for (kappa, alpha) in [(0.0, 0.0), (0.1, -0.1)] {
                let output = law.forces(&Input { kappa, alpha, ..law.straight_ahead(load) });
                let forces = [output.fx, output.fy, output.mx, output.my, output.mz];
                assert!(forces.iter().all(|force| force.is_finite()), "{key} = {value}, {load} N: {forces:?}");
            }
        }
    }
}

/// Values of a key: impossible ones, and valid values with the other sign, much smaller and much larger.
fn hostile(usual: f64) -> Vec<f64> {
    vec![0.0, -1.0, 1.0, 1e-9, -1e-9, -usual, 1e-3 * usual, 10.0 * usual, -100.0 * usual, 1e4 * usual, -50.0, 50.0]
}

/// Each key of the table with each of the hostile values, in files of both formulas: an error has a line,
/// or the wheel stands on the road.
#[test]
fn no_value_of_a_key_gives_a_tyre_without_radius_or_stiffness() {
    let (mut refused, mut read) = (0, 0);
    let mut wrong = Vec::new();
    for name in ["mf61_205_60R16.tir", "mf_185_80R14.tir", "sparse.tir"] {
        let text = std::fs::read_to_string(format!("tests/tyres/{name}")).expect("readable");
        let usual = good(name).coefficients;
        for key in ROWS.iter().flat_map(|row| row.keys) {
            let given = text.lines().position(|line| {
                let word = line.split('=').next().unwrap_or_default().trim();
                line.contains('=') && word.replace('_', "").eq_ignore_ascii_case(&key.replace('_', ""))
            });
            for value in hostile(*usual.clone().field_mut(key).expect("a field")) {
                let line = format!("{} = {value:e}", key.to_uppercase());
                let mut lines: Vec<&str> = text.lines().collect();
                match given {
                    Some(at) => lines[at] = &line,
                    // Keys are read in every section except the section of the units.
                    None => {
                        let model = lines.iter().position(|line| line.trim().eq_ignore_ascii_case("[model]"));
                        lines.insert(model.expect("a section") + 1, &line);
                    }
                }
                match ballesta::model::tir::read(&lines.join("\n"), "hostile.tir") {
                    Err(Diagnostics(all)) => {
                        refused += 1;
                        // An error caused by two keys is reported at the key that usually is wrong.
                        if !all.iter().any(|one| one.line > 0) {
                            wrong.push(format!("{name}: {line}: {}", Diagnostics(all)));
                        }
                    }
                    Ok(properties) => {
                        read += 1;
                        wrong.extend(unusable(&properties).map(|why| format!("{name}: {line}: {why}")));
                    }
                }
            }
        }
    }
    println!("{refused} refused, {read} read, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), refused + read, wrong.join("\n"));
    assert!(refused > 300 && read > 3000, "{refused}, {read}");
}

/// Why a wheel does not stand or roll on such a tyre: radius, load and stiffness, slip stiffness and relaxation at the
/// nominal load, and forces that are no numbers.
fn unusable(properties: &Properties) -> Option<String> {
    let law = Law::new(properties, Side::Left);
    let (load, radius) = (law.nominal_load(), properties.coefficients.unloaded_radius);
    let deflection = law.static_deflection(load, 0.0);
    let vertical = law.vertical(deflection, 0.0, &Default::default());
    let input = law.straight_ahead(load);
    let output = law.forces(&Input { kappa: 0.05, alpha: 0.05, ..input });
    let straight = law.forces(&input);
    // A slip stiffness that is none is a note of the file.
    let is_noted = properties.notes.iter().any(|note| note.text.contains("slip stiffness is zero"));
    for (what, value) in [
        ("load", vertical.force),
        ("vertical stiffness", vertical.stiffness),
        ("room above the ground", radius - deflection),
        ("effective radius", law.effective_radius(load, 0.0, 0.0)),
        ("effective radius without load", law.effective_radius(0.0, 0.0, 0.0)),
        ("effective radius at speed", law.effective_radius(load, 40.0 / radius, 0.0)),
        ("slip stiffness", if is_noted { 1.0 } else { straight.kx }),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Some(format!("{what} {value}"));
        }
    }
    let forces = [output.fx, output.fy, output.mx, output.my, output.mz, output.sigma_kappa, output.sigma_alpha];
    (!forces.iter().all(|force| force.is_finite())).then(|| format!("{forces:?}"))
}
