//! Turns the Markdown of a stranger into a tree of harmless elements, which a page builds by hand.

use metier::ResourcePath;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde_json::{Map, Value, json};

/// How deep elements may stand in one another; what is deeper becomes part of what is around it.
const DEEPEST: usize = 32;

/// The elements of a text, as JSON: text is a string, an element is `{"tag", "children"}`.
///
/// No markup of the author survives: HTML is shown as the text it is. Where a link leads is `to`, and
/// `file` where that is a file of the skill; the page decides what may be followed.
pub(crate) fn tree(text: &str) -> Vec<Value> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut open = vec![Element::default()];
    // Elements that are too deep, and so were not opened.
    let mut ignored = 0_usize;
    let mut in_head = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(_) if open.len() >= DEEPEST || ignored > 0 => ignored += 1,
            Event::End(_) if ignored > 0 => ignored -= 1,
            Event::Start(tag) => {
                in_head |= matches!(tag, Tag::TableHead);
                open.push(Element::of(&tag, in_head));
            }
            Event::End(end) => {
                in_head &= !matches!(end, TagEnd::TableHead);
                close(&mut open);
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::FootnoteReference(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => push_text(&mut open, &text),
            Event::Code(text) => push(&mut open, json!({"tag": "code", "children": [&*text]})),
            Event::SoftBreak => push_text(&mut open, "\n"),
            Event::HardBreak => push(&mut open, json!({"tag": "br"})),
            Event::Rule => push(&mut open, json!({"tag": "hr"})),
            Event::TaskListMarker(done) => push_text(&mut open, if done { "☑ " } else { "☐ " }),
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|element| element.children).unwrap_or_default()
}

/// An element whose end was not met yet.
#[derive(Default)]
struct Element {
    /// `None` for what has no element of its own: its children stand in its place.
    tag: Option<String>,
    attributes: Map<String, Value>,
    children: Vec<Value>,
}

impl Element {
    fn of(tag: &Tag<'_>, in_head: bool) -> Self {
        let mut attributes = Map::new();
        let name = match tag {
            Tag::Paragraph | Tag::HtmlBlock => "p".to_owned(),
            Tag::Heading { level, .. } => level.to_string(),
            Tag::BlockQuote(_) => "blockquote".to_owned(),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => "pre".to_owned(),
            Tag::List(None) => "ul".to_owned(),
            Tag::List(Some(start)) => {
                attributes.insert("start".to_owned(), json!(start));
                "ol".to_owned()
            }
            Tag::Item => "li".to_owned(),
            Tag::Emphasis => "em".to_owned(),
            Tag::Strong => "strong".to_owned(),
            Tag::Strikethrough => "del".to_owned(),
            Tag::Table(_) => "table".to_owned(),
            Tag::TableHead | Tag::TableRow => "tr".to_owned(),
            Tag::TableCell if in_head => "th".to_owned(),
            Tag::TableCell => "td".to_owned(),
            Tag::Link { dest_url, .. } => {
                attributes.insert("to".to_owned(), json!(&**dest_url));
                if let Some(file) = file(dest_url) {
                    attributes.insert("file".to_owned(), json!(file));
                }
                "a".to_owned()
            }
            Tag::Image { dest_url, .. } => {
                attributes.insert("to".to_owned(), json!(&**dest_url));
                "img".to_owned()
            }
            _ => return Self::default(),
        };
        Self { tag: Some(name), attributes, children: Vec::new() }
    }
}

/// The file of the skill that a link names.
fn file(to: &str) -> Option<String> {
    let path = to.split(['#', '?']).next().unwrap_or_default();
    let path: ResourcePath = path.strip_prefix("./").unwrap_or(path).parse().ok()?;
    let is_address = path.as_str().contains(':');
    (!is_address).then(|| path.as_str().to_owned())
}

fn close(open: &mut Vec<Element>) {
    let Some(Element { tag, attributes, mut children }) = open.pop() else { return };
    let Some(parent) = open.last_mut() else { return };
    let Some(tag) = tag else {
        parent.children.append(&mut children);
        return;
    };
    let mut node = Map::from_iter([("tag".to_owned(), json!(tag))]);
    node.extend(attributes);
    if tag == "img" {
        let words: Vec<&str> = children.iter().filter_map(Value::as_str).collect();
        node.insert("alt".to_owned(), json!(words.concat()));
    } else {
        node.insert("children".to_owned(), Value::Array(children));
    }
    parent.children.push(Value::Object(node));
}

fn push(open: &mut [Element], node: Value) {
    if let Some(element) = open.last_mut() {
        element.children.push(node);
    }
}

/// Adds text to the text before it, where there is some.
fn push_text(open: &mut [Element], text: &str) {
    let Some(element) = open.last_mut() else { return };
    if let Some(Value::String(before)) = element.children.last_mut() {
        before.push_str(text);
    } else {
        element.children.push(json!(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Value::Array(tree(text)).to_string()
    }

    #[test]
    fn elements_nest() {
        assert_eq!(
            shown("# A *b*\n\n1. x\n2. `y`\n"),
            concat!(
                r#"[{"tag":"h1","children":["A ",{"tag":"em","children":["b"]}]},"#,
                r#"{"tag":"ol","start":1,"children":[{"tag":"li","children":["x"]},"#,
                r#"{"tag":"li","children":[{"tag":"code","children":["y"]}]}]}]"#
            )
        );
    }

    #[test]
    fn html_is_text() {
        let shown = shown("<script>alert(1)</script>\n\na <b onclick=x>c</b>\n");
        assert!(shown.contains(r#"["<script>alert(1)</script>\n"]"#), "{shown}");
        assert!(shown.contains(r#"["a <b onclick=x>c</b>"]"#), "{shown}");
    }

    #[test]
    fn links_say_where_they_lead_and_which_file_that_is() {
        let shown =
            shown("[a](references/x.md#top) [b](javascript:alert(1)) [c](../../etc/passwd)");
        assert!(
            shown.contains(r#""to":"references/x.md#top","file":"references/x.md""#),
            "{shown}"
        );
        assert!(!shown.contains(r#""file":"javascript"#), "{shown}");
        assert!(!shown.contains(r#""file":"../"#), "{shown}");
    }

    #[test]
    fn ten_thousand_levels_are_a_few() {
        let deep = "> ".repeat(10_000) + "end";
        let shown = shown(&deep);
        assert!(shown.matches("blockquote").count() <= DEEPEST);
        assert!(shown.contains("end"));
    }
}
