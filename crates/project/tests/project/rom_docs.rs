//! The reference of the file of reduced-order models: its tables of keys, and its example (`BALLESTA_REWRITE=1` writes
//! the example anew).

use crate::rom_difference::difference;
use ballesta::document::json_schema;
use ballesta::rom::rom_schema::Source;
use ballesta::rom::{self, Rom};
use ballesta_fem::reduction::{Damping, ModeChoice, Reducer, ResidualLoads, Settings};
use ballesta_fem::structure;
use serde_json::Value;
use std::fs;

const PAGE: &str = "docs/rom-format.md";

fn rewrite() -> bool {
    std::env::var_os("BALLESTA_REWRITE").is_some()
}

fn page() -> String {
    fs::read_to_string(PAGE).expect("the page is there")
}

#[test]
fn the_recovery_file_is_explained() {
    crate::root::at_root();
    let schema = json_schema::<ballesta_files::recovery::Recovery>();
    let keys = |of: &Value| of["properties"].as_object().expect("a table").keys().cloned().collect::<Vec<_>>();
    assert_eq!(explained(&page(), "The recovery file"), keys(&schema));
    assert_eq!(explained(&page(), "`[[stress]]`"), keys(&schema["definitions"]["Stress"]));
}

/// Keys that the page explains under a heading, in their order.
fn explained(page: &str, heading: &str) -> Vec<String> {
    let start = page.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{PAGE} has no section {heading}"));
    let section = &page[start + 4..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    rows.map(str::to_string).collect()
}

#[test]
fn every_key_of_every_table_is_explained_in_the_order_of_the_file() {
    crate::root::at_root();
    let (page, schema) = (page(), json_schema::<Rom>());
    let keys = |definition: &Value| -> Vec<String> {
        definition["properties"].as_object().expect("a table").keys().cloned().collect()
    };
    assert_eq!(explained(&page, "The file"), keys(&schema));
    for (heading, definition) in [
        ("`[source]`", "Source"),
        ("`[[interface]]`", "Interface"),
        ("`[modes]`", "Modes"),
        ("`[matrices]`", "Matrices"),
        ("`[rigid]`", "Rigid"),
        ("`[inertia]`", "Inertia"),
        ("`[inertia.rotary]`", "Rotary"),
        ("`[stiffening]`", "Stiffening"),
        ("`[[stiffening.load]]`", "StiffeningLoad"),
        ("`[[stiffening.axial]]`", "AxialStiffening"),
        ("`[stiffening.foreshortening]`", "Foreshortening"),
        ("`[[node]]`", "Node"),
        ("`[[section]]`", "Section"),
        ("`[[section.point]]`", "StressPoint"),
        ("`[checks]`", "Checks"),
    ] {
        assert_eq!(explained(&page, heading), keys(&schema["definitions"][definition]), "{heading}");
    }
    for definition in ["Coupling", "MassModel"] {
        for word in schema["definitions"][definition]["oneOf"].as_array().expect("words") {
            let word = format!("`{}`", word["const"].as_str().expect("a word"));
            assert!(page.contains(&word), "{PAGE} does not explain {word}");
        }
    }
}

/// The n-th block of TOML in the page: where it begins and ends.
fn block(page: &str, n: usize) -> std::ops::Range<usize> {
    let start = page.match_indices("```toml\n").nth(n).expect("a block of TOML").0 + "```toml\n".len();
    start..start + page[start..].find("```").expect("its end")
}

/// The first block of the page is a structure, the second what `ballesta reduce` makes of it.
#[test]
fn the_example_is_the_reduction_of_its_structure() {
    crate::root::at_root();
    let mut page = page();
    let text = page[block(&page, 0)].to_string();
    let structure = structure::parse(&text, "structure.toml").unwrap_or_else(|e| panic!("{e}"));
    let model = structure::build(&structure).unwrap_or_else(|e| panic!("{e}"));
    let source = Source {
        program: "ballesta".into(),
        file: "structure.toml".into(),
        sha256: structure.sha256().expect("no other files"),
        dimension: 2,
        nodes: model.nodes.len(),
        elements: model.element_count,
        dofs: model.size(),
    };
    let table = structure.file.reduction.as_ref().expect("the table");
    let settings = Settings {
        modes: ModeChoice::Count(table.modes.expect("a number")),
        residual: ResidualLoads::default(),
        damping: Damping::Ratio(structure.file.damping.ratio.expect("a ratio")),
        support: table.support.clone(),
    };
    let reducer = Reducer::new(&model).unwrap_or_else(|e| panic!("{e:?}"));
    let reduced = reducer.reduce(&settings, source).unwrap_or_else(|e| panic!("{e:?}"));
    let reduced = ballesta_fem::export::to_toml(&reduced.rom);
    if rewrite() {
        page.replace_range(block(&page, 1), &reduced);
        fs::write(PAGE, &page).expect("writable");
    }
    let shown = &page[block(&page, 1)];
    let rom = rom::parse(shown, PAGE).unwrap_or_else(|e| panic!("{e}"));
    assert!(ballesta_fem::export::to_toml(&rom) == shown, "the example is written as the program writes");
    // The last digits depend on the machine.
    let tables = [shown, &reduced].map(|text| text.parse::<toml::Table>().expect("TOML").into());
    let off = difference(&tables[0], &tables[1]);
    assert!(off < 1e-9, "the example is out of date, {off:e}: BALLESTA_REWRITE=1");
}
