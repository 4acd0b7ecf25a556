//! The rules of ARCHITECTURE.md that neither the compiler, Cargo nor clippy checks, checked on the source text: order
//! of the solver's layers, size of the files, places of `unsafe`, and side effects in code that a step reaches.

mod dependencies;
mod source;

use source::{SourceFile, rust_files, words};

/// The layers of the solver, lowest first: each may use only those before it. Cargo holds the walls between crates.
const LAYERS: [&str; 10] =
    ["math", "topology", "joint", "tyre", "force", "system", "dynamics", "integrate", "assembly", "mechanism"];

/// Folders that decide the bits of a result: the step, the compilation that prepares its constants, manoeuvres and
/// studies, which are the same to the bit.
const NUMERIC_FOLDERS: [&str; 14] = [
    "crates/solver/src/math",
    "crates/solver/src/tyre",
    "crates/solver/src/topology",
    "crates/solver/src/joint",
    "crates/solver/src/force",
    "crates/solver/src/system",
    "crates/solver/src/dynamics",
    "crates/solver/src/integrate",
    "crates/solver/src/assembly",
    "crates/solver/src/mechanism",
    "crates/compile/src",
    "src/simulate",
    "crates/vehicle/src/manoeuvre",
    "crates/study/src",
];

/// The C boundary on both sides, the functions of the library for pages, the counting allocator and the scheduling of
/// `ballesta bench`, and tests of these.
const UNSAFE_PLACES: [&str; 9] = [
    "src/fmi/",
    "crates/package/src/importer/instance.rs",
    "crates/cli/src/allocation.rs",
    "crates/cli/src/commands/bench/realtime/scheduling/linux.rs",
    "crates/packer/src/exports.rs",
    "crates/workshop/src/exports.rs",
    "tests/",
    "fuzz/src/shared/exchange.rs",
    "fuzz/src/shared/fmu.rs",
];

const MAX_FILE_LINES: usize = 800;

const MAX_LINE_COLUMNS: usize = 120;

/// Fails with all findings at once.
fn expect_none(rule: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{rule}:\n  {}", findings.join("\n  "));
}

/// Lines of product code (tests blanked out) in `folders` for which `offence` names something.
fn findings_in(folders: &[&str], offence: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let files = rust_files("");
    let mut findings = Vec::new();
    for folder in folders {
        assert!(files.iter().any(|file| file.lies_in(folder)), "{folder} has no Rust files");
        for file in files.iter().filter(|file| file.lies_in(folder)) {
            for (number, line) in (1..).zip(file.product_code().lines()) {
                if let Some(what) = offence(line) {
                    findings.push(format!("{}:{number}: {what}", file.path));
                }
            }
        }
    }
    findings
}

#[test]
fn every_module_of_the_crate_is_a_layer() {
    crate::root::at_root();
    let root =
        rust_files("crates/solver/src").into_iter().find(|f| f.path == "crates/solver/src/lib.rs").expect("it exists");
    let code = root.code();
    let modules: Vec<&str> = code
        .lines()
        .filter_map(|l| l.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert!(modules.len() >= LAYERS.len(), "found only the modules {modules:?}");
    expect_none(
        "modules without a place in the order of the layers",
        modules.iter().filter(|m| !LAYERS.contains(m) && **m != "check").map(|m| m.to_string()).collect(),
    );
    expect_none(
        "layers without a module",
        LAYERS.iter().filter(|l| !modules.contains(l)).map(|l| l.to_string()).collect(),
    );
}

#[test]
fn each_layer_uses_only_those_below_it() {
    crate::root::at_root();
    let rank = |layer: &str| LAYERS.iter().position(|l| *l == layer);
    let mut findings = Vec::new();
    let mut edges = 0;
    for file in rust_files("crates/solver/src").iter().filter(|file| !file.lies_in("crates/solver/src/check")) {
        let Some(layer) = file.layer() else { continue };
        let own = rank(&layer).unwrap_or_else(|| panic!("{}: {layer} is not a layer", file.path));
        for (line, target) in file.crate_edges(&LAYERS) {
            edges += 1;
            let Some(other) = rank(&target) else {
                findings.push(format!("{}:{line}: crate::{target} is not a layer", file.path));
                continue;
            };
            if other > own {
                findings.push(format!("{}:{line}: {layer} uses {target}, which stands above it", file.path));
            }
        }
    }
    assert!(edges > 10, "only {edges} edges found: the parser sees nothing");
    expect_none("edges against the order of the layers", findings);
}

#[test]
fn the_importer_shares_nothing_with_the_solver() {
    crate::root::at_root();
    let offence = |line: &str| words(line).find(|w| ["ballesta", "crate"].contains(w)).map(str::to_string);
    expect_none("uses of the solver", findings_in(&["crates/package/src/importer"], offence));
}

#[test]
fn no_file_is_longer_than_800_lines() {
    crate::root::at_root();
    let findings = rust_files("").into_iter().map(|f| (f.text.lines().count(), f.path));
    let findings = findings.filter(|(lines, _)| *lines > MAX_FILE_LINES);
    expect_none("files that are too long", findings.map(|(lines, path)| format!("{path}: {lines} lines")).collect());
}

#[test]
fn no_line_is_wider_than_120_columns() {
    crate::root::at_root();
    let mut findings = Vec::new();
    for file in rust_files("") {
        // What a literal holds is text for others, whose lines end where theirs do.
        let code = file.code();
        for ((number, line), code) in (1..).zip(file.text.lines()).zip(code.lines()) {
            let indentation = line.chars().take_while(|c| *c == ' ').count();
            let of_code = code.split_whitespace().map(|word| 1 + word.chars().count()).sum::<usize>();
            let is_text = indentation + of_code <= MAX_LINE_COLUMNS && !line.trim_start().starts_with("//");
            if line.chars().count() > MAX_LINE_COLUMNS && !is_text {
                findings.push(format!("{}:{number}: {}", file.path, line.chars().count()));
            }
        }
    }
    expect_none("lines that are too wide", findings);
}

#[test]
fn unsafe_stands_only_where_it_is_allowed_and_gives_its_reason() {
    crate::root::at_root();
    let mut findings = Vec::new();
    let mut seen = 0;
    for file in rust_files("") {
        let allowed = UNSAFE_PLACES.iter().any(|place| file.path.starts_with(place));
        let original: Vec<&str> = file.text.lines().collect();
        for (index, line) in file.code().lines().enumerate() {
            if !words(line).any(|word| word == "unsafe") {
                continue;
            }
            seen += 1;
            if !allowed {
                findings.push(format!("{}:{}: unsafe in an unexpected place", file.path, index + 1));
            }
            // A declaration needs no argument of its own: `unsafe extern "C" { fn … }`, `unsafe extern "C" fn(…)` as a
            // type, `#[unsafe(no_mangle)]`, and `unsafe fn`, whose contract is the "# Safety" section of its doc.
            let declaration = ["unsafe extern", "unsafe(", "unsafe fn"].iter().any(|form| line.contains(form));
            let argued = original[index.saturating_sub(6)..=index].iter().any(|l| l.contains("SAFETY"));
            if !declaration && !argued {
                findings.push(format!("{}:{}: unsafe without a SAFETY comment", file.path, index + 1));
            }
        }
    }
    assert!(seen > 0, "no unsafe found at all: the search sees nothing");
    expect_none("unsafe", findings);
}

#[test]
fn the_step_has_no_side_effects() {
    crate::root::at_root();
    const FORBIDDEN: [&str; 17] = [
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "std::time",
        "std::fs",
        "std::env",
        "std::io",
        "std::thread",
        "std::process",
        "std::net",
        "Instant",
        "Mutex",
        "RwLock",
        "static mut",
        "thread_local!",
        "OnceLock",
    ];
    let offence = |line: &str| FORBIDDEN.iter().find(|f| line.contains(*f)).map(|f| f.to_string());
    // The solver is `no_std`.
    expect_none("side effects in code that a step reaches", findings_in(&["src/simulate"], offence));
}

#[test]
fn nothing_is_iterated_in_random_order() {
    crate::root::at_root();
    let offence = |line: &str| words(line).find(|w| ["HashMap", "HashSet"].contains(w)).map(str::to_string);
    expect_none("hash tables where the order decides the bits of a result", findings_in(&NUMERIC_FOLDERS, offence));
}

/// What drops a NaN where the largest of numbers is looked for: `f64::max` in a fold, `.max(` of a magnitude.
fn drops_a_nan(line: &str) -> Option<String> {
    let of_magnitude = line.match_indices(".max(").any(|(at, _)| {
        let mut depth = 0;
        let argument = line[at + 4..].split_inclusive(['(', ')']).take_while(|part| {
            depth += if part.ends_with('(') { 1 } else { -1 };
            depth > 0
        });
        line[..at].ends_with(".abs()") || argument.collect::<String>().contains(".abs(")
    });
    let folded = line.contains(".fold(") && line.contains("f64::max");
    (folded || of_magnitude).then(|| line.trim().to_string())
}

#[test]
fn a_worst_value_that_is_no_number_is_not_dropped() {
    for line in [".fold(0.0, f64::max)", "a.max(b.abs())", "a.max((f(x) - y).abs() * z)", "x.abs().max(1.0)"] {
        assert!(drops_a_nan(line).is_some(), "{line}");
    }
    for line in ["f64::max(a, b)", ".fold(0.0, larger)", "a.max(1) + b.abs()", "list.iter().max()"] {
        assert_eq!(drops_a_nan(line), None);
    }
    let layers = [
        "crates/compile/src",
        "crates/solver/src/dynamics",
        "crates/solver/src/integrate",
        "crates/solver/src/assembly",
        "crates/solver/src/mechanism",
    ];
    // Analyses take largest values for scales, and reject what is not a number elsewhere.
    let found =
        findings_in(&layers, drops_a_nan).into_iter().filter(|f| !f.starts_with("crates/compile/src/analysis/"));
    expect_none("use math::larger or math::largest, which keep a NaN", found.collect());
    // Of a test that takes the largest of its errors by f64::max, a NaN is a success.
    let mut findings = Vec::new();
    for file in rust_files("tests").into_iter().chain(rust_files("crates")) {
        if file.path.starts_with("tests/") || file.path.contains("/tests/") {
            let code = file.code();
            let lines = (1..).zip(code.lines()).filter(|(_, line)| line.contains("f64::max"));
            findings.extend(lines.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim())));
        }
    }
    expect_none("tests: use math::larger or math::largest", findings);
}

#[test]
fn elementary_functions_come_from_math() {
    crate::root::at_root();
    // Methods of f64 that call the system's mathematical library or have unspecified precision. `sqrt` is correctly
    // rounded everywhere and stays allowed.
    const METHODS: [&str; 27] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sin_cos", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt", "hypot",
        "mul_add",
    ];
    // Constructors and methods of nalgebra that call the same functions inside.
    const ROTATIONS: [&str; 4] = ["Rotation2", "Rotation3", "UnitQuaternion", "UnitComplex"];
    let offence = |line: &str| {
        let method = METHODS.iter().find(|method| {
            line.contains(&format!(".{method}("))
                || line.contains(&format!("f64::{method}")) && {
                    let after = line.split(&format!("f64::{method}")).nth(1).unwrap_or("");
                    !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
                }
        });
        let rotation = words(line).find(|w| ROTATIONS.contains(w)).map(str::to_string);
        method.map(|m| format!("f64::{m}")).or(rotation)
    };
    expect_none("elementary functions of the system's library", findings_in(&NUMERIC_FOLDERS, offence));

    let offence = |line: &str| line.contains("libm::").then(|| "libm".to_string());
    let elsewhere = findings_in(&["src", "crates"], offence)
        .into_iter()
        .filter(|f| !f.starts_with("crates/solver/src/math/elementary.rs"));
    expect_none("libm outside of math::elementary", elsewhere.collect());
}

#[test]
fn only_f64_is_computed_with() {
    crate::root::at_root();
    let offence = |line: &str| words(line).find(|w| *w == "f32").map(str::to_string);
    expect_none("single precision in layers that a step reaches", findings_in(&NUMERIC_FOLDERS, offence));
}

#[test]
fn the_text_search_skips_comments_strings_and_tests() {
    crate::root::at_root();
    let file = SourceFile {
        path: "crates/solver/src/joint/sample.rs".to_string(),
        text: concat!(
            "//! crate::cli in a comment\n",
            "use crate::{math::{Vec3, elementary}, force};\n",
            "fn f<'a>(x: &'a str) -> char { /* unsafe /* nested */ */ let _ = \"crate::fmi \\\" unsafe\"; '\"' }\n",
            "fn g() { let _ = r#\"crate::package\"#; super::super::system::run(); crate::dynamics::load(); }\n",
            "#[cfg(test)]\n",
            "mod tests {\n",
            "    use crate::simulate::Simulator;\n",
            "}\n",
        )
        .to_string(),
    };
    let edges: Vec<(usize, String)> = file.crate_edges(&LAYERS);
    let expected = [(2, "force"), (2, "math"), (4, "dynamics"), (4, "system")];
    assert_eq!(edges, expected.map(|(line, target)| (line, target.to_string())));
    assert!(!words(&file.code()).any(|w| w == "unsafe"));
    assert_eq!(file.code().lines().count(), file.text.lines().count());
}
