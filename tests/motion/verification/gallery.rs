//! The files of the gallery: every model loads, carries the outputs that tests and users rely on, and together the
//! models show every element of the format.

use crate::verification::support::{four_bar_windows, gallery, model_text, models_folder};
use ballesta::model::schema::{JointKind, Model, Quantity};

fn models() -> Vec<(String, Model)> {
    gallery()
        .into_iter()
        .map(|name| (name.clone(), toml::from_str(&model_text(&name)).unwrap_or_else(|e| panic!("{name}: {e}"))))
        .collect()
}

#[test]
fn every_model_is_named_after_its_folder_and_explains_itself() {
    for (name, model) in models() {
        assert_eq!(model.general.name, name);
        assert!(model.general.description.len() > 20, "{name} has no description");
        assert!(model_text(&name).starts_with("# "), "{name} does not begin with a comment that says what it is");
        assert!(model.experiment.step.is_some(), "{name} leaves the output interval open");
    }
}

#[test]
fn every_model_gives_closure_singularity_and_energy() {
    let wanted =
        [Quantity::Gap, Quantity::VelocityGap, Quantity::NearSingular, Quantity::Repartitions, Quantity::EnergyBalance];
    for (name, model) in models() {
        for quantity in wanted {
            let found = model.outputs.iter().any(|output| output.quantity == quantity && output.constraint.is_none());
            assert!(found, "{name} has no output of {quantity:?}");
        }
    }
}

#[test]
fn the_gallery_shows_every_joint_and_every_element() {
    let models = models();
    let any = |name: &str, test: &dyn Fn(&Model) -> bool| {
        assert!(models.iter().any(|(_, m)| test(m)), "no model shows {name}")
    };
    for kind in [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Universal,
        JointKind::Spherical,
        JointKind::Planar,
        JointKind::Floating,
        JointKind::Fixed,
        JointKind::AlongCurve,
        JointKind::ConstantVelocity,
        JointKind::PinOnCurve,
    ] {
        any(&format!("{kind:?}"), &|m| m.joints.iter().any(|j| j.kind == kind));
    }
    any("subassemblies", &|m| !m.uses.is_empty());
    any("rods", &|m| !m.rods.is_empty());
    any("couplers", &|m| !m.couplers.is_empty());
    any("racks", &|m| !m.racks.is_empty());
    any("points on a line", &|m| !m.points_on_line.is_empty());
    any("curves that touch a face", &|m| m.points_in_plane.iter().any(|plane| plane.curve.is_some()));
    any("curves that touch a curve", &|m| m.curves_on_curves.iter().any(|pair| !pair.rolling));
    any("curves that roll", &|m| m.curves_on_curves.iter().any(|pair| pair.rolling));
    any("a body that turns with a curve", &|m| m.joints.iter().any(|j| j.up.is_some()));
    any("points in a plane", &|m| !m.points_in_plane.is_empty());
    any("a guided motion", &|m| m.guided.iter().any(|g| g.motion.is_some()));
    any("a guided table", &|m| m.guided.iter().any(|g| g.table.is_some()));
    any("a guided input", &|m| m.guided.iter().any(|g| g.input.is_some()));
    any("three guided inputs", &|m| m.guided.iter().any(|g| g.inputs.is_some()));
    any("springs", &|m| !m.springs.is_empty());
    any("spring tables", &|m| m.springs.iter().any(|s| s.force_table.is_some() && s.damping_table.is_some()));
    any("joint springs", &|m| !m.joint_springs.is_empty());
    any("bushings", &|m| !m.bushings.is_empty());
    any("bump stops", &|m| !m.bump_stops.is_empty());
    any("forces", &|m| !m.forces.is_empty());
    any("torques", &|m| !m.torques.is_empty());
    any("friction", &|m| !m.frictions.is_empty());
    any("drives", &|m| !m.drives.is_empty());
    any("inputs", &|m| !m.inputs.is_empty());
    any("tunable parameters", &|m| m.parameters.iter().any(|p| p.tunable));
    any("fixed parameters", &|m| m.parameters.iter().any(|p| !p.tunable));
}

/// Rewrites the checked-in files with `BALLESTA_BLESS=1 cargo test --test motion verification::gallery`.
#[test]
fn the_generated_window_models_are_current() {
    for windows in [2, 10] {
        let (name, text) = (format!("four_bar_windows_{windows}"), four_bar_windows(windows));
        if std::env::var_os("BALLESTA_BLESS").is_some() {
            let folder = models_folder().join(&name);
            std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(folder.join("model.toml"), &text))
                .expect("writable");
        }
        assert_eq!(model_text(&name), text, "models/{name} is not what examples/four_bar_windows.rs writes");
    }
}

#[test]
fn the_list_of_the_gallery_is_complete() {
    let list = std::fs::read_to_string(models_folder().join("README.md")).expect("models/README.md is there");
    for name in gallery() {
        assert!(list.contains(&format!("| [{name}]({name}/model.toml) | ")), "models/README.md does not list {name}");
    }
}
