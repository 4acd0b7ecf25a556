//! The pages on papers: every row of their tables has a verdict, and every command in them runs.

use super::*;

const PAGES: [&str; 5] = [
    "docs/papers/ghidella.md",
    "docs/papers/gutierrez.md",
    "docs/papers/hidalgo.md",
    "docs/papers/miguez.md",
    "docs/papers/saura.md",
];

const HEAD: &str = "| item | paper | ours | command | verdict |";

/// Rows of the tables of a page: item, paper, ours, command, verdict.
fn rows(page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
    let tables = text.split(HEAD).skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with("| ")));
    rows.map(|row| row.trim_matches(['|', ' ']).split(" | ").map(String::from).collect()).collect()
}

#[test]
fn every_item_of_a_paper_has_a_verdict_and_is_not_missing() {
    for page in PAGES {
        let rows = rows(page);
        assert!(rows.len() > 8, "{page}: {}", rows.len());
        for row in rows {
            assert_eq!(row.len(), 5, "{page}: {row:?}");
            let known = ["same", "better", "differs", "not built because "].iter().any(|word| row[4].starts_with(word));
            assert!(known && !row[2..].iter().any(|cell| cell.starts_with("missing")), "{page}: {row:?}");
        }
    }
}

#[test]
fn commands_of_the_pages_run_in_their_order() {
    let folder = Folder::new("papers");
    // What the commands write goes into the folder, what they read is the gallery.
    std::os::unix::fs::symlink(Path::new(ROOT).join("models"), folder.path("models")).unwrap();
    let mut done: Vec<String> = Vec::new();
    for row in PAGES.iter().flat_map(|page| rows(page)) {
        for command in row[3].split('`').skip(1).step_by(2) {
            let command = command.strip_prefix("time ").unwrap_or(command).to_string();
            let Some(arguments) = command.strip_prefix("ballesta ") else { continue };
            // One second prints the same lines as a minute, and an FMU holds the library of this session.
            let mut arguments = arguments.replace("--duration 60", "--duration 1");
            if arguments.starts_with("export ") {
                arguments += &format!(" --library {}", host_library());
            }
            if done.contains(&command) {
                continue;
            }
            let answer =
                Command::new(PROGRAM).args(arguments.split(' ')).current_dir(folder.path("")).output().unwrap();
            assert!(answer.status.success(), "{command}: {}", String::from_utf8_lossy(&answer.stderr));
            done.push(command);
        }
    }
    assert!(done.len() >= 36, "{done:?}");
    for name in ["p1.svg", "truss.svg", "frame.svg", "truss.m"] {
        assert!(Path::new(&folder.path(name)).is_file(), "{name}");
    }
}
