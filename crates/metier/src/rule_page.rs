//! Turns a rule into its page: what `metier rule` prints, `docs/rules` holds and SARIF carries.

use metier_core::{Mode, Rule, Severity};

/// The documentation of a rule as one Markdown page.
///
/// ```
/// use metier::{Rule, rule_page};
///
/// let page = rule_page(Rule::UnquotedColon);
/// assert!(page.starts_with("# unquoted-colon\n\nStrict: error, lenient: warning, fixable\n\n"));
/// assert!(page.contains("\n## Why it matters\n"));
/// ```
pub fn rule_page(rule: Rule) -> String {
    let severity = |mode| rule.severity(mode).map_or("off", Severity::as_str);
    let (strict, lenient) = (severity(Mode::Strict), severity(Mode::Lenient));
    let docs = rule.docs();
    let fixable = if docs.contains("`metier check --fix`") { ", fixable" } else { "" };
    format!("# {rule}\n\nStrict: {strict}, lenient: {lenient}{fixable}\n\n{docs}")
}
