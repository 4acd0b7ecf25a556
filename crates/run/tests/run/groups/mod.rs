//! Structural groups: of plane chains against the paper, textbook linkages and exhaustive search; of models in space
//! against those.

mod drivers;
mod group_coordinates;
mod pieces;
mod plane;
mod rank;
mod solve;
mod spatial_models;
mod synthesis_literature;

use ballesta::document::FileSchema;
use ballesta::topology::groups::{Adjacency, Structure, analyse};
use ballesta_run::adjacency;
use std::path::{Path, PathBuf};

/// The files of the gallery of adjacency matrices.
fn gallery() -> Vec<PathBuf> {
    let files = crate::transcripts::files("models/adjacency", "toml");
    assert!(files.len() >= 15);
    files
}

fn load(name: &str) -> (adjacency::Chain, Adjacency, Structure) {
    let path = Path::new("models/adjacency").join(name).with_extension("toml");
    let chain = adjacency::load(&path).unwrap_or_else(|errors| panic!("{errors}"));
    let adjacency = Adjacency::new(&chain.codes(), chain.ground_link());
    let structure = analyse(&adjacency);
    (chain, adjacency, structure)
}

/// Deterministic pseudo-random numbers (a 64-bit linear congruential generator, Knuth's constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

#[test]
fn every_broken_matrix_is_refused_with_its_transcript() {
    crate::root::at_root();
    let broken = crate::transcripts::files("tests/broken_adjacency", "toml");
    assert!(broken.len() >= 8);
    crate::transcripts::compare(&broken, "txt", |path| adjacency::load(path).map(drop));
}

#[test]
fn every_matrix_of_the_gallery_is_named_after_its_file_and_explains_itself() {
    crate::root::at_root();
    for path in gallery() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let chain = adjacency::parse(&text, "file").unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(Some(chain.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
        assert!(chain.description.len() > 10 && text.starts_with("# "), "{}", chain.name);
        assert!(adjacency::is_adjacency(&text));
    }
    assert!(!adjacency::is_adjacency(&std::fs::read_to_string("models/van/model.toml").expect("readable")));
}

#[test]
fn damaged_matrices_never_panic() {
    crate::root::at_root();
    let mut random = Random(1);
    let (mut refused, mut accepted) = (0, 0);
    for path in gallery() {
        let original = std::fs::read_to_string(&path).expect("readable");
        for _ in 0..200 {
            let mut lines: Vec<String> = original.lines().map(str::to_string).collect();
            let (at, other) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(4) {
                0 => drop(lines.remove(at)),
                1 => lines.swap(at, other),
                2 => lines.insert(at, lines[other].clone()),
                _ => {
                    lines[at] = lines[at].replacen(
                        &random.below(6).to_string(),
                        ["9", "-1", "[]", "\"a\"", "2"][random.below(5)],
                        1,
                    )
                }
            }
            match adjacency::parse(&lines.join("\n"), "damaged.toml") {
                Ok(chain) => {
                    let structure = analyse(&Adjacency::new(&chain.codes(), chain.ground_link()));
                    let links: usize = structure.groups.iter().map(|group| group.links.len()).sum();
                    assert_eq!(links, chain.links.len() - 1);
                    accepted += 1;
                }
                Err(diagnostics) => {
                    assert!(!diagnostics.0.is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 1000 && accepted > 200, "{refused} {accepted}");
}

#[test]
fn the_page_describes_every_key_and_its_example_is_valid() {
    crate::root::at_root();
    let page = std::fs::read_to_string("docs/groups.md").expect("the page");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let chain = adjacency::parse(example, "example").unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(analyse(&Adjacency::new(&chain.codes(), chain.ground_link())).groups.len(), 2);
    let schema = adjacency::AdjacencyFile::reading_schema();
    let keys = schema["definitions"]["Chain"]["properties"].as_object().expect("keys");
    assert!(keys.keys().all(|key| page.contains(&format!("| `{key}` |"))));
}
