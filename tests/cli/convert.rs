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

#[test]
fn what_cannot_be_converted_is_refused_and_no_file_is_left() {
    let folder = Folder::new("convert-wrong");
    let rom = reduced(&folder);
    let out = folder.path("out.m");
    for (arguments, code, words) in [
        (vec!["convert", &rom], 2, "--simscape"),
        (vec!["convert", &rom, "--simscape", &out, "--state-space", "x.csv"], 2, ".toml or .m"),
        (vec!["convert", &rom, "--state-space", &out, "--fixed", "lefft"], 2, "did you mean `left`?"),
        (vec!["convert", &rom, "--state-space", &out, "--filter", "first"], 2, "--cutoff"),
        (vec!["convert", &rom, "--state-space", &out, "--filter", "first", "--cutoff", "0"], 2, "greater than 0"),
        (
            vec!["convert", &rom, "--simscape", &out, "--state-space", &out, "--fixed", "left", "--fixed", "right"],
            2,
            "all interfaces are held",
        ),
        (vec!["convert", &rom, "--simscape", "no/folder/out.m"], 2, "cannot write"),
        (vec!["convert", "none.rom.toml", "--simscape", &out], 2, "cannot read"),
        (vec!["convert", "tests/broken_roms/sizes.toml", "--simscape", &out], 1, "sizes.toml:"),
    ] {
        let answer = ballesta(&arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
        assert!(!Path::new(&out).exists(), "{arguments:?} left a file behind");
    }
}
