//! Turns folders of skills into findings, summaries and exit codes.

use crate::{COLON, GOOD, metier};
use testing::{Fixture, command_snapshot};

#[test]
fn a_good_skill_passes() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    command_snapshot!(fixture, ["check", "pdf"], @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    checked 1 skill: nothing found
    ");
}

#[test]
fn a_finding_shows_the_line_the_reason_and_the_fix() {
    let fixture = Fixture::new().skill("pdf", COLON);
    command_snapshot!(fixture, ["check"], @r#"
    exit_code: 1
    ----- stdout -----
    error[unquoted-colon]: the value of `description` holds `: ` but is not quoted
     --> pdf/SKILL.md:3:42
      |
    3 | description: Fills in PDF forms. Use when: the user has a form to fill.
      |                                          ^
      |
    help: quote the value: `description: "..."`
      |
    3 | description: "Fills in PDF forms. Use when: the user has a form to fill."
      |              +                                                          +

    ----- stderr -----
    checked 1 skill: 1 error, 0 warnings (1 fixable with --fix)
    "#);
}

#[test]
fn concise_is_one_line() {
    let fixture = Fixture::new().skill("pdf", COLON);
    command_snapshot!(fixture, ["check", "--output-format", "concise"], @"
    exit_code: 1
    ----- stdout -----
    pdf/SKILL.md:3:42: error[unquoted-colon] the value of `description` holds `: ` but is not quoted
    ----- stderr -----
    checked 1 skill: 1 error, 0 warnings (1 fixable with --fix)
    ");
}

#[test]
fn json_carries_every_file_and_a_summary() {
    let fixture = Fixture::new().skill("a/pdf", COLON).skill("b/pdf", GOOD);
    command_snapshot!(fixture, ["check", "--json"], @r#"
    exit_code: 1
    ----- stdout -----
    {
      "files": [
        {
          "path": "a/pdf/SKILL.md",
          "name": "pdf",
          "ok": false,
          "findings": [
            {
              "rule": "unquoted-colon",
              "severity": "error",
              "message": "the value of `description` holds `: ` but is not quoted",
              "line": 3,
              "column": 42,
              "end_line": 3,
              "end_column": 43,
              "help": "quote the value: `description: \"...\"`",
              "fixable": true
            }
          ]
        },
        {
          "path": "b/pdf/SKILL.md",
          "name": "pdf",
          "ok": true,
          "findings": []
        }
      ],
      "summary": {
        "files": 2,
        "errors": 1,
        "warnings": 0
      }
    }
    ----- stderr -----
    "#);
}

#[test]
fn github_annotates() {
    let fixture = Fixture::new().skill("pdf", COLON);
    command_snapshot!(fixture, ["check", "--output-format", "github"], @r#"
    exit_code: 1
    ----- stdout -----
    ::error file=pdf/SKILL.md,line=3,col=42,endLine=3,endColumn=43,title=unquoted-colon::the value of `description` holds `: ` but is not quoted%0Ahelp: quote the value: `description: "..."`
    ----- stderr -----
    "#);
}

#[test]
fn sarif_names_the_rule_and_the_file() {
    let fixture = Fixture::new().skill("pdf", COLON);
    let output = metier(&fixture, &["check", "--output-format", "sarif", "."]);
    assert_eq!(output.exit_code(), Some(1));
    let log: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unquoted-colon");
    let location = &result["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uri"], "pdf/SKILL.md");
}

/// Spec assertion 10, which the reference validator fails.
#[test]
fn works_inside_a_skill() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    for args in [&["check", "--strict", "."][..], &["check"], &["check", "SKILL.md"]] {
        let command = fixture.command(env!("CARGO_BIN_EXE_metier"), args).folder("pdf");
        let output = command.run();
        assert_eq!(output.exit_code(), Some(0), "{args:?}\n{output}");
    }
    let deeper = Fixture::new().skill("pdf", GOOD).dir("pdf/scripts");
    let above = deeper.command(env!("CARGO_BIN_EXE_metier"), ["check", ".."]).folder("pdf/scripts");
    let output = above.run();
    assert_eq!(output.exit_code(), Some(0), "{output}");
}

/// A linked skill folder is compared by the link's name (spec N6).
#[cfg(unix)]
#[test]
fn a_linked_folder_counts_by_its_own_name() {
    let fixture = Fixture::new().skill("store/v1", GOOD).link("pdf", "store/v1");
    assert_eq!(metier(&fixture, &["check", "pdf"]).exit_code(), Some(0));
    let output = metier(&fixture, &["check", "store/v1"]);
    assert_eq!(output.exit_code(), Some(1));
    assert!(output.stdout().contains("error[name-mismatch]"), "{output}");
}

#[test]
fn lenient_turns_what_can_be_repaired_into_warnings() {
    let fixture = Fixture::new().skill("pdf", COLON);
    let output = metier(&fixture, &["check", "--lenient"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stdout().contains("warning[unquoted-colon]"), "{output}");
    let output = metier(&fixture, &["check", "--lenient", "--deny-warnings"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
}

#[test]
fn select_and_ignore_choose_rules() {
    let text = COLON.replace("name: pdf", "name: PDF");
    let fixture = Fixture::new().skill("pdf", &text);
    let codes = |args: &[&str]| {
        let output = metier(&fixture, &[&["check", "--json"], args].concat());
        let report: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
        let findings = report["files"][0]["findings"].as_array().unwrap().clone();
        findings.iter().map(|f| f["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(codes(&[]).len() >= 2);
    assert_eq!(codes(&["--select", "name-case"]), ["name-case"]);
    assert_eq!(codes(&["--select", "name-case,unquoted-colon"]).len(), 2);
    assert!(!codes(&["--ignore", "name-case"]).contains(&"name-case".to_owned()));
    assert_eq!(codes(&["--select", "name-case", "--ignore", "name-case"]).len(), 0);
}

#[test]
fn an_unknown_rule_is_answered_with_the_nearest() {
    let fixture = Fixture::new();
    command_snapshot!(fixture, ["check", "--select", "unquoted-colons"], @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'unquoted-colons' for '--select <CODE>': no rule has the code `unquoted-colons`; did you mean `unquoted-colon`?

    For more information, try '--help'.
    ");
}

#[test]
fn extra_fields_and_other_name_rules_are_options() {
    let text = GOOD.replace("name: pdf", "name: café\nversion: \"2\"");
    let fixture = Fixture::new().skill("café", &text);
    assert_eq!(metier(&fixture, &["check"]).exit_code(), Some(1));
    let output = metier(&fixture, &["check", "--allow-field", "version"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let output = metier(&fixture, &["check", "--allow-field", "version", "--names", "ascii"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
}

#[test]
fn a_missing_path_is_a_fault_after_the_rest_is_checked() {
    let fixture = Fixture::new().skill("pdf", COLON);
    command_snapshot!(fixture, ["check", "gone", "pdf", "--output-format", "concise"], @"
    exit_code: 3
    ----- stdout -----
    pdf/SKILL.md:3:42: error[unquoted-colon] the value of `description` holds `: ` but is not quoted
    ----- stderr -----
    error: `gone` does not exist
      help: check the spelling of the path
    checked 1 skill: 1 error, 0 warnings (1 fixable with --fix)
    ");
}

#[test]
fn a_folder_without_skills_is_a_fault() {
    let fixture = Fixture::new().file("docs/README.md", "hello").file("docs/a.txt", "");
    command_snapshot!(fixture, ["check", "docs", "docs/a.txt"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: no `SKILL.md` under `docs`
      help: a skill is a folder with a `SKILL.md`; `metier new` makes one
    error: `docs/a.txt` is not a skill
      help: give a folder, a `SKILL.md` or another Markdown file
    checked 0 skills
    ");
}

#[test]
fn broken_files_are_findings_with_a_path() {
    let fixture = Fixture::new()
        .bytes("latin/SKILL.md", b"---\nname: latin\ndescription: caf\xe9\n---\n")
        .file("large/SKILL.md", &"x".repeat(2 << 20))
        .file("nul/SKILL.md", "---\nname: nul\ndescription: a\0b\n---\n")
        .file(
            "deep/SKILL.md",
            &format!("---\nname: deep\ndescription: {}\n---\n", "[".repeat(65_000)),
        )
        .file("empty/SKILL.md", "");
    let output = metier(&fixture, &["check", "--output-format", "concise"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
    for (path, rule) in [
        ("latin/SKILL.md", "not-utf8"),
        ("large/SKILL.md", "file-too-large"),
        ("nul/SKILL.md", "control-character"),
        ("deep/SKILL.md", "error["),
        ("empty/SKILL.md", "missing-frontmatter"),
    ] {
        let found =
            output.stdout().lines().any(|line| line.starts_with(path) && line.contains(rule));
        assert!(found, "{path} {rule}\n{output}");
    }
}

/// Security D01, D02: nothing waits (a command that hangs fails its test), and the path is named.
#[cfg(unix)]
#[test]
fn pipes_and_directories_in_the_place_of_a_file_are_faults() {
    let fixture = Fixture::new().fifo("pipe/SKILL.md").dir("folder/SKILL.md").skill("pdf", GOOD);
    command_snapshot!(fixture, ["check"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `folder/SKILL.md` is a directory, not a file
      help: replace the directory with a file, or give another path
    error: `pipe/SKILL.md` is a named pipe, not a file
      help: replace it with an ordinary file
    checked 1 skill: nothing found
    ");
    command_snapshot!(fixture, ["check", "pipe/SKILL.md"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `pipe/SKILL.md` is a named pipe, not a file
      help: replace it with an ordinary file
    checked 0 skills
    ");
}

/// Security P10, P11: no character of a skill or a path acts on a terminal.
#[cfg(unix)]
#[test]
fn hostile_text_is_shown_and_does_nothing() {
    let name = "x\u{1b}[2J\u{202e}\nERROR: fake";
    let text = GOOD.replace("name: pdf", "name: pdf\u{200b}");
    let fixture = Fixture::new().skill(name, &text);
    for format in ["full", "concise", "github"] {
        let output = metier(&fixture, &["check", "--output-format", format]);
        let all = format!("{}{}", output.stdout(), output.stderr());
        assert!(!all.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{format}: {all:?}");
        assert!(all.contains(r"x\u{1b}[2J\u{202e}\nERROR: fake"), "{format}: {all}");
    }
}

#[test]
fn findings_in_other_files_carry_their_path() {
    let key = ["AKIA", "2E4XJ7Q9ZTL5MR8V"].concat();
    let text = format!("{GOOD}\nSee [notes](references/notes.md).\n");
    let fixture = Fixture::new()
        .skill("pdf", &text)
        .file("pdf/references/notes.md", &format!("# Notes\n\nkey {key}\u{202e}\n"));
    let output = metier(&fixture, &["check", "--json"]);
    let report: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 2, "{output}");
    for finding in findings {
        assert_eq!(finding["file"], "references/notes.md", "{finding}");
        assert_eq!(finding["line"], 3, "{finding}");
    }
    let output = metier(&fixture, &["check", "--output-format", "concise"]);
    assert!(output.stdout().starts_with("pdf/references/notes.md:3:"), "{output}");
}

#[test]
fn patterns_are_expanded_where_no_shell_does_it() {
    let fixture = Fixture::new().skill("a/pdf", COLON).skill("b/pdf", COLON).skill("c/xls", COLON);
    let output = metier(
        &fixture,
        &["check", "--output-format", "concise", "--select", "unquoted-colon", "*/p*"],
    );
    let lines: Vec<_> = output.stdout().lines().map(|line| &line[..14]).collect();
    assert_eq!(lines, ["a/pdf/SKILL.md", "b/pdf/SKILL.md"], "{output}");
}

#[test]
fn colours_come_on_request_only() {
    let fixture = Fixture::new().skill("pdf", COLON);
    assert!(!metier(&fixture, &["check"]).stdout().contains('\u{1b}'));
    let output = metier(&fixture, &["check", "--color", "always"]);
    assert!(output.stdout().contains('\u{1b}') && output.stderr().contains('\u{1b}'));
}
