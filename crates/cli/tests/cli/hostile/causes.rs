//! Slips that are common, each with its cause in the message.

use super::*;

#[test]
fn an_input_beyond_reason_is_no_missing_inertia() {
    let folder = Folder::new("cause-input");
    let model = folder.file("rail.toml", RAIL);
    let answer = ballesta(["run", &model, "--set", "push=1e300"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    let words = "joint `rail`, or its inertia, are no longer finite at t = 0.0";
    assert!(answer.stderr.contains(words) && !answer.stderr.contains("has no inertia"), "{}", answer.stderr);
}

#[test]
fn negative_numbers_are_values_and_no_options() {
    let folder = Folder::new("cause-negative");
    let model = folder.file("rail.toml", RAIL);
    for option in ["--step", "--internal-step"] {
        refused(&["run", &model, option, "-1"], 2, &["invalid value '-1'", option, "must be greater than 0"]);
    }
    refused(&["bench", &model, "--step", "-1"], 2, &["invalid value '-1'", "must be greater than 0"]);
}

#[test]
fn files_in_other_encodings_are_called_so() {
    let folder = Folder::new("cause-encoding");
    let model = folder.file("rail.toml", RAIL);
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path(name), bytes).unwrap();
        folder.path(name)
    };
    let table = write("latin.csv", b"time,push\n0,1\n1,2\xe9\n");
    refused(&["run", &model, "--inputs", &table], 2, &["latin.csv", "line 3 is not UTF-8", "save it as UTF-8"]);
    // Spreadsheets write UTF-16 with a mark.
    let marked = [&[0xff, 0xfe], utf16("time,push\n0,1\n").as_slice()].concat();
    assert_eq!(ballesta(["run", &model, "--inputs", &write("marked.csv", &marked), "-q"]).code, 0);
    let table = write("bare.csv", &utf16("time,push\n0,1\n"));
    refused(&["run", &model, "--inputs", &table], 2, &["bare.csv", "the file is in UTF-16", "save it as UTF-8"]);
    let bare = write("bare.toml", &utf16(RAIL.trim_start()));
    refused(&["check", &bare], 1, &["bare.toml", "the file is in UTF-16", "UTF-8"]);
    let latin = RAIL.replacen("\"rail\"", "\"r\u{e4}il\"", 1).chars().map(|c| c as u8).collect::<Vec<u8>>();
    refused(&["check", &write("latin.toml", &latin)], 1, &["latin.toml:3:10", "byte 0xE4 is not UTF-8"]);
}

#[test]
fn units_and_commas_in_numbers_are_named() {
    let folder = Folder::new("cause-numbers");
    let with = |mass: &str| folder.file("rail.toml", &RAIL.replace("mass = 2", &format!("mass = {mass}")));
    for text in ["\"1 kg\"", "\"1,5\"", "\"-.5kg\""] {
        refused(&["check", &with(text)], 1, &["body[0].mass", "write only the number, without quotes and unit"]);
    }
    refused(&["check", &with("\"2\"")], 1, &["write the number without quotes"]);
    refused(&["check", &with("1,5")], 1, &["rail.toml:19:9", "a comma after a number", "a decimal point"]);
    let single = folder.file("single.toml", &RAIL.replace("[[body]]", "[body]"));
    refused(&["check", &single], 1, &["single.toml:17:1", "`[[body]]` with two brackets"]);
}

#[test]
fn numbers_of_hundreds_of_digits_are_read_or_cut_short() {
    let folder = Folder::new("cause-digits");
    let with = |mass: &str| folder.file("rail.toml", &RAIL.replace("mass = 2", &format!("mass = {mass}")));
    let answer = ballesta(["check", &with(&"1".repeat(60))]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for mass in ["1".repeat(310), format!("{}.0", "1".repeat(310))] {
        let answer = ballesta(["check", &with(&mass)]);
        assert!(answer.code == 1 && answer.stderr.contains("found 111111111111… with 31"), "{}", answer.stderr);
        assert!(answer.stderr.len() < 300, "{}", answer.stderr);
    }
    let model = folder.file("rail.toml", RAIL);
    let table = folder.file("wide.csv", &format!("time,push\n0,{}\n1,1\n", "1".repeat(400)));
    refused(&["run", &model, "--inputs", &table], 1, &["wide.csv:2:3", "`111111111111…` of 400 characters"]);
}

#[test]
fn lengths_in_millimetres_are_noticed_by_their_size() {
    let folder = Folder::new("cause-millimetres");
    let text = fs::read_to_string(Path::new(ROOT).join("models/four_bar/model.toml")).unwrap();
    let large = text
        .replace("com = [0, 0.5, 0]", "com = [0, 500, 0]")
        .replace("com = [0.5, 1, 0]", "com = [500, 1000, 0]")
        .replace("com = [1, 0.5, 0]", "com = [1000, 500, 0]")
        .replace("B0 = [0, 1, 0]", "B0 = [0, 1000, 0]")
        .replace("A1 = [1, 0, 0]", "A1 = [1000, 0, 0]")
        .replace("B1 = [1, 1, 0]", "B1 = [1000, 1000, 0]");
    let answer = ballesta(["run", &folder.file("large.toml", &large), "--stop", "0.01"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let words = "` is 500 m from the centre of mass of body `";
    assert!(answer.stderr.contains(words) && answer.stderr.contains("not in mm"), "{}", answer.stderr);
    // One hardpoint alone, which is not the one that carries the body in the tree.
    let one = text.replace("B1 = [1, 1, 0]", "B1 = [1000, 1000, 0]");
    let answer = ballesta(["run", &folder.file("one.toml", &one), "--stop", "0.01"]);
    let words = "`B1` is 1413 m from the centre of mass of body `";
    assert!(answer.stderr.contains(words), "{}", answer.stderr);
    let answer = ballesta(["run", "models/four_bar", "--stop", "0.01"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
}
