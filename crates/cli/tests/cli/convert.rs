//! `ballesta convert`.

use super::*;

fn reduced(folder: &Folder) -> String {
    let rom = folder.path("frame.rom.toml");
    assert_eq!(ballesta(["reduce", "models/structures/frame", "-o", &rom, "--no-comparison"]).code, 0);
    rom
}

#[test]
fn a_model_is_written_for_simscape_and_as_state_space() {
    let folder = Folder::new("convert");
    let rom = reduced(&folder);
    let [solid, script, table] = ["solid.m", "system.m", "system.toml"].map(|name| folder.path(name));
    let arguments = ["convert", &rom, "--simscape", &solid, "--state-space", &script, "--state-space", &table];
    let answer = ballesta([&arguments[..], &["--fixed", "left"]].concat());
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    for words in
        ["2 interface frames, 19 coordinates", "20 states, 3 inputs", "held interfaces: left", "couples the modes"]
    {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
    let solid = fs::read_to_string(solid).unwrap();
    assert!(solid.starts_with('%') && solid.contains("quaternion"), "{solid}");
    assert!(fs::read_to_string(script).unwrap().contains("sys = ss(A, B, C, D"));
    let system: toml::Table = fs::read_to_string(table).unwrap().parse().unwrap();
    let rows = |key: &str| system[key].as_array().unwrap().len();
    assert_eq!((rows("a"), rows("inputs"), rows("c"), rows("outputs")), (20, 3, rows("d"), rows("c")));
    assert_eq!(system["direct_feedthrough"].as_bool(), Some(true));

    let table = folder.path("filtered.toml");
    let filter = ["--filter", "third", "--cutoff", "5000"];
    let answer = ballesta([&["convert", &rom, "--state-space", &table][..], &filter].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("3 rigid motions are double integrators"), "{}", answer.stdout);
    let system: toml::Table = fs::read_to_string(table).unwrap().parse().unwrap();
    assert_eq!(system["direct_feedthrough"].as_bool(), Some(false));
}

/// The paper's one mode: 8.2 Hz, about half the damping matrix of the free body left out.
#[test]
fn a_mounted_body_is_written_with_one_mode_and_modal_damping() {
    let folder = Folder::new("convert-mounted");
    let out = folder.path("beam.toml");
    let mounted = ["--base-spring", "root=572957.8", "--tip-mass", "tip=20", "--modes", "1", "--modal-damping", "0.02"];
    let rom = "models/beam_on_spring/beam.rom.toml";
    let answer = ballesta([&["convert", rom, "--state-space", &out][..], &mounted].concat());
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    for words in ["2 states, 4 inputs", "springs of 572957.8 N m/rad", "point mass of 20 kg at tip"] {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
    let system: toml::Table = fs::read_to_string(&out).unwrap().parse().unwrap();
    let a: Vec<Vec<f64>> = system["a"].clone().try_into().unwrap();
    let omega = (-a[1][0]).sqrt();
    assert!((omega / std::f64::consts::TAU - 8.197).abs() < 3e-3, "{omega}");
    assert!((a[1][1] + 2.0 * 0.02 * omega).abs() < 1e-9 * omega && a[0] == [0.0, 1.0], "{a:?}");
    let springs = system["base_springs"].as_array().unwrap();
    assert_eq!((springs[0]["interface"].as_str(), springs[0]["value"].as_float()), (Some("root"), Some(572957.8)));
}

/// Ghidella et al., section III: one mode of the mounted beam, by its own stiffness and by that of the paper's mesh;
/// with the inertia of a block at its tip. Figures of docs/papers/ghidella.md.
#[test]
fn the_report_has_frequencies_and_the_position_of_rest() {
    let folder = Folder::new("convert-at-rest");
    let out = folder.path("beam.toml");
    let one_mode = "--base-spring root=572957.8 --tip-mass tip=20 --modes 1";
    let convert = |options: &str| {
        let rom = "models/beam_on_spring/beam.rom.toml";
        ballesta(["convert", rom, "--state-space", &out].into_iter().chain(options.split(' ')))
    };
    for (options, words) in [
        (format!("{one_mode} --load tip.Fy=196.2"), &["frequencies: 8.19", "tip.position.y = 3.6", " mm"][..]),
        (
            format!("{one_mode} --stiffness-factor 1.1415 --load tip.Fy=196.2"),
            &["frequencies: 8.74", "tip.position.y = 3.199", "multiplied by 1.1415"],
        ),
        (format!("{one_mode} --tip-inertia tip=1"), &["moment of inertia of 1 kg m2 about every axis at tip"]),
        ("--fixed root --stiffness-factor 1.141519".into(), &["frequencies: 69.8, 437.4"]),
    ] {
        let answer = convert(&options);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{options}");
        words.iter().for_each(|words| assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout));
    }
    let facts = convert(&format!("{one_mode} --load tip.Fy=1 --load tip.Fy=1 --json")).json();
    let compliance = facts["state_space"]["at_rest"]["tip.position.y"].as_f64().expect("a number") / 2.0;
    // P L³/3EI and P L²/k, less what one mode leaves out.
    let exact = 0.125 / (3.0 * 2300.0) + 0.25 / 572957.8;
    assert!((compliance / exact - 1.0).abs() < 5e-3, "{compliance} for {exact}");
    let tip = facts["state_space"]["frequencies_hz"].as_array().expect("frequencies");
    assert_eq!(tip.len(), 1);
}

#[test]
fn the_function_for_simscape_has_the_name_of_its_file() {
    let folder = Folder::new("convert-block");
    let rom = reduced(&folder);
    let file = folder.path("frame_block.m");
    let answer = ballesta(["convert", &rom, "--simscape-block", &file, "--padding", "unit", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(answer.stdout.contains("\"interface_frames\": 2"), "{}", answer.stdout);
    let text = fs::read_to_string(file).unwrap();
    assert!(text.starts_with("function block = frame_block(order)\n"), "{text}");
    // A frame in the plane: a mass at each of two interfaces, a constraint between their z axes.
    for (call, count) in [("'nesl_utility/Connection Port'", 2), ("Elements/Inertia'", 2), ("Angle Constraint'", 1)] {
        assert_eq!(text.matches(call).count(), count, "{call}");
    }
}

#[test]
fn what_cannot_be_converted_is_refused_and_no_file_is_left() {
    let folder = Folder::new("convert-wrong");
    let rom = reduced(&folder);
    let (out, other) = (folder.path("out.m"), folder.path("other.m"));
    for (arguments, code, words) in [
        (vec!["convert", &rom], 2, "--simscape"),
        (vec!["convert", &rom, "--simscape", &out, "--state-space", "x.csv"], 2, ".toml or .m"),
        (vec!["convert", &rom, "--state-space", &out, "--fixed", "lefft"], 2, "did you mean `left`?"),
        (vec!["convert", &rom, "--state-space", &out, "--filter", "first"], 2, "--cutoff"),
        (vec!["convert", &rom, "--state-space", &out, "--filter", "first", "--cutoff", "0"], 2, "greater than 0"),
        (
            vec!["convert", &rom, "--simscape", &other, "--state-space", &out, "--fixed", "left", "--fixed", "right"],
            2,
            "all interfaces are held",
        ),
        (vec!["convert", &rom, "--simscape", "no/folder/out.m"], 2, "cannot write"),
        (vec!["convert", &rom, "--matrices", "no/folder/out.toml"], 2, "cannot write"),
        (vec!["convert", &rom, "--simscape-block", "no/folder/out.m"], 2, "cannot write"),
        (vec!["convert", &rom, "--simscape-block", &folder.path("1st.m")], 2, "expected a letter, then letters"),
        (vec!["convert", &rom, "--simscape-block", &folder.path("a-b.m")], 2, "expected a letter, then letters"),
        (vec!["convert", &rom, "--simscape-block", &folder.path("block.txt")], 2, "and .m"),
        (vec!["convert", &rom, "--simscape", &out, "--simscape-block", &out], 2, "--simscape"),
        (vec!["convert", &rom, "--matrices", &out], 2, "must end in .toml"),
        (vec!["convert", &rom, "--state-space", &out, "--base-spring", "lefft=1"], 2, "did you mean `left`?"),
        (vec!["convert", &rom, "--state-space", &out, "--base-spring", "left=0"], 2, "must be greater than 0"),
        (vec!["convert", &rom, "--state-space", &out, "--tip-mass", "left"], 2, "NAME=VALUE"),
        (vec!["convert", &rom, "--state-space", &out, "--tip-mass", "left=1", "--fixed", "left"], 2, "is already held"),
        (vec!["convert", &rom, "--state-space", &out, "--modes", "99"], 2, "99 elastic modes requested"),
        (vec!["convert", &rom, "--state-space", &out, "--modal-damping", "0.1,0.2"], 2, "2 damping ratios"),
        (vec!["convert", &rom, "--simscape", &out, "--tip-mass", "left=1"], 2, "--tip-mass needs --state-space"),
        (vec!["convert", &rom, "--simscape", &out, "--load", "left.Fx=1"], 2, "--load needs --state-space"),
        (vec!["convert", &rom, "--state-space", &out, "--tip-inertia", "left=0"], 2, "greater than 0 kg m2"),
        (
            vec!["convert", &rom, "--state-space", &out, "--fixed", "left", "--load", "rigt.Fx=1"],
            2,
            "did you mean `right",
        ),
        (vec!["convert", &rom, "--state-space", &out, "--load", "left.Fx=1"], 2, "no static response"),
        (vec!["convert", &rom, "--state-space", &out, "--stiffness-factor", "0"], 2, "must be greater than 0"),
        (vec!["convert", "none.rom.toml", "--simscape", &out], 2, "cannot read"),
        (vec!["convert", "tests/broken_roms/sizes.toml", "--simscape", &out], 1, "sizes.toml:"),
    ] {
        let answer = ballesta(&arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
        assert!(!Path::new(&out).exists(), "{arguments:?} left a file behind");
    }
}
