//! Turns real scripts into what comes back from running them: output, refusals, and nothing left behind.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "tests look at what processes left")]

use metier::{
    Blocking, Decision, Folder, Process, ProcessOptions, Registry, RunError, RunOutput, RunRequest,
    Runner as _, Session, SessionOptions, block_on,
};
use serde_json::json;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;
use testing::Fixture;

/// A skill with one script, which may not be executed: most scripts may not.
fn script(name: &str, text: &str) -> Fixture {
    Fixture::new()
        .skill("pdf", "---\nname: pdf\ndescription: d\n---\n")
        .file(&format!("pdf/scripts/{name}"), text)
}

fn request(fixture: &Fixture, path: &str) -> RunRequest {
    RunRequest::new("pdf", fixture.join("pdf"), path.parse().unwrap())
}

fn allowed() -> Process {
    Process::new(|_| Decision::Allow)
}

fn short(timeout: u64) -> Process {
    let timeout = Duration::from_millis(timeout);
    allowed().options(ProcessOptions { timeout, ..ProcessOptions::default() })
}

fn run(process: &Process, request: &RunRequest) -> Result<RunOutput, RunError> {
    block_on(process.run(request))
}

#[test]
fn a_script_runs_in_its_skill_with_its_arguments_and_input() {
    let fixture = script("a", "#!/bin/sh\npwd\nprintf '%s|' \"$@\"\ncat\necho err >&2\nexit 3\n");
    let mut request = request(&fixture, "scripts/a");
    request.arguments = ["a b", "$(touch x)", "; ls", "*"].map(str::to_owned).to_vec();
    request.input = "from stdin".to_owned();
    let output = run(&allowed(), &request).unwrap();
    let expected = format!("{}\na b|$(touch x)|; ls|*|from stdin", fixture.join("pdf").display());
    assert_eq!((output.stdout, output.stderr), (expected, "err\n".to_owned()));
    assert_eq!((output.exit_code, output.truncated), (Some(3), false));
    assert_eq!(fixture.tree(), ["pdf/SKILL.md", "pdf/scripts/a"]);
}

#[test]
fn the_environment_is_the_options_and_nothing_else() {
    let fixture = script("a.sh", "env | sort\n");
    let mut options = ProcessOptions::default();
    options.environment.insert("TOKEN_FOR_THIS".into(), "yes".into());
    let output = run(&allowed().options(options), &request(&fixture, "scripts/a.sh")).unwrap();
    let names: Vec<&str> = output.stdout.lines().filter_map(|l| l.split('=').next()).collect();
    // A shell adds variables of its own.
    let names: Vec<&str> =
        names.into_iter().filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name)).collect();
    let expected =
        ["CLAUDE_SKILL_DIR", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "TOKEN_FOR_THIS"];
    assert_eq!(names, expected);
}

#[test]
fn nothing_runs_that_the_policy_does_not_allow() {
    let fixture = script("a.sh", "touch ran\n");
    let request = request(&fixture, "scripts/a.sh");
    let error = run(&Process::new(|_| Decision::Deny), &request).unwrap_err();
    assert_eq!(error.to_string(), "running `scripts/a.sh` is not allowed");
    let error = run(&Process::new(|_| Decision::Ask), &request).unwrap_err();
    assert!(matches!(error, RunError::NeedsApproval { .. }), "{error}");
    assert!(!fixture.join("pdf/ran").exists());
    run(&allowed(), &request).unwrap();
    assert!(fixture.join("pdf/ran").exists());
}

#[test]
fn a_script_that_takes_too_long_is_ended_with_what_it_wrote() {
    let fixture = script("a.sh", "echo started\nsleep 600\necho never\n");
    let error = run(&short(300), &request(&fixture, "scripts/a.sh")).unwrap_err();
    let RunError::TimedOut { output, .. } = error else { panic!("{error}") };
    assert_eq!((output.stdout.as_str(), output.exit_code), ("started\n", None));
}

#[test]
fn a_script_that_ignores_signals_is_ended_too() {
    let fixture = script("a.sh", "trap '' TERM INT HUP\nwhile :; do sleep 1; done\n");
    let error = run(&short(300), &request(&fixture, "scripts/a.sh")).unwrap_err();
    assert!(matches!(error, RunError::TimedOut { .. }), "{error}");
}

/// Reads a pipe to its end, which comes when every process that holds it open for writing is gone;
/// says when the first one has it open.
fn wait_for_writers(fixture: &Fixture, pipe: &str) -> (Receiver<()>, thread::JoinHandle<usize>) {
    let pipe = fixture.join(pipe);
    let (sender, opened) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut pipe = std::fs::File::open(pipe).unwrap();
        // Not everyone waits for it.
        let _ = sender.send(());
        pipe.read_to_end(&mut Vec::new()).unwrap()
    });
    (opened, reader)
}

#[test]
fn grandchildren_end_with_the_script() {
    for (text, is_ended) in [
        // The script waits for them, and its time is up.
        ("(sleep 600; echo late) > held &\nsh -c 'sleep 600 > held' &\nwait\n", false),
        // The script leaves them behind; they hold its output open as well.
        ("sleep 600 > held &\nsleep 600 &\nexec 3> held\necho done\n", true),
    ] {
        let fixture = script("a.sh", text).fifo("pdf/held");
        let (_opened, writers) = wait_for_writers(&fixture, "pdf/held");
        let result = run(&short(2_000), &request(&fixture, "scripts/a.sh"));
        match result {
            Ok(output) => assert_eq!((is_ended, output.stdout.as_str()), (true, "done\n")),
            Err(error) => assert!(!is_ended, "{error}"),
        }
        writers.join().unwrap();
    }
}

#[test]
fn a_flood_of_output_is_cut() {
    let fixture = script("a.sh", "yes é | head -c 5000000\nyes no | head -c 5000000 >&2\n");
    let options = ProcessOptions { max_output: 1000, ..ProcessOptions::default() };
    let output = run(&allowed().options(options), &request(&fixture, "scripts/a.sh")).unwrap();
    assert!(output.truncated);
    // Cut between characters.
    assert_eq!(output.stdout, "é\n".repeat(333));
    assert_eq!((output.stderr.len(), output.exit_code), (1000, Some(0)));
    // One that never ends is ended.
    let fixture = script("b.sh", "yes\n");
    let error = run(&short(300), &request(&fixture, "scripts/b.sh")).unwrap_err();
    let RunError::TimedOut { output, .. } = error else { panic!("{error}") };
    assert_eq!((output.stdout.len(), output.truncated), (64 * 1024, true));
}

#[test]
fn input_that_nobody_reads_is_no_problem() {
    let fixture = script("a.sh", "echo ok\n");
    let mut request = request(&fixture, "scripts/a.sh");
    request.input = "x".repeat(1 << 20);
    assert_eq!(run(&allowed(), &request).unwrap().stdout, "ok\n");
}

#[test]
fn what_cannot_be_run_is_told() {
    let fixture = script("a", "#!/usr/bin/env no-such-program\n")
        .file("pdf/scripts/b", "no line\n")
        .file("pdf/scripts/c.sh", "#!./own\n")
        .dir("pdf/scripts/d.sh")
        .fifo("pdf/scripts/e.sh");
    for (path, reason) in [
        ("scripts/a", "missing_interpreter"),
        ("scripts/b", "no_interpreter"),
        ("scripts/c.sh", "missing_interpreter"),
        ("scripts/d.sh", "refused"),
        ("scripts/e.sh", "refused"),
        ("scripts/absent.sh", "refused"),
    ] {
        let error = run(&allowed(), &request(&fixture, path)).unwrap_err();
        assert_eq!(error.reason(), reason, "{path}: {error}");
        assert!(!error.help().is_empty());
    }
}

#[test]
fn a_link_out_of_the_skill_is_not_run() {
    let fixture = script("a.sh", "echo inside\n")
        .file("outside.sh", "touch ran\n")
        .dir("elsewhere/scripts")
        .file("elsewhere/scripts/x.sh", "touch ran\n")
        .link("pdf/scripts/out.sh", "../../outside.sh")
        .link("pdf/scripts/in.sh", "a.sh")
        .link("pdf/more", "../elsewhere");
    for path in ["scripts/out.sh", "more/scripts/x.sh"] {
        let error = run(&allowed(), &request(&fixture, path)).unwrap_err();
        assert_eq!(error.to_string(), format!("`{path}` cannot be run: it leads out of the skill"));
    }
    assert_eq!(run(&allowed(), &request(&fixture, "scripts/in.sh")).unwrap().stdout, "inside\n");
    assert!(!fixture.tree().iter().any(|path| path.ends_with("ran")));
}

#[test]
fn a_session_runs_what_a_loaded_skill_has() {
    let fixture = script("a.sh", "echo \"$1\"\n").file("pdf/scripts/b.sh", "exit 1\n");
    let registry = Registry::builder().source(Blocking(Folder::new(fixture.path()))).open();
    let process =
        Process::new(
            |request| {
                if request.arguments == ["no"] { Decision::Deny } else { Decision::Allow }
            },
        );
    let runner = Some(Arc::new(process) as _);
    let session = Session::new(registry, SessionOptions { runner, ..SessionOptions::default() });
    block_on(session.activate("pdf")).unwrap();
    let call = |script: &str, argument: &str| {
        let arguments = json!({ "skill": "pdf", "script": script, "arguments": [argument] });
        block_on(session.call("run_skill_script", arguments))
    };
    let reply = call("scripts/a.sh", "hello $HOME");
    assert_eq!(reply.content, "exit code: 0\n\nstdout:\nhello $HOME");
    assert_eq!(call("scripts/b.sh", "").content, "exit code: 1");
    let reply = call("scripts/a.sh", "no");
    assert_eq!(
        reply.content,
        "running `scripts/a.sh` is not allowed: go on without it, or ask the user to run it"
    );
    assert_eq!(reply.data["reason"], "denied");
    assert_eq!(call("scripts/../../x.sh", "").data["reason"], "no_script");
}

#[test]
fn a_call_that_is_given_up_ends_the_script() {
    let fixture = script("a.sh", "exec 3> held\nsleep 600\n").fifo("pdf/held");
    let (opened, writers) = wait_for_writers(&fixture, "pdf/held");
    let process = allowed();
    let request = request(&fixture, "scripts/a.sh");
    let mut future = process.run(&request);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    opened.recv().unwrap();
    drop(future);
    assert_eq!(writers.join().unwrap(), 0);
}
