//! Generates `include/ballesta.h` with cbindgen from `src/fmi/exports`, for the test that compares the two.

use std::path::Path;

/// The text of the header.
pub fn generate(root: &Path) -> String {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for (version, files) in [
        ("fmi2", &["common", "cosimulation", "modelexchange"][..]),
        ("fmi3", &["common", "values", "cosimulation", "mode_functions", "clocks", "modelexchange"]),
    ] {
        for file in files {
            builder = builder.with_src(root.join("src/fmi/exports").join(version).join(file).with_extension("rs"));
        }
    }
    let mut text = Vec::new();
    builder.generate().expect("the exports can be described in C").write(&mut text);
    String::from_utf8(text).expect("UTF-8")
}
