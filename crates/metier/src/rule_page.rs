//! Turns a rule into its page: what `metier rule` prints, `docs/rules` holds and SARIF carries.

use metier_core::{Mode, Rule, Severity};

/// The documentation of a rule as one Markdown page.
///
/// ```
/// use metier::{Rule, rule_page};
///
/// let page = rule_page(Rule::UnquotedColon);
/// assert!(page.starts_with("# unquoted-colon\n\nAn unquoted value holds a colon"));
/// assert!(page.contains("\nStrict: error. Lenient: warning.\n"));
/// ```
pub fn rule_page(rule: Rule) -> String {
    let severity = |mode| rule.severity(mode).map_or("off", Severity::as_str);
    let (strict, lenient) = (severity(Mode::Strict), severity(Mode::Lenient));
    let mut page =
        format!("# {rule}\n\n{}\n\nStrict: {strict}. Lenient: {lenient}.\n", rule.title());
    let docs = rule.docs();
    // The documentation is a doc comment, where a blank stands before every line.
    let margin = if docs.starts_with(' ') { " " } else { "" };
    let sections =
        docs.lines().skip(1).map(|line| line.strip_prefix(margin).unwrap_or(line).trim_end());
    for line in sections {
        page.push_str(line);
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page_without_ragged_edges() {
        for &rule in Rule::ALL {
            let page = rule_page(rule);
            assert!(page.ends_with('\n') && !page.ends_with("\n\n"), "{rule}");
            assert!(page.lines().all(|line| line == line.trim_end()), "{rule}");
            let headings = page.lines().filter(|line| line.trim_start().starts_with("## "));
            assert!(headings.clone().all(|line| line.starts_with("## ")), "{rule}");
        }
    }
}
