//! Turns skills into a saved index, and a saved index into answers that still hold.

use serde_json::Value;
use testing::{Fixture, Output};

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nDo it.\n")
}

fn office() -> Fixture {
    Fixture::new()
        .dir("cache")
        .skill("skills/pdf-forms", &skill("pdf-forms", "Fills in PDF forms."))
        .skill("skills/signing", &skill("signing", "Signs contracts."))
}

fn metier(fixture: &Fixture, args: &[&str]) -> Output {
    let cache = fixture.join("cache");
    let args = [args, &["--root", "skills"]].concat();
    fixture.command(env!("CARGO_BIN_EXE_metier"), &args).env("METIER_CACHE", &cache).run()
}

fn json(fixture: &Fixture, args: &[&str]) -> Value {
    let output = metier(fixture, &[args, &["--json"]].concat());
    serde_json::from_str(output.stdout()).unwrap_or_else(|_| panic!("{output}"))
}

fn bytes_of(file: &str) -> Vec<u8> {
    metier::read_capped(file.as_ref(), usize::MAX).expect("the index is a file")
}

fn first(fixture: &Fixture, query: &str) -> (String, String) {
    let output = metier(fixture, &["search", "--saved", "--json", query]);
    let hits: Value = serde_json::from_str(output.stdout()).unwrap_or_else(|_| panic!("{output}"));
    let id = hits[0]["id"].as_str().unwrap_or_default();
    (id.to_owned(), output.stderr().to_owned())
}

#[test]
fn an_index_is_made_shown_and_searched() {
    let fixture = office();
    let missing = metier(&fixture, &["index", "show"]);
    assert_eq!(missing.exit_code(), Some(3), "{missing}");
    let built = json(&fixture, &["index"]);
    assert_eq!(built["skills"], 2);
    let shown = json(&fixture, &["index", "show"]);
    for key in ["path", "skills", "words", "bytes"] {
        assert_eq!(shown[key], built[key], "{key}");
    }
    assert!(shown["memory"].as_u64() > Some(0));
    let file = built["path"].as_str().unwrap();
    assert!(file.starts_with(fixture.join("cache").to_str().unwrap()), "{file}");
    let size = bytes_of(file).len();
    assert_eq!(built["bytes"].as_u64(), Some(size as u64));
    assert_eq!(first(&fixture, "fill in a form"), ("pdf-forms".to_owned(), String::new()));
    let verified = metier(&fixture, &["index", "verify"]);
    assert_eq!(verified.exit_code(), Some(0), "{verified}");
}

#[test]
fn saved_and_live_answers_are_the_same() {
    let fixture = office();
    metier(&fixture, &["index"]);
    let live = json(&fixture, &["search", "contract"]);
    assert_eq!(json(&fixture, &["search", "--saved", "contract"]), live);
    let explained = json(&fixture, &["search", "--saved", "--explain", "contract"]);
    assert_eq!(explained, json(&fixture, &["search", "--explain", "contract"]));
}

#[test]
fn what_changed_is_told_and_a_stale_hit_is_not_trusted() {
    let fixture = office();
    metier(&fixture, &["index"]);
    let fixture = fixture
        .skill("skills/signing", &skill("signing", "Feeds a walrus."))
        .skill("skills/new", &skill("new", "Paints walls."));
    let verified = metier(&fixture, &["index", "verify"]);
    assert_eq!(verified.exit_code(), Some(1), "{verified}");
    assert_eq!(verified.stdout(), "added new\nchanged signing\n");
    // The index still says that `signing` signs contracts; its file does not.
    // A search that does not ask the index alone compares every skill with it.
    assert_eq!(json(&fixture, &["search", "walrus"])[0]["id"], "signing");
    let (id, said) = first(&fixture, "contract");
    assert_eq!(id, "");
    assert!(said.contains("the saved index is out of date"), "{said}");
    // That search brought it up to date.
    assert_eq!(first(&fixture, "walrus"), ("signing".to_owned(), String::new()));
    assert_eq!(metier(&fixture, &["index", "verify"]).exit_code(), Some(0));
}

#[test]
fn a_skill_that_came_or_went_is_seen_at_once() {
    let fixture = office().dir("skills/drafts");
    metier(&fixture, &["index"]);
    assert_eq!(first(&fixture, "walrus"), (String::new(), String::new()));
    let mut fixture = fixture;
    for (folder, name) in [("skills/zoo", "zoo"), ("skills/drafts", "drafts")] {
        fixture = fixture.skill(folder, &skill(name, &format!("Feeds a walrus of the {name}.")));
        let (id, said) = first(&fixture, &format!("walrus {name}"));
        assert_eq!(id, name);
        assert!(said.contains("the saved index is out of date"), "{said}");
        assert_eq!(first(&fixture, &format!("walrus {name}")), (id, String::new()));
    }
}

#[test]
fn a_hit_that_was_edited_is_read_again() {
    let fixture = office();
    metier(&fixture, &["index"]);
    let fixture = fixture.skill("skills/signing", &skill("signing", "Feeds a walrus."));
    assert_eq!(first(&fixture, "form"), ("pdf-forms".to_owned(), String::new()));
    let (id, said) = first(&fixture, "contract");
    assert_eq!(id, "");
    assert!(said.contains("the saved index is out of date"), "{said}");
    assert_eq!(first(&fixture, "walrus"), ("signing".to_owned(), String::new()));
}

#[test]
fn damage_that_only_a_query_finds_is_found_by_it() {
    let fixture = office();
    let file = json(&fixture, &["index"])["path"].as_str().unwrap().to_owned();
    let name = file.rsplit('/').next().unwrap();
    let mut bytes = bytes_of(&file);
    let last = bytes.len() - 1; // in the checksum of the words of the last skill
    bytes[last] ^= 1;
    let fixture = fixture.bytes(&format!("cache/{name}"), &bytes);
    assert_eq!(first(&fixture, "form"), ("pdf-forms".to_owned(), String::new()));
    let (id, said) = first(&fixture, "contract");
    assert_eq!(id, "signing");
    assert!(said.contains("all skills are read"), "{said}");
    assert_eq!(first(&fixture, "contract"), ("signing".to_owned(), String::new()));
}

#[test]
fn a_damaged_index_is_passed_over_and_made_anew() {
    let fixture = office();
    let file = json(&fixture, &["index"])["path"].as_str().unwrap().to_owned();
    let name = file.rsplit('/').next().unwrap();
    let mut bytes = bytes_of(&file);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let fixture = fixture.bytes(&format!("cache/{name}"), &bytes);
    assert_eq!(metier(&fixture, &["index", "show"]).exit_code(), Some(3));
    let (id, said) = first(&fixture, "contract");
    assert_eq!(id, "signing");
    assert!(said.contains("all skills are read"), "{said}");
    assert_eq!(first(&fixture, "contract").1, "");
    assert_eq!(json(&fixture, &["index"])["skills"], 2);
}

#[test]
fn without_an_index_all_skills_are_read() {
    let fixture = office();
    let (id, said) = first(&fixture, "contract");
    assert_eq!(id, "signing");
    assert!(said.contains("there is no saved index"), "{said}");
    assert_eq!(first(&fixture, "contract"), (id, String::new()));
}
