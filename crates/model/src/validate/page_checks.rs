//! Controls of a live page.

use super::check::Check;
use crate::document::nearest::did_you_mean;
use crate::schema::{Control, TRIGGERS};

pub(super) fn check(check: &mut Check) {
    let Some(page) = &check.model.page else { return };
    for (index, control) in page.controls.iter().enumerate() {
        let item = format!("page.control[{index}]");
        if page.controls[..index].iter().any(|other| other.variable == control.variable) {
            let found = format!("\"{}\" already has a control", control.variable);
            check.report(format!("{item}.variable"), found, "keep one of them");
        }
        self::control(check, &item, control);
    }
}

fn control(check: &mut Check, item: &str, control: &Control) {
    // The control changes an input or a tunable parameter while the simulation runs.
    let (model, name) = (check.model, control.variable.as_str());
    let input = model.inputs.iter().find(|input| input.name == name);
    let parameter = model.parameters.iter().find(|parameter| parameter.name == name);
    let key = format!("{item}.variable");
    if input.is_none() && parameter.is_none() {
        let tunable = model.parameters.iter().filter(|parameter| parameter.tunable).map(|parameter| &parameter.name);
        let known: Vec<&str> =
            model.inputs.iter().map(|input| &input.name).chain(tunable).map(String::as_str).collect();
        check.report(key, format!("there is no input or tunable parameter \"{name}\""), did_you_mean(name, &known));
    } else if parameter.is_some_and(|parameter| !parameter.tunable) {
        let expected = "set `tunable = true` for the parameter, or give its value with --set";
        check.report(key, format!("parameter \"{name}\" is fixed"), expected);
    }
    // `also` names inputs that get the value too; an input has at most one control.
    for (index, other) in control.also.iter().enumerate() {
        let key = format!("{item}.also[{index}]");
        let known: Vec<&str> = model.inputs.iter().map(|input| input.name.as_str()).collect();
        if !known.contains(&other.as_str()) {
            check.report(key, format!("there is no input \"{other}\""), did_you_mean(other, &known));
        } else if other == name || model.page.iter().flat_map(|page| &page.controls).any(|one| one.variable == *other) {
            check.report(key, format!("\"{other}\" already has a control"), "keep one of them");
        }
    }
    // The range must contain the start value and remain within the limits of the variable.
    let limits = input.map(|input| (input.start, input.min, input.max));
    let limits = limits.or(parameter.map(|parameter| (parameter.value, parameter.min, parameter.max)));
    if let Some([from, to]) = control.range {
        let key = format!("{item}.range");
        let (start, min, max) = limits.unwrap_or((from, None, None));
        if from >= to {
            check.report(key, format!("the range is from {from} to {to}"), "write the smaller number first");
        } else if !(from..=to).contains(&start) {
            check.report(key, format!("\"{name}\" starts at {start}"), "include this value in the range");
        } else if min.is_some_and(|min| from < min) || max.is_some_and(|max| to > max) {
            let found = format!("the range from {from} to {to} exceeds `min` or `max` of \"{name}\"");
            check.report(key, found, "stay within its limits");
        }
    }
    // A key or gamepad control moves the value in one direction only.
    for (side, names) in [("up", &control.up), ("down", &control.down)] {
        for (index, trigger) in names.iter().enumerate() {
            let key = format!("{item}.{side}[{index}]");
            if side == "down" && control.up.contains(trigger) {
                check.report(key, format!("`up` also contains \"{trigger}\""), "keep one of them");
            } else if !is_key(trigger) && !TRIGGERS.contains(&trigger.as_str()) {
                let found = format!("\"{trigger}\" is not a lower-case letter, digit, other key or gamepad control");
                check.report(key, found, did_you_mean(trigger, &TRIGGERS));
            }
        }
    }
    if let Some(sweep) = control.sweep.filter(|sweep| *sweep <= 0.0) {
        check.report(format!("{item}.sweep"), format!("found {sweep}"), "give a positive time in s");
    }
}

/// A key that types a letter or a digit.
fn is_key(name: &str) -> bool {
    matches!(name.as_bytes(), [b'a'..=b'z' | b'0'..=b'9'])
}
