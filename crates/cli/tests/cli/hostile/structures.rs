//! Structures whose reductions nobody could use, and outputs over what they are made of.

use super::*;

fn structure(name: &str) -> PathBuf {
    Path::new(ROOT).join("models/structures").join(name)
}

#[test]
fn a_reduction_that_could_not_be_read_again_is_not_written() {
    let folder = Folder::new("structure-unreadable");
    let text = fs::read_to_string(structure("planar_link").join("structure.toml")).unwrap();
    let far =
        text.replace("first = [0, 0]", "first = [0, 1000]").replace("second = [0.28, 0]", "second = [0.28, 1000]");
    let file = folder.file("far.toml", &far);
    let rom = folder.path("far.rom.toml");
    refused(&["reduce", &file, "-o", &rom], 1, &["far.toml", "rigid.mass", "error in the reduced model, not written"]);
    assert!(!Path::new(&rom).exists());
}

#[test]
fn matrices_of_a_structure_are_not_overwritten_by_its_reduction() {
    let folder = Folder::new("structure-matrices");
    for entry in fs::read_dir(structure("solid")).unwrap().flatten() {
        fs::copy(entry.path(), folder.0.join(entry.file_name())).unwrap();
    }
    let file = folder.path("structure.toml");
    for name in ["rod_matrices.sti", "rod_matrices.mas", "rod_matrices.dof", "rod_mesh.inp", "structure.toml"] {
        let before = fs::read(folder.path(name)).unwrap();
        refused(&["reduce", &file, "-o", &folder.path(name)], 2, &["--output", "would overwrite the input"]);
        refused(&["reduce", &file, "--svg", &folder.path(name)], 2, &["--svg", "must end in .svg or .png"]);
        assert!(fs::read(folder.path(name)).unwrap() == before, "{name}");
    }
}

#[test]
fn places_beyond_reason_are_refused_in_bounded_time() {
    let folder = Folder::new("structure-far");
    for entry in fs::read_dir(structure("solid")).unwrap().flatten() {
        fs::copy(entry.path(), folder.0.join(entry.file_name())).unwrap();
    }
    let begun = Instant::now();
    let text = fs::read_to_string(folder.path("structure.toml")).unwrap();
    for far in ["1e155", "-1e200", "1e13"] {
        let file = folder
            .file("structure.toml", &text.replace("position = [0.12, 0, 0]", &format!("position = [{far}, 0, 0]")));
        refused(&["reduce", &file], 1, &["interface[1].position", "within 1e12 m"]);
    }
    let text = fs::read_to_string(structure("planar_link").join("structure.toml")).unwrap();
    let file = folder.file("link.toml", &text.replace("second = [0.28, 0]", "second = [1e155, 0]"));
    refused(&["reduce", &file], 1, &["coordinate 1e155 m", "within 1e12 m"]);
    assert!(begun.elapsed() < Duration::from_secs(60));
}
