//! Writing a model file.

use super::schema::Model;
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

/// Maximum length of a line with an array or a table; longer values have several lines.
const MAX_WIDTH: usize = 110;
/// From this value on, whole numbers have an exponent: integers of TOML are limited.
const MAX_INTEGER: f64 = 1e15;
/// Tables at the beginning; the others follow in the order of [`Model`].
const FIRST: [&str; 4] = ["model", "experiment", "published", "parameter"];

/// The text of a model file that reads as exactly this model, without keys that have their default values.
///
/// `head` is the comment at the beginning. `comments` are comments above tables and keys, each with the path of its
/// table or key, such as `joint[2]` or `model.step`. The numbers of the model must be finite.
pub fn write(model: &Model, head: &str, comments: &[(String, String)]) -> String {
    let tree = serde_json::to_value(model).expect("plain data with text keys is always valid JSON");
    let mut tables: Vec<_> = tree.as_object().into_iter().flatten().collect();
    tables.sort_by_key(|(name, _)| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    let mut text = commented(head);
    let mut add = |header: String, path: String, entries: &Map<String, Value>| {
        let above = |path: &str| {
            let of_path = comments.iter().filter(|(known, _)| known == path);
            of_path.map(|(_, comment)| commented(comment)).collect::<String>()
        };
        text += &format!("\n{}{header}\n", above(&path));
        for (key, value) in entries {
            text += &above(&format!("{path}.{key}"));
            text += &lines(&bare_or_quoted(key), value);
        }
    };
    for (name, value) in tables {
        match value {
            Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
                let mut entries = needed(item, &|item| json!({ name: [item] })).unwrap_or_default();
                // A rotor needs its default mass in the file.
                if name == "body" && entries.contains_key("inertia") && !entries.contains_key("mass") {
                    entries.shift_insert(1, "mass".into(), json!(0.0));
                }
                add(format!("[[{name}]]"), format!("{name}[{index}]"), &entries);
            }),
            // A point has no default.
            Value::Object(points) if name == "points" && !points.is_empty() => {
                let mut points: Vec<_> = points.clone().into_iter().collect();
                points.sort_by_key(|(name, _)| numbered(name));
                add("[points]".into(), name.clone(), &points.into_iter().collect());
            }
            table => {
                let entries = needed(table, &|table| json!({ name: table }));
                entries.iter().for_each(|entries| add(format!("[{name}]"), name.clone(), entries));
            }
        }
    }
    text
}

/// The keys of a table without which the model would be different; `None` if it would be the same without the table.
/// `tree` puts the table into a model file.
fn needed(table: &Value, tree: &dyn Fn(&Value) -> Value) -> Option<Map<String, Value>> {
    let read = |mut tree: Value| {
        let rest = tree.as_object_mut()?;
        rest.entry("model").or_insert_with(|| json!({ "name": "" }));
        Model::deserialize(&tree).ok()
    };
    let mut table = table.clone();
    // A number that is not finite has no JSON; such a table stays as it is.
    if let Some(original) = read(tree(&table)) {
        if read(json!({})).as_ref() == Some(&original) {
            return None;
        }
        prune(&mut table, &|table| read(tree(table)).as_ref() == Some(&original));
    }
    table.as_object().cloned()
}

/// Removes the keys of tables inside of `value` as long as `is_same` holds.
fn prune(value: &mut Value, is_same: &dyn Fn(&Value) -> bool) {
    match value {
        Value::Object(entries) => {
            // An omitted optional key.
            entries.retain(|_, entry| !entry.is_null());
            for key in entries.keys().cloned().collect::<Vec<_>>() {
                let mut without = entries.clone();
                let Some(mut entry) = without.shift_remove(&key) else { continue };
                if is_same(&Value::Object(without)) {
                    entries.shift_remove(&key);
                    continue;
                }
                prune(&mut entry, &|entry| {
                    let mut with = entries.clone();
                    with.insert(key.clone(), entry.clone());
                    is_same(&Value::Object(with))
                });
                entries.insert(key, entry);
            }
        }
        Value::Array(items) => {
            for index in (0..items.len()).filter(|index| items[*index].is_object()).collect::<Vec<_>>() {
                let mut item = items[index].clone();
                prune(&mut item, &|item| {
                    let mut with = items.clone();
                    with[index] = item.clone();
                    is_same(&Value::Array(with))
                });
                items[index] = item;
            }
        }
        _ => {}
    }
}

/// Sorts `joint_2` before `joint_10`.
fn numbered(name: &str) -> (String, Option<u64>) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.to_string(), name[stem.len()..].parse().ok())
}

/// Comment lines; control characters, which TOML does not allow there, are escaped.
fn commented(text: &str) -> String {
    let escaped = |line: &str| -> String {
        line.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
    };
    text.lines().map(|line| format!("# {}", escaped(line)).trim_end().to_string() + "\n").collect()
}

fn bare_or_quoted(key: &str) -> String {
    let line = toml::Table::from_iter([(key.to_string(), toml::Value::Boolean(true))]).to_string();
    line.trim_end_matches(" = true\n").to_string()
}

/// A key and its value: in one line, with an array in several lines, or one line per key of a table.
fn lines(key: &str, value: &Value) -> String {
    let line = format!("{key} = {}\n", inline(value));
    match value {
        Value::Array(items) if line.len() > MAX_WIDTH => format!("{key} = [\n{}]\n", rows(items)),
        Value::Object(entries) if line.len() > MAX_WIDTH => {
            let below = entries.iter().map(|(below, value)| lines(&format!("{key}.{}", bare_or_quoted(below)), value));
            below.collect()
        }
        _ => line,
    }
}

/// Items in lines: as many in each as fit, but only one array or table.
fn rows(items: &[Value]) -> String {
    let (mut rows, mut width) = (String::new(), MAX_WIDTH);
    for item in items {
        let word = inline(item);
        if width + word.len() + 2 > MAX_WIDTH || item.is_array() || item.is_object() {
            rows += if rows.is_empty() { "    " } else { "\n    " };
            width = 4;
        } else {
            rows.push(' ');
        }
        width += word.len() + 2;
        rows += &format!("{word},");
    }
    rows + "\n"
}

fn inline(value: &Value) -> String {
    let joined = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "nan".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => shortest(number),
        Value::String(text) => toml::Value::String(text.clone()).to_string(),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(inline).collect())),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| format!("{} = {}", bare_or_quoted(key), inline(value));
            format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
        }
    }
}

/// The number in the fewest digits that read as the same value. Small numbers have an exponent if it is shorter, others
/// if it saves three characters.
fn shortest(number: &Number) -> String {
    let Some(value) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    let (plain, exponent) = (value.to_string(), format!("{value:e}"));
    match () {
        _ if value.abs() < 1e-3 && exponent.len() < plain.len() => exponent,
        _ if value.abs() >= MAX_INTEGER || exponent.len() + 3 <= plain.len() => exponent,
        _ if plain == "-0" => "-0.0".into(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{General, Joint, JointKind, Parameter, numbers};
    use std::path::{Path, PathBuf};

    fn read(text: &str) -> Model {
        toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn tables_have_the_keys_that_differ_from_their_defaults_and_comments() {
        let mut joint = Joint::new("a \"b\"", JointKind::Revolute, ["ground".into(), "b".to_string()]);
        joint.axis = Some(numbers([-0.0, 1e-9, 0.1 + 0.2]));
        let mut model = Model::new(General { step: 2e-3, ..General::new("m") });
        model.joints.push(joint);
        for name in ["p_10", "p_9", "left.p"] {
            model.points.insert(name.into(), numbers([1e6, -2.0, 1234.5]));
        }
        model.parameters.push(Parameter::new("k", 200000.0));
        let comments = [("joint[0]", "A joint.\u{1}"), ("model.step", "Short:\n  see below.")];
        let text = write(&model, "Made\n\nhere.", &comments.map(|(path, text)| (path.into(), text.into())));
        let expected = r#"# Made
#
# here.

[model]
name = "m"
# Short:
#   see below.
step = 0.002

[[parameter]]
name = "k"
value = 2e5

[points]
"left.p" = [1e6, -2, 1234.5]
p_9 = [1e6, -2, 1234.5]
p_10 = [1e6, -2, 1234.5]

# A joint.\u{1}
[[joint]]
name = 'a "b"'
type = "revolute"
bodies = ["ground", "b"]
axis = [0, 1e-9, 0.30000000000000004]
"#;
        assert_eq!(text, expected);
        assert_eq!(read(&text), model);
    }

    #[test]
    fn numbers_have_few_digits_and_read_as_the_same_bits() {
        for (value, shown) in [
            (0.0, "0"),
            (-0.0, "-0.0"),
            (100.0, "100"),
            (0.001, "0.001"),
            (0.00025, "2.5e-4"),
            (-69e9, "-6.9e10"),
            (1234567.0, "1234567"),
            (1.2345678901234568e20, "1.2345678901234568e20"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ] {
            let text = inline(&json!(value));
            assert_eq!(text, shown);
            let read: toml::Table = toml::from_str(&format!("x = [{text}]")).expect("TOML");
            let read: Vec<f64> = read["x"].clone().try_into().expect("a number");
            assert_eq!(read[0].to_bits(), f64::to_bits(value), "{text}");
        }
        assert_eq!(inline(&json!(u32::MAX)), "4294967295");
    }

    #[test]
    fn long_values_have_several_lines() {
        let long = json!((0..60).collect::<Vec<_>>());
        assert!(lines("a", &long).starts_with("a = [\n    0, 1, 2,") && lines("a", &long).lines().count() == 5);
        let rows = json!((0..20).map(|k| [k, 2 * k]).collect::<Vec<_>>());
        assert!(lines("a", &rows).starts_with("a = [\n    [0, 0],\n    [1, 2],\n"));
        let table = json!({ "b": "x".repeat(60), "c": { "d": "y".repeat(60) } });
        let text = lines("a", &table);
        assert_eq!(text, format!("a.b = \"{}\"\na.c = {{ d = \"{}\" }}\n", "x".repeat(60), "y".repeat(60)));
    }

    fn models(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.flat_map(|path| if path.is_dir() { models(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn models_of_the_gallery_read_as_before() {
        let mut count = 0;
        for path in models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")) {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if !text.lines().any(|line| line == "[model]") {
                continue;
            }
            let model = read(&text);
            let written = write(&model, "", &[]);
            assert_eq!(read(&written), model, "{}", path.display());
            // A table inside an array stays on one line.
            let fits = |line: &str| line.len() <= 2 * MAX_WIDTH || line.starts_with("    {");
            assert!(written.lines().all(fits), "{}", path.display());
            count += 1;
        }
        assert!(count > 100, "{count}");
    }
}
