//! `ballesta lump`.

use super::*;

/// The gallery model, as the command writes it.
const GALLERY: [&str; 9] =
    ["lump", "models/structures/cantilever", "--elements", "10", "--force", "-196.2", "--damping-ratio", "0.002", "-o"];

/// `BALLESTA_REWRITE=1 cargo test --test cli lump` writes the model anew.
#[test]
fn the_gallery_model_is_what_the_command_writes() {
    let folder = Folder::new("lump-gallery");
    fs::create_dir(folder.0.join("lumped_cantilever")).unwrap();
    let path = folder.path("lumped_cantilever/model.toml");
    let answer = ballesta([&GALLERY[..], &[path.as_str()]].concat());
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""));
    let written = fs::read_to_string(&path).unwrap();
    let model = Path::new(ROOT).join("models/lumped_cantilever/model.toml");
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::create_dir_all(model.parent().unwrap()).unwrap();
        fs::write(&model, &written).unwrap();
    }
    assert!(fs::read_to_string(&model).unwrap_or_default() == written, "models/lumped_cantilever is not current");
}

#[test]
fn a_beam_of_a_structure_and_its_dimensions_give_the_same_model() {
    let of_structure = ballesta(["lump", "models/structures/cantilever", "--beam", "beam", "--elements", "6"]);
    let dimensions = "--length 0.5 --width 0.05 --height 0.02 --youngs-modulus 69e9 --density 2700 --elements 6";
    let by_hand = ballesta(["lump"].into_iter().chain(dimensions.split(' ')));
    assert_eq!((of_structure.code, by_hand.code), (0, 0), "{}{}", of_structure.stderr, by_hand.stderr);
    let numbers = |text: &str| {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        words.filter_map(|word| word.parse::<f64>().ok()).collect::<Vec<_>>()
    };
    let (a, b) = (numbers(&of_structure.stdout), numbers(&by_hand.stdout));
    assert!(a.len() > 60 && a.len() == b.len());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()), "{a:?}\n{b:?}");
}

#[test]
fn the_model_is_checked_and_runs_with_or_without_damping_and_in_both_planes() {
    let folder = Folder::new("lump");
    let model = folder.path("beam.toml");
    for (options, joint) in [
        (&[][..], "revolute"),
        (&["--damping-ratio", "0.05"][..], "damping = "),
        (&["--both-planes", "--damping-ratio", "0.01"][..], "universal"),
    ] {
        let arguments = ["lump", "models/structures/cantilever", "--elements", "5", "--force", "-100", "-o", &model];
        let answer = ballesta([&arguments[..], options].concat());
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{options:?}");
        assert!(fs::read_to_string(&model).unwrap().contains(joint));
        let findings = ballesta(["check", &model, "--json"]).json();
        let planes = if options.contains(&"--both-planes") { 2 } else { 1 };
        assert_eq!((&findings["dof"], &findings["bodies"]), (&(5 * planes).into(), &5.into()));
        let run = ballesta(["run", &model, "--stop", "0.02", "--csv", "-"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let (header, rows) = read_csv(&run.stdout);
        let tip = header.iter().position(|name| *name == "tip.y").expect("the tip");
        // A step load: the first swing goes to twice the static 1.8 mm, never beyond.
        let lowest = rows.iter().map(|row| row[tip]).fold(0.0, f64::min);
        assert!((-3.8e-3..-2.8e-3).contains(&lowest), "{options:?}: {lowest}");
    }
}

#[test]
fn the_comparison_shows_the_order_of_each_method() {
    let answer =
        ballesta(["lump", "models/structures/cantilever", "--elements", "10", "--force", "196.2", "--compare"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    for words in ["3.554348", "3.545462", "65.45978", "3.812038", "not symmetric"] {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
}

#[test]
fn beams_that_are_not_there_or_no_plain_beams_are_refused() {
    let folder = Folder::new("lump-wrong");
    let out = folder.path("beam.toml");
    let text = fs::read_to_string(Path::new(ROOT).join("models/structures/cantilever/structure.toml")).unwrap();
    let released = text.replace("divisions = 50", "divisions = 50\nreleases = [[], [\"rz\"]]");
    let released = folder.file("structure.toml", &released);
    for (arguments, code, words) in [
        (vec!["lump", "models/structures/crane"], 2, "--beam is missing; there are mast_1"),
        (vec!["lump", "models/structures/crane", "--beam", "jib_4"], 2, "did you mean `jib_"),
        (vec!["lump", "models/structures/truss"], 2, "no beams"),
        (vec!["lump", "models/structures/none"], 2, "cannot read"),
        (vec!["lump", &released], 1, "released ends"),
        (vec!["lump", "--length", "1"], 2, "--width"),
        (vec!["lump", "models/structures/crane", "--length", "1"], 2, "cannot be used with"),
    ] {
        let answer = ballesta([&arguments[..], &["--elements", "4", "-o", &out]].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{arguments:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}: {}", answer.stderr);
        assert!(!Path::new(&out).exists());
    }
    let answer = ballesta(["lump", "models/structures/cantilever", "--elements", "4", "-o", "no/folder/model.toml"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("cannot write"), "{}", answer.stderr);
}
