//! `ballesta lump`.

use super::*;
use ballesta::math::larger;

/// Models of the gallery that the command writes.
const GALLERY: [(&str, &str); 3] = [
    ("lumped_cantilever", "models/structures/cantilever --elements 10 --force -196.2 --damping-ratio 0.002"),
    (
        "lumped_beam_in_space",
        "models/structures/cantilever --elements 5 --joint bushing --force -100 --damping-ratio 0.002",
    ),
    (
        "lumped_beam_on_spring",
        "models/structures/cantilever --elements 10 --base-spring 572957.8 --tip-mass 20 --gravity -9.81 \
         --damping-ratio 0.0002",
    ),
];

/// `BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli lump` writes the models anew.
#[test]
fn the_gallery_models_are_what_the_command_writes() {
    for (name, options) in GALLERY {
        let folder = Folder::new(&format!("gallery-{name}"));
        fs::create_dir(folder.0.join(name)).unwrap();
        let path = folder.path(&format!("{name}/model.toml"));
        let answer = ballesta(["lump"].into_iter().chain(options.split(' ')).chain(["-o", path.as_str()]));
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""));
        let written = fs::read_to_string(&path).unwrap();
        let model = Path::new(ROOT).join(format!("models/{name}/model.toml"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::create_dir_all(model.parent().unwrap()).unwrap();
            fs::write(&model, &written).unwrap();
        }
        assert!(fs::read_to_string(&model).unwrap_or_default() == written, "models/{name} is not current");
    }
}

/// Mean and frequency of a swing from rest: half the sum of its ends, and the time between two zeros of its speed.
fn swing(model: &str) -> (f64, f64) {
    let run = ballesta(["run", model, "--csv", "-"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (header, rows) = read_csv(&run.stdout);
    let tip = header.iter().position(|name| *name == "tip.y").expect("the tip");
    // A parabola through the three lowest samples of the first period.
    let lowest = (1..120).min_by(|&a, &b| rows[a][tip].total_cmp(&rows[b][tip])).expect("samples");
    let [a, b, c] = [lowest - 1, lowest, lowest + 1].map(|row| rows[row][tip]);
    let shift = 0.5 * (a - c) / (a - 2.0 * b + c);
    let time = rows[lowest][0] + shift * (rows[1][0] - rows[0][0]);
    (0.5 * (b - 0.25 * (a - c) * shift), 0.5 / time)
}

/// The chain by its own linear theory: 8.207 Hz about 3.723 mm; with finite elements 8.197 Hz about 3.733 mm
/// (docs/papers/ghidella.md). Higher modes and the geometric stiffness of the weight leave half a percent.
#[test]
fn both_beams_on_a_spring_swing_about_their_static_deflection() {
    for (model, mean, frequency) in
        [("models/lumped_beam_on_spring", -3.723e-3, 8.207), ("models/beam_on_spring", -3.733e-3, 8.197)]
    {
        let (found, hertz) = swing(model);
        println!("{model}: {hertz:.4} Hz about {:.4} mm", 1e3 * found);
        assert!((found / mean - 1.0).abs() < 0.01 && (hertz / frequency - 1.0).abs() < 0.02, "{found} {hertz}");
        let trimmed = ballesta(["modes", model, "--trim", "--json"]).json();
        let first = trimmed["frequencies_hz"][0].as_f64().expect("a frequency");
        assert!((first / frequency - 1.0).abs() < 2e-3, "{model}: {first}");
    }
}

/// `BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli lump` draws them anew.
#[test]
fn the_pictures_of_the_motion_are_those_of_the_gallery_models() {
    for model in ["lumped_beam_on_spring", "beam_on_spring"] {
        let folder = Folder::new(&format!("picture-{model}"));
        let svg = folder.path("out.svg");
        assert_eq!(ballesta(["run", &format!("models/{model}"), "--plot", &svg]).code, 0);
        let drawn = fs::read_to_string(&svg).unwrap();
        let kept = Path::new(ROOT).join(format!("docs/pictures/{model}.svg"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::write(&kept, &drawn).unwrap();
        }
        let kept = fs::read_to_string(&kept).unwrap_or_default();
        // Last digits of coordinates may depend on the machine, words may not.
        let words =
            |svg: &str| svg.lines().filter(|line| line.starts_with("<text")).map(String::from).collect::<Vec<_>>();
        assert!(!words(&drawn).is_empty() && words(&drawn) == words(&kept), "docs/pictures/{model}.svg is not current");
    }
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
        (&["--joint", "universal"][..], "universal"),
    ] {
        let arguments = ["lump", "models/structures/cantilever", "--elements", "5", "--force", "-100", "-o", &model];
        let answer = ballesta([&arguments[..], options].concat());
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{options:?}");
        assert!(fs::read_to_string(&model).unwrap().contains(joint));
        let findings = ballesta(["check", &model, "--json"]).json();
        let planes = if joint == "universal" { 2 } else { 1 };
        assert_eq!((&findings["dof"], &findings["bodies"]), (&(5 * planes).into(), &5.into()));
        let run = ballesta(["run", &model, "--stop", "0.02", "--csv", "-"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let (header, rows) = read_csv(&run.stdout);
        let tip = header.iter().position(|name| *name == "tip.y").expect("the tip");
        // A step load: the first swing goes to twice the static 1.8 mm, never beyond.
        let lowest = -rows.iter().map(|row| -row[tip]).fold(0.0, larger);
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

/// The comparison counts spring, point mass and weight; closed form of the thin beam: P L³/3EI + w L⁴/8EI + (P + w L/2)
/// L²/K.
#[test]
fn the_comparison_holds_for_a_mounted_and_loaded_beam() {
    let mounted = "--base-spring 572957.8 --tip-mass 20 --gravity -9.81 --compare";
    let arguments = ["lump", "models/structures/cantilever", "--elements", "10"];
    let answer = ballesta(arguments.into_iter().chain(mounted.split(' ')));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let (force, line, bending) = (196.2_f64, 2.7 * 9.81, 2300.0);
    let exact = force / (24.0 * bending) + line / (128.0 * bending) + (force + 0.25 * line) * 0.25 / 572957.8;
    for words in
        [&format!("thin beam: {:.6} mm", 1e3 * exact)[..], "572957.8 N m/rad, 20 kg at the tip", "8.207", "3.723"]
    {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
}

/// Section II of Ghidella et al. with the inertia that a block of mass has there by default, and the same chain as a
/// model.
#[test]
fn a_mass_at_the_tip_has_the_inertia_that_is_asked_for() {
    let tip = "--elements 10 --tip-mass 20 --tip-inertia 1";
    let arguments = || ["lump", "models/structures/cantilever"].into_iter().chain(tip.split(' '));
    let answer = ballesta(arguments().chain(["--compare"]));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    for words in ["20 kg at the tip with 1 kg m2 about it", "6.797844"] {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
    let folder = Folder::new("lump-tip");
    let model = folder.path("beam.toml");
    assert_eq!(ballesta(arguments().chain(["-o", &model])).code, 0);
    let modes = ballesta(["modes", &model]);
    assert!(modes.stdout.contains("6.79784"), "{}{}", modes.stdout, modes.stderr);
}

/// The comparison of a chain that gives way to everything; thin beam: P L³/3EI, P L/EA, T L/GJ.
#[test]
fn the_comparison_of_other_joints_shows_what_the_beam_does() {
    let arguments = ["lump", "models/structures/cantilever", "--elements", "10", "--joint", "bushing", "--compare"];
    let answer = ballesta(arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    // In mm/kN and µm/kN.
    let bending: f64 = 0.125 / (3.0 * 2300.0) * 1e6;
    let axial: f64 = 0.5 / (6.9e10 * 1e-3) * 1e9;
    let rows: Vec<&str> =
        answer.stdout.lines().filter(|line| line.trim_start().starts_with(char::is_numeric)).collect();
    assert_eq!(rows.len(), 4, "{}", answer.stdout);
    for row in rows {
        for number in [format!("{bending:.5}"), format!("{axial:.6}")] {
            assert!(row.contains(&number), "{number} in {row}");
        }
    }
}

/// A file for every joint, which is checked and runs: as many degrees of freedom as free motions.
#[test]
fn chains_with_every_joint_run() {
    let folder = Folder::new("lump-joints");
    let model = folder.path("beam.toml");
    for (joint, motions) in
        [("spherical", 3), ("prismatic", 1), ("cylindrical", 2), ("planar", 3), ("bushing", 6), ("revolute", 1)]
    {
        let answer =
            ballesta(["lump", "models/structures/cantilever", "--elements", "3", "--joint", joint, "-o", &model]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{joint}");
        let findings = ballesta(["check", &model, "--json"]).json();
        assert_eq!(findings["dof"], 3 * motions, "{joint}");
        let run = ballesta(["run", &model, "--stop", "0.01", "--strict"]);
        assert_eq!(run.code, 0, "{joint}: {}{}", run.stdout, run.stderr);
    }
}

/// The crane of the gallery, which has a closed ring, and the cantilever as a whole.
#[test]
fn whole_structures_are_written_checked_run_and_compared() {
    let folder = Folder::new("lump-whole");
    let model = folder.path("model.toml");
    // Seven beams of two elements: 14 joints less 3 for the ring; 13 bodies with three motions.
    for (arguments, bodies, dof) in [
        ("models/structures/crane --elements 2 --gravity -9.81 --damping-ratio 0.01", 13, 11),
        ("models/structures/crane --elements 2 --joint planar", 13, 39),
        ("models/structures/cantilever --whole --elements 4 --load tip\tload", 4, 4),
    ] {
        let typed = arguments.split(' ').map(|word| word.replace('\t', " "));
        let answer = ballesta(["lump".to_string()].into_iter().chain(typed).chain(["-o".into(), model.clone()]));
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{arguments}");
        let findings = ballesta(["check", &model, "--json"]).json();
        assert_eq!((&findings["bodies"], &findings["dof"]), (&bodies.into(), &dof.into()), "{arguments}");
        let run = ballesta(["run", &model, "--stop", "0.02", "--strict"]);
        assert_eq!(run.code, 0, "{arguments}: {}{}", run.stdout, run.stderr);
    }
    // The load case of the cantilever, as today for one beam.
    assert!(fs::read_to_string(&model).unwrap().contains("start = -196.2"));
    let whole = ballesta(["lump", "models/structures/cantilever", "--whole", "--elements", "10", "--compare"]);
    assert_eq!((whole.code, whole.stderr.as_str()), (0, ""));
    for words in ["tip load mm", "3.545462", "65.45978", "finite, 10", "3.554348"] {
        assert!(whole.stdout.contains(words), "{words} in {}", whole.stdout);
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
        (vec!["lump", "models/structures/crane", "--force", "1"], 2, "[[load]]"),
        (vec!["lump", "models/structures/crane", "--tip-mass", "1"], 2, "[[mass]]"),
        (vec!["lump", "models/structures/crane", "--load", "wind"], 2, "unknown load; the structure has none"),
        (vec!["lump", "models/structures/crane", "--joint", "spherical"], 1, "--joint revolute, planar or bushing"),
        (vec!["lump", "models/structures/crane", "--both-planes"], 1, "--joint revolute, planar or bushing"),
        (vec!["lump", "models/structures/solid", "--whole"], 1, "the structure is defined by matrices"),
        (vec!["lump", "models/structures/truss", "--whole"], 1, "the structure has no beams"),
        (vec!["lump", "models/structures/cantilever", "--load", "tip load"], 2, "--load needs a whole structure"),
        (vec!["lump", "--whole", "--length", "1"], 2, "<STRUCTURE>"),
        (vec!["lump", "models/structures/crane", "--beam", "jib_4"], 2, "did you mean `jib_"),
        (vec!["lump", "models/structures/truss"], 2, "no beams"),
        (vec!["lump", "models/structures/none"], 2, "cannot read"),
        (vec!["lump", &released], 1, "released ends"),
        (vec!["lump", "--length", "1"], 2, "--width"),
        (vec!["lump", "models/structures/cantilever", "--base-spring", "0"], 2, "must be greater than 0"),
        (vec!["lump", "models/structures/cantilever", "--tip-mass=-1"], 2, "must not be negative"),
        (vec!["lump", "models/structures/cantilever", "--tip-inertia=1"], 2, "--tip-inertia needs --tip-mass"),
        (vec!["lump", "models/structures/crane", "--length", "1"], 2, "cannot be used with"),
        (vec!["lump", "models/structures/cantilever", "--joint", "planar", "--both-planes"], 2, "cannot be used with"),
        (vec!["lump", "models/structures/cantilever", "--joint", "hinge"], 2, "invalid value"),
        (
            vec!["lump", "models/structures/cantilever", "--joint", "prismatic", "--force", "1"],
            2,
            "cannot move along y",
        ),
        (
            vec!["lump", "models/structures/cantilever", "--joint", "bushing", "--base-spring", "1"],
            2,
            "needs --joint revolute",
        ),
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
