//! `ballesta export`, `ballesta demo`, and `ballesta bench` of an FMU.

use super::*;

fn entries(fmu: &str) -> Vec<String> {
    let archive = zip::ZipArchive::new(fs::File::open(fmu).unwrap()).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

#[test]
fn an_exported_fmu_holds_the_library_that_was_given_and_can_be_stepped() {
    let folder = Folder::new("export");
    let fmu = folder.path("four_bar.fmu");
    let answer = ballesta(["export", "models/four_bar", "-o", &fmu, "--library", &host_library()]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let entries = entries(&fmu);
    for entry in ["modelDescription.xml", "resources/model.toml", "documentation/index.html"] {
        assert!(entries.iter().any(|other| other == entry), "{entry} in {entries:?}");
        assert!(answer.stdout.contains(entry), "{}", answer.stdout);
    }
    assert_eq!(entries.iter().filter(|entry| entry.starts_with("binaries/")).count(), 1);

    let findings = ballesta(["bench", &fmu, "--steps", "500", "--json"]).json();
    assert_eq!((&findings["model"], &findings["steps"]), (&"four_bar".into(), &500.into()));
    assert!(findings["step_us"]["p50"].as_f64().unwrap() > 0.0);
    assert!(findings.get("dof").is_none(), "an FMU does not tell its degrees of freedom");
}

#[test]
fn a_library_for_another_platform_is_refused() {
    let folder = Folder::new("wrong-library");
    let text = folder.file("ballesta.dll", "not a library");
    let fmu = folder.path("x.fmu");
    let library = format!("win64={text}");
    let answer =
        ballesta(["export", "models/four_bar", "-o", &fmu, "--library", &library, "--library", &host_library()]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("no library for win64"), "{}", answer.stderr);
    assert!(!Path::new(&fmu).exists(), "nothing is left behind");
    let twice = ["export", "models/four_bar", "--library", &library, "--library", &library];
    assert!(ballesta(twice).stderr.contains("given twice"));
}

#[test]
fn a_file_that_is_no_fmu_is_refused() {
    let folder = Folder::new("no-fmu");
    let fmu = folder.file("x.fmu", "not a zip archive");
    let answer = ballesta(["bench", &fmu]);
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{}", answer.stderr);
    assert!(answer.stderr.contains(&fmu), "{}", answer.stderr);
    assert_eq!(ballesta(["bench", &folder.path("none.fmu")]).code, 2);
}

#[test]
fn the_demo_steps_its_fmu_to_the_bits_of_the_solver() {
    let folder = Folder::new("demo");
    let out = folder.path("a folder/demo");
    let answer = ballesta(["demo", "--out", &out, "--library", &host_library()]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    for words in
        ["four_bar.fmu", "1001 points", "bit for bit", "energy", "gap", "faster than real time", "ballesta check"]
    {
        assert!(answer.stdout.contains(words), "{words} in {}", answer.stdout);
    }
    let folder = Path::new(&out);
    let run = ballesta(["run", "models/four_bar", "--csv", "-"]);
    assert!(fs::read_to_string(folder.join("four_bar.csv")).unwrap() == run.stdout, "the FMU gives what `run` gives");
    assert!(fs::read_to_string(folder.join("four_bar.svg")).unwrap().contains("left.angle"));
    assert!(folder.join("four_bar.fmu").is_file());
}
