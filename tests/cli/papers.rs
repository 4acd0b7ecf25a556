//! The pages about published work: their commands run.

use super::*;

/// Every `ballesta ...` in a table of a page.
fn commands(page: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
    let spans = text.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('`').skip(1).step_by(2));
    let mut commands: Vec<String> = spans.filter_map(|span| span.strip_prefix("ballesta ")).map(String::from).collect();
    commands.sort();
    commands.dedup();
    commands
}

#[test]
fn commands_of_the_pages_about_papers_run() {
    let folder = Folder::new("papers");
    for (page, least) in [("docs/papers/saura.md", 10), ("docs/papers/ghidella.md", 12)] {
        let commands = commands(page);
        assert!(commands.len() >= least, "{page}: only {} commands found", commands.len());
        for command in commands {
            let placed = command.split(' ').map(|word| match word.starts_with("models/") {
                true => format!("{ROOT}/{word}"),
                false => word.to_string(),
            });
            let output =
                Command::new(PROGRAM).args(placed).current_dir(&folder.0).output().expect("the program starts");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{page}: ballesta {command}: {errors}");
        }
    }
}
