//! Turns the assertions of the specification (11 to 67; the others need a disk) into one named test each.

use metier_core::{
    Checked, Finding, LineIndex, Mode, NameRules, ParseOptions, ResourcePath, Rule, Severity,
    Skill, SkillName, Span, Typed, check, parse_with,
};

const STRICT: Mode = Mode::Strict;
const LENIENT: Mode = Mode::Lenient;
const MODES: [Mode; 2] = [STRICT, LENIENT];

fn file(fields: &str) -> String {
    format!("---\n{fields}\n---\n# Steps\n")
}

/// A file with everything a skill needs beside the given fields.
fn with(fields: &str) -> String {
    file(&format!("name: pdf\ndescription: Use for PDFs.\n{fields}"))
}

fn named(name: &str) -> String {
    file(&format!("name: {name}\ndescription: Use for PDFs."))
}

fn described(description: &str) -> String {
    file(&format!("name: pdf\ndescription: {description}"))
}

fn seen(text: &str, mode: Mode) -> Checked<'_> {
    check(text.as_bytes(), None, &ParseOptions { mode, ..ParseOptions::default() })
}

fn in_directory(text: &str, directory: &str, mode: Mode) -> (Option<Skill>, Vec<String>) {
    let directory = Some(directory.to_owned());
    let parsed = parse_with(text, &ParseOptions { mode, directory, ..ParseOptions::default() });
    (parsed.skill, parsed.report.iter().map(|f| place(text, f)).collect())
}

/// `severity[rule] line:column`.
fn place(text: &str, finding: &Finding) -> String {
    let at = LineIndex::new(text).position(text, finding.span.map_or(0, Span::start));
    format!("{}[{}] {}:{}", finding.severity, finding.rule, at.line, at.column)
}

fn found(text: &str, mode: Mode) -> Vec<String> {
    seen(text, mode).report.iter().map(|finding| place(text, finding)).collect()
}

#[track_caller]
fn loads(text: &str) -> Skill {
    let strict = seen(text, STRICT).skill;
    let lenient = seen(text, LENIENT);
    assert!(!lenient.report.has_errors(), "{text:?}: {:?}", lenient.report);
    assert_eq!(strict, lenient.skill);
    lenient.skill.unwrap_or_else(|| panic!("{text:?} does not load"))
}

/// Loads with nothing to say in either mode.
#[track_caller]
fn is_clean(text: &str) -> Skill {
    for mode in MODES {
        assert_eq!(found(text, mode), [""; 0], "{text:?}");
    }
    loads(text)
}

/// An error when strict; loaded with a warning at the same place when lenient.
#[track_caller]
fn is_repaired(text: &str, rule: &str, at: &str) -> Skill {
    let (error, warning) = (format!("error[{rule}] {at}"), format!("warning[{rule}] {at}"));
    assert!(found(text, STRICT).contains(&error), "{text:?}: {:?}", found(text, STRICT));
    assert_eq!(found(text, LENIENT), [warning], "{text:?}");
    loads(text)
}

/// Not loaded, with the same error in both modes.
#[track_caller]
fn is_refused(text: &str, rule: &str, at: &str) {
    let error = format!("error[{rule}] {at}");
    for mode in MODES {
        assert!(found(text, mode).contains(&error), "{text:?}: {:?}", found(text, mode));
        assert_eq!(seen(text, mode).skill, None, "{text:?}");
    }
}

#[track_caller]
fn has(text: &str, mode: Mode, finding: &str) {
    let found = found(text, mode);
    assert!(found.iter().any(|f| f == finding), "no {finding} for {text:?}: {found:?}");
}

// Delimiters

#[test]
fn a11_a_file_without_frontmatter_is_an_error() {
    is_refused("# Title\n\nText\n", "missing-frontmatter", "1:1");
    is_refused("", "missing-frontmatter", "1:1");
    is_refused("\n\nText\n", "missing-frontmatter", "3:1");
}

#[test]
fn a12_an_unclosed_frontmatter_is_an_error() {
    is_refused("---\nname: pdf\ndescription: Use it.\n", "unclosed-frontmatter", "1:1");
    is_refused("---\nname: pdf\n...\n", "unclosed-frontmatter", "1:1");
    is_refused("---\nname: pdf\n---more\n", "unclosed-frontmatter", "1:1");
}

#[test]
fn a13_a_byte_order_mark_is_an_error_when_strict_and_loads_when_lenient() {
    let skill = is_repaired(&format!("\u{feff}{}", with("license: MIT")), "byte-order-mark", "1:1");
    assert_eq!((skill.name(), skill.body()), ("pdf", "# Steps\n"));
}

#[test]
fn a14_carriage_returns_load_and_stay_out_of_the_fields() {
    let skill = is_clean(&with("license: MIT\ncompatibility: |\n  a\n  b").replace('\n', "\r\n"));
    assert_eq!((skill.name(), skill.description()), ("pdf", "Use for PDFs."));
    assert_eq!(skill.manifest().license.as_deref(), Some("MIT"));
    assert_eq!(skill.manifest().compatibility.as_deref(), Some("a\nb"));
    assert_eq!((skill.body(), skill.instructions()), ("# Steps\r\n", "# Steps"));
}

#[test]
fn a15_leading_blank_lines_are_an_error_when_strict_and_load_when_lenient() {
    let skill = is_repaired(&format!("\n \n{}", with("license: MIT")), "leading-content", "1:1");
    assert_eq!(skill.name(), "pdf");
}

#[test]
fn a16_fences_may_end_in_blanks() {
    let text = "--- \nname: pdf\ndescription: Use for PDFs.\n---\t \n# Steps\n";
    assert_eq!(is_clean(text).body(), "# Steps\n");
}

#[test]
fn a17_the_closing_fence_may_be_the_end_of_the_file() {
    let skill = loads("---\nname: pdf\ndescription: Use for PDFs.\n---");
    assert_eq!((skill.name(), skill.body()), ("pdf", ""));
}

#[test]
fn a18_triple_dash_inside_a_value_keeps_the_whole_value() {
    assert_eq!(is_clean(&described("Use a --- b")).description(), "Use a --- b");
    assert_eq!(is_clean(&described("Use a---b")).description(), "Use a---b");
}

#[test]
fn a19_rules_inside_the_body_stay_in_the_body() {
    let text = format!("{}\n---\nmore\n", with("license: MIT"));
    assert_eq!(is_clean(&text).body(), "# Steps\n\n---\nmore\n");
}

#[test]
fn a20_an_indented_triple_dash_inside_a_block_scalar_does_not_close() {
    let skill = is_clean(&described("|\n  Use one\n  ---\n  two"));
    assert_eq!((skill.description(), skill.body()), ("Use one\n---\ntwo", "# Steps\n"));
}

#[test]
fn a21_instructions_are_the_trimmed_body() {
    let text = "---\nname: pdf\ndescription: Use for PDFs.\n---\n\n \n# Steps\n\n";
    let skill = is_clean(text);
    assert_eq!((skill.instructions(), skill.body()), ("# Steps", "\n \n# Steps\n\n"));
}

#[test]
fn a22_an_empty_body_is_accepted() {
    let text = "---\nname: pdf\ndescription: Use for PDFs.\n---\n";
    assert_eq!(found(text, STRICT), ["warning[empty-body] 5:1"]);
    assert_eq!(found(text, LENIENT), [""; 0]);
    assert_eq!(loads(text).instructions(), "");
}

#[test]
fn a23_an_empty_frontmatter_is_no_mapping() {
    is_refused("---\n---\nText\n", "not-a-mapping", "2:1");
    is_refused("---\n\n# only a comment\n---\nText\n", "not-a-mapping", "4:1");
}

#[test]
fn a24_a_list_is_no_mapping() {
    is_refused("---\n- a\n- b\n---\nText\n", "not-a-mapping", "2:1");
    is_refused("---\njust a string\n---\nText\n", "not-a-mapping", "2:1");
}

// YAML

#[test]
fn a25_an_unclosed_bracket_is_not_yaml() {
    is_refused("---\n[invalid\n---\n", "invalid-yaml", "2:1");
    // Behind a key it is a slip of the pen.
    let skill = is_repaired(&with("keywords: [invalid"), "broken-flow", "4:11");
    assert_eq!(skill.manifest().extra().get("keywords").unwrap().to_line(), "[invalid]");
}

#[test]
fn a26_an_unquoted_colon_is_an_error_when_strict_and_repaired_when_lenient() {
    let skill = is_repaired(&described("Use when: asked for: PDFs"), "unquoted-colon", "3:22");
    assert_eq!(skill.description(), "Use when: asked for: PDFs");
}

#[test]
fn a27_text_behind_a_flow_list_is_repaired() {
    let skill = is_repaired(&with("argument-hint: [file] more"), "unquoted-indicator", "4:16");
    assert_eq!(skill.manifest().argument_hint().as_deref(), Some("[file] more"));
}

#[test]
fn a28_a_value_that_starts_with_a_reserved_character_is_repaired() {
    for value in ["*bold* use", "&and use", "@scope use", "`code` use", "% use", "!use it now"] {
        let skill = is_repaired(&described(value), "unquoted-indicator", "3:14");
        assert_eq!(skill.description(), value);
    }
}

#[test]
fn a29_inner_quotes_are_repaired() {
    let text = described(r#""Use a "b" c""#);
    let skill = loads(&text);
    assert_eq!(skill.description(), r#"Use a "b" c"#);
    assert!(found(&text, STRICT).iter().any(|f| f.starts_with("error[unescaped-quotes] 3:")));
    assert!(found(&text, LENIENT)[0].starts_with("warning[unescaped-quotes] 3:"));
}

#[test]
fn a30_tabs_that_indent_are_repaired() {
    let skill = is_repaired(&with("metadata:\n\tauthor: me"), "tab-indentation", "5:1");
    assert_eq!(skill.manifest().author().as_deref(), Some("me"));
}

#[test]
fn a31_an_unindented_continuation_is_repaired() {
    let skill = is_repaired(&described("Use this\nfor PDFs."), "unindented-continuation", "4:1");
    assert_eq!(skill.description(), "Use this for PDFs.");
}

#[test]
fn a32_of_two_equal_keys_the_first_counts() {
    let skill = is_repaired(&with("name: other"), "duplicate-key", "4:1");
    assert_eq!(skill.name(), "pdf");
    let skill = is_repaired(&with("metadata:\n  a: one\n  a: two"), "duplicate-key", "6:3");
    assert_eq!(skill.manifest().metadata_text().collect::<Vec<_>>(), [("a", "one".into())]);
}

#[test]
fn a33_flow_style_is_yaml() {
    let skill = loads(&with("allowed-tools: [Read, Write]\nmetadata: {a: b}"));
    assert_eq!(skill.manifest().allowed_tools.as_ref().unwrap().to_string(), "Read Write");
    assert_eq!(skill.manifest().metadata_text().collect::<Vec<_>>(), [("a", "b".into())]);
    let skill = loads(&file("{name: pdf, description: Use it}"));
    assert_eq!((skill.name(), skill.description()), ("pdf", "Use it"));
}

#[test]
fn a34_anchors_and_aliases_never_expand() {
    is_refused(&with("metadata:\n  a: &a [x, x]\n  b: *a"), "yaml-anchor", "5:6");
    is_refused(&with("metadata:\n  b: *a"), "yaml-anchor", "5:6");
    is_refused(&with("<<: *b"), "yaml-anchor", "4:5");
}

#[test]
fn a35_nesting_is_bounded_at_sixteen_levels() {
    let nested = |depth: usize| with(&format!("x: {}{}", "[".repeat(depth), "]".repeat(depth)));
    // The mapping of the fields is a level of its own.
    is_refused(&nested(16), "too-deep", "4:19");
    let skill = loads(&nested(15));
    assert_eq!(
        skill.manifest().extra().get("x").unwrap().to_line(),
        "[".repeat(15) + &"]".repeat(15)
    );
    let items = |count: usize| with(&format!("x: [{}]", vec!["a"; count].join(",")));
    // Two fields, their keys and values, `x`, the list and the mapping around it: seven nodes.
    assert_eq!(
        loads(&items(4096 - 7)).manifest().extra().get("x").unwrap().as_list().unwrap().len(),
        4089
    );
    has(&items(4097 - 7), LENIENT, "error[too-many-nodes] 4:8183");
    assert_eq!(seen(&items(4097 - 7), LENIENT).skill, None);
}

#[test]
fn a36_scalars_keep_their_text() {
    let skill = loads(&file("name: true\ndescription: Use it\nversion: 1.10"));
    assert_eq!(skill.name(), "true");
    assert_eq!(skill.manifest().version().as_deref(), Some("1.10"));
    let extra = skill.manifest().extra();
    let version = extra.get("version").unwrap().as_scalar().unwrap();
    assert_eq!(version.typed(), Typed::Float(1.1));
}

#[test]
fn a37_a_date_stays_text() {
    let skill = loads(&with("metadata:\n  date: 2024-01-15\n  mode: 0755"));
    let metadata: Vec<_> = skill.manifest().metadata_text().collect();
    assert_eq!(metadata, [("date", "2024-01-15".into()), ("mode", "0755".into())]);
}

#[test]
fn a38_control_characters_are_errors() {
    for c in ['\0', '\u{1}', '\u{7}', '\u{1b}', '\u{7f}', '\u{85}', '\u{2028}'] {
        is_refused(&described(&format!("Use{c}it")), "control-character", "3:17");
    }
    is_refused(&described(r#""Use \0 it""#), "control-character", "3:14");
}

#[test]
fn a39_a_quoted_value_may_go_on_in_an_unindented_line() {
    let skill = loads(&described("\"Use this\nfor PDFs.\""));
    assert_eq!(skill.description(), "Use this for PDFs.");
    let skill = loads(&described("'Use this\n\nfor PDFs.'\nlicense: MIT"));
    assert_eq!(skill.description(), "Use this\nfor PDFs.");
    assert_eq!(skill.manifest().license.as_deref(), Some("MIT"));
}

#[test]
fn a40_a_flow_mapping_may_close_in_the_first_column() {
    let skill = loads(&with("metadata: {\n  \"a\": \"b\"\n}"));
    assert_eq!(skill.manifest().metadata_text().collect::<Vec<_>>(), [("a", "b".into())]);
}

#[test]
fn a41_an_escaped_surrogate_pair_is_one_character() {
    assert_eq!(is_clean(&described(r#""Use \ud83d\ude00""#)).description(), "Use \u{1f600}");
}

#[test]
fn a42_the_final_line_break_of_a_block_is_trimmed() {
    for header in ["|", ">", "|+", ">-"] {
        let skill = is_clean(&described(&format!("{header}\n  Use it\n\nlicense: MIT")));
        assert_eq!(skill.description(), "Use it", "{header}");
    }
    // Folding makes a line break of a blank line, and a space of any other (E3).
    assert_eq!(is_clean(&described(">\n  Use\n  it\n\n  now")).description(), "Use it\nnow");
}

#[test]
fn a43_text_behind_a_block_indicator_is_repaired() {
    for (value, text) in [
        ("| Use it", "Use it"),
        ("> Use it\n  for PDFs.", "Use it for PDFs."),
        ("|- Use it\n  for PDFs.", "Use it\nfor PDFs."),
    ] {
        let skill = is_repaired(&described(value), "text-after-block-indicator", "3:14");
        assert_eq!(skill.description(), text);
    }
}

// Name

#[test]
fn a44_a_name_has_at_most_64_characters() {
    is_clean(&named(&"a".repeat(64)));
    assert_eq!(is_repaired(&named(&"a".repeat(65)), "name-too-long", "2:7").name(), "a".repeat(65));
}

#[test]
fn a45_a_name_is_counted_in_characters_after_nfkc() {
    assert_eq!(found(&named(&"\u{6280}".repeat(64)), LENIENT), [""; 0]);
    // A ligature of three letters.
    is_repaired(&named(&"\u{fb03}".repeat(22)), "name-too-long", "2:7");
    assert_eq!(found(&named(&"\u{fb03}".repeat(21)), LENIENT), [""; 0]);
    // Decomposed, 128 code points; composed, 64.
    assert_eq!(found(&named(&"e\u{301}".repeat(64)), LENIENT), [""; 0]);
}

#[test]
fn a46_capital_letters_are_an_error_in_every_alphabet() {
    for name in ["PDF", "pdF", "\u{41c}\u{43e}\u{439}", "\u{2163}"] {
        assert_eq!(is_repaired(&named(name), "name-case", "2:7").name(), name);
    }
}

#[test]
fn a47_a_name_neither_starts_nor_ends_with_a_hyphen() {
    for name in ["-pdf", "pdf-"] {
        is_repaired(&named(name), "name-hyphens", "2:7");
    }
}

#[test]
fn a48_two_hyphens_in_a_row_are_an_error() {
    is_repaired(&named("pdf--tools"), "name-hyphens", "2:7");
}

#[test]
fn a49_other_characters_are_errors() {
    for name in ["pdf_tools", "pdf tools", "pdf:tools", "pdf/tools", "pdf.tools"] {
        is_repaired(&named(name), "name-characters", "2:7");
    }
}

#[test]
fn a50_names_of_other_scripts_are_valid() {
    for name in [
        "\u{6280}\u{80fd}",
        "\u{43c}\u{43e}\u{439}-\u{43d}\u{430}\u{432}\u{44b}\u{43a}",
        "caf\u{e9}",
    ] {
        assert_eq!(found(&named(name), LENIENT), [""; 0], "{name}");
        assert_eq!(found(&named(name), STRICT), ["warning[name-not-ascii] 2:7"], "{name}");
        assert_eq!(loads(&named(name)).valid_name().unwrap().as_str(), name);
    }
}

#[test]
fn a51_a_decomposed_name_is_its_composed_directory() {
    for (name, directory) in [("cafe\u{301}", "caf\u{e9}"), ("caf\u{e9}", "cafe\u{301}")] {
        assert_eq!(in_directory(&named(name), directory, LENIENT).1, [""; 0]);
        assert_eq!(
            in_directory(&named(name), directory, STRICT).1,
            ["warning[name-not-ascii] 2:7"]
        );
    }
}

#[test]
fn a52_vowel_signs_are_no_letters_to_the_reference() {
    for name in ["\u{939}\u{93f}\u{902}\u{926}\u{940}", "\u{e44}\u{e17}\u{e22}\u{e14}\u{e35}"] {
        is_repaired(&named(name), "name-characters", "2:7");
    }
    let thai = named("\u{e20}\u{e32}\u{e29}\u{e32}\u{e44}\u{e17}\u{e22}");
    assert_eq!(found(&thai, LENIENT), [""; 0]);
    assert_eq!(found(&thai, STRICT), ["warning[name-not-ascii] 2:7"]);
}

#[test]
fn a53_full_width_letters_normalise() {
    let wide = named("\u{ff41}\u{ff42}\u{ff43}");
    let (skill, found) = in_directory(&wide, "abc", LENIENT);
    assert_eq!(found, [""; 0]);
    let skill = skill.unwrap();
    assert_eq!(skill.name(), "\u{ff41}\u{ff42}\u{ff43}");
    assert_eq!(skill.valid_name().unwrap(), "abc");
}

#[test]
fn a54_a_name_is_the_name_of_its_directory() {
    let (skill, found) = in_directory(&named("pdf"), "docx", STRICT);
    assert_eq!(
        (skill.unwrap().name(), found),
        ("pdf", vec!["error[name-mismatch] 2:7".to_owned()])
    );
    let (skill, found) = in_directory(&named("pdf"), "docx", LENIENT);
    assert_eq!(
        (skill.unwrap().name(), found),
        ("pdf", vec!["warning[name-mismatch] 2:7".to_owned()])
    );
}

#[test]
fn a55_a_missing_name_is_that_of_the_directory() {
    let text = file("description: Use for PDFs.");
    let (skill, found) = in_directory(&text, "docx", STRICT);
    assert_eq!(
        (skill.unwrap().name(), found),
        ("docx", vec!["error[missing-name] 3:1".to_owned()])
    );
    let (skill, found) = in_directory(&text, "docx", LENIENT);
    assert_eq!(
        (skill.unwrap().name(), found),
        ("docx", vec!["warning[missing-name] 3:1".to_owned()])
    );
}

#[test]
fn a56_a_name_that_is_a_list_is_an_error() {
    for (name, at) in [("[a, b]", "2:7"), ("{a: b}", "2:7")] {
        assert_eq!(is_repaired(&named(name), "name-type", at).manifest().name, None);
    }
    let text = file("name:\n  - a\ndescription: Use for PDFs.");
    is_repaired(&text, "name-type", "3:3");
}

#[test]
fn a57_names_that_lead_elsewhere_are_never_paths() {
    for name in [".", "..", "../x", "a/b", "/etc", "..\\x"] {
        is_repaired(&named(&format!("'{name}'")), "name-characters", "2:7");
        assert!(name.parse::<SkillName>().is_err(), "{name}");
        assert_eq!(loads(&named(&format!("'{name}'"))).valid_name(), None);
    }
    assert!("..".parse::<ResourcePath>().is_err());
}

#[test]
fn a58_white_space_around_a_name_is_stripped() {
    assert_eq!(is_clean(&named("'  pdf '")).name(), "pdf");
    assert_eq!(in_directory(&named("'  pdf '"), "pdf", STRICT).1, [""; 0]);
}

// Description, compatibility, metadata, allowed-tools

/// `length` characters that say when to use the skill.
fn long(length: usize) -> String {
    format!("Use it {}", "a".repeat(length - 7))
}

#[test]
fn a59_a_description_has_at_most_1024_characters() {
    is_clean(&described(&long(1024)));
    let skill = is_repaired(&described(&long(1025)), "description-too-long", "3:14");
    assert_eq!(skill.description().len(), 1025);
}

#[test]
fn a60_blanks_at_the_end_of_a_description_count() {
    let text = described(&format!("\"{}{}\"", long(1020), " ".repeat(6)));
    let skill = is_repaired(&text, "description-too-long", "3:14");
    assert_eq!(skill.description().len(), 1020);
    is_clean(&described(&format!("\"{}{}\"", long(1020), " ".repeat(4))));
}

#[test]
fn a61_no_description_is_an_error_in_both_modes() {
    for (description, at) in
        [("", "3:1"), ("''", "3:14"), ("'  '", "3:14"), ("null", "3:14"), ("~", "3:14")]
    {
        is_refused(&described(description), "missing-description", at);
    }
    is_refused(&file("name: pdf"), "missing-description", "3:1");
}

#[test]
fn a62_a_description_that_is_a_list_is_an_error() {
    is_refused(&described("[a, b]"), "description-type", "3:14");
    is_refused(&described("\n  - a"), "description-type", "4:3");
    is_refused(&described("{a: b}"), "description-type", "3:14");
}

#[test]
fn a63_1024_astral_characters_are_valid() {
    let astral = "\u{1f600}".repeat(1024);
    assert_eq!(found(&described(&astral), LENIENT), [""; 0]);
    assert_eq!(found(&described(&astral), STRICT), ["warning[description-without-trigger] 3:14"]);
    has(&described(&"\u{1f600}".repeat(1025)), STRICT, "error[description-too-long] 3:14");
}

#[test]
fn a64_compatibility_has_1_to_500_characters() {
    is_clean(&with(&format!("compatibility: {}", "a".repeat(500))));
    let long = with(&format!("compatibility: {}", "a".repeat(501)));
    assert_eq!(
        is_repaired(&long, "compatibility-length", "4:16")
            .manifest()
            .compatibility
            .as_ref()
            .map(|text| text.len()),
        Some(501)
    );
    for (value, at) in [("''", "4:16"), ("' '", "4:16"), ("", "4:1"), ("null", "4:16")] {
        let skill =
            is_repaired(&with(&format!("compatibility: {value}")), "compatibility-length", at);
        assert_eq!(skill.manifest().compatibility, None);
    }
    is_repaired(&with("compatibility: [a]"), "field-type", "4:16");
}

#[test]
fn a65_metadata_keeps_its_order_its_text_and_its_structure() {
    let text = with("metadata:\n  z: \"1\"\n  a: 1.10\n  n: {b: [c, d]}\n  e:");
    let skill = loads(&text);
    let metadata: Vec<_> = skill.manifest().metadata_text().collect();
    let wanted = [("z", "1"), ("a", "1.10"), ("n", "{b: [c, d]}"), ("e", "")];
    assert_eq!(metadata, wanted.map(|(key, value)| (key, value.into())));
    let metadata = skill.manifest().metadata_map().unwrap();
    let nested = metadata.get("n").unwrap();
    assert_eq!(nested.as_map().unwrap().get("b").unwrap().as_list().unwrap().len(), 2);
    has(&text, STRICT, "warning[metadata-value] 7:3");
    assert_eq!(found(&text, LENIENT), [""; 0]);
    for value in ["text", "[a, b]", "12"] {
        is_repaired(&with(&format!("metadata: {value}")), "metadata-type", "4:11");
    }
}

#[test]
fn a66_allowed_tools_are_read_in_every_form_and_written_in_one() {
    for (value, tools) in [
        ("Read Write", "Read Write"),
        ("Read, Write", "Read Write"),
        ("[Read, Write]", "Read Write"),
        ("\n  - Read\n  - Write", "Read Write"),
        ("Read", "Read"),
        ("Bash(git add *) Read", "Bash(git add *) Read"),
        ("Bash(cmd:a,cmd:b)", "Bash(cmd:a,cmd:b)"),
        ("\n  - Bash(git add *)\n  - Read", "Bash(git add *) Read"),
        ("[]", ""),
        ("''", ""),
    ] {
        let skill = loads(&with(&format!("allowed-tools: {value}")));
        assert_eq!(skill.manifest().allowed_tools.as_ref().unwrap().to_string(), tools, "{value}");
        let written = skill.to_markdown();
        let line = if tools.is_empty() {
            "allowed-tools: \"\"".to_owned()
        } else {
            format!("allowed-tools: {tools}")
        };
        assert!(written.lines().any(|l| l == line), "{written}");
    }
    for value in ["", "null", "~"] {
        assert_eq!(
            is_clean(&with(&format!("allowed-tools: {value}"))).manifest().allowed_tools,
            None
        );
    }
    is_repaired(&with("allowed-tools: {a: b}"), "field-type", "4:16");
}

#[test]
fn a67_unknown_keys_are_errors_when_strict_and_kept_when_lenient() {
    let text = with("zeta: 1.10\nalpha: [a, {b: c}]");
    let unknown: Vec<_> =
        found(&text, STRICT).into_iter().filter(|f| f.contains("unknown-field")).collect();
    assert_eq!(unknown, ["error[unknown-field] 4:1", "error[unknown-field] 5:1"]);
    assert_eq!(found(&text, LENIENT), [""; 0]);
    let skill = loads(&text);
    let extra = skill.manifest().extra();
    let extra: Vec<_> = extra.iter().map(|e| (e.key.as_str(), e.value.to_line())).collect();
    assert_eq!(extra, [("zeta", "1.10".into()), ("alpha", "[a, {b: c}]".into())]);
}

/// Each error of the reference validator has a rule: what it refuses, `check --strict` refuses.
#[test]
fn every_error_of_the_reference_validator_has_a_rule() {
    let long_name = named(&"a".repeat(65));
    let long_description = described(&long(1025));
    let long_compatibility = with(&format!("compatibility: {}", "a".repeat(501)));
    let table: [(&str, String, Rule); 18] = [
        ("must start with YAML frontmatter", "# Title\n".to_owned(), Rule::MissingFrontmatter),
        (
            "frontmatter not properly closed",
            "---\nname: pdf\n".to_owned(),
            Rule::UnclosedFrontmatter,
        ),
        ("Invalid YAML in frontmatter", "---\n[invalid\n---\n".to_owned(), Rule::InvalidYaml),
        ("frontmatter must be a YAML mapping", "---\n- a\n---\n".to_owned(), Rule::NotAMapping),
        ("Unexpected fields in frontmatter", with("author: me"), Rule::UnknownField),
        ("Missing required field: name", file("description: Use it"), Rule::MissingName),
        ("Missing required field: description", file("name: pdf"), Rule::MissingDescription),
        ("Field 'name' must be a non-empty string", named("''"), Rule::MissingName),
        (
            "Field 'description' must be a non-empty string",
            described("''"),
            Rule::MissingDescription,
        ),
        ("exceeds 64 character limit", long_name, Rule::NameTooLong),
        ("must be lowercase", named("Pdf"), Rule::NameCase),
        ("cannot start or end with a hyphen", named("-pdf"), Rule::NameHyphens),
        ("cannot contain consecutive hyphens", named("a--b"), Rule::NameHyphens),
        ("contains invalid characters", named("a_b"), Rule::NameCharacters),
        ("must match skill name", named("pdf-tools"), Rule::NameMismatch),
        ("Description exceeds 1024", long_description, Rule::DescriptionTooLong),
        ("Field 'compatibility' must be a string", with("compatibility: [a]"), Rule::FieldType),
        ("Compatibility exceeds 500", long_compatibility, Rule::CompatibilityLength),
    ];
    for (error, text, rule) in table {
        let directory = Some("pdf".to_owned());
        let options = ParseOptions {
            mode: STRICT,
            names: NameRules::Reference,
            directory,
            ..ParseOptions::default()
        };
        let report = parse_with(&text, &options).report;
        let has_rule = report.iter().any(|f| f.rule == rule && f.severity == Severity::Error);
        assert!(has_rule, "{error}: {report:?}");
    }
}
