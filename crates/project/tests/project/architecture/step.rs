//! What may run in a step neither allocates, formats nor unwraps: checked by folder, on the source text. Functions of
//! these folders that run before the first step are named here, each with its reason; what is measured at run time is
//! in tests/fmi/real_time/mod.rs.

use super::expect_none;
use super::source::{SourceFile, rust_files, words};

/// Folders with code that a step reaches, and data that it reads and writes.
const FOLDERS: [&str; 8] = [
    "crates/solver/src/math",
    "crates/solver/src/tyre",
    "crates/solver/src/joint",
    "crates/solver/src/force",
    "crates/solver/src/system",
    "crates/solver/src/dynamics",
    "crates/solver/src/integrate",
    "src/simulate",
];

/// What allocates, formats or panics, as it stands in the text.
const FORBIDDEN: [&str; 31] = [
    "vec!",
    "Vec::new",
    "Vec::with_capacity",
    "Vec::from",
    "VecDeque",
    "BTreeMap",
    "DMatrix",
    "DVector",
    "Box::new",
    "Arc::new",
    "Rc::new",
    "String::",
    "format!",
    "write!",
    "writeln!",
    ".push(",
    ".push_str(",
    ".extend(",
    ".resize(",
    ".reserve(",
    ".collect(",
    ".collect::",
    ".to_vec(",
    ".to_string(",
    ".to_owned(",
    ".into_boxed_slice(",
    ".concat(",
    ".unwrap(",
    ".expect(",
    "panic!",
    "unreachable!",
];

/// What `.clone()` may stand behind: ranges, which are no `Copy`, and nothing on the heap.
const RANGES: [&str; 11] = [
    "body.q",
    "body.v",
    "block.rows",
    "constraint.rows",
    "constraints[*c].rows",
    "range",
    "piece",
    "place",
    "columns",
    "element_states",
    // An iterator over slices.
    "knowns",
];

/// A file or folder, the functions in it (`*`: all), and why they may.
type Exception = (&'static str, &'static [&'static str], &'static str);

const EXCEPTIONS: [Exception; 29] = [
    (
        "crates/solver/src/math/curve.rs",
        &["spline", "offset", "relative_to", "convex", "second_derivatives", "even_derivatives"],
        "makes a curve, before the first step",
    ),
    ("crates/solver/src/math/arc_length.rs", &["new"], "made of a curve, before the first step"),
    ("crates/solver/src/math/moving_frame.rs", &["new"], "made of a curve, before the first step"),
    ("crates/solver/src/math/hull.rs", &["*"], "makes a solid, before the first step"),
    ("crates/solver/src/math/eigen.rs", &["*"], "eigenvalues: asked for by analyses alone"),
    ("crates/solver/src/math/graph.rs", &["new"], "scratch, made before the first step"),
    (
        "crates/solver/src/math/graph.rs",
        &["find_matching", "search", "find_components"],
        "push within the capacity that `new` reserves",
    ),
    (
        "crates/solver/src/math/least_change.rs",
        &["new", "share_out"],
        "scratch, made before the first step; least squares over redundant equations, for the assembly",
    ),
    ("crates/solver/src/math/skyline.rs", &["new"], "scratch, made before the first step"),
    ("crates/solver/src/tyre/keys.rs", &["normal"], "reads tyre files"),
    ("crates/solver/src/tyre/curve.rs", &["new"], "made of a tyre file, before the first step"),
    ("crates/solver/src/joint/closure.rs", &["of_cut"], "rows of a joint, for the compiler"),
    (
        "crates/solver/src/force",
        &["bodies", "coordinates", "coefficients", "ascending"],
        "makes an element, or lists for the compiler what it acts on and reads",
    ),
    ("crates/solver/src/force/tyre/enveloping.rs", &["new"], "cams of a tyre file, made before the first step"),
    ("crates/solver/src/force/table.rs", &["new"], "a table of the file, made before the first step"),
    (
        "crates/solver/src/force/road",
        &["new", "flat", "curvature", "fill_bins"],
        "a road of the file, made before the first step",
    ),
    ("crates/solver/src/system/state.rs", &["to_bytes", "copy_from_bytes"], "stored states of an FMU, between steps"),
    ("crates/solver/src/system/workspace", &["new", "of", "blank"], "scratch, made before the first step"),
    ("crates/solver/src/system/first_stage.rs", &["new"], "scratch, made before the first step"),
    (
        "crates/solver/src/system/propagation.rs",
        &["new", "matrix", "upper_rows", "taylor"],
        "constants of the scheme, made before the first step",
    ),
    ("crates/solver/src/system/fault.rs", &["fmt"], "puts a fault into words, after the step"),
    ("crates/solver/src/system/description.rs", &["*"], "likewise; what writes does so into memory of the caller"),
    (
        "crates/solver/src/system",
        &["open_outputs", "unresolved_motions", "dense"],
        "asked for by compiler, analyses and messages alone",
    ),
    ("crates/solver/src/system/mod.rs", &["with_half_step", "undamped"], "asked for after a run"),
    ("crates/solver/src/dynamics/tangent.rs", &["new"], "memory for derivatives, made before they are asked for"),
    ("crates/solver/src/integrate/along.rs", &["new"], "memory for derivatives, made before they are asked for"),
    (
        "crates/solver/src/dynamics/implicit.rs",
        &["add_stiff_terms"],
        "pushes within the capacity that the workspace reserves",
    ),
    (
        "src/simulate",
        &[
            "new",
            "prepare_derivatives",
            "describe",
            "warning",
            "warning_with",
            "invalid",
            "beyond",
            "unresolved_modes",
            "fmt",
        ],
        "made before the first step; words after it",
    ),
    (
        "src/simulate",
        &["step_derivatives", "start_slopes", "independent_coordinates"],
        "asked for between steps: matrices, the start of sensitivities, other coordinates",
    ),
];

/// The functions that enclose every line of `code`, outermost first.
fn functions(code: &str) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    // Names with the depth of braces inside them; a name whose body has not begun; depth of braces, and of other
    // brackets since `fn`.
    let (mut open, mut named): (Vec<(String, usize)>, Option<String>) = (Vec::new(), None);
    let (mut depth, mut brackets, mut after_fn) = (0usize, 0i32, false);
    for line in code.lines() {
        let mut around: Vec<String> = open.iter().map(|(name, _)| name.clone()).collect();
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            rest = &rest[if word.is_empty() { c.len_utf8() } else { word.len() }..];
            if !word.is_empty() {
                if after_fn {
                    around.push(word.clone());
                    (named, brackets) = (Some(word.clone()), 0);
                }
                after_fn = word == "fn";
                continue;
            }
            match c {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                ';' if brackets == 0 => named = None,
                '{' => {
                    depth += 1;
                    open.extend(named.take().map(|name| (name, depth)));
                }
                '}' => {
                    open.retain(|(_, inside)| *inside < depth);
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            after_fn &= c.is_whitespace();
        }
        lines.push(around);
    }
    lines
}

/// What a line of code does that a step may not.
fn offence(line: &str) -> Option<&'static str> {
    let begins_word = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let found = |item: &&&str| line.match_indices(**item).any(|(at, _)| item.starts_with('.') || begins_word(at));
    // `self.push` is a method of the type itself: a vector is a field.
    let own = |item: &&str| *item == ".push(" && line.matches(".push(").count() == line.matches("self.push(").count();
    let known = FORBIDDEN.iter().filter(found).find(|item| !own(item));
    let copies = || {
        let of_range = |receiver: &str| RANGES.iter().any(|range| receiver.ends_with(range));
        line.match_indices(".clone()").any(|(at, _)| !of_range(&line[..at])).then_some(".clone()")
    };
    known.copied().or_else(copies)
}

/// Lines of product code that break the rule, and which exceptions were needed.
fn findings(file: &SourceFile, used: &mut [Vec<&'static str>]) -> Vec<String> {
    let code = file.product_code();
    let mut findings = Vec::new();
    for ((number, line), around) in (1..).zip(code.lines()).zip(functions(&code)) {
        let Some(what) = offence(line).filter(|_| !line.trim_start().starts_with("use ")) else { continue };
        let mut excused = false;
        for (exception, used) in EXCEPTIONS.iter().zip(used.iter_mut()) {
            let (place, names, _) = exception;
            let inside = file.lies_in(place);
            for name in names.iter().filter(|name| inside && (**name == "*" || around.iter().any(|f| f == *name))) {
                used.push(name);
                excused = true;
            }
        }
        if !excused {
            let function = around.last().map_or("no function", String::as_str);
            findings.push(format!("{}:{number}: {what} in {function}", file.path));
        }
    }
    findings
}

#[test]
fn folders_that_a_step_reaches_neither_allocate_nor_format_nor_unwrap() {
    crate::root::at_root();
    let mut used = vec![Vec::new(); EXCEPTIONS.len()];
    let mut all = Vec::new();
    let mut files = 0;
    for file in rust_files("").iter().filter(|file| FOLDERS.iter().any(|folder| file.lies_in(folder))) {
        files += 1;
        all.extend(findings(file, &mut used));
    }
    assert!(files > 80, "only {files} files were looked at");
    expect_none("allocation, formatting or unwrapping where a step may pass", all);
    let idle = EXCEPTIONS.iter().zip(&used).flat_map(|((place, names, _), used)| {
        let idle = names.iter().filter(|name| !used.contains(name));
        idle.map(move |name| format!("{place}: {name}"))
    });
    expect_none("exceptions that nothing needs", idle.collect());
    expect_none(
        "exceptions without a reason",
        EXCEPTIONS.iter().filter(|(_, _, reason)| words(reason).count() < 3).map(|e| e.0.to_string()).collect(),
    );
}

#[test]
fn the_rule_of_the_step_catches_a_sample() {
    crate::root::at_root();
    let sample = |path: &str, text: &str| {
        let file = SourceFile { path: path.to_string(), text: text.to_string() };
        findings(&file, &mut vec![Vec::new(); EXCEPTIONS.len()])
    };
    let text = concat!(
        "/// vec! in a comment, and `Vec::new`.\n",
        "fn bodies(n: [f64; 2]) -> Vec<f64> { let all = vec![0.0; 2]; all }\n",
        "fn calc(body: &Body, out: &mut [f64]) {\n",
        "    for k in body.q.clone() { out[k] = self.push(k); }\n",
        "    let copy = out.to_vec(); let name = \"format!\";\n",
        "    let again = state.q.clone();\n",
        "    stack.push(1.0); }\n",
        "trait T { fn bodies(&self) -> [f64; 3];\n",
        "fn add(&self) { x.unwrap() } }\n",
        "#[cfg(test)] mod tests { fn f() { panic!() } }\n",
    );
    let expected = ["5: .to_vec( in calc", "6: .clone() in calc", "7: .push( in calc", "9: .unwrap( in add"];
    assert_eq!(
        sample("crates/solver/src/force/sample.rs", text),
        expected.map(|item| format!("crates/solver/src/force/sample.rs:{item}"))
    );
    assert_eq!(
        sample("crates/solver/src/dynamics/sample.rs", text)[0],
        "crates/solver/src/dynamics/sample.rs:2: vec! in bodies"
    );
    assert_eq!(sample("crates/solver/src/system/states.rs", "fn clone() { a.to_vec() }").len(), 1);
}
