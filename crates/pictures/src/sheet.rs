//! Common parts of drawings: the sheet with its title, the style of text and page, and text widths.

use quick_xml::escape::escape;

/// Mean width of a character, relative to the font size, because the reader's font is unknown.
const CHARACTER_WIDTH: f64 = 0.575;

/// The width of a text in a font of `size`, estimated.
pub fn text_width(text: &str, size: f64) -> f64 {
    CHARACTER_WIDTH * size * text.chars().count() as f64
}

/// A text with a class of the style sheet.
pub fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#, escape(content))
}

/// A sheet: its content, its style `rules`, and the rules for `dark` pages.
pub(crate) struct Sheet<'a> {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Left end of title and note.
    pub(crate) left: f64,
    pub(crate) title: &'a str,
    pub(crate) note: &'a str,
    pub(crate) rules: &'a str,
    pub(crate) dark: &'a str,
    pub(crate) body: &'a str,
}

impl Sheet<'_> {
    /// The picture, self-contained.
    pub(crate) fn svg(&self) -> String {
        let Sheet { width, height, left, title, note, rules, dark, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{name}</title>\n<style>\n\
             text{{font:12px system-ui,'DejaVu Sans',Arial,sans-serif;fill:#1a1a1a}}\n\
             .title{{font-size:15px;font-weight:bold}} .note{{fill:#555}} .page{{fill:#fff}}\n\
             {rules}\n\
             @media screen and (prefers-color-scheme:dark){{\n\
             text{{fill:#e6e6e6}} .note{{fill:#aaa}} .page{{fill:#15181c}}\n\
             {dark}\n\
             }}\n\
             </style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{title}\n{note}\n{body}</svg>\n",
            name = escape(*title),
            title = text(*left, 24.0, "title", title),
            note = text(*left, 42.0, "note", note),
        )
    }
}
