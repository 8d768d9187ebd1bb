//! Turns a skill into a page, or into the documented JSON.

use crate::{GOOD, metier};
use testing::{Fixture, command_snapshot};

fn rich() -> Fixture {
    let fields = "license: MIT\nallowed-tools: Read Bash(git:*)\nmetadata:\n  author: me\n  version: \"1.10\"\nextra-key: 1";
    let text = GOOD.replace("---\n\n#", &format!("{fields}\n---\n\n#"));
    Fixture::new()
        .skill("pdf", &text)
        .executable("pdf/scripts/run.sh", "#!/bin/sh\n")
        .file("pdf/references/guide.md", "guide")
        .file("pdf/assets/deep/a.txt", "x")
        .file("pdf/LICENSE", "MIT")
}

#[test]
fn shows_a_page() {
    let fixture = rich();
    command_snapshot!(fixture, ["show", "pdf"], @"
    exit_code: 0
    ----- stdout -----
    pdf
    Fills in PDF forms. Use when the user has a form to fill.

    license        MIT
    tools          Read Bash(git:*)
    metadata       author: me
                   version: 1.10
    tokens         about 17 in a catalog
                   about 15 when it is used
                   about 8 in its files, read when they are needed
    scripts        scripts/run.sh
    references     references/guide.md
    assets         assets/deep/a.txt
    other          LICENSE
    location       [ROOT]/pdf/SKILL.md
    digest         sha256:100ece46c97e0b045c608746034489af6f9878e07808f264534f85d2904c5132
    findings       1 error, 0 warnings; `metier check` shows them
    ----- stderr -----
    ");
}

#[test]
fn json_has_every_documented_key_in_order() {
    let fixture = rich();
    command_snapshot!(fixture, ["show", "pdf/SKILL.md", "--json"], @r#"
    exit_code: 0
    ----- stdout -----
    {
      "id": "pdf",
      "name": "pdf",
      "description": "Fills in PDF forms. Use when the user has a form to fill.",
      "license": "MIT",
      "compatibility": null,
      "allowed-tools": [
        "Read",
        "Bash(git:*)"
      ],
      "metadata": {
        "author": "me",
        "version": "1.10"
      },
      "extra": {
        "extra-key": 1
      },
      "body": "\n# PDF\n\n1. Open the form.\n2. Fill it in.\n",
      "location": "[ROOT]/pdf/SKILL.md",
      "digest": "sha256:100ece46c97e0b045c608746034489af6f9878e07808f264534f85d2904c5132",
      "resources": {
        "scripts": [
          "scripts/run.sh"
        ],
        "references": [
          "references/guide.md"
        ],
        "assets": [
          "assets/deep/a.txt"
        ],
        "other": [
          "LICENSE"
        ]
      }
    }
    ----- stderr -----
    "#);
    let minimal = Fixture::new().skill("pdf", GOOD);
    let output = metier(&minimal, &["show", "pdf", "--json"]);
    let skill: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(output.stdout()).unwrap();
    let keys: Vec<_> = skill.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "name",
            "description",
            "license",
            "compatibility",
            "allowed-tools",
            "metadata",
            "extra",
            "body",
            "location",
            "digest",
            "resources"
        ]
    );
    assert_eq!(skill["body"], "\n# PDF\n\n1. Open the form.\n2. Fill it in.\n");
}

#[test]
fn what_cannot_be_loaded_is_explained() {
    let fixture = Fixture::new().skill("pdf", "---\nname: pdf\n---\n").dir("empty");
    let output = metier(&fixture, &["show", "pdf"]);
    assert_eq!((output.exit_code(), output.stdout()), (Some(1), ""), "{output}");
    assert!(output.stderr().contains("error[missing-description]"), "{output}");
    assert_eq!(metier(&fixture, &["show", "empty"]).exit_code(), Some(3));
    assert_eq!(metier(&fixture, &["show", "gone"]).exit_code(), Some(3));
    assert_eq!(metier(&fixture, &["show"]).exit_code(), Some(2));
}

#[test]
fn works_inside_the_skill() {
    let fixture = rich();
    let output = fixture.command(env!("CARGO_BIN_EXE_metier"), ["show", "."]).folder("pdf").run();
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stdout().contains("pdf/SKILL.md\n"), "{output}");
}

#[test]
fn a_folder_of_skills_is_not_said_to_hold_none() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    let output = metier(&fixture, &["show", "."]);
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("`.` is not the folder of a skill"), "{output}");
}
