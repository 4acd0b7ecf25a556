//! The command line, through the real program: what it prints, what it writes, and with which exit code it ends.

mod bench;
mod check_command;
mod convert;
mod edit;
mod expand;
mod export;
mod groups;
mod help;
mod hostile;
mod json;
mod linearize;
mod lump;
mod manoeuvre;
mod new;
#[cfg(unix)]
mod papers;
mod realtime;
mod recovery_commands;
mod reduce;
mod rig;
mod run;
mod spectrum;
mod study;
mod tyre_command;
mod verdicts;
mod verify;
mod view;
mod view_pages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ballesta");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A force pushes a mass along a rail; the force is an input, the mass a parameter.
const RAIL: &str = r#"
[model]
name = "rail"
step = 0.01

[experiment]
stop = 1
step = 0.1

[[parameter]]
name = "damper.damping"
value = 0
min = 0
max = 10
tunable = true

[[body]]
name = "cart"
mass = 2
com = [0, 0, 0]

[[joint]]
name = "rail"
type = "prismatic"
bodies = ["ground", "cart"]
axis = [1, 0, 0]

[[joint_spring]]
name = "damper"
joint = "rail"
damping = "damper.damping"

[[input]]
name = "push"
unit = "N"

[[drive]]
name = "motor"
joint = "rail"
value = "push"

[[output]]
name = "cart.travel"
joint = "rail"
quantity = "position"

[[output]]
name = "cart.speed"
joint = "rail"
quantity = "speed"

[[output]]
name = "cart.acceleration"
joint = "rail"
quantity = "acceleration"
"#;

/// A crank that is turned beyond the reach of its rocker: the loop cannot stay closed.
const OUT_OF_REACH: &str = r#"
[model]
name = "out_of_reach"
step = 1e-3

[experiment]
stop = 10
step = 0.01

[points]
A = [0, 0, 0]
B = [0, 1, 0]
C = [1.2, 1, 0]
D = [1, 0, 0]

[[body]]
name = "crank"
mass = 1
com = [0, 0.5, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]

[[body]]
name = "coupler"
mass = 1
com = [0.6, 1, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]

[[body]]
name = "rocker"
mass = 1
com = [1.1, 0.5, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]

[[joint]]
name = "A"
type = "revolute"
bodies = ["ground", "crank"]
point = "A"
axis = [0, 0, 1]

[[joint]]
name = "B"
type = "revolute"
bodies = ["crank", "coupler"]
point = "B"
axis = [0, 0, 1]

[[joint]]
name = "C"
type = "revolute"
bodies = ["coupler", "rocker"]
point = "C"
axis = [0, 0, 1]

[[joint]]
name = "D"
type = "revolute"
bodies = ["ground", "rocker"]
point = "D"
axis = [0, 0, 1]

[[guided]]
name = "turn"
joint = "A"
motion = { speed = 1 }

[[output]]
name = "crank.angle"
joint = "A"
quantity = "position"

[[output]]
name = "gap"
quantity = "gap"
"#;

/// A folder for the files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ballesta-cli-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the program answered.
struct Answer {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Answer {
    fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.stderr);
        let value: Value = serde_json::from_str(&self.stdout).expect("one JSON object on stdout and nothing else");
        assert!(value.is_object());
        value
    }
}

fn ballesta<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Answer {
    run_program(PROGRAM, arguments)
}

fn run_program<S: AsRef<str>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Answer {
    let arguments: Vec<String> = arguments.into_iter().map(|argument| argument.as_ref().to_string()).collect();
    let Output { status, stdout, stderr } =
        Command::new(program).args(&arguments).current_dir(ROOT).output().expect("the program can be started");
    Answer {
        code: status.code().expect("the program ended by itself"),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Header and rows of a CSV whose names hold no comma.
fn read_csv(text: &str) -> (Vec<&str>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().expect("a header").split(',').collect();
    let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect();
    (header, rows)
}

/// The library of the same build as the program. Cargo leaves it in deps/; the one above is that of the last
/// `cargo build`.
fn library() -> String {
    let name = format!("{}ballesta{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = Path::new(PROGRAM).with_file_name("deps").join(name);
    assert!(path.is_file(), "{}", path.display());
    path.display().to_string()
}

/// Content of the library of pages in [`installed`].
const PAGE_LIBRARY: &[u8] = b"library";

/// The program installed in a folder, with a library for pages if requested.
fn installed(folder: &Path, with_library: bool) -> String {
    let (bin, lib) = (folder.join("bin"), folder.join("lib/ballesta"));
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("ballesta");
    if !program.exists() && fs::hard_link(PROGRAM, &program).is_err() {
        fs::copy(PROGRAM, &program).unwrap();
    }
    if with_library {
        fs::create_dir_all(&lib).unwrap();
        fs::write(lib.join("pages.gz"), PAGE_LIBRARY).unwrap();
        let entry = json!({
            "platform": "wasm32", "file": "pages.gz", "bytes": PAGE_LIBRARY.len(), "version": env!("CARGO_PKG_VERSION"),
            "sha256": "b718f1354f7247312eca086d9a024afe5fa717ddea5adeddd6f12bcf945b2e8c", "sources": ""
        });
        fs::write(lib.join("manifest.json"), json!({"format": 1, "libraries": [entry]}).to_string()).unwrap();
    }
    program.display().to_string()
}

fn host_library() -> String {
    let platform = ballesta_package::Platform::host().expect("tests run on a platform that FMUs know");
    format!("{platform}={}", library())
}
