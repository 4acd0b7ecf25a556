//! Hints for commands and options of other programs.

use crate::arguments::Arguments;
use clap::CommandFactory;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use std::ffi::OsString;

/// Commands of other programs and their equivalents.
const COMMANDS: [(&[&str], &str); 16] = [
    (&["simulate", "sim", "solve", "start", "exec"], "run MODEL"),
    (&["plot", "graph", "draw-results"], "run MODEL --plot PICTURE.svg"),
    (&["animate", "render", "replay"], "run MODEL --html PAGE.html"),
    (&["show", "draw", "open"], "view MODEL -o PAGE.html"),
    (&["drive", "live", "serve", "interactive", "gui"], "view MODEL --live -o PAGE.html"),
    (&["workshop", "editor", "playground"], "edit MODEL -o PAGE.html"),
    (&["export-fmu", "fmu", "build", "compile", "package", "build-fmu"], "export MODEL"),
    (&["init", "create", "template", "templates", "example", "examples"], "new TEMPLATE"),
    (&["validate", "lint", "info", "inspect", "topology"], "check MODEL"),
    (&["trim", "equilibrium", "static", "statics"], "check MODEL --trim"),
    (&["eig", "eigen", "eigenvalues", "modal", "frequencies"], "modes MODEL"),
    (&["linearise", "statespace", "state-space", "abcd"], "linearize MODEL"),
    (&["sweep", "doe", "monte-carlo", "batch", "optimize"], "study STUDY.toml"),
    (&["fft", "psd"], "spectrum TABLE"),
    (&["tire", "tir", "tyres", "tires"], "tyre FILE.tir"),
    (&["convergence", "error", "accuracy"], "verify MODEL"),
];

/// Options of other programs, the equivalent long option, and its syntax.
const OPTIONS: [(&[&str], &str, &str); 11] = [
    (
        &["duration", "tstop", "t-stop", "end", "tend", "t-end", "end-time", "stop-time", "time", "final-time", "tf"],
        "stop",
        "--stop T, the stop time in s",
    ),
    (
        &["dt", "h", "step-size", "time-step", "timestep", "stepsize"],
        "internal-step",
        "--internal-step H, the step of the solver in s; --step is the interval of the outputs",
    ),
    (
        &["interval", "output-interval", "sample-time", "communication-step"],
        "step",
        "--step H, the interval of the outputs in s",
    ),
    (&["param", "parameter", "parameters", "override", "define", "var"], "set", "--set NAME=VALUE"),
    (&["input", "input-file", "stimulus"], "inputs", "--inputs IN.CSV"),
    (&["output", "out", "result", "results", "save", "parquet"], "csv", "--csv TABLE.csv or TABLE.parquet"),
    (&["png", "svg", "graph", "figure"], "plot", "--plot PICTURE.svg or PICTURE.png"),
    (&["animate", "animation", "page", "3d", "view"], "html", "--html PAGE.html"),
    (&["gltf"], "glb", "--glb OUT.glb"),
    (&["fmi-version", "fmi2", "fmi3"], "fmi", "--fmi 2.0 or --fmi 3.0"),
    (&["silent", "no-output"], "quiet", "--quiet"),
];

/// Adds the equivalent of a command or option of another program to `error`; `typed` is the complete command line.
pub fn answer(error: &mut Error, typed: &[OsString]) {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => word(ContextKind::InvalidSubcommand).and_then(|word| of_command(&word)),
        ErrorKind::UnknownArgument => word(ContextKind::InvalidArg).and_then(|word| of_option(&word, typed)),
        _ => None,
    };
    if let Some(tip) = tip {
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
}

fn of_command(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase().replace('_', "-");
    let (_, here) = COMMANDS.iter().find(|(words, _)| words.contains(&word.as_str()))?;
    Some(format!("use `ballesta {here}`"))
}

/// The hint for an option that the command has.
fn of_option(word: &str, typed: &[OsString]) -> Option<String> {
    let name = word.trim_start_matches('-').split('=').next()?.to_ascii_lowercase().replace('_', "-");
    let command = Arguments::command();
    let subcommand = typed.iter().skip(1).find_map(|word| command.find_subcommand(word))?;
    let has = |long: &str| subcommand.get_arguments().any(|argument| argument.get_long() == Some(long));
    let (.., here) = OPTIONS.iter().find(|(words, long, _)| words.contains(&name.as_str()) && has(long))?;
    Some(format!("use {here}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn said(line: &str) -> String {
        let typed: Vec<OsString> = std::iter::once("ballesta").chain(line.split(' ')).map(OsString::from).collect();
        let mut error = Arguments::try_parse_from(&typed).expect_err("it is no command line of this program");
        answer(&mut error, &typed);
        error.render().to_string()
    }

    #[test]
    fn words_of_other_programs_are_answered_with_ours() {
        for (line, tip) in [
            ("simulate four_bar", "tip: use `ballesta run MODEL`"),
            ("export-fmu four_bar", "tip: use `ballesta export MODEL`"),
            ("plot results.csv", "tip: use `ballesta run MODEL --plot PICTURE.svg`"),
            ("run four_bar --duration 5", "tip: use --stop T, the stop time in s"),
            ("run four_bar --dt=1e-3", "tip: use --internal-step H"),
            ("verify four_bar --param a=1", "tip: use --set NAME=VALUE"),
        ] {
            let said = said(line);
            assert!(said.contains(tip), "{line}:\n{said}");
            assert_eq!(said.matches("tip:").count(), 1, "{said}");
        }
        // Options that the command does not have are not suggested; unknown words get the usual message.
        assert!(!said("convert a.rom.toml --duration 5").contains("tip: use"));
        assert!(!said("run four_bar --stp 5").contains("tip: use"));
        assert!(said("chek four_bar").contains("check"));
    }

    #[test]
    fn what_is_advised_exists() {
        let command = Arguments::command();
        for (words, here) in COMMANDS {
            let name = here.split(' ').next().unwrap_or_default();
            let subcommand = command.find_subcommand(name).unwrap_or_else(|| panic!("no command {name}"));
            for option in here.split(' ').filter_map(|word| word.strip_prefix("--")) {
                assert!(subcommand.get_arguments().any(|one| one.get_long() == Some(option)), "{here}");
            }
            for word in words {
                assert!(command.find_subcommand(word).is_none(), "{word} is a command of this program");
            }
        }
        for (_, long, _) in OPTIONS {
            assert!(command.get_subcommands().any(|one| one.get_arguments().any(|a| a.get_long() == Some(long))));
        }
    }
}
