//! Rust source as text without comments, literals and tests: enough of a lexer to search for words and paths.

use std::path::Path;

/// A file of the repository.
pub struct SourceFile {
    /// Path from the root of the repository, with forward slashes.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// All Rust files below `folder` (from the root of the repository), sorted by path, but for build results and hidden
/// folders; none when the folder does not exist. Packages of their own (a folder with a `Cargo.toml`) belong to the
/// same rules.
pub fn rust_files(folder: &str) -> Vec<SourceFile> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("readable folder").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            if name == "target" || name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).expect("source is UTF-8");
                let path = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
                files.push(SourceFile { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The identifiers and keywords of `line`.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

impl SourceFile {
    /// The top-level module of the solver that the file belongs to: `joint` for
    /// `crates/solver/src/joint/coupling_law.rs`; none for `lib.rs` and files of other crates.
    pub fn layer(&self) -> Option<String> {
        let rest = self.path.strip_prefix("crates/solver/src/")?;
        let layer = rest.split('/').next()?.trim_end_matches(".rs");
        (layer != "lib").then(|| layer.to_string())
    }

    /// Whether the file is that of `place`, a module or folder from the root of the repository, or lies below it.
    pub fn lies_in(&self, place: &str) -> bool {
        self.path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
    }

    /// The text with comments and the contents of literals replaced by blanks; line numbers stay.
    pub fn code(&self) -> String {
        blank_comments_and_literals(&self.text)
    }

    /// [`SourceFile::code`] without the items under `#[cfg(test)]`; empty for a file that is a test module as a whole.
    pub fn product_code(&self) -> String {
        let is_test_module = ["/tests.rs", "_tests.rs", "_test.rs"].iter().any(|end| self.path.ends_with(end))
            || self.path.contains("/tests/")
            || self.path.contains("/solver_tests/");
        if is_test_module {
            return String::new();
        }
        blank_test_items(&self.code())
    }

    /// Uses of other layers in product code, as (line, layer) in order of line and name: `crate::x`, the members of
    /// `crate::{x::…, y}`, and `super::…::x` that reaches the root.
    pub fn crate_edges(&self, layers: &[&str]) -> Vec<(usize, String)> {
        let code = self.product_code();
        let mut edges = Vec::new();
        let line_of = |offset: usize| code[..offset].matches('\n').count() + 1;
        for (offset, _) in code.match_indices("crate::") {
            // `$crate::` and `my_crate::` are other paths.
            if code[..offset].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            for (at, name) in path_heads(&code, offset + "crate::".len()) {
                edges.push((line_of(at), name));
            }
        }
        // Number of `super` from the file's own module to the root.
        let depth =
            self.path.trim_end_matches("/mod.rs").matches('/').count() - "crates/solver".matches('/').count() - 1;
        let chain = "super::".repeat(depth);
        for (offset, _) in code.match_indices(&chain) {
            if code[..offset].ends_with("super::") || code[offset + chain.len()..].starts_with("super::") {
                continue;
            }
            for (at, name) in path_heads(&code, offset + chain.len()) {
                if layers.contains(&name.as_str()) {
                    edges.push((line_of(at), name));
                }
            }
        }
        edges.sort();
        edges
    }
}

/// The first names of the path or of the group of paths that starts at `start`, with their offsets.
fn path_heads(code: &str, start: usize) -> Vec<(usize, String)> {
    let name_at = |at: usize| -> Option<(usize, String)> {
        let skipped = code[at..].len() - code[at..].trim_start().len();
        let name = words(&code[at + skipped..]).next()?;
        code[at + skipped..].starts_with(name).then(|| (at + skipped, name.to_string()))
    };
    if !code[start..].starts_with('{') {
        return name_at(start).into_iter().collect();
    }
    let mut heads = Vec::new();
    let mut depth = 0;
    for (offset, c) in code[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 1 && (c == '{' || c == ',') {
            heads.extend(name_at(start + offset + 1));
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

/// Replaces by blanks everything from each `#[cfg(test)]` to the end of the item that follows it.
fn blank_test_items(code: &str) -> String {
    let mut bytes = code.as_bytes().to_vec();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(test)]") {
        let start = from + found;
        let mut depth = 0;
        let mut end = code.len();
        for (offset, c) in code[start..].char_indices().skip("#[cfg(test)]".len()) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && (c == '}' || c == ';') {
                end = start + offset + 1;
                break;
            }
        }
        bytes[start..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        from = end;
    }
    String::from_utf8(bytes).expect("blanks keep UTF-8 whole")
}

/// Replaces by blanks all comments and the contents of string, byte string, raw string and character literals.
fn blank_comments_and_literals(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let length = skipped_length(&chars, at);
        if length == 0 {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..at + length].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at += length;
        }
    }
    out
}

/// Number of characters of the comment or literal that starts at `at`; 0 when none does.
fn skipped_length(chars: &[char], at: usize) -> usize {
    let next = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    let to_end = chars.len() - at;
    match (chars[at], next(at + 1)) {
        ('/', '/') => chars[at..].iter().position(|c| *c == '\n').unwrap_or(to_end),
        ('/', '*') => {
            let (mut i, mut depth) = (at + 2, 1);
            while i < chars.len() && depth > 0 {
                match (chars[i], next(i + 1)) {
                    ('/', '*') => (depth, i) = (depth + 1, i + 2),
                    ('*', '/') => (depth, i) = (depth - 1, i + 2),
                    _ => i += 1,
                }
            }
            i - at
        }
        ('r', '"' | '#') | ('b', 'r') if !in_word => raw_string_length(chars, at),
        ('"', _) => {
            let mut i = at + 1;
            while i < chars.len() && chars[i] != '"' {
                i += if chars[i] == '\\' { 2 } else { 1 };
            }
            (i + 1).min(chars.len()) - at
        }
        ('\'', '\\') => chars[at + 3..].iter().position(|c| *c == '\'').map_or(to_end, |i| i + 4),
        ('\'', _) if next(at + 2) == '\'' => 3,
        _ => 0,
    }
}

/// Number of characters of the raw string at `at`; 0 when it is a raw identifier or something else.
fn raw_string_length(chars: &[char], at: usize) -> usize {
    let mut i = at + chars[at..].iter().take_while(|c| **c == 'b' || **c == 'r').count();
    let hashes = chars[i..].iter().take_while(|c| **c == '#').count();
    i += hashes;
    if chars.get(i) != Some(&'"') {
        return 0;
    }
    i += 1;
    while i < chars.len() {
        let closed = chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
        i += 1;
        if closed {
            return i + hashes - at;
        }
    }
    chars.len() - at
}
