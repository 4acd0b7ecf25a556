//! Results of the rig, as plain data.

use super::Rig;
use super::kc::{Compliance, Report};
use serde_json::{Value, json};

/// The object of `rig MODEL kc --json`; SI units.
pub fn of(rig: &Rig, report: &Report) -> Value {
    // Column names have the owner as prefix; an axle excludes the columns of its two wheels.
    let named = |owner: &str| -> serde_json::Map<String, Value> {
        let own = |name: &str| name.strip_prefix(owner).and_then(|rest| rest.strip_prefix('.')).map(str::to_string);
        let of_wheel = |rest: &String| !rest.starts_with("left.") && !rest.starts_with("right.");
        let columns = report.columns.iter().zip(&report.home);
        columns.filter_map(|(column, value)| Some((own(&column.name).filter(of_wheel)?, json!(value)))).collect()
    };
    // Axles with their wheels: values at design position and compliances.
    let axles = rig.axles.iter().enumerate().map(|(number, axle)| {
        let wheels = axle.wheels.iter().map(|&k| {
            let wheel = &rig.wheels[k];
            let own: Vec<&Compliance> =
                report.compliance.iter().filter(|compliance| compliance.wheel == wheel.name).collect();
            json!({
                "name": wheel.name,
                "joint": wheel.joint,
                "radius_m": wheel.radius,
                "home": named(&wheel.name),
                "compliance": own,
            })
        });
        let wheels: Vec<Value> = wheels.collect();
        json!({
            "name": axle.name,
            "wheelbase_m": report.wheelbase[number],
            "home": named(&axle.name),
            "wheels": wheels,
        })
    });
    let axles: Vec<Value> = axles.collect();
    // Tests: each figure as a series over the driven quantity.
    let tests = report.tests.iter().map(|test| {
        let values = |index: usize| test.rows.iter().map(|row| row[index]).collect::<Vec<f64>>();
        let columns = report.columns.iter().enumerate();
        let columns = columns.map(|(index, column)| (column.name.clone(), json!(values(index))));
        let columns: serde_json::Map<String, Value> = columns.collect();
        json!({ "test": test.kind.word(), "along": test.along, "ended": test.ended, "figures": columns })
    });
    let tests: Vec<Value> = tests.collect();
    json!({
        "model": rig.system().name(),
        "steering": rig.steering.map(|index| rig.document.model.inputs[index].name.clone()),
        "axles": axles,
        "figures": report.columns,
        "tests": tests,
    })
}
