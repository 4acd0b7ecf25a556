//! Writing, reading, refusing.

use crate::reduction::support;
use crate::rom::fixture::Body;
use ballesta::rom;
use ballesta_fem::reduction::ModeChoice;

#[test]
fn a_model_written_read_and_written_is_the_same_to_the_byte() {
    crate::root::at_root();
    for body in [Body::frame(8, 5), Body::plane_frame(6, 3), Body::plane_truss(4, 4), Body::mast(5, 0)] {
        let rom = body.reduce(body.beams);
        let text = ballesta_fem::export::to_toml(&rom);
        let read = rom::parse(&text, "sample.rom.toml").unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert_eq!(read, rom);
        assert_eq!(ballesta_fem::export::to_toml(&read), text);
        assert!(text.lines().all(|line| line.len() <= 130), "rows are wrapped");
    }
}

#[test]
fn texts_with_any_character_survive_the_file() {
    crate::root::at_root();
    let mut rom = Body::plane_truss(2, 1).reduce(false);
    rom.name = "a \"b\" \\ \u{7F}\t\n\u{1} é".to_string();
    rom.modes.load_cases = vec!["gravity # x".to_string(), "[1, 2]".to_string()];
    assert_eq!(rom::parse(&ballesta_fem::export::to_toml(&rom), "sample.rom.toml"), Ok(rom));
}

#[test]
fn a_hundred_coordinates_are_read_as_they_were_written() {
    crate::root::at_root();
    let rom = Body::frame(17, 88).reduce(true);
    assert_eq!(rom.size(), 100);
    let read = rom::parse(&ballesta_fem::export::to_toml(&rom), "sample.rom.toml");
    assert!(read == Ok(rom));
}

#[test]
fn every_broken_file_is_refused_with_its_transcript() {
    crate::root::at_root();
    let broken = crate::transcripts::files("tests/broken_roms", "toml");
    assert!(broken.len() >= 32);
    crate::transcripts::compare(&broken, "txt", |path| rom::load(path).map(|_| ()));
}

#[test]
fn a_wrong_entry_of_a_long_array_is_reported_where_it_stands() {
    crate::root::at_root();
    let text = ballesta_fem::export::to_toml(&Body::frame(4, 9).reduce(false));
    let start = text.find("\nmass = [").expect("written") + 500;
    let at = start + text[start..].find(", ").expect("numbers") + 2;
    let end = at + text[at..].find(',').expect("numbers");
    let broken = format!("{}inf{}", &text[..at], &text[end..]);
    let diagnostics = rom::parse(&broken, "x.toml").expect_err("not finite").0;
    let line = text[..at].matches('\n').count() + 1;
    let column = at - text[..at].rfind('\n').expect("lines");
    assert_eq!((diagnostics.len(), diagnostics[0].line, diagnostics[0].column), (1, line, column));
    assert!(diagnostics[0].key.starts_with("matrices.mass["), "{}", diagnostics[0]);
}

#[test]
fn every_reduced_model_of_the_gallery_describes_one_body() {
    crate::root::at_root();
    let mut read = 0;
    for folder in std::fs::read_dir("models").expect("the gallery") {
        let folder = folder.expect("a folder").path();
        for file in folder.read_dir().into_iter().flatten() {
            let path = file.expect("a file").path();
            if path.to_string_lossy().ends_with(".rom.toml") {
                rom::load(&path).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
                read += 1;
            }
        }
    }
    assert!(read >= 18, "{read}");
}

#[test]
fn every_structure_of_the_gallery_reduces_to_one_body() {
    crate::root::at_root();
    for name in support::GALLERY {
        let (_, model) = support::load(name);
        let rom = support::reduce(&model, ModeChoice::Count(3)).rom;
        let text = ballesta_fem::export::to_toml(&rom);
        assert_eq!(rom::parse(&text, "sample.rom.toml").map(|_| ()), Ok(()), "{name}");
    }
}

#[test]
fn a_body_of_matrices_has_the_mass_that_its_integrals_have() {
    crate::root::at_root();
    let (_, model) = support::load("solid");
    let mut rom = support::reduce(&model, ModeChoice::Count(3)).rom;
    assert_eq!(rom.inertia.mass_model, ballesta::rom::rom_schema::MassModel::Consistent);
    // The last entry is that of a mode: no rigid motion sees it.
    *rom.inertia.square[0].last_mut().expect("numbers") *= 1.5;
    let wrong = rom::parse(&ballesta_fem::export::to_toml(&rom), "sample.rom.toml").expect_err("another mass").0;
    assert_eq!((wrong.len(), wrong[0].key.as_str()), (1, "inertia.square"), "{}", wrong[0]);
}
