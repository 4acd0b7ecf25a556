//! Broken files of manoeuvres and their messages, kept as transcripts beside them (`BALLESTA_REWRITE=1` writes them
//! anew), and those that come with the program.

use crate::transcripts::files;
use ballesta_vehicle::manoeuvre::{BUILT_IN, Manoeuvre};
use std::fs;

#[test]
fn every_broken_manoeuvre_is_refused_with_its_transcript() {
    crate::root::at_root();
    crate::transcripts::compare(&files("tests/broken_manoeuvres", "toml"), "txt", |path| {
        let text = fs::read_to_string(path).expect("readable");
        Manoeuvre::parse(&text, &path.display().to_string()).map(drop)
    });
}

#[test]
fn every_manoeuvre_of_the_program_is_read_and_its_file_is_there() {
    crate::root::at_root();
    for known in BUILT_IN {
        Manoeuvre::parse(known.text, known.name).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    assert_eq!(files("templates/manoeuvres", "toml").len(), BUILT_IN.len());
}
