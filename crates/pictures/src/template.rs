//! Page templates with placeholders: `{{word}}` in a file that is compiled in.

/// The text of `frame` with every `{{word}}` replaced by what `write` appends for the word. Inserted text is not
/// searched again, so a text of a model may contain braces.
///
/// # Panics
/// If a `{{` of `frame` is not closed.
pub fn fill(frame: &str, mut write: impl FnMut(&str, &mut String)) -> String {
    let mut page = String::with_capacity(2 * frame.len());
    let mut rest = frame;
    while let Some((before, after)) = rest.split_once("{{") {
        let (word, after) = after.split_once("}}").expect("every {{ of a page is closed");
        page.push_str(before);
        write(word, &mut page);
        rest = after;
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_searched() {
        let page = fill("a {{x}} b {{y}}", |word, page| page.push_str(if word == "x" { "{{y}}" } else { "2" }));
        assert_eq!(page, "a {{y}} b 2");
        assert_eq!(fill("}} nothing", |_, _| unreachable!()), "}} nothing");
    }
}
