//! What the documentation says exists: linked files and headings, commands with their options, scripts, models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every Markdown file of the repository, outside of hidden folders and build results.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable folder") {
            let path = entry.expect("readable folder").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() >= 4, "found only {found:?}");
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lines of a document with their numbers, and the language of the fenced block in which they stand, if any.
fn lines(text: &str) -> Vec<(usize, Option<String>, &str)> {
    let mut fence: Option<String> = None;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language.trim().to_string()) };
        } else {
            lines.push((number, fence.clone(), line));
        }
    }
    lines
}

/// The fragment by which a heading is linked: lower case, blanks to hyphens, without punctuation.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

/// Fragments that a document can be linked with: its headings, and the anchors it sets itself (`<a id="…">`).
fn headings(text: &str) -> BTreeSet<String> {
    let outside: Vec<&str> = lines(text).into_iter().filter(|(_, fence, _)| fence.is_none()).map(|l| l.2).collect();
    let headings = outside.iter().filter(|line| line.starts_with('#')).map(|line| slug(line.trim_start_matches('#')));
    let anchors = outside.iter().flat_map(|line| line.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next()));
    headings.chain(anchors.map(str::to_string)).collect()
}

/// Targets of the inline links of a line, code spans left out.
fn links(line: &str) -> Vec<String> {
    let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(|target| target.split(' ').next().unwrap_or("").to_string()).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    crate::root::at_root();
    let mut broken = Vec::new();
    let mut seen = 0;
    for document in documents() {
        let text = read(&document);
        for (number, fence, line) in lines(&text) {
            for target in if fence.is_none() { links(line) } else { Vec::new() } {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                seen += 1;
                let (file, fragment) = target.split_once('#').unwrap_or((&target, ""));
                let path = if file.is_empty() { document.clone() } else { document.with_file_name(file) };
                let heading_missing = || {
                    path.extension().is_some_and(|e| e == "md") && {
                        !fragment.is_empty() && !headings(&read(&path)).contains(fragment)
                    }
                };
                if !path.exists() || heading_missing() {
                    broken.push(format!("{}:{number}: {target}", document.display()));
                }
            }
        }
    }
    assert!(seen > 10, "only {seen} links found: the search sees nothing");
    assert!(broken.is_empty(), "broken links:\n  {}", broken.join("\n  "));
}

fn ballesta(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

/// Arguments of `ballesta` in a line of a shell block, also through `cargo run`; quotes and pipes end the list.
fn ballesta_arguments(line: &str) -> Option<Vec<&str>> {
    let line = line.trim().trim_start_matches("$ ");
    let rest = ["ballesta ", "target/release/ballesta ", "cargo run --release -- "]
        .iter()
        .find_map(|program| line.strip_prefix(program))?;
    Some(rest.split_whitespace().take_while(|word| !["|", "#", ">", "&&", ";"].contains(word)).collect())
}

#[test]
fn commands_exist_with_their_options() {
    crate::root::at_root();
    let mut problems = Vec::new();
    let mut seen = 0;
    for document in documents() {
        for (number, fence, line) in lines(&read(&document)) {
            if !fence.is_some_and(|language| ["sh", "shell", "console", "bash"].contains(&language.as_str())) {
                continue;
            }
            let place = format!("{}:{number}", document.display());
            let first = line.split_whitespace().next().unwrap_or("");
            let is_script = first.starts_with("./") || first.starts_with(".ci/") || first.starts_with("scripts/");
            if is_script && first != "./host" && !root().join(first).is_file() {
                problems.push(format!("{place}: there is no {first}"));
            }
            for model in line.split_whitespace().filter(|word| word.starts_with("models/")) {
                if !root().join(model).exists() {
                    problems.push(format!("{place}: there is no {model}"));
                }
            }
            let Some(arguments) = ballesta_arguments(line) else { continue };
            let Some(subcommand) = arguments.first().filter(|word| !word.starts_with('-')) else { continue };
            seen += 1;
            let output = ballesta(&[subcommand, "--help"], root());
            let help = String::from_utf8_lossy(&output.stdout).into_owned();
            if !output.status.success() {
                problems.push(format!("{place}: there is no subcommand `{subcommand}`"));
            }
            for option in arguments.iter().filter(|word| word.starts_with('-') && word.len() > 1) {
                let name = option.split('=').next().unwrap_or(option);
                let documented = help.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| word == name);
                if !documented {
                    problems.push(format!("{place}: `ballesta {subcommand}` has no option {name}"));
                }
            }
        }
    }
    assert!(seen >= 5, "only {seen} commands found: the search sees nothing");
    assert!(problems.is_empty(), "commands in the documentation:\n  {}", problems.join("\n  "));
}

#[test]
fn the_readme_names_the_two_commands() {
    crate::root::at_root();
    let text = read(&root().join("README.md"));
    for command in ["cargo run --release -- demo", "./test.sh"] {
        assert!(lines(&text).iter().any(|(_, fence, line)| fence.is_some() && line.starts_with(command)), "{command}");
    }
}

#[test]
fn the_commands_of_the_quick_start_work() {
    crate::root::at_root();
    let text = read(&root().join("docs/quick-start.md"));
    let block = lines(&text).into_iter().filter(|(_, fence, _)| fence.as_deref() == Some("toml"));
    let model: String = block.map(|(_, _, line)| format!("{line}\n")).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("quick_start");
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    std::fs::write(folder.join("pendulum.toml"), model).expect("a scratch file");

    let commands = lines(&text).into_iter().filter(|(_, fence, _)| fence.as_deref() == Some("sh"));
    let commands = commands.filter_map(|(_, _, line)| ballesta_arguments(line));
    // `export` builds the FMU's library and `bench` measures for a while: their own tests run them.
    let quick = commands.filter(|arguments| ["check", "run"].contains(&arguments[0]));
    let mut count = 0;
    for arguments in quick {
        let of_gallery = |word: &&str| word.starts_with("models/");
        let placed: Vec<String> = arguments
            .iter()
            .map(|word| if of_gallery(word) { root().join(word).display().to_string() } else { word.to_string() })
            .collect();
        let output = ballesta(&placed.iter().map(String::as_str).collect::<Vec<_>>(), &folder);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        count += 1;
    }
    assert_eq!(count, 3);
    assert!(read(&folder.join("pendulum.csv")).starts_with("time,arm.angle,pivot.force.x,"));
    assert_ne!(read(&folder.join("pendulum.csv")), read(&folder.join("held.csv")));
    assert!(read(&folder.join("pendulum.svg")).contains("<svg"));
}

#[test]
fn scripts_can_be_executed() {
    crate::root::at_root();
    use std::os::unix::fs::PermissionsExt;
    for script in
        ["test.sh", ".ci/run", "scripts/tools.sh", "scripts/platforms.sh", "scripts/package.sh", "scripts/book.sh"]
    {
        let mode =
            std::fs::metadata(root().join(script)).unwrap_or_else(|e| panic!("{script}: {e}")).permissions().mode();
        assert_ne!(mode & 0o111, 0, "{script} is not executable");
    }
}

/// The program, which Cargo builds for the tests of `crates/cli`, in the folder above that of this one.
fn program() -> PathBuf {
    let program = std::env::current_exe().unwrap().parent().unwrap().with_file_name("ballesta");
    assert!(
        program.with_extension(std::env::consts::EXE_EXTENSION).is_file(),
        "`cargo test --workspace` builds it first"
    );
    program
}
