//! The optimisation level of this crate: `ballesta_tools::OPT_LEVEL`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=BALLESTA_TOOLS_OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
}
