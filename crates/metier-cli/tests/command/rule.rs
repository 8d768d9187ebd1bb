//! Turns the code of a rule into its documentation.

use crate::metier;
use testing::{Fixture, command_snapshot};

#[test]
#[expect(clippy::disallowed_methods, reason = "the pages of the repository are what is compared")]
fn prints_the_page_that_the_documentation_holds() {
    let fixture = Fixture::new();
    for code in ["unquoted-colon", "dead-link", "not-utf8"] {
        let output = metier(&fixture, &["rule", code]);
        let page = format!("{}/../../docs/rules/{code}.md", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(output.stdout(), std::fs::read_to_string(page).unwrap(), "{code}");
        assert_eq!((output.exit_code(), output.stderr()), (Some(0), ""));
    }
}

#[test]
fn lists_every_rule_once() {
    let fixture = Fixture::new();
    let table = metier(&fixture, &["rule"]);
    let json = metier(&fixture, &["rule", "--json"]);
    let rules: Vec<serde_json::Value> = serde_json::from_str(json.stdout()).unwrap();
    assert!(rules.len() > 50);
    assert_eq!(table.stdout().lines().count(), rules.len() + 1);
    for rule in &rules {
        let code = rule["code"].as_str().unwrap();
        let line = table.stdout().lines().find(|line| line.split(' ').next() == Some(code));
        assert!(line.is_some_and(|line| line.ends_with(rule["title"].as_str().unwrap())), "{code}");
    }
}

#[test]
fn json_of_one_rule_is_an_object() {
    let fixture = Fixture::new();
    let output = metier(&fixture, &["rule", "empty-body", "--json"]);
    let rule: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!((&rule["strict"], &rule["lenient"]), (&"warning".into(), &serde_json::Value::Null));
}

#[test]
fn an_unknown_code_is_answered_with_the_nearest() {
    let fixture = Fixture::new();
    command_snapshot!(fixture, ["rule", "unquoted-colun"], @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'unquoted-colun' for '[CODE]': no rule has the code `unquoted-colun`; did you mean `unquoted-colon`?

    For more information, try '--help'.
    ");
    assert_eq!(metier(&fixture, &["rule", "zzzzzzzzzzzzzz"]).exit_code(), Some(2));
}
