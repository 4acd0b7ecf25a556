//! `#[derive(Geometry)]` lists the fields of a table of the model file with their kinds.
//!
//! The type of a field gives its kind: the names in [`KINDS`] are aliases in `ballesta_model::schema` (`Polar` is three
//! numbers that transform as a polar vector, `BodyName` is a text that names a body). Containers are transparent:
//! `Option<Polar>`, `[BodyName; 2]`. A plain `String` or `Number` has no kind and does not compile. All other types are
//! tables and words, which implement `Unambiguous`.
//!
//! Attributes of a field:
//!
//! - `#[geometry(default = value)]`: meaning of an omitted key, which is written only if a placement changes it. For a
//!   list of coordinates it is the default of the factor of each entry.
//! - `#[geometry(written = value)]`: as `default`, but written in every rotated or mirrored frame.
//! - `#[geometry(no_default)]`: an omitted key has no value that a placement changes. An optional value that transforms
//!   needs this or one of the two above.
//! - `#[geometry(only_if = condition)]`: otherwise the value does not change.
//! - `#[geometry(skip)]`: a table that subassemblies do not have.
//!
//! `#[derive(New)]` adds `new`: a table with its required keys only, as a file would give it.

use proc_macro::{Delimiter, Span, TokenStream, TokenTree};
use std::fmt::Write;

/// Names of types, and the kinds of their values. In a field `name`, `Refers` becomes `Defines`.
const KINDS: &[(&str, &str)] = &[
    ("Text", "Plain"),
    ("CoordinateName", "Coordinate"),
    ("JointName", "Joint"),
    ("FrameName", "Refers(Namespace::Frames)"),
    ("BodyName", "Refers(Namespace::Bodies)"),
    ("CurveName", "Refers(Namespace::Curves)"),
    ("ConstraintName", "Refers(Namespace::Constraints)"),
    ("ForceName", "Refers(Namespace::Forces)"),
    ("GuidedName", "Refers(Namespace::Guided)"),
    ("RoadName", "Refers(Namespace::Roads)"),
    ("SolidName", "Refers(Namespace::Solids)"),
    ("VariableName", "Refers(Namespace::Variables)"),
    ("OutputName", "Refers(Namespace::Outputs)"),
    ("Scalar", "Plain"),
    ("Signal", "Plain"),
    ("Constant", "Plain"),
    ("Polar", "Polar"),
    ("Axial", "Axial"),
    ("Inertia", "Inertia"),
    ("FrameAxis", "FrameAxis"),
    ("JointAxis", "JointAxis(0)"),
    ("SecondJointAxis", "JointAxis(1)"),
    ("JointPosition", "JointPosition"),
    ("JointSpeed", "JointSpeed"),
    ("PerSpeed", "Plain"),
    ("BushingLoad", "BushingLoad"),
    ("OnCoordinate", "OnCoordinate"),
    ("Gain", "Gain"),
    ("Factor", "Factor"),
    ("OddRows", "OddRows"),
    ("TimeRows", "TimeRows"),
    ("LowerEnd", "LowerEnd"),
    ("UpperEnd", "UpperEnd"),
    ("CouplingRatio", "CouplingRatio"),
    ("CouplingOffset", "CouplingOffset"),
    ("SteeringRatio", "SteeringRatio"),
    ("Side", "Reflected"),
    ("Mirrored", "Reflected"),
];

/// Types without a kind of their own.
const AMBIGUOUS: [&str; 5] = ["String", "f64", "Number", "Vector", "PerCoordinate"];

/// A field of the struct.
struct Field {
    name: String,
    span: Span,
    /// Its key in the file.
    key: String,
    /// Its type.
    kind: String,
    /// The type inside of all containers.
    inner: String,
    /// The arguments of `#[geometry(…)]` by name, and the ones of `#[serde(…)]` as `serde default`.
    arguments: Vec<(String, String)>,
}

/// Implements `Item`, `Valued` and `Unambiguous`, see the documentation of the crate.
#[proc_macro_derive(Geometry, attributes(geometry))]
pub fn geometry(input: TokenStream) -> TokenStream {
    let (name, mut fields) = structure(input);
    fields.retain(|field| field.argument("skip").is_none());
    let mut code = TokenStream::new();
    let (mut prepared, mut listed, mut kinds, mut checks) =
        (String::new(), String::new(), String::new(), String::new());
    for (index, field) in fields.iter().enumerate() {
        let kind = match KINDS.iter().find(|(alias, _)| *alias == field.inner) {
            Some((_, kind)) if field.name == "name" => kind.replace("Refers", "Defines"),
            Some((_, kind)) => kind.to_string(),
            None if AMBIGUOUS.contains(&field.inner.as_str()) => {
                let message = format!(
                    "the type of `{name}.{}` does not tell how subassemblies change it: use an alias of \
                     `schema::kinds`, such as `Scalar`, `Polar`, `Axial`, `OnCoordinate`, `BodyName` or `Text`",
                    field.name
                );
                code.extend(error(field, &message));
                continue;
            }
            None => {
                let _ = write!(checks, "crate::geometry::unambiguous::<{}>();", field.inner);
                "Plain".to_string()
            }
        };
        let fixed = ["Plain", "Coordinate", "Joint", "Factor", "Reflected"].contains(&kind.as_str());
        let transforms = !fixed && !kind.contains("Namespace") && field.kind.starts_with("Option");
        if transforms && ["default", "written", "no_default"].iter().all(|name| field.argument(name).is_none()) {
            code.extend(error(
                field,
                &format!(
                    "say what an omitted `{name}.{}` means: `#[geometry(default = …)]` or `#[geometry(no_default)]`",
                    field.name
                ),
            ));
        }
        let kind = format!("Kind::{kind}");
        let used = match field.argument("only_if") {
            Some(condition) => format!("if {condition} {{ {kind} }} else {{ Kind::Plain }}"),
            None => kind.clone(),
        };
        let implied = match (field.argument("default"), field.argument("written")) {
            (Some(value), _) => format!("Implied::from({value})"),
            (_, Some(value)) => format!("Implied::from({value}).written()"),
            _ => "Implied::Nothing".to_string(),
        };
        let (key, field_name, field_type) = (&field.key, &field.name, &field.kind);
        let _ = write!(prepared, "let prepared_{index} = ({used}, {implied});");
        let _ = write!(
            listed,
            "Field {{ key: \"{key}\", kind: prepared_{index}.0, implied: prepared_{index}.1, value: &mut \
             self.{field_name} }},"
        );
        let _ = write!(kinds, "<{field_type} as Valued>::kinds(&key(\"{key}\"), {kind}, list);");
    }
    let text = format!(
        "impl crate::geometry::Item for {name} {{
            fn fields(&mut self) -> Vec<crate::geometry::Field<'_>> {{
                #[allow(unused_imports)]
                use crate::geometry::{{Field, Implied, Kind, Namespace, X, Y, Z}};
                {prepared}
                vec![{listed}]
            }}
        }}
        impl crate::geometry::Unambiguous for {name} {{}}
        impl crate::geometry::Valued for {name} {{
            fn view(&mut self) -> crate::geometry::View<'_> {{
                crate::geometry::View::Table(self)
            }}
            fn kinds(path: &str, _: crate::geometry::Kind, list: &mut Vec<(String, crate::geometry::Kind)>) {{
                #[allow(unused_imports)]
                use crate::geometry::{{Kind, Namespace, Valued}};
                let key = |key: &str| if path.is_empty() {{ key.to_string() }} else {{ format!(\"{{path}}.{{key}}\") }};
                {checks}
                {kinds}
            }}
        }}"
    );
    code.extend(text.parse::<TokenStream>().expect("valid Rust"));
    code
}

/// Implements `new` with one argument per required key, in their order. Other keys are omitted or have the defaults of
/// the file.
#[proc_macro_derive(New, attributes(geometry))]
pub fn new(input: TokenStream) -> TokenStream {
    let (name, fields) = structure(input);
    let (mut arguments, mut values) = (String::new(), String::new());
    for field in &fields {
        let Field { name, kind, .. } = field;
        let _ = match field.argument("serde default").or(field.argument("serde skip")) {
            Some("") => write!(values, "{name}: Default::default(),"),
            Some(function) => write!(values, "{name}: {}(),", function.trim_matches('"')),
            None if kind.starts_with("Option") => write!(values, "{name}: None,"),
            None => write!(arguments, "{name}: impl Into<{kind}>,").and(write!(values, "{name}: {name}.into(),")),
        };
    }
    let text = format!(
        "impl {name} {{
            /// The table with its required keys.
            pub fn new({arguments}) -> Self {{
                {name} {{ {values} }}
            }}
        }}"
    );
    text.parse().expect("valid Rust")
}

impl Field {
    fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An error at a field.
fn error(field: &Field, message: &str) -> TokenStream {
    let error: TokenStream = format!("compile_error!({message:?});").parse().expect("valid Rust");
    let at_field = |mut token: TokenTree| {
        token.set_span(field.span);
        token
    };
    error.into_iter().map(at_field).collect()
}

/// The name of a struct and its fields.
fn structure(input: TokenStream) -> (String, Vec<Field>) {
    let mut tokens = input.into_iter().skip_while(|token| token.to_string() != "struct").skip(1);
    let name = tokens.next().map(|token| token.to_string()).unwrap_or_default();
    let body = tokens.find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    (name, fields(body.unwrap_or_default()))
}

/// The fields of a struct with named fields.
fn fields(body: TokenStream) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut tokens = body.into_iter().peekable();
    let (mut key, mut arguments) = (None, Vec::new());
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let Some(TokenTree::Group(group)) = tokens.next() else { continue };
                attribute(group.stream(), &mut key, &mut arguments);
            }
            TokenTree::Ident(ident) if ident.to_string() == "pub" => {
                let scope =
                    |token: &TokenTree| matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis);
                tokens.next_if(scope);
            }
            TokenTree::Ident(ident) => {
                tokens.next();
                let (mut depth, mut of_field) = (0, Vec::new());
                for token in tokens.by_ref() {
                    match token.to_string().as_str() {
                        "<" => depth += 1,
                        ">" => depth -= 1,
                        "," if depth == 0 => break,
                        _ => {}
                    }
                    of_field.push(token);
                }
                let inner = innermost(&of_field);
                let kind = of_field.into_iter().collect::<TokenStream>().to_string();
                let name = ident.to_string();
                let key = key.take().unwrap_or_else(|| name.clone());
                let arguments = std::mem::take(&mut arguments);
                fields.push(Field { name, span: ident.span(), key, kind, inner, arguments });
            }
            _ => {}
        }
    }
    fields
}

/// Reads `#[serde(rename = "key")]`, other arguments of `#[serde(…)]`, and `#[geometry(…)]`.
fn attribute(attribute: TokenStream, key: &mut Option<String>, arguments: &mut Vec<(String, String)>) {
    let mut tokens = attribute.into_iter();
    let name = tokens.next().map(|token| token.to_string()).unwrap_or_default();
    let Some(TokenTree::Group(group)) = tokens.next() else { return };
    if !["serde", "geometry"].contains(&name.as_str()) {
        return;
    }
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    for argument in tokens.split(|token| token.to_string() == ",") {
        let Some(first) = argument.first().map(ToString::to_string) else { continue };
        let value = argument.iter().skip(2).cloned().collect::<TokenStream>().to_string();
        match name.as_str() {
            "geometry" => arguments.push((first, value)),
            _ if first == "rename" => *key = Some(value.trim_matches('"').to_string()),
            _ => arguments.push((format!("serde {first}"), value)),
        }
    }
}

/// The type inside of `Option`, `Vec`, maps and arrays.
fn innermost(tokens: &[TokenTree]) -> String {
    let is = |text: &'static str| move |token: &TokenTree| token.to_string() == text;
    if let [TokenTree::Group(array)] = tokens {
        let inside: Vec<TokenTree> = array.stream().into_iter().collect();
        let end = inside.iter().position(is(";")).unwrap_or(inside.len());
        return innermost(&inside[..end]);
    }
    let Some(open) = tokens.iter().position(is("<")) else {
        return tokens.last().map(ToString::to_string).unwrap_or_default();
    };
    let inside = &tokens[open + 1..tokens.len() - 1];
    let comma = inside.iter().position(is(",")).map_or(0, |comma| comma + 1);
    innermost(&inside[comma..])
}
