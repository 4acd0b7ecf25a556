//! Removes the Cargo folder of the builder from a library.
//!
//! Dependencies contain absolute paths of their source files for panic messages, so a library from `cargo build`
//! reveals its builder. `scripts/platforms.sh` makes the compiler write other paths. An ordinary build cannot do this.
//! Flags in a Cargo configuration file cannot use environment variables, `trim-paths` is not stable (Cargo 1.95), and
//! manual flags cause a second compilation.
//!
//! Therefore the folder, the common prefix of these paths, is overwritten by points of the same length. Mach-O files
//! are not changed, because this would break their signature.

/// Text after the Cargo folder in these paths.
const SOURCES: [&[u8]; 2] = [b"/registry/src/", br"\registry\src\"];

/// Overwrites the Cargo folder in an ELF or PE file; a library without such a path is unchanged.
pub fn hide(library: &mut [u8]) {
    for mark in SOURCES {
        let ends: Vec<usize> =
            library.windows(mark.len()).enumerate().filter(|(_, text)| *text == mark).map(|(place, _)| place).collect();
        let Some((&first, others)) = ends.split_first() else { continue };
        let alike = |end: &usize| {
            let pairs = library[..first].iter().rev().zip(library[..*end].iter().rev());
            pairs.take_while(|(one, other)| one == other).count()
        };
        // A single path does not show where it starts, so it is not changed.
        let shared = &library[first - others.iter().map(alike).min().unwrap_or(0)..first];
        // Strings of a library have no terminators, so the common part may start within the string before.
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
