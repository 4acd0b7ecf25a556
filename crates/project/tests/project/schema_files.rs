//! JSON schemas of the files: those in `docs` for `ballesta schema`, and the compacted ones next to the
//! types, against which files are read (`BALLESTA_REWRITE=1` writes both anew).

use crate::reference_page::compare;
use ballesta::document::{FileSchema, compact, json_schema};
use ballesta::model::schema::{Assembly, Model};
use ballesta::rom::Rom;
use ballesta_fem::structure::structure_schema::StructureFile;
use ballesta_files::recovery::Recovery;
use ballesta_run::adjacency::AdjacencyFile;
use ballesta_study::study_schema::StudyFile;
use ballesta_vehicle::manoeuvre::manoeuvre_schema::ManoeuvreFile;
use serde_json::{Value, json};

#[test]
fn stored_schemas_are_those_of_the_types() {
    crate::root::at_root();
    for (kind, schema, compacted) in [
        ("model", json_schema::<Model>(), "model/src/schema/compact.json"),
        ("rom", json_schema::<Rom>(), "model/src/rom/compact.json"),
        ("structure", json_schema::<StructureFile>(), "fem/src/structure/compact.json"),
        ("adjacency", json_schema::<AdjacencyFile>(), "run/src/adjacency.json"),
        ("recovery", json_schema::<Recovery>(), "files/src/recovery.json"),
        ("manoeuvre", json_schema::<ManoeuvreFile>(), "vehicle/src/manoeuvre/compact.json"),
        ("study", json_schema::<StudyFile>(), "study/src/compact.json"),
    ] {
        compare(&format!("docs/{kind}.schema.json"), &format!("{schema:#}\n"));
        compare(&format!("crates/{compacted}"), &format!("{}\n", compact(&schema)));
    }
    let assembly = json_schema::<Assembly>();
    compare("docs/assembly.schema.json", &format!("{:#}\n", referring(&assembly)));
    // The next build holds what was just written.
    if std::env::var_os("BALLESTA_REWRITE").is_none() {
        assert_eq!(compact(&assembly), Assembly::reading_schema());
    }
}

/// The schema of subassemblies with references to the equal tables of the model's schema, so that each is stored once.
fn referring(assembly: &Value) -> Value {
    let model = json_schema::<Model>();
    let mut short = assembly.clone();
    // Every table of a subassembly is one of a model.
    for (key, property) in short["properties"].as_object_mut().into_iter().flatten() {
        assert_eq!(*property, model["properties"][key], "{key}");
        *property = json!({ "$ref": format!("model.schema.json#/properties/{key}") });
    }
    let definitions = short.as_object_mut().and_then(|keys| keys.remove("definitions"));
    assert_eq!(definitions.as_ref(), model.get("definitions"));
    short
}
