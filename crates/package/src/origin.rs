//! The folder of Cargo of whoever built a library, which has no place in what others get.
//!
//! Crates from elsewhere name their source files by absolute paths, for messages of panics: in a library that
//! `cargo build` makes these tell where, and by whom, it was built. `scripts/platforms.sh` has the compiler write other
//! paths. An ordinary build cannot: flags in a configuration file of Cargo know no environment, its `trim-paths` is not
//! stable (Cargo 1.95), and flags given by hand compile everything a second time.
//!
//! So the folder is overwritten, by as many points. It is what stands before all paths of this kind alike, whoever
//! exports. Not in Mach-O files, whose signature this would break.

/// What follows the folder of Cargo in these paths.
const SOURCES: [&[u8]; 2] = [b"/registry/src/", br"\registry\src\"];

/// Overwrites the folder of Cargo in an ELF or PE file; a library without such a path stays as it is.
pub fn hide(library: &mut [u8]) {
    for mark in SOURCES {
        let ends: Vec<usize> =
            library.windows(mark.len()).enumerate().filter(|(_, text)| *text == mark).map(|(place, _)| place).collect();
        let Some((&first, others)) = ends.split_first() else { continue };
        let alike = |end: &usize| {
            let pairs = library[..first].iter().rev().zip(library[..*end].iter().rev());
            pairs.take_while(|(one, other)| one == other).count()
        };
        // One path alone does not tell where it begins, and so nothing is taken of it.
        let shared = &library[first - others.iter().map(alike).min().unwrap_or(0)..first];
        // The strings of a library have no ends: what is alike may begin within the one before.
        let root = shared.windows(2).position(|pair| pair == br":\").map(|colon| colon.saturating_sub(1));
        let Some(start) = root.or_else(|| shared.iter().position(|byte| *byte == b'/')) else { continue };
        let length = shared.len() - start;
        for end in ends {
            library[end - length..end].fill(b'.');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(library: &str) -> String {
        let mut bytes = library.as_bytes().to_vec();
        hide(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_folder_before_all_sources_is_overwritten() {
        for (folder, registry) in
            [("/home/ana/.cargo", "/registry/src/"), (r"C:\Users\Ana B\.cargo", r"\registry\src\")]
        {
            let library =
                |folder: &str| format!("a.rs{folder}{registry}x/lib.rs\0b.rs{folder}{registry}y/lib.rs/home/x");
            assert_eq!(hidden(&library(folder)), library(&".".repeat(folder.len())));
        }
    }

    #[test]
    fn a_library_that_tells_no_folder_stays_as_it_is() {
        for library in ["", "cargo/registry/src/x/lib.rs cargo/registry/src/y/lib.rs", "/home/ana/registry/x"] {
            assert_eq!(hidden(library), library);
        }
    }
}
