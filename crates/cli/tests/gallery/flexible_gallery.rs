//! The gallery of flexible bodies in motion: conservation, the rigid limit, loops, invariance, interfaces.
//!
//! The reduced-order models beside the models that use them are those that `ballesta reduce` makes of the gallery's
//! structures (`BALLESTA_REWRITE=1` writes them anew).

mod interfaces;
mod invariance;
mod loops;
mod plot;
mod rigid;
mod support;
mod tumbling;

use crate::rom_difference::difference;
use ballesta::rom;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Structure, and where its reduced model is.
const MODELS: [(&str, &str); 18] = [
    ("spinup_beam", "spinup_beam/model_1"),
    ("spinup_beam_two_axial", "spinup_beam/model_2"),
    ("spinup_beam", "spinup_beam/model_3"),
    ("spinup_beam_no_axial", "spinup_beam/model_3_no_axial"),
    ("spinup_beam_general", "spinup_beam/general"),
    ("planar_link", "flexible_four_bar/link"),
    ("connecting_rod", "flexible_slider_crank/rod"),
    ("arm_link", "serial_arm/link"),
    ("arm_link", "free_body_in_forces/link"),
    ("tumbling_beam", "tumbling_beam/beam"),
    ("space_frame_feet", "space_frame/frame"),
    ("cantilever_clamped", "cantilever_state_space/beam"),
    ("cantilever_clamped", "beam_on_spring/beam"),
    ("stiff_bar", "stiff_bar/bar"),
    ("truss", "step_loaded_truss/truss"),
    ("crane", "step_loaded_frame/frame"),
    ("rotating_cantilever", "rotating_cantilever/blade"),
    ("slewing_arm", "slewing_arm/arm"),
];

#[test]
fn reduced_models_of_the_gallery_are_those_of_its_structures() {
    crate::root::at_root();
    let folder = tempfile::tempdir().expect("a folder");
    for (structure, place) in MODELS {
        let made = folder.path().join("new.rom.toml");
        let status = Command::new(env!("CARGO_BIN_EXE_ballesta"))
            .args(["reduce", "--no-comparison", "-o"])
            .args([&made, &Path::new("models/structures").join(structure)])
            .output()
            .expect("the program runs");
        assert!(status.status.success(), "{structure}: {}", String::from_utf8_lossy(&status.stderr));
        let kept = Path::new("models").join(format!("{place}.rom.toml"));
        if std::env::var_os("BALLESTA_REWRITE").is_some() {
            fs::create_dir_all(kept.parent().expect("a folder")).expect("writable");
            fs::copy(&made, &kept).expect("writable");
        }
        let texts = [&made, &kept].map(|path| fs::read_to_string(path).expect("readable"));
        assert!(texts[1].len() < 300_000, "{}: {} bytes", kept.display(), texts[1].len());
        let model = rom::parse(&texts[1], &kept.display().to_string()).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(ballesta_fem::export::to_toml(&model) == texts[1], "{}: written as the program writes", kept.display());
        // The last digits depend on the machine.
        let tables = texts.map(|text| text.parse::<toml::Table>().expect("TOML").into());
        let off = difference(&tables[0], &tables[1]);
        assert!(off < 1e-6, "{} is out of date, {off:e}: BALLESTA_REWRITE=1", kept.display());
    }
}
