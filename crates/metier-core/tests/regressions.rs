//! Turns every bug that the laws and the fuzzer found into a test that is named after it.

#![expect(clippy::format_collect, reason = "plain code over fast code in a test")]

mod law;

use metier_core::{Head, Limits, Mode, ParseOptions, Rule, check, format, parse, parse_with};

/// Everything that must hold for a text.
fn holds(text: &str) {
    for directory in [None, Some("pdf-tools")] {
        law::spans_lie_in_the_text(text.as_bytes(), directory);
        law::modes_differ_in_severity_alone(text.as_bytes(), directory);
        law::nothing_is_dropped_silently(text.as_bytes(), directory);
        law::fixes_end_and_keep_the_skill(text, directory);
        law::skills_survive_writing(text, directory);
        law::heads_agree_with_files(text, directory, 3);
    }
    law::formatting_keeps_the_skill(text);
    law::a_comment_changes_nothing(text);
}

#[test]
fn a_line_that_is_one_quoted_word_does_not_panic() {
    holds("---\ndescription: a\n \"word\"\nx: b: c\n---\n");
    assert!(parse("---\ndescription: a: b\n\"word\"\n---\n").skill.is_some());
}

#[test]
fn a_doubled_key_behind_a_mark_does_not_panic() {
    holds("---\ndescription: Use it.\n\u{feff}\ndescription: Use it.\n\u{1fdd}\u{a1}\n\n---\n");
}

#[test]
fn an_error_behind_a_merge_mark_points_into_the_text() {
    holds("---\n\u{1f0a0}\u{bd7}a\ndescription: 'open\n<<<<<<< HEAD\n---\n\n---\n");
}

#[test]
fn a_comment_below_a_block_does_not_double_a_field() {
    let text = "---\nname: a\ndescription: |-\n  Use it.\nlicense: MIT # why\n---\n";
    let formatted = "---\nname: a\ndescription: Use it.\nlicense: MIT # why\n---\n";
    assert_eq!(format(text).as_deref(), Ok(formatted));
    holds("---\nn# h: x\ndescription: |\n  One.\nkeywords: [a, b]\n---");
}

#[test]
fn what_no_reader_loads_is_not_formatted() {
    for c in ['\u{2028}', '\u{feff}'] {
        let text = format!("---\nname: a\ndescription: 'Use{c}it'\n---\n");
        assert!(format(&text).is_err(), "{c:?}");
        holds(&text);
    }
}

#[test]
fn an_empty_mapping_stays_one_when_it_is_formatted() {
    assert_eq!(format("---\n{}\n\n---\n").as_deref(), Ok("---\n{}\n---\n"));
}

#[test]
fn a_blank_compatibility_is_an_empty_one() {
    holds("---\ndescription: Use it.\ncompatibility: ' '\n---\n");
}

#[test]
fn a_field_left_of_the_others_is_a_field() {
    let text = "---\n  license: MIT\nname: a\ndescription: Use it.\n---\n";
    assert_eq!(parse(text).skill.unwrap().description(), "Use it.");
    holds(text);
    holds("---\n  indented: |\n    value\ndescription: Use for PDFs.\n---\n");
    holds("---\nname:metadata:\n  a: 1\n  c: [x]--- x\ndescription: 'Use it.'\n---\n");
}

#[test]
fn a_name_is_added_where_the_fields_stand() {
    holds("---\n  license: value\n  description: \"a \"b\" c\"\n---\n");
    holds("---\n\ttabbed: value\ndescription: \"a \"b\" c\"\n---\n");
    holds("---\n{description: Use it}\n---\n");
}

#[test]
fn the_first_of_two_misspelt_keys_counts() {
    let text = "---\ndesc: Use one\nDescription: Use two\n---\n";
    assert_eq!(parse(text).skill.unwrap().description(), "Use one");
    holds(text);
}

#[test]
fn an_indented_closer_counts_whatever_else_is_wrong() {
    let tools = "allowed-tools:\n  - Read\n ---\n\nBody\n---\n";
    for description in ["Use when: asked", "\"Use when: asked\""] {
        let text = format!("---\ndescription: {description}\n{tools}");
        assert_eq!(parse(&text).skill.unwrap().instructions(), "Body\n---", "{description}");
        holds(&text);
    }
}

#[test]
fn a_directive_refuses_a_file_wherever_it_stands() {
    for text in [
        "---\ndescription: Use it.\nname: [a]---\nallowed-tools: Read\n%\n---\n",
        "---\n\u{200b}\n%\ndescription: Use it.\n---\n",
    ] {
        assert_eq!(parse(text).skill, None);
        assert!(parse(text).report.iter().any(|f| f.rule == Rule::YamlDirective));
        holds(text);
    }
}

#[test]
fn a_block_with_a_line_under_its_margin_is_repaired() {
    let text = "---\ndescription: |\n  Use one.\n\n two.\nlicense: MIT\n---\n";
    assert!(parse(text).skill.unwrap().description().contains("two."));
    holds(text);
}

#[test]
fn fixes_that_would_say_something_else_are_not_offered() {
    let text = "---\n: >-\n description: Use it.\n\nmetadata:\n  a: \"1\"\n  b\n    - c: d\n---\n";
    assert!(parse(text).skill.is_some());
    holds(text);
}

#[test]
fn an_empty_value_is_written_as_nothing() {
    let text = "---\nname: a\ndescription: Use it.\nkey:\n---\n";
    let skill = parse(text).skill.unwrap();
    assert_eq!(skill.manifest().extra().get("key").unwrap().to_line(), "");
    assert_eq!(skill.to_markdown(), text);
}

#[test]
fn a_repaired_file_is_held_to_the_limit_of_nodes() {
    let fields: String = (0..2049).map(|at| format!("k{at}: a: b\n")).collect();
    let parsed = parse(&format!("---\n{fields}description: Use it.\n---\n"));
    assert_eq!(parsed.skill, None);
    assert_eq!(parsed.report.iter().next().unwrap().rule, Rule::TooManyNodes);
}

#[test]
fn a_head_is_read_no_further_than_its_limit() {
    let text = format!("---\ndescription: {}", "\u{e9}".repeat(200_000));
    let limits = Limits::default();
    let head = Head::read(&mut text.as_bytes(), &limits).unwrap();
    assert_eq!(head.body_offset(), 2 * limits.frontmatter_bytes + 1);
    // The limit lies inside a character; the text is no less UTF-8 for that.
    let report = head.parse(&ParseOptions::default()).report;
    let rules: Vec<_> = report.iter().map(|f| f.rule).collect();
    assert_eq!(rules, [Rule::UnclosedFrontmatter]);
}

#[test]
fn a_tab_that_drops_a_file_is_an_error() {
    let text = "---\n[a,\n\tb: c\n- d\n---\n";
    let parsed = parse_with(text, &ParseOptions { mode: Mode::Lenient, ..Default::default() });
    assert!(parsed.skill.is_none() && parsed.report.has_errors());
    law::nothing_is_dropped_silently(text.as_bytes(), None);
}

#[test]
fn a_key_inside_a_token_is_not_told_twice() {
    let token = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let text = format!("---\nname: a\ndescription: Use it.\n---\n{token}-{token}\n");
    let report = check(text.as_bytes(), None, &ParseOptions::default()).report;
    assert_eq!(report.iter().filter(|f| f.rule == Rule::Secret).count(), 1);
}

#[test]
fn numbers_are_numbers_in_json_where_json_writes_them_alike() {
    let text =
        "---\nname: a\ndescription: Use it.\nextra: [3, 1.5, 1.10, 0x1f, -7, .inf, 010]\n---\n";
    let json = parse(text).skill.unwrap().to_json();
    assert_eq!(json["extra"]["extra"].to_string(), r#"[3,1.5,"1.10","0x1f",-7,".inf","010"]"#);
}

#[test]
fn a_fix_of_a_block_scalar_leaves_the_next_line_alone() {
    let fixed = |text: &str| {
        let options = ParseOptions {
            mode: Mode::Strict,
            directory: Some("pdf-tools".to_owned()),
            ..Default::default()
        };
        parse_with(text, &options).report.apply_fixes(text)
    };
    for (broken, mended) in [
        ("name: >-\ndescription: Use it.\n", "name: pdf-tools\ndescription: Use it.\n"),
        ("description: Use it.\nname: >+\n", "description: Use it.\nname: pdf-tools\n"),
        (
            "name: pdf-tools\nallowed-tools: >+\n  Read,\n  Write\n\ndescription: Use it.\n",
            "name: pdf-tools\nallowed-tools: Read Write\n\ndescription: Use it.\n",
        ),
        (
            "name: pdf-tools\ndescription: Use it.\nallowed-tools: |+\n  Read, Write\n",
            "name: pdf-tools\ndescription: Use it.\nallowed-tools: Read Write\n",
        ),
    ] {
        let broken = format!("---\n{broken}---\nBody\n");
        assert_eq!(fixed(&broken), format!("---\n{mended}---\nBody\n"));
        holds(&broken);
    }
}

#[test]
fn a_block_that_keeps_its_line_breaks_keeps_them_when_it_is_formatted() {
    holds("---\ndescription: Use it.\nname: a\nkey: |+ # why\n  text\n\n\n---\nBody\n");
    holds("---\ndescription: Use it.\nname: a\nkey:\n  - |+ # why\n    text\n\n\n  - b\n---\n");
}

#[test]
fn a_key_behind_a_question_mark_is_not_mended_into_nonsense() {
    holds("---\nversion: a\ndescription: Use it.\n? name\n:\n---\nBody\n");
    holds("---\nname: a\ndescription: Use it.\n? allowed-tools\n: Read, Write\n---\nBody\n");
}

#[test]
fn a_control_character_at_the_edge_is_not_formatted_away() {
    for field in ["description: \"\\NUse it.\"", "description: Use it.\nlicense: \"MIT\\x85\""] {
        let text = format!("---\nname: a\n{field}\n---\n");
        assert!(parse(&text).skill.is_none());
        holds(&text);
    }
}

#[test]
fn an_indented_fence_that_may_count_is_not_formatted_away() {
    let text = "---\nname: a\ndescription:\n  Use it.\n  ---\n  # Title\n\n---\nBody\n";
    assert!(format(text).is_err());
    holds(text);
}

#[test]
fn a_comment_behind_an_empty_block_stays() {
    for text in [
        "---\nfoo: > # why\ndescription: Use it.\nname: a\n---\n",
        "---\nname: a\ndescription: Use it.\nfoo: > # why\n---\n",
    ] {
        assert!(format(text).unwrap().contains("# why"));
        holds(text);
    }
}

#[test]
fn a_fence_that_is_not_quite_one_becomes_the_closer() {
    for (fence, closed) in [("----\n", "---\n"), ("---# Title\n", "---\n# Title\n")] {
        let head = "---\nname: a\ndescription: Use it.\n";
        let text = format!("{head}{fence}\nBody\n");
        let fixed = parse(&text).report.apply_fixes(&text);
        assert_eq!(fixed, format!("{head}{closed}\nBody\n"));
        holds(&text);
    }
}

#[test]
fn a_mapping_that_goes_on_below_is_not_cut_in_two() {
    for fence in ["", "---\n"] {
        let text =
            format!("{fence}name: a\ndescription: Use it.\nmetadata: {{\n\"b\": 1\n}}\n\n# T\n");
        assert_eq!(parse(&text).report.apply_fixes(&text), text);
        holds(&text);
    }
}

#[test]
fn a_byte_order_mark_before_an_indented_fence_is_no_indentation_of_nothing() {
    holds("---\nname: a\nkey: b: c\n\u{feff} ---\ndescription: Use it.\nx: 'y\n---\nBody\n");
}

#[test]
fn text_behind_a_late_fence_is_not_decoded_once_more() {
    holds("---\ndescription: Use it.\n---more\n\u{c3}\u{a9}\u{80}\n---\n\nBody\n");
}

#[test]
fn an_escaped_quote_does_not_end_the_text_that_hides_a_bracket() {
    let text = "---\nname: pdf\ndescription: Use for PDFs.\ntags: [\"a \\\" ] b\", c\n---\n";
    let parsed = parse(text);
    let tags = parsed.skill.unwrap().manifest().tags();
    assert_eq!(tags, ["a \" ] b", "c"]);
}

#[test]
fn a_comment_between_fields_is_not_where_the_body_starts() {
    let text = "---\nname: pdf\ndescription: Fills: use for PDFs.\n# Terms\nlicense: MIT\n---\n";
    let parsed = parse(text);
    assert_eq!(parsed.skill.unwrap().manifest().license.as_deref(), Some("MIT"));
    assert!(parsed.report.iter().all(|f| f.rule.code() != "late-fence"));
}

#[test]
fn new_lines_end_as_the_others_do() {
    let broken = "description: Use it.\nallowed-tools: Read\n\n# Title\n";
    let mended = "---\nname: a\ndescription: Use it.\nallowed-tools: Read\n---\n\n# Title\n";
    for line_break in ["\n", "\r\n", "\r"] {
        let mut text = broken.replace('\n', line_break);
        let directory = Some("a".to_owned());
        let options = ParseOptions { mode: Mode::Strict, directory, ..Default::default() };
        for _ in 0..2 {
            text = parse_with(&text, &options).report.apply_fixes(&text);
        }
        assert_eq!(text, mended.replace('\n', line_break));
    }
}

#[test]
fn a_key_with_a_colon_in_it_is_no_part_of_the_quoted_text_above() {
    let text = "---\nname: a\ndescription: \"Use\nit.\"\nodd::  \"b\"\n---\n";
    assert_eq!(parse(text).skill.unwrap().description(), "Use it.");
}

#[test]
fn a_flow_mapping_below_quoted_tools_keeps_the_skill() {
    holds(
        "---\ndescription: Use for PDFs.\nName: PDF Tools\n👨\u{200d}👩\r\nallowed-tools: \"Bash(x) # y\"\n{a: b, c: d}\n\n---\n# Steps\n\nDo it.\n",
    );
}
