//! FMUs that were not made to be run.

use super::*;
use std::io::{Read, Write};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

/// An exported FMU, with the library's place in it.
fn exported(folder: &Folder) -> (String, String) {
    let (model, fmu) = (folder.file("rail.toml", RAIL), folder.path("rail.fmu"));
    let answer = ballesta(["export", &model, "-o", &fmu, "--library", &host_library()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let archive = ZipArchive::new(fs::File::open(&fmu).unwrap()).unwrap();
    let mut names = archive.file_names().map(|name| name.unwrap().to_string());
    let library = names.find(|name| name.ends_with(std::env::consts::DLL_SUFFIX)).unwrap();
    drop(names);
    (fmu, library)
}

/// A copy of an FMU, one file of which is changed.
fn altered(folder: &Folder, fmu: &str, name: &str, file: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    let mut from = ZipArchive::new(fs::File::open(fmu).unwrap()).unwrap();
    let mut to = ZipWriter::new(fs::File::create(folder.path(name)).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut found = false;
    for index in 0..from.len() {
        let mut entry = from.by_index(index).unwrap();
        if !entry.is_file() {
            continue;
        }
        let entry_name = entry.name().unwrap().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if entry_name == file {
            (bytes, found) = (change(bytes), true);
        }
        to.start_file(entry_name, options).unwrap();
        to.write_all(&bytes).unwrap();
    }
    to.finish().unwrap();
    assert!(found, "{file}");
    folder.path(name)
}

#[test]
fn a_library_that_is_not_whole_is_refused_before_it_is_loaded() {
    let folder = Folder::new("hostile-library");
    let (fmu, library) = exported(&folder);
    let cut = |name: &str, parts: usize| {
        altered(&folder, &fmu, name, &library, |bytes| bytes[..bytes.len() * parts / 64].to_vec())
    };
    if cfg!(target_os = "linux") {
        // Line tables may be most of the file, and behind what is loaded.
        for parts in [1, 6] {
            refused(&["bench", &cut("cut.fmu", parts)], 1, &["is damaged", "its headers require"]);
        }
    }
    refused(&["bench", &cut("empty.fmu", 0)], 1, &["is damaged: the file is empty"]);
    let text = altered(&folder, &fmu, "text.fmu", &library, |_| b"no library but a text ".repeat(100));
    // The reason of the system's loader, in its words.
    let reason = if cfg!(target_os = "linux") { "ELF" } else { "" };
    refused(&["bench", &text], 1, &["cannot be loaded", reason]);
}

#[test]
fn a_description_cannot_point_outside_or_take_for_ever() {
    let folder = Folder::new("hostile-description");
    let (fmu, _) = exported(&folder);
    let file = "modelDescription.xml";
    let outside = altered(&folder, &fmu, "outside.fmu", file, |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace("modelIdentifier=\"rail\"", "modelIdentifier=\"../../../rail\"").into_bytes()
    });
    refused(
        &["bench", &outside],
        1,
        &["modelDescription.xml:", "modelIdentifier=\"../../../rail\"", "is not a valid file name"],
    );
    let deep = altered(&folder, &fmu, "deep.fmu", file, |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace("</fmiModelDescription>", &"<a>".repeat(300_000)).into_bytes()
    });
    let begun = Instant::now();
    refused(&["bench", &deep], 1, &["deeper than 64 levels"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

/// An archive with these files, the names of which may be anything.
fn archive(folder: &Folder, name: &str, files: &[(&str, &[u8])]) -> String {
    let mut zip = ZipWriter::new(fs::File::create(folder.path(name)).unwrap());
    for (file, bytes) in files {
        zip.start_file(*file, SimpleFileOptions::default().compression_method(CompressionMethod::Stored)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    folder.path(name)
}

#[test]
fn names_of_an_archive_that_clash_lead_out_or_are_too_long_are_refused() {
    let folder = Folder::new("hostile-entries");
    let text: &[u8] = b"<fmiModelDescription fmiVersion=\"2.0\"/>";
    let description = ("modelDescription.xml", text);
    // The writer of archives takes a name once: of two, the second is written over in both of its headers.
    let twice = archive(&folder, "twice.fmu", &[description, ("modelDescription.xmL", text)]);
    let mut bytes = fs::read(&twice).unwrap();
    for at in 0..bytes.len() - 20 {
        if bytes[at..].starts_with(b"modelDescription.xmL") {
            bytes[at + 19] = b'l';
        }
    }
    fs::write(&twice, bytes).unwrap();
    refused(&["bench", &twice], 1, &["two files have the same name"]);
    let both = archive(&folder, "both.fmu", &[description, ("a", b"1"), ("a/b", b"2")]);
    refused(&["bench", &both], 1, &["a/b", "the name occurs twice"]);
    let long = "x".repeat(60_000);
    let answer = ballesta(["bench", &archive(&folder, "long.fmu", &[description, (&long, b"1")])]);
    assert_eq!(answer.code, 1, "{}", answer.stderr.len());
    assert!(answer.stderr.contains("the name is too long") && answer.stderr.len() < 1000, "{}", answer.stderr.len());
    let deep = ["a"; 2000].join("/");
    refused(&["bench", &archive(&folder, "deep.fmu", &[description, (&deep, b"1")])], 1, &["the name is too long"]);
    for (name, path) in [("up.fmu", "../../up"), ("back.fmu", "..\\..\\up")] {
        refused(&["bench", &archive(&folder, name, &[description, (path, b"1")])], 1, &["a path outside of itself"]);
    }
    refused(
        &["bench", &archive(&folder, "bare.fmu", &[("x", b"1")])],
        1,
        &["modelDescription.xml", "no such file in the archive"],
    );
    let binary = archive(&folder, "binary.fmu", &[("modelDescription.xml", &[0xff, 0xfe, 0])]);
    refused(&["bench", &binary], 1, &["modelDescription.xml", "not UTF-8"]);
}

#[test]
fn an_archive_that_unpacks_without_bound_is_refused() {
    let folder = Folder::new("hostile-archive");
    let (fmu, _) = exported(&folder);
    let mut bytes = fs::read(&fmu).unwrap();
    let central = bytes.windows(4).position(|part| part == b"PK\x01\x02").unwrap();
    bytes[central + 24..central + 28].copy_from_slice(&0xf000_0000_u32.to_le_bytes());
    fs::write(folder.path("large.fmu"), bytes).unwrap();
    refused(&["bench", &folder.path("large.fmu")], 1, &["large.fmu", "more than 2147483648 bytes"]);
    let mut many = ZipWriter::new(fs::File::create(folder.path("many.fmu")).unwrap());
    for k in 0..20_001 {
        many.start_file(format!("{k}"), SimpleFileOptions::default()).unwrap();
    }
    many.finish().unwrap();
    refused(&["bench", &folder.path("many.fmu")], 1, &["contains 20001 files; at most 20000"]);
}
