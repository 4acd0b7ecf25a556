//! `ballesta expand`.

use super::*;
use ballesta::math::{larger, largest};

/// What `run` prints of a model.
fn csv(model: &str) -> String {
    let answer = ballesta(["run", model, "--stop", "0.05", "--step", "0.01", "--csv", "-"]);
    assert_eq!(answer.code, 0, "{model}: {}", answer.stderr);
    answer.stdout
}

#[test]
fn the_flat_model_moves_with_the_same_bits() {
    let folder = Folder::new("expand");
    let truck = ["models/truck", "models/truck/flexible.toml", "models/truck/paper.toml"];
    let van = ["models/van", "models/van/hubs.toml", "models/van/paper.toml"];
    for model in truck.into_iter().chain(van).chain(["models/double_wishbone_axle", "models/dh_arm"]) {
        let flat = folder.path(&format!("{}.toml", model.replace(['/', '.'], "_")));
        let answer = ballesta(["expand", model, "-o", &flat]);
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{model}");
        let text = fs::read_to_string(&flat).unwrap();
        assert!(!text.contains("[[use]]") && !text.contains("[[frame]]") && text.contains("[[joint]]"), "{model}");
        assert!(csv(model) == csv(&flat), "{model} and its flat file differ");
        // A flat model stays as it is, but for the first line.
        let again = ballesta(["expand", &flat]);
        let content = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_string());
        assert_eq!((again.code, content(&again.stdout)), (0, content(&text)), "{model}");
    }
}

#[test]
fn files_that_the_model_names_go_along_and_overwrite_nothing() {
    let folder = Folder::new("expand-files");
    let flat = folder.path("flat.toml");
    fs::create_dir(folder.0.join("there")).unwrap();
    folder.file("there/van.tir", "other");
    let refused = ballesta(["expand", "models/van", "-o", &folder.path("there/flat.toml")]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("other content"), "{}", refused.stderr);
    assert!(!folder.0.join("there/flat.toml").exists());
    for _ in 0..2 {
        assert_eq!(ballesta(["expand", "models/van", "-o", &flat]).code, 0);
    }
    let (copy, file) = (folder.0.join("van.tir"), Path::new(ROOT).join("models/van/van.tir"));
    assert_eq!(fs::read(copy).unwrap(), fs::read(file).unwrap());
    let files: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    // The model, its tyre and road, and the folder of the meshes.
    assert_eq!(files.len(), 4, "{files:?}");
    assert!(folder.0.join("parts/body.obj").is_file());
}

#[test]
fn what_is_wrong_with_the_model_is_said() {
    let folder = Folder::new("expand-wrong");
    let model = folder.file("model.toml", "[model]\nname = \"m\"\n[[use]]\nfile = \"none.toml\"\n");
    for (model, code) in [(model.as_str(), 1), ("models/none", 2)] {
        let answer = ballesta(["expand", model]);
        assert_eq!((answer.code, answer.stdout.as_str()), (code, ""), "{}", answer.stderr);
    }
}

/// Outputs over time, by name.
fn columns(model: &str, inputs: Option<&str>, internal_step: &str) -> Vec<(String, Vec<f64>)> {
    let mut arguments = vec!["run", model, "--stop", "1", "--step", "0.01", "--internal-step", internal_step];
    inputs.iter().for_each(|file| arguments.extend(["--inputs", file]));
    arguments.extend(["--csv", "-"]);
    let answer = ballesta(arguments);
    assert_eq!(answer.code, 0, "{model}: {}", answer.stderr);
    let mut lines = answer.stdout.lines();
    let names = lines.next().unwrap().split(',').map(String::from);
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 101, "{model}");
    names.enumerate().map(|(column, name)| (name, rows.iter().map(|row| row[column]).collect())).collect()
}

/// The largest difference of an output that both have, relative to its largest value. What is round-off alone (below
/// `least`, such as a way to the side of a vehicle that drives straight) is left out, and so are counts and gaps. Also
/// the number of outputs.
fn difference(a: &[(String, Vec<f64>)], b: &[(String, Vec<f64>)], least: f64) -> (f64, usize) {
    let (mut most, mut count) = (0.0f64, 0);
    for (name, values) in a {
        let about_the_run = ["time", "gap", "velocity_gap", "near_singular", "repartitions"].contains(&name.as_str());
        let Some((_, others)) = b.iter().find(|other| other.0 == *name).filter(|_| !about_the_run) else { continue };
        let size = largest(values);
        if size < least {
            continue;
        }
        for (value, other) in values.iter().zip(others) {
            most = larger(most, (value - other).abs() / size);
        }
        count += 1;
    }
    (most, count)
}

/// A rod is one equation; as a slender bar between a universal and a spherical joint it is two coordinates and three
/// equations. The two differ by the error of the integrator, which falls with the fourth power of the step.
#[test]
fn rods_that_are_kept_as_bodies_move_as_rods_do() {
    let folder = Folder::new("expand-rods");
    let steer = folder.file("steer.csv", "time,steering_wheel.angle\n0,0\n0.1,0\n0.3,1.5\n0.7,1.5\n0.8,-1\n");
    for (model, inputs, rods, others, tolerance, outputs) in [
        // Measured 3.3e-10, 1.4e-11 and 1.9e-9.
        ("models/van", Some(steer.as_str()), 4, 14, 2e-9, 90),
        ("models/five_link_suspension", None, 5, 1, 1e-10, 10),
        ("models/delta_robot", None, 6, 4, 1e-8, 9),
    ] {
        let kept = folder.path(&format!("{}.toml", model.replace('/', "_")));
        let answer = ballesta(["expand", model, "--keep-rods", "-o", &kept]);
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{model}");
        let text = fs::read_to_string(&kept).unwrap();
        assert!(!text.contains("[[rod]]") && text.contains("# Omitted: output "), "{model}");

        let [before, after] = [model, kept.as_str()].map(|model| ballesta(["check", model, "--json"]).json());
        let number = |findings: &Value, key: &str| findings[key].as_u64().unwrap_or_else(|| panic!("{key}"));
        assert_eq!((number(&before, "rods"), number(&before, "bodies")), (rods, others), "{model}");
        assert_eq!((number(&after, "rods"), number(&after, "bodies")), (0, others + rods), "{model}");
        assert_eq!(number(&after, "dof"), number(&before, "dof"), "{model}");
        assert_eq!(number(&after, "coordinates"), number(&before, "coordinates") + 2 * rods, "{model}");
        assert_eq!(number(&after, "constraints"), number(&before, "constraints") + 2 * rods, "{model}");
        assert_eq!(number(&after, "redundant"), 0, "{model}");

        let at = |step: &str| difference(&columns(model, inputs, step), &columns(&kept, inputs, step), 1e-9);
        let ((off, count), (finer, _)) = (at("1e-3"), at("5e-4"));
        assert!(off <= tolerance && count >= outputs, "{model}: {off:.2e} of {count} outputs");
        // From 1e-11 on it is round-off.
        assert!(finer <= (off / 8.0).max(1e-11), "{model}: {off:.2e}, with half the step {finer:.2e}");
        println!("{model}: {off:.2e}, with half the step {finer:.2e}; {count} outputs");
    }
}

#[test]
fn rods_that_cannot_be_bodies_are_refused_and_nothing_is_written() {
    let folder = Folder::new("expand-no-rods");
    let text = fs::read_to_string(Path::new(ROOT).join("models/five_link_suspension/model.toml")).unwrap();
    let parameter = "\n[[parameter]]\nname = \"rod.mass\"\nvalue = 1\n\n[[body]]\nname = \"carrier\"";
    let text =
        text.replacen("\n[[body]]\nname = \"carrier\"", parameter, 1).replacen("mass = 1.1", "mass = \"rod.mass\"", 1);
    let model = folder.file("model.toml", &text);
    let output = folder.path("kept.toml");
    let answer = ballesta(["expand", &model, "--keep-rods", "-o", &output]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
    assert!(answer.stderr.contains("rod[0] `upper_front`") && answer.stderr.contains("parameter"), "{}", answer.stderr);
    assert!(!Path::new(&output).exists());
}
