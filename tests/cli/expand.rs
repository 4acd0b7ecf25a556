//! `ballesta expand`.

use super::*;

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
    for model in truck.into_iter().chain(van).chain(["models/double_wishbone_axle"]) {
        let flat = folder.path(&format!("{}.toml", model.replace(['/', '.'], "_")));
        let answer = ballesta(["expand", model, "-o", &flat]);
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (0, "", ""), "{model}");
        let text = fs::read_to_string(&flat).unwrap();
        assert!(!text.contains("[[use]]") && text.contains("[[joint]]"), "{model}");
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
    assert!(refused.stderr.contains("another content"), "{}", refused.stderr);
    assert!(!folder.0.join("there/flat.toml").exists());
    for _ in 0..2 {
        assert_eq!(ballesta(["expand", "models/van", "-o", &flat]).code, 0);
    }
    let (copy, file) = (folder.0.join("van.tir"), Path::new(ROOT).join("models/van/van.tir"));
    assert_eq!(fs::read(copy).unwrap(), fs::read(file).unwrap());
    let files: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
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
