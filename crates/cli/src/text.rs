//! Text output: stdout and stderr, aligned tables, rounded numbers, progress.

use ballesta_files::Failure;
pub use ballesta_files::stdout::{stdout_is_open, taken};
pub use ballesta_files::words::{count, nearest, pace, short, size, table};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Output of a command on stdout, other than a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// A text report.
    Report,
    /// One JSON object.
    Json,
    /// Nothing.
    Nothing,
}

impl ReportFormat {
    /// The requested output.
    pub fn new(json: bool, quiet: bool) -> ReportFormat {
        match (json, quiet) {
            (true, _) => ReportFormat::Json,
            (false, true) => ReportFormat::Nothing,
            (false, false) => ReportFormat::Report,
        }
    }
}

/// Writes `text` to stdout. A closed pipe (`| head`) is not a failure; a missing stdout is.
pub fn say(text: &str) -> Result<(), Failure> {
    stdout_is_open("what the command prints")?;
    let mut out = io::stdout().lock();
    taken(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes a failure to stderr, as text or one line of JSON. If this fails, only the exit code remains.
pub fn complain(failure: &Failure, json: bool) {
    let _ = match json {
        true => writeln!(io::stderr(), "{}", failure.json()),
        false => writeln!(io::stderr(), "{failure}"),
    };
}

/// Output of a command that writes files or a text; with `json` one object that includes `facts`.
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

/// Writes one JSON object to stdout.
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
