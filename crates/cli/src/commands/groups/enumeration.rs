//! `ballesta groups --chains` and `--structural-groups`: enumeration, and one adjacency file per result.

use super::arguments::Synthesis;
use crate::text;
use ballesta::topology::groups::synthesis::{Wanted, chains, groups};
use ballesta_files::{Failure, output_file};
use ballesta_pictures::groups::synthesis_text::{of_chains, of_groups};
use ballesta_run::adjacency::Chain;
use ballesta_run::groups::adjacency_files::{file, of_chain, of_group};
use std::path::Path;

/// Enumerates, writes the files, prints the list.
pub fn execute(typed: &Synthesis, json: bool) -> Result<(), Failure> {
    let wanted = wanted(typed);
    let refused = |error| Failure::Usage(format!("--{}: {error}", option(typed)));
    let Wanted { mobility, higher, .. } = wanted;
    let (findings, files): (_, Vec<Chain>) = if let Some(links) = typed.chains {
        let found = chains(wanted).map_err(refused)?;
        let write = |(index, chain)| {
            let (name, what) = names("chain", "Closed chain", [links, mobility, higher], (index, found.len()));
            of_chain(chain, 0, &name, &what)
        };
        let files = typed.output.is_some().then(|| found.iter().enumerate().map(write).collect());
        (of_chains(wanted, &found), files.unwrap_or_default())
    } else {
        let found = groups(wanted).map_err(refused)?;
        let write = |(index, group)| {
            let links = wanted.links - 1;
            let (name, what) = names("group", "Structural group", [links, mobility, higher], (index, found.len()));
            of_group(group, &name, &what)
        };
        (of_groups(wanted, &found), found.iter().enumerate().map(write).collect())
    };
    if let Some(folder) = &typed.output {
        write(folder, &files)?;
    }
    if json { text::say_json(&findings) } else { text::say(&findings.page()) }
}

/// The option that was given.
fn option(typed: &Synthesis) -> &'static str {
    if typed.chains.is_some() { "chains" } else { "structural-groups" }
}

fn wanted(typed: &Synthesis) -> Wanted {
    let higher = typed.higher;
    match (typed.chains, typed.structural_groups) {
        (Some(links), _) => Wanted { links, mobility: typed.mobility.unwrap_or(1), higher },
        (_, moving) => {
            let links = moving.unwrap_or(0).saturating_add(1);
            Wanted { links, mobility: typed.mobility.unwrap_or(0), higher }
        }
    }
}

/// Name and description of one of `count` chains or groups.
fn names(short: &str, long: &str, numbers: [usize; 3], (index, count): (usize, usize)) -> (String, String) {
    let [links, mobility, higher] = numbers;
    let digits = count.to_string().len();
    let name = format!("{short}_{links}_{mobility}_{higher}_{:0digits$}", index + 1);
    let what = format!(
        "{long} {} of {count} with {}, mobility {mobility} and {}",
        index + 1,
        text::count(links, "link"),
        text::count(higher, "higher pair")
    );
    (name, what)
}

fn write(folder: &Path, files: &[Chain]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, error))?;
    files.iter().try_for_each(|chain| output_file::write(&folder.join(&chain.name).with_extension("toml"), file(chain)))
}
