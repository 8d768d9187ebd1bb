//! Turns wrong arguments into exit code 2, and asks for help into help.

use crate::{COLON, commands, metier};
use testing::{Fixture, command_snapshot};

#[test]
fn help_shows_examples_for_every_command() {
    let fixture = Fixture::new();
    command_snapshot!(fixture, ["-h"], @"
    exit_code: 0
    ----- stdout -----
    Everything about Agent Skills: check, choose, disclose, install and serve them

    Usage: metier [OPTIONS] <COMMAND>

    Commands:
      check        Check skills, and mend what can be mended
      rule         Explain a rule, or list them all
      fmt          Write frontmatter in canonical form; the body stays as it is
      new          Make a skill that passes every check
      test         Test whether what users say finds the skills it should
      list         List the skills that agents would know of
      search       Find the skills that fit what a user says
      index        Keep an index of the skills, so that searching starts at once
      show         Show one skill: what it says, what it costs and what it brings
      read         List the files of a skill, or print one of them
      prompt       Print the text that tells a model which skills there are
      activate     Print what a model receives when a skill is activated
      tools        Print the tools that a model calls to load skills
      call         Call a tool as a model would, and print what the model would read
      serve        Serve skills to agents over MCP
      export       Write skills as the files of a web site
      add          Install skills, and lock them
      remove       Remove installed skills
      update       Update installed skills; changes by hand are kept
      outdated     List installed skills that have a newer version; exits with 1 when there are any
      sync         Install exactly what the lock says, and remove what has left it
      verify       Compare installed skills with the lock, byte by byte; exits with 1 when one differs
      installed    List installed skills, the project's before the user's
      why          Say where an installed skill comes from and who asks for it
      trust        Let the skills of this project reach a model, as they are now
      completions  Print completions for a shell
      man          Print the manual page, or write all pages into a folder
      help         Print this message or the help of the given subcommand(s)

    Options:
          --color <WHEN>  When to use colours [default: auto] [possible values: auto, always, never]
          --root <DIR>    Look for skills in this folder only; may be given again, the first one wins
      -h, --help          Print help (see more with '--help')
      -V, --version       Print version

    Exit codes: 0 ok, 1 findings, 2 wrong usage, 3 a file could not be read or written

    Examples:
      metier new pdf-filler          make a skill
      metier check .                 check every skill below this folder
      metier check --fix .           mend what can be mended
      metier rule unquoted-colon     explain a finding
      metier list                    the skills that agents would know of
      metier search 'tax form'       the skills that fit what a user says
      metier prompt --budget 2000    what a model is told of them
      metier test                    do queries find the skills they should?
      metier add acme/skills@pdf     install a skill, and lock it
      metier sync --frozen           install exactly what is locked
    ----- stderr -----
    ");
    for command in commands(&fixture) {
        let command = command.as_str();
        let output = metier(&fixture, &[command, "--help"]);
        assert_eq!(output.exit_code(), Some(0), "{command}");
        assert!(output.stdout().contains("Examples:\n  metier "), "{command}: {output}");
        assert!(output.stdout().lines().all(|line| line.chars().count() <= 100), "{output}");
    }
}

#[test]
fn wrong_arguments_are_exit_code_two_and_leave_stdout_empty() {
    let fixture = Fixture::new();
    for args in [
        &[][..],
        &["chekc"],
        &["check", "--nope"],
        &["check", "--strict", "--lenient"],
        &["check", "--json", "--output-format", "sarif"],
        &["check", "--output-format", "xml"],
        &["new"],
        &["new", "a", "--with", "docs"],
        &["completions"],
        &["rule", "a", "b"],
        &["check", "--color", "sometimes"],
    ] {
        let output = metier(&fixture, args);
        assert_eq!((output.exit_code(), output.stdout()), (Some(2), ""), "{args:?}\n{output}");
        assert!(!output.stderr().is_empty(), "{args:?}");
    }
}

#[test]
fn version_is_the_package_version() {
    let output = metier(&Fixture::new(), &["--version"]);
    assert_eq!(output.stdout(), concat!("metier ", env!("CARGO_PKG_VERSION"), "\n"));
}

/// A reader that has seen enough ends the output, not the exit code, and nobody complains.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_quiet() {
    let mut fixture = Fixture::new();
    for number in 0..400 {
        fixture = fixture.skill(&format!("s{number}"), COLON);
    }
    let script = format!("{} check | head -n 1; true", env!("CARGO_BIN_EXE_metier"));
    let output = testing::run("sh", ["-c", &script], fixture.path(), "");
    assert_eq!(output.stdout().lines().count(), 1, "{output}");
    assert!(!output.stderr().contains("roken pipe"), "{output}");
    assert!(output.stderr().starts_with("checked 400 skills"), "{output}");
}

#[test]
fn roots_may_stand_before_the_command() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Use for {name}.\n---\n");
    let fixture = Fixture::new()
        .skill("a/one", &skill("one"))
        .skill("b/one", &skill("one"))
        .skill("b/two", &skill("two"));
    let before = metier(&fixture, &["--root", "a", "--root", "b", "list", "--json"]);
    let behind = metier(&fixture, &["list", "--root", "a", "--root", "b", "--json"]);
    let around = metier(&fixture, &["--root", "a", "list", "--root", "b", "--json"]);
    assert!(before.stdout().contains("\"two\""), "{before}");
    assert_eq!(before.stdout(), behind.stdout());
    assert_eq!(around.stdout(), behind.stdout());
}

#[test]
fn a_command_that_looks_nothing_up_has_no_root() {
    let fixture = Fixture::new();
    command_snapshot!(fixture, ["--root", "skills", "check"], @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `--root` is for commands that look skills up, and this one does not
      help: leave it out; `check`, `fmt` and `add` take folders as arguments
    ");
}
