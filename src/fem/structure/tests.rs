//! The elements, the assembly and the ties, checked on whole structures.

use super::load;
use crate::fem::check::*;
use crate::fem::model::FiniteElementModel;
use std::path::Path;

fn gallery(name: &str) -> FiniteElementModel {
    let structure = load(&Path::new("models/structures").join(name)).unwrap_or_else(|error| panic!("{error}"));
    super::build(&structure).unwrap_or_else(|error| panic!("{error}"))
}

/// Natural frequencies of the truss, Hz: two independent finite-element codes, which agree to 2e-14.
const TRUSS: [(&str, bool, [f64; 10]); 4] = [
    (
        "consistent",
        false,
        [
            80.23554316510085,
            143.83883482711093,
            169.0414380489681,
            221.20472112917372,
            253.9596568295376,
            295.6667127592632,
            308.93887198322363,
            373.0380004991782,
            451.7555192911872,
            514.7568904742376,
        ],
    ),
    (
        "lumped",
        false,
        [
            72.20776683983053,
            121.59785040082502,
            162.10636233310305,
            170.64553170076786,
            197.5430352138637,
            222.01018492989863,
            259.04593494101675,
            325.18798402450767,
            352.0879493929714,
            396.8535438667087,
        ],
    ),
    (
        "consistent",
        true,
        [
            39.47308413916136,
            60.78271342944491,
            112.02492328160734,
            187.02127835198965,
            200.06815563659194,
            257.32456392672367,
            264.26260334970925,
            361.5015624544105,
            373.36424323961614,
            447.97651866147964,
        ],
    ),
    (
        "lumped",
        true,
        [
            38.41903803928383,
            60.18546505521127,
            102.64358335385096,
            156.22185623067358,
            189.4594446469038,
            197.18986078558157,
            205.37438594096136,
            286.569574387034,
            325.3815988217815,
            353.7836834634098,
        ],
    ),
];

#[test]
fn the_truss_has_the_frequencies_of_two_other_programs() {
    let text = std::fs::read_to_string("models/structures/truss/structure.toml").unwrap();
    for (mass, supported, reference) in TRUSS {
        let lumped = text.replace("section = \"bar\"\n", &format!("section = \"bar\"\nmass = \"{mass}\"\n"));
        let model = model(&lumped);
        let held = if supported { model.supports.clone() } else { Vec::new() };
        let found = frequencies(&model, &held);
        let rigid = if supported { 0 } else { 3 };
        assert!(found[..rigid].iter().all(|f| *f < 1e-3), "{:?}", &found[..rigid]);
        let error = difference(&found[rigid..], &reference);
        assert!(error < 1e-11, "{mass} {supported}: {error:e}");
    }
}

#[test]
fn the_cantilever_has_the_frequencies_and_deflection_of_the_closed_form() {
    let model = gallery("cantilever");
    let found = frequencies(&model, &model.supports);
    let error = difference(&found, &[65.33003806791324, 409.4163599411377]);
    assert!(error < 1e-6, "{error:e}");
    let u = displacement(&model, &model.supports, &model.loads[0].forces);
    let tip = -u[(dof(&model, "tip", 1), 0)];
    assert!(difference(&[tip], &[0.0035543478260869556]) < 1e-10, "{tip}");
}
