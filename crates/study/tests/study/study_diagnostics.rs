//! Broken study files and their messages, kept as transcripts beside them (`BALLESTA_REWRITE=1` writes them anew).

use crate::transcripts::files;
use ballesta::document::Diagnostics;
use ballesta_study::Study;
use std::fs;
use std::path::Path;

fn complaints(path: &Path) -> Result<(), Diagnostics> {
    let text = fs::read_to_string(path).expect("readable");
    Study::parse(&text, &path.display().to_string()).map(drop)
}

#[test]
fn every_broken_study_is_refused_with_its_transcript() {
    crate::root::at_root();
    let broken = files("tests/broken_studies", "toml");
    assert!(broken.len() >= 30);
    crate::transcripts::compare(&broken, "txt", complaints);
}

#[test]
fn every_study_of_the_gallery_is_read() {
    crate::root::at_root();
    for name in ["pendulum", "van"] {
        let study = Study::read(&Path::new("models/studies").join(name).join("study.toml"));
        let study = study.unwrap_or_else(|failure| panic!("{failure}"));
        assert!(study.runs() > 100, "{name}");
    }
}
