//! Turns `allowed-tools`, in whatever form it is written, into patterns and findings.

use super::Lowering;
use crate::format::emit;
use crate::tree::{Entry, Node, Scalar, Value};
use crate::{AllowedTools, Fix, Report, Rule, Span};
use std::ops::Range;

impl Lowering<'_> {
    pub(super) fn allowed_tools(&mut self, entry: &Entry) -> Option<AllowedTools> {
        let node = &entry.value;
        let wrong = |report: &mut Report, node: &Node, what: &str| {
            let message = format!("{what} is {}, it must be text", node.kind());
            report.push(Rule::FieldType, node.span, message, |f| {
                f.with_help("write `allowed-tools: Read Bash(git:*)`")
            });
        };
        let (tools, problems) = match &node.value {
            Value::Scalar(scalar) if scalar.is_null() => return None,
            Value::Scalar(scalar) => {
                let (tools, problems) = AllowedTools::parse(scalar.text());
                (tools, problems.into_iter().map(|problem| (node, problem)).collect())
            }
            Value::List(items) => {
                for item in items.iter().filter(|item| item.as_text().is_none()) {
                    wrong(self.report, item, "an item of `allowed-tools`");
                }
                let named: Vec<&Node> =
                    items.iter().filter(|item| item.as_text().is_some()).collect();
                let (tools, problems) =
                    AllowedTools::from_items(named.iter().filter_map(|item| item.as_text()));
                let place = |at: usize| named.get(at).copied().unwrap_or(node);
                (tools, problems.into_iter().map(|(at, p)| (place(at), p)).collect::<Vec<_>>())
            }
            Value::Map(_) => {
                wrong(self.report, node, "`allowed-tools`");
                return None;
            }
        };
        for (node, problem) in problems {
            let span = self.part(node, problem.range());
            let message = format!("{problem} in `allowed-tools`");
            self.report.push(Rule::AllowedToolsUnbalanced, span, message, |f| {
                f.with_help("write each tool as `Bash(git:*)`, with spaces between them")
            });
        }
        self.tools_form(entry, &tools);
        Some(tools)
    }

    /// Where a part of a scalar's text stands; the whole scalar when it is not written as it reads.
    fn part(&self, node: &Node, range: Range<usize>) -> Span {
        let source = node.span.slice(self.text);
        let text = node.as_scalar().map_or("", Scalar::text);
        match source.find(text).filter(|at| *at <= 1) {
            Some(at) => {
                let start = node.span.start() + at;
                Span::new(self.text, start + range.start..start + range.end)
            }
            None => node.span,
        }
    }

    /// The specification wants one string with spaces (spec A1); lists and commas are common.
    fn tools_form(&mut self, entry: &Entry, tools: &AllowedTools) {
        let node = &entry.value;
        let written = node.as_scalar().map(Scalar::text);
        let form = match written {
            _ if tools.is_empty() => return,
            None => "a list",
            Some(text) if text.trim() != tools.to_string() && text.contains(',') => {
                "separated by commas"
            }
            Some(_) => return,
        };
        let message =
            format!("`allowed-tools` is {form}, the specification wants spaces between tools");
        let whole =
            Span::new(self.text, entry.key_span.end()..node.span.end().max(entry.key_span.end()));
        let has_comment = whole.slice(self.text).contains('#');
        let has_question_mark = self.has_question_mark(entry);
        self.report.push(Rule::AllowedToolsForm, node.span, message, |f| {
            let f = f.with_help(format!("write `allowed-tools: {tools}`"));
            if has_comment || has_question_mark {
                return f;
            }
            let value = format!(": {}", emit::inline_text(&tools.to_string()));
            f.with_fix(Fix::replace("write the tools as one string", whole, value))
        });
    }
}
