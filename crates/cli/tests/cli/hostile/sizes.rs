//! Models and files beyond all reason.

use super::*;

/// A body and nothing that holds it.
fn body(number: usize) -> String {
    format!("[[body]]\nname = \"b{number}\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1, 0, 0, 0]\n")
}

#[test]
fn a_model_of_more_tables_than_can_be_checked_is_refused_with_the_first_one_beyond() {
    let folder = Folder::new("hostile-tables");
    let bodies: String = (0..20_000).map(body).collect();
    let begun = Instant::now();
    let many = folder.file("many.toml", &(RAIL.to_string() + &bodies));
    refused(&["check", &many], 1, &["body[4000]", "more than 4000 tables [[body]]"]);
    // Subassemblies count, and the message names the file that a table comes from.
    folder.file("part.toml", &(0..1500).map(body).collect::<String>());
    let uses: String =
        ["a", "b", "c"].map(|prefix| format!("[[use]]\nfile = \"part.toml\"\nprefix = \"{prefix}_\"\n")).concat();
    let used = folder.file("used.toml", &(RAIL.to_string() + &uses));
    refused(&["check", &used], 1, &["part.toml", "more than 4000 tables [[body]]"]);
    // Wrong keys by the thousand are found in a time in proportion to them.
    let outputs: String = (0..3900).map(|k| format!("[[output]]\nname = \"o{k}\"\nquantity = \"none\"\n")).collect();
    let wrong = folder.file("wrong.toml", &(RAIL.to_string() + &outputs));
    refused(&["check", &wrong], 1, &["the first 100 are shown"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn a_model_file_of_megabytes_is_refused_before_it_is_parsed() {
    let folder = Folder::new("hostile-length");
    let long = folder.file("long.toml", &(RAIL.to_string() + &"# a comment\n".repeat(1 << 20)));
    let begun = Instant::now();
    refused(&["check", &long], 1, &["long.toml", "bytes", "at most 8388608"]);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_name_of_megabytes_is_refused_and_not_repeated() {
    let folder = Folder::new("hostile-names");
    let name = "x".repeat(2_000_000);
    for from in ["name = \"rail\"", "name = \"cart\""] {
        assert!(RAIL.contains(from), "{from}");
        let model = folder.file("named.toml", &RAIL.replace(from, &format!("name = \"{name}\"")));
        let answer = ballesta(["check", &model]);
        assert_eq!(answer.code, 1, "{}", &answer.stderr[..answer.stderr.len().min(1000)]);
        assert!(answer.stderr.contains("the name has 2000000 bytes; names have at most 200"), "{from}");
        assert!(answer.stdout.len() + answer.stderr.len() < 10_000, "{from}: the name is repeated");
    }
}
