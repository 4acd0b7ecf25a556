//! Files in memory, the model that they make, and the session that runs it.

use crate::handles::handles;
use crate::outline::outline;
use ballesta::model::document::file;
use ballesta::model::{Diagnostic, Diagnostics, Document};
use ballesta_live::session::{Kept, Session};
use ballesta_pictures::page::live::with_pulls_in;
use ballesta_pictures::page::{self, Subject};
use ballesta_run::model_files::{self, files_beside};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where a new model begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// At the start of the experiment.
    Start,
    /// At the time and in the position of the last model, if it has the same coordinates.
    Keep,
}

/// Where a model began.
#[derive(Debug, Serialize)]
struct Carried {
    how: &'static str,
    /// Time of point 0, s.
    time: f64,
    /// The reason for a begin at the start.
    why: String,
}

/// A model in memory and the session of its last version that compiled.
#[derive(Default)]
pub struct Workshop {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The session of the last model that compiled.
    session: Option<Session>,
    /// Parameter values with which that model was opened.
    opened: Vec<f64>,
}

impl Workshop {
    /// Adds or replaces a file. Its path uses `/` between folders.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.to_string(), bytes);
    }

    /// Removes a file.
    pub fn take_away(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// The session of the last model that compiled.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }

    /// The session, and the parameter values with which its model was opened.
    pub(crate) fn opened_session(&self) -> Option<(&Session, &[f64])> {
        Some((self.session.as_ref()?, &self.opened))
    }

    /// Opens the model with the text `text`, which names the files in memory, without a drawing. The caller begins the
    /// session.
    ///
    /// # Errors
    /// Diagnostics of the model. The last session stays.
    pub fn open(&mut self, text: &str, name: &str) -> Result<(), Diagnostics> {
        let session = Session::open(text, name, files_beside(name, &self.files))?;
        self.opened = session.parameters().to_vec();
        self.session = Some(session);
        Ok(())
    }

    /// Compiles the model in the file `main`, begins its session, and draws it. Returns `data`, `outline`,
    /// `points` and `carried` as JSON.
    ///
    /// # Errors
    /// `diagnostics` as JSON. The last session stays.
    pub fn compile(&mut self, main: &str, carry: Carry) -> Result<String, String> {
        self.compile_to(main, carry).map_err(|wrong| format!("{{\"diagnostics\":{}}}", json(&wrong.0)))
    }

    fn compile_to(&mut self, main: &str, carry: Carry) -> Result<String, Diagnostics> {
        let (document, _) = model_files::document(main, &self.files)?;
        let old = self.session.as_ref().filter(|_| carry == Carry::Keep);
        let values = old.map_or_else(|| document.model.parameter_values(), |old| old.kept_parameters(&document.model));
        let mut session = opened(&document, &values)?;
        let own = |name: &str| document.model.inputs.iter().any(|input| input.name == name);
        let resumed = old.map(|old| {
            session.keep_inputs(old, own);
            session.resume(old)
        });
        let (how, why) = match resumed {
            Some(Ok(Kept::Same)) => ("same", String::new()),
            Some(Ok(Kept::Placed)) => ("placed", String::new()),
            other => {
                let fault = session.begin();
                fault.map_err(|fault| no_start(main, fault))?;
                ("start", other.and_then(Result::err).unwrap_or_default())
            }
        };
        let drawn = page::of_session(&Subject { document: &document, values: &values }, &session);
        let outline = json(&outline(&document.source, &drawn.items));
        let text = |file: &str| self.files.get(file).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let text = |file: &str| text(file).map(|text| text.trim_start_matches(file::MARK));
        let points = json(&handles(&document, &drawn.items, &values, text));
        let carried = json(&Carried { how, time: session.time(), why });
        (self.opened, self.session) = (values, Some(session));
        let data = drawn.json;
        Ok(format!("{{\"data\":{data},\"outline\":{outline},\"points\":{points},\"carried\":{carried}}}"))
    }
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and texts can be serialized")
}

/// A session of the document with forces that pull bodies, or without if it cannot have them.
fn opened(document: &Document, values: &[f64]) -> Result<Session, Diagnostics> {
    let pulled = with_pulls_in(document, values).map(|pulled| Session::new(pulled, values.to_vec()));
    match pulled {
        Some(Ok(session)) => Ok(session),
        _ => Session::new(document.clone(), values.to_vec()),
    }
}

/// The diagnostic of a model that compiles but has no start.
fn no_start(main: &str, fault: String) -> Diagnostics {
    Diagnostics(vec![Diagnostic {
        file: main.to_string(),
        line: 0,
        column: 0,
        key: String::new(),
        found: format!("the model cannot start: {fault}"),
        expected: "change the positions, speeds or inputs at the start".into(),
    }])
}
