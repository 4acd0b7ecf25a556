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
fn an_fmu_with_the_hold_mode_can_be_stepped_and_a_model_with_its_names_is_refused() {
    let folder = Folder::new("hold_mode");
    let fmu = folder.path("four_bar.fmu");
    let answer = ballesta(["export", "models/four_bar", "-o", &fmu, "--hold-mode", "--library", &host_library()]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(answer.stdout.contains("resources/hold_mode.txt"), "{}", answer.stdout);
    assert_eq!(ballesta(["bench", &fmu, "--steps", "100"]).code, 0);

    let text = fs::read_to_string(format!("{ROOT}/models/four_bar/model.toml")).unwrap();
    let model = folder.path("model.toml");
    fs::write(&model, format!("{text}\n[[output]]\nname = \"fault\"\nquantity = \"gap\"\n")).unwrap();
    assert_eq!(ballesta(["export", &model, "-o", &fmu, "--library", &host_library()]).code, 0);
    let answer = ballesta(["export", &model, "-o", &fmu, "--hold-mode", "--library", &host_library()]);
    assert_eq!(answer.code, 1);
    let line = text.lines().count() + 3;
    assert!(answer.stderr.contains(&format!("model.toml:{line}:")), "{}", answer.stderr);
    assert!(answer.stderr.contains("belongs to a variable of the hold mode"), "{}", answer.stderr);
}

/// Folders of whoever builds, who may be somebody else than who gets the FMU.
#[test]
fn the_library_of_an_fmu_does_not_tell_where_it_was_built() {
    let folder = Folder::new("origin");
    let fmu = folder.path("pendulum.fmu");
    let answer = ballesta(["export", "models/pendulum", "-o", &fmu, "--library", &host_library()]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let mut archive = zip::ZipArchive::new(fs::File::open(&fmu).unwrap()).unwrap();
    let entry = entries(&fmu).into_iter().find(|entry| entry.starts_with("binaries/")).expect("a library");
    let mut library = Vec::new();
    std::io::Read::read_to_end(&mut archive.by_name(&entry).unwrap(), &mut library).unwrap();

    let home = std::env::home_dir().expect("a home");
    let cargo = std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from);
    let mut folders = vec![cargo.join("registry")];
    // What is for debuggers tells where the sources are.
    if ballesta::PROFILE != "debug" {
        folders.extend([home, cargo, Path::new(ROOT).canonicalize().unwrap()]);
    }
    for folder in folders.iter().filter(|folder| folder.components().count() > 1) {
        let path = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        assert!(!library.windows(path.len()).any(|text| text == path.as_bytes()), "{path} in {entry}");
    }
}

#[test]
fn an_fmu_that_is_not_for_model_exchange_says_why() {
    let folder = Folder::new("co_simulation_only");
    let fmu = folder.path("stiff_bar.fmu");
    let answer = ballesta(["export", "models/stiff_bar", "-o", &fmu, "--library", &host_library()]);
    assert_eq!(answer.code, 0);
    let expected = "not for Model Exchange: modes of `bar` above `model.resolution` are set to their equilibrium";
    assert!(answer.stderr.contains(expected), "{}", answer.stderr);
}

/// The program and its libraries as an installation has them: `bin/` and `lib/ballesta/`.
fn installation(folder: &Folder, version: &str) -> (String, PathBuf) {
    let (bin, lib) = (folder.0.join("bin"), folder.0.join("lib/ballesta"));
    let platform = ballesta_package::Platform::host().expect("a platform that FMUs know");
    let built = lib.join(platform.tuple()).join("library");
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(built.parent().unwrap()).unwrap();
    let program = bin.join("ballesta");
    fs::copy(PROGRAM, &program).unwrap();
    fs::copy(library(), &built).unwrap();
    let bytes = fs::read(&built).unwrap();
    let manifest = serde_json::json!({"format": 1, "libraries": [{
        "platform": platform.tuple(),
        "file": format!("{}/library", platform.tuple()),
        "bytes": bytes.len(),
        "sha256": ballesta_package::sources::sha256(&bytes),
        "version": version,
        "sources": "nothing to compare with",
    }]});
    fs::write(lib.join("manifest.json"), manifest.to_string()).unwrap();
    (program.display().to_string(), built)
}

/// Exports with an installed program where there is no compiler.
fn export_installed(program: &str, fmu: &str) -> Answer {
    let mut command = Command::new(program);
    command
        .args(["export", "models/pendulum", "-o", fmu])
        .current_dir(ROOT)
        .env("CARGO", "/no/cargo")
        .env("PATH", "/no");
    let output = command.output().expect("the program can be started");
    Answer {
        code: output.status.code().expect("the program ended by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn an_installed_program_needs_no_compiler() {
    let folder = Folder::new("installed");
    let (program, built) = installation(&folder, env!("CARGO_PKG_VERSION"));
    let fmu = folder.path("pendulum.fmu");
    let answer = export_installed(&program, &fmu);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    if cfg!(target_os = "linux") {
        assert!(answer.stdout.contains("(glibc 2."), "{}", answer.stdout);
    }
    let binaries = |entries: Vec<String>| entries.into_iter().filter(|entry| entry.starts_with("binaries/")).count();
    assert_eq!(binaries(entries(&fmu)), 1);

    // A library that somebody has changed is not packed, and there is no compiler for another one.
    fs::remove_file(&fmu).unwrap();
    let mut bytes = fs::read(&built).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&built, bytes).unwrap();
    let answer = export_installed(&program, &fmu);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    for words in ["is not the file of the manifest", "install ballesta again", "--library"] {
        assert!(answer.stderr.contains(words), "{words} in {}", answer.stderr);
    }
    assert!(!Path::new(&fmu).exists());
}

#[test]
fn an_installed_library_of_another_version_is_refused() {
    let folder = Folder::new("other-version");
    let (program, _) = installation(&folder, "0.0.1");
    let fmu = folder.path("pendulum.fmu");
    let answer = export_installed(&program, &fmu);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
    for words in ["does not belong to this program: built from version 0.0.1", "install ballesta again"] {
        assert!(answer.stderr.contains(words), "{words} in {}", answer.stderr);
    }
    assert!(!Path::new(&fmu).exists());
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
    assert!(answer.stderr.contains("not a library for win64"), "{}", answer.stderr);
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
    // What is told to try next can be tried: the model lies beside.
    let model = folder.join("four_bar.toml");
    assert!(answer.stdout.contains(&format!("check {}", model.display())), "{}", answer.stdout);
    let run = ballesta(["run", &model.display().to_string(), "--csv", "-"]);
    assert!(fs::read_to_string(folder.join("four_bar.csv")).unwrap() == run.stdout, "the model is the one of the FMU");
    let [demo, direct] = [folder.join("four_bar.html"), folder.join("direct.html")];
    assert_eq!(ballesta(["run", "models/four_bar", "--html", &direct.display().to_string()]).code, 0);
    assert!(fs::read(demo).unwrap() == fs::read(direct).unwrap(), "the page of `run`");
}
