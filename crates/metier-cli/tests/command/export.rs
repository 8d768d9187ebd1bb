//! Turns skills into the files of a web site, and an older site into the present one.

use crate::metier;
use serde_json::{Value, json};
use testing::Fixture;

fn fixture() -> Fixture {
    Fixture::new()
        .skill("skills/pdf", "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n")
        .file("skills/pdf/references/forms.md", "# Forms\n")
        .skill("skills/csv", "---\nname: csv\ndescription: Use for tables.\n---\nRead it.\n")
        .skill("skills/odd", "---\nname: odd\ndescription: Use when: it is odd\n---\nMend it.\n")
}

#[test]
fn a_site_is_the_same_each_time() {
    let fixture = fixture();
    let output = metier(&fixture, &["export", "site", "--root", "skills"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stderr().contains("`skill://odd` is left out"), "{output}");
    let place = "site/.well-known/agent-skills";
    let tree: Vec<String> =
        fixture.tree().into_iter().filter(|path| path.starts_with(place)).collect();
    let files =
        ["csv/SKILL.md", "index.json", "pdf.tar.gz", "pdf/SKILL.md", "pdf/references/forms.md"];
    let expected: Vec<String> = files.iter().map(|file| format!("{place}/{file}")).collect();
    let found: Vec<&String> = tree.iter().filter(|path| expected.contains(path)).collect();
    assert_eq!(found.len(), expected.len(), "{tree:?}");
    let index = fixture.read(&format!("{place}/index.json"));
    let json: Value = serde_json::from_str(&index).expect("JSON");
    assert_eq!(json["skills"].as_array().map(Vec::len), Some(2));
    metier(&fixture, &["export", "site", "--root", "skills"]);
    assert_eq!(fixture.read(&format!("{place}/index.json")), index);
    let output = metier(&fixture, &["export", "skills/pdf/SKILL.md", "--root", "skills"]);
    assert_eq!(output.exit_code(), Some(3), "{output}");
}

#[test]
fn a_second_export_leaves_nothing_of_the_first_behind() {
    let place = "site/.well-known/agent-skills";
    let fixture = fixture()
        .file("skills/csv/data", "1,2\n")
        .file("skills/csv/old/deep/x.md", "# X\n")
        .file(&format!("{place}/mine/notes.txt"), "Mine.\n");
    let export = |fixture: &Fixture| {
        let output = metier(fixture, &["export", "site", "--root", "skills", "--json"]);
        assert_eq!(output.exit_code(), Some(0), "{output}");
        serde_json::from_str::<Value>(output.stdout()).expect("JSON")
    };
    let first = export(&fixture);
    assert_eq!(
        (&first["skills"], &first["left_out"][0]["skill"]),
        (&json!(2), &json!("skill://odd"))
    );
    let again = export(&fixture);
    assert_eq!((&again["written"], &again["removed"]), (&json!([]), &json!([])), "{again}");

    // A file becomes a folder, folders go, and one file is somebody's own by now.
    let fixture = fixture
        .remove("skills/csv/data")
        .remove("skills/csv/old")
        .remove("skills/pdf")
        .file("skills/csv/data/rows.csv", "1,2\n")
        .file(&format!("{place}/pdf/references/forms.md"), "Changed by hand.\n");
    let third = export(&fixture);
    assert_eq!(third["kept"], json!(["pdf/references/forms.md"]), "{third}");
    let removed = json!(["csv/data", "csv/old/deep/x.md", "pdf.tar.gz", "pdf/SKILL.md"]);
    assert_eq!(third["removed"], removed, "{third}");
    let files: Vec<String> = fixture
        .tree()
        .into_iter()
        .filter_map(|path| Some(path.strip_prefix(place)?.trim_start_matches('/').to_owned()))
        .filter(|path| !path.is_empty())
        .collect();
    assert!(files.contains(&"mine/notes.txt".to_owned()), "{files:?}");
    assert!(files.contains(&"csv/data/rows.csv".to_owned()), "{files:?}");
    assert!(!files.iter().any(|path| path.starts_with("csv/old")), "{files:?}");
    assert!(!files.contains(&"pdf/SKILL.md".to_owned()), "{files:?}");
    let index: Value = serde_json::from_str(&fixture.read(&format!("{place}/index.json"))).unwrap();
    for skill in index["skills"].as_array().unwrap() {
        let url = skill["url"].as_str().unwrap().to_owned();
        assert!(files.contains(&url), "{url}");
    }
}

#[test]
fn a_skill_inside_another_is_left_out_and_named() {
    let inner = "---\nname: inner\ndescription: Use it.\n---\nInside.\n";
    let fixture = fixture().skill("skills/pdf/inner", inner).file("skills/pdf/inner/x.md", "x\n");
    let output = metier(&fixture, &["export", "site", "--root", "skills", "--json"]);
    let answer: Value = serde_json::from_str(output.stdout()).expect("JSON");
    let reason = json!("it stands inside the skill `pdf`: move it out");
    let left_out = answer["left_out"].as_array().expect("a list");
    let expected = json!({ "skill": "skill://pdf/inner", "reason": reason });
    assert!(left_out.contains(&expected), "{output}");
    assert!(!fixture.tree().iter().any(|path| path.contains("agent-skills/pdf/inner")), "{output}");
}

#[test]
fn an_export_takes_nothing_that_is_not_its_own() {
    let place = "site/.well-known/agent-skills";
    let fixture = fixture().file(&format!("{place}/index.json"), "{}\n");
    let output = metier(&fixture, &["export", "site", "--root", "skills"]);
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("no export has written it"), "{output}");
    assert_eq!(fixture.read(&format!("{place}/index.json")), "{}\n");

    // A record that somebody made up removes nothing outside, and nothing that is not what it says.
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let record = format!("{digest}  ../../x\n{digest}  y\n");
    let fixture = fixture
        .remove(&format!("{place}/index.json"))
        .file("site/x", "x")
        .file(&format!("{place}/y"), "y")
        .file(&format!("{place}/.metier-export"), &record);
    let output = metier(&fixture, &["export", "site", "--root", "skills"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert_eq!(
        (fixture.read("site/x"), fixture.read(&format!("{place}/y"))),
        ("x".into(), "y".into())
    );
}
