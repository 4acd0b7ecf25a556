//! Writing for people: stdout and stderr, aligned tables, numbers with a sensible count of digits, progress.

use super::failure::Failure;
pub use crate::experiment::words::{count, nearest, short};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// What a command with `--json` and `--quiet` writes to stdout, besides a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// A report for people.
    Report,
    /// One JSON object.
    Json,
    /// Nothing.
    Nothing,
}

impl Told {
    /// What was asked for.
    pub fn new(json: bool, quiet: bool) -> Told {
        match (json, quiet) {
            (true, _) => Told::Json,
            (false, true) => Told::Nothing,
            (false, false) => Told::Report,
        }
    }
}

/// Writes `text` to stdout. A reader that has closed the pipe (`| head`) is no failure; where there is no stdout at all, `text` is
/// lost, which is one.
pub fn say(text: &str) -> Result<(), Failure> {
    stdout_is_open("what the command prints")?;
    let mut out = io::stdout().lock();
    taken(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// The failure of writing to stdout, unless its reader has had what it wanted.
pub fn taken(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::file("write to", Path::new("stdout"), error))
        }
        _ => Ok(()),
    }
}

/// Refuses to write `what` where the program was started without a stdout (`>&-`).
pub fn stdout_is_open(what: &str) -> Result<(), Failure> {
    if !stdout_is_closed() {
        return Ok(());
    }
    let error = io::Error::other(format!("it is closed, and {what} would be lost; give a file, a pipe, or /dev/null"));
    Err(Failure::file("write", Path::new("stdout"), error))
}

/// Whether the program was started without a stdout. The standard library puts `/dev/null` in its place then, opened for
/// reading and writing, into which everything would go without an error; shells open it for writing alone.
#[cfg(target_os = "linux")]
fn stdout_is_closed() -> bool {
    const READ_WRITE: u32 = 2;
    const ACCESS: u32 = 3;
    let null = std::fs::read_link("/proc/self/fd/1").is_ok_and(|path| path == Path::new("/dev/null"));
    let Ok(facts) = std::fs::read_to_string("/proc/self/fdinfo/1") else { return false };
    let flags = facts.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    null && flags.is_some_and(|flags| flags & ACCESS == READ_WRITE)
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
fn stdout_is_closed() -> bool {
    false
}

/// Writes a failure to stderr, as text or as one line of JSON; when even that is impossible, the exit code has to do.
pub fn complain(failure: &Failure, json: bool) {
    let _ = match json {
        true => writeln!(io::stderr(), "{}", failure.json()),
        false => writeln!(io::stderr(), "{failure}"),
    };
}

/// What a command answers that writes files, or a text to stdout: with `json` one object, with `facts` besides.
pub fn answer(json: bool, text: &str, written: &[&Path], facts: serde_json::Value) -> Result<(), Failure> {
    if !json {
        return if text.is_empty() { Ok(()) } else { say(text) };
    }
    let mut object = serde_json::Map::new();
    if !written.is_empty() {
        let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
        object.insert("written".into(), written.into());
    }
    if let serde_json::Value::Object(facts) = facts {
        object.extend(facts);
    }
    say_json(&object)
}

/// One JSON object on stdout.
pub fn say_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value).expect("plain data with text keys is always valid JSON");
    text.push('\n');
    say(&text)
}

/// A bar over `length` steps on stderr; invisible unless stderr is a terminal.
pub fn progress(length: u64, what: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {percent:>3} %  {eta} left")
        .expect("the template is a constant")
        .progress_chars("=> ");
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr())
        .with_style(style)
        .with_message(what.to_string())
}

/// Rows with aligned columns, two spaces apart and indented by two; the last column is free.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str("  ");
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count()));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_columns_are_aligned() {
        let rows = [vec!["a".to_string(), "b".into()], vec!["long".into(), "µ".into()]];
        assert_eq!(table(&rows), "  a     b\n  long  µ\n");
    }
}
