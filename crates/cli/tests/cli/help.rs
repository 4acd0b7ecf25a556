//! Help, usage errors, completions, schema.

use super::*;
use ballesta_cli::arguments::Arguments;
use clap::CommandFactory;

fn subcommands() -> Vec<String> {
    Arguments::command().get_subcommands().map(|command| command.get_name().to_string()).collect()
}

/// Compares every block after a line `<!-- ballesta ... -->` of a page with what the program prints, and returns the
/// commands. `BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli` brings the page up to date.
pub fn compare_blocks(page: &str) -> Vec<String> {
    let path = Path::new(ROOT).join(page);
    let text = fs::read_to_string(&path).unwrap();
    let mut expected = String::new();
    let mut shown = Vec::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        expected.push_str(line);
        let Some(command) = line.trim_end().strip_prefix("<!-- ballesta ").and_then(|l| l.strip_suffix(" -->")) else {
            continue;
        };
        let answer = ballesta(command.split(' '));
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{command}");
        expected.push_str(&format!("```text\n{}\n```\n", answer.stdout.trim_end()));
        shown.push(command.to_string());
        assert_eq!(lines.next().map(str::trim_end), Some("```text"), "a block follows the mark of `{command}`");
        assert!(lines.by_ref().any(|line| line.trim_end() == "```"), "the block of `{command}` ends");
    }
    if std::env::var_os("BALLESTA_REWRITE").is_some() {
        fs::write(&path, &expected).unwrap();
    } else {
        assert!(
            text == expected,
            "{page} is not current: BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli"
        );
    }
    shown
}

#[test]
fn the_documentation_shows_the_help_of_every_subcommand() {
    let shown = compare_blocks("docs/command-line.md");
    let shown: Vec<&str> = shown.iter().map(|command| command.trim_end_matches("--help").trim()).collect();
    assert_eq!(shown[0], "");
    assert_eq!(shown[1..], subcommands());
}

#[test]
fn help_of_every_subcommand_has_an_example() {
    for subcommand in subcommands() {
        let help = ballesta([subcommand.as_str(), "--help"]).stdout;
        assert!(help.contains(&format!("\n  ballesta {subcommand}")), "{help}");
    }
}

#[test]
fn help_of_a_command_has_two_spellings() {
    for subcommand in subcommands() {
        let [spelt, option] = [["help", subcommand.as_str()], [subcommand.as_str(), "--help"]].map(ballesta);
        assert_eq!((spelt.code, &spelt.stdout), (0, &option.stdout));
    }
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_would_be_right() {
    for (arguments, hint) in [
        (&[][..], "Usage: ballesta <COMMAND>"),
        (&["chekc"][..], "'check'"),
        (&["simulate"][..], "tip: use `ballesta run MODEL`"),
        (&["new", "pendullum"][..], "'pendulum'"),
        (&["run", "models/four_bar", "--csv", "x.mat"][..], ".csv, .csv.gz, .parquet"),
        (&["run", "models/four_bar", "--units"][..], "--units needs a table"),
        (&["run", "models/four_bar", "--quiet", "--json"][..], "cannot be used with"),
        (&["linearize", "models/four_bar", "-o", "x.csv"][..], ".json or .m"),
        (&["run"][..], "<MODEL>"),
        (&["run", "models/four_bar", "--stpo", "1"][..], "--stop"),
        (&["run", "models/four_bar", "--step", "0"][..], "must be greater than 0"),
        (&["run", "models/four_bar", "--stop", "nan"][..], "must be finite"),
        (&["run", "models/four_bar", "--stop", "-1"][..], "the stop time -1 s is before the start time 0 s"),
        (&["run", "models/four_bar", "--step", "1e-12"][..], "too many"),
        (&["run", "models/four_bar", "--set", "x"][..], "NAME=VALUE"),
        (&["run", "models/four_bar", "--set", "x=1"][..], "the model has no parameter or input"),
        (&["check", "models/four_bra"][..], "cannot read models/four_bra: No such file"),
        (&["check", "src"][..], "cannot read src/model.toml: No such file"),
        (&["export", "models/four_bar", "--library", "win32=x.dll"][..], "linux64"),
        (&["bench", "models/four_bar", "--steps", "0"][..], "1.."),
        (&["completions", "tcsh"][..], "possible values"),
    ] {
        let answer = ballesta(arguments);
        assert_eq!(answer.code, 2, "{arguments:?}: {}", answer.stderr);
        assert_eq!(answer.stdout, "", "{arguments:?}");
        assert!(answer.stderr.contains(hint), "{arguments:?}: {}", answer.stderr);
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(ballesta(["--version"]).stdout, concat!("ballesta ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn every_shell_gets_completions_of_every_subcommand() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let answer = ballesta(["completions", shell]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        for subcommand in subcommands() {
            assert!(answer.stdout.contains(&subcommand), "{shell}: {subcommand}");
        }
    }
}

/// Those of archives and wheels. `BALLESTA_REWRITE=1 cargo test -p ballesta-cli --features full --test cli manual`
/// writes them anew.
#[test]
fn every_command_has_a_manual_page() {
    let folder = Path::new(ROOT).join("docs/man");
    let rewrite = std::env::var_os("BALLESTA_REWRITE").is_some();
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let mut names = Vec::new();
    for command in std::iter::once(&program).chain(program.get_subcommands()) {
        let manual = clap_mangen::Man::new(command.clone()).date("ballesta").source("");
        let mut page = Vec::new();
        manual.render(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap().replace("\n.SH EXTRA\n", "\n.SH \"NOTES AND EXAMPLES\"\n");
        let file = folder.join(manual.get_filename());
        if rewrite {
            fs::write(&file, &page).unwrap();
        }
        assert!(fs::read_to_string(&file).unwrap_or_default() == page, "{} is not current", file.display());
        names.push(manual.get_filename());
    }
    names.sort();
    let expected =
        subcommands().into_iter().map(|command| format!("ballesta-{command}.1")).chain(["ballesta.1".into()]);
    assert_eq!(names, std::collections::BTreeSet::from_iter(expected).into_iter().collect::<Vec<_>>());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), names.len(), "pages of commands that are no more");
}

#[test]
fn the_schemas_are_those_of_the_documentation() {
    for kind in ["model", "structure", "rom", "recovery", "adjacency", "study", "manoeuvre"] {
        let page = fs::read_to_string(Path::new(ROOT).join(format!("docs/{kind}.schema.json"))).unwrap();
        let answer = ballesta(["schema", kind]);
        assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
        assert!(answer.stdout == page, "docs/{kind}.schema.json");
    }
    let schema = ballesta(["schema"]).json();
    for table in ["model", "experiment", "points", "body", "joint", "rod", "output"] {
        assert!(schema["properties"][table].is_object(), "{table}");
    }
    // Subassemblies have tables of models; their schema needs no other file.
    let assembly = ballesta(["schema", "assembly"]).json();
    assert_eq!(assembly["properties"]["joint"], schema["properties"]["joint"]);
    assert_eq!(assembly["definitions"], schema["definitions"]);
    assert!(assembly["properties"]["model"].is_null() && !assembly.to_string().contains("schema.json#/properties"));
}
