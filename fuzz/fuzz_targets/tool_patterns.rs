//! Turns any text into tool patterns that can be written back, and that approve no second command.

#![no_main]

use metier_core::AllowedTools;

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (text, argument) = input;
    let (tools, problems) = AllowedTools::parse(text);
    for problem in problems {
        assert!(text.get(problem.range()).is_some_and(|part| !part.is_empty()), "{problem:?}");
    }
    assert_eq!(AllowedTools::parse(&tools.to_string()).0, tools);
    let _ = tools.preapproves("Bash", argument);
    assert!(tools.scope(["Bash", "Read"]).len() <= 2);
    if tools.satisfied_by([]) {
        assert!(tools.is_empty());
    }
    for granted in tools.grant(["Bash(git:*)", "Read"]) {
        assert!(matches!(granted.split('(').next(), Some("Bash" | "Read")), "{granted}");
    }
    let (narrow, _) = AllowedTools::parse("Bash(git:*)");
    if narrow.preapproves("Bash", argument) {
        assert!(!argument.contains([';', '|', '&', '`', '\n', '<', '>']), "{argument:?}");
    }
});
