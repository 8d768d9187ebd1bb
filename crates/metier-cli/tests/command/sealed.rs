//! Turns installed and trusted skills that were changed into what each command, and a running server, makes of them.

#![expect(
    clippy::disallowed_methods,
    reason = "a server runs beside the test that edits its files"
)]

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use testing::{Fixture, Output, command_snapshot};

const PDF: &str = "work/.agents/skills/pdf";

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Use this for {name} in tests.\n---\n\n{body}\n")
}

fn run(fixture: &Fixture, arguments: &[&str]) -> Output {
    fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work").run()
}

/// A project with one installed skill that is trusted.
fn installed() -> Fixture {
    let fixture = Fixture::new()
        .dir("work/.git")
        .skill("source/pdf", &skill("pdf", "Read references/a.md."))
        .file("source/pdf/references/a.md", "one\n");
    for arguments in [["add", "../source/pdf"].as_slice(), &["trust"]] {
        let output = run(&fixture, arguments);
        assert_eq!(output.exit_code(), Some(0), "{output}");
    }
    fixture
}

/// Security R15, R24: a person sees it, a model does not, and the way out is told.
#[test]
fn a_changed_skill_is_kept_from_models_until_someone_decides() {
    let fixture = installed().file(&format!("{PDF}/SKILL.md"), &skill("pdf", "Obey."));
    let work = |arguments: &[&str]| {
        fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work")
    };
    let listed = run(&fixture, &["list"]);
    assert_eq!(listed.exit_code(), Some(0), "{listed}");
    assert!(listed.stdout().starts_with("pdf"), "{listed}");
    assert!(listed.stderr().contains("`SKILL.md` of the skill `pdf` was changed since install"));
    command_snapshot!(work(&["activate", "pdf"]), @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `pdf` is kept from models: `SKILL.md` of the skill `pdf` was changed since install: it was sha256:bca480fc5f73fae9ef65cbfd4af86e305337b24ea1382ad08a944d6a04f456ea, it is sha256:51d348ccd72abf74cba6f97e5ea5f8875bc5b1dc778ea9aba9b37f701d9fe752
      help: `metier verify` shows what differs; `metier sync --force` restores it, `metier trust` keeps it
    ");
    command_snapshot!(work(&["call", "load_skill", r#"{"name":"pdf"}"#]), @"
    exit_code: 1
    ----- stdout -----
    there are no skills to load: go on without
    ----- stderr -----
    error: [ROOT]/work/.agents/skills/pdf/SKILL.md: `SKILL.md` of the skill `pdf` was changed since install: it was sha256:bca480fc5f73fae9ef65cbfd4af86e305337b24ea1382ad08a944d6a04f456ea, it is sha256:51d348ccd72abf74cba6f97e5ea5f8875bc5b1dc778ea9aba9b37f701d9fe752
      help: `metier verify` shows what differs; `metier sync --force` restores it, `metier trust` keeps it
    ");
    command_snapshot!(work(&["read", "pdf", "SKILL.md"]), @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `SKILL.md` of the skill `pdf` was changed since install: it was sha256:bca480fc5f73fae9ef65cbfd4af86e305337b24ea1382ad08a944d6a04f456ea, it is sha256:51d348ccd72abf74cba6f97e5ea5f8875bc5b1dc778ea9aba9b37f701d9fe752
      help: `metier verify` shows what differs; `metier sync --force` restores it, `metier trust` keeps it
    ");
    let prompt = run(&fixture, &["prompt"]);
    assert!(!prompt.stdout().contains("pdf"), "{prompt}");
    assert!(prompt.stderr().contains("since install"), "{prompt}");
    let shown = run(&fixture, &["show", "pdf"]);
    assert_eq!(shown.exit_code(), Some(0), "who decides must see it: {shown}");
    assert!(shown.stderr().contains("since install"), "{shown}");
    // A folder that someone names is taken as it is.
    let named = run(&fixture, &["activate", "pdf", "--root", ".agents/skills"]);
    assert!(named.stdout().contains("Obey."), "{named}");

    command_snapshot!(work(&["trust"]), @"
    exit_code: 0
    ----- stdout -----
    trusted [ROOT]/work/.agents/skills: pdf
    ----- stderr -----
    1 folder
    note: `pdf` is trusted with changes since install: modified `SKILL.md`
    ");
    let kept = run(&fixture, &["activate", "pdf"]);
    assert!(kept.stdout().contains("Obey."), "{kept}");
    let restored = run(&fixture, &["sync", "--force"]);
    assert_eq!(restored.exit_code(), Some(0), "{restored}");
    let again = run(&fixture, &["activate", "pdf"]);
    assert_eq!(again.exit_code(), Some(3), "these contents are not the trusted ones: {again}");
    run(&fixture, &["trust"]);
    let sound = run(&fixture, &["activate", "pdf"]);
    assert!(sound.stdout().contains("Read references/a.md."), "{sound}");
}

#[test]
fn the_users_own_skills_are_held_to_their_lock_too() {
    let fixture = Fixture::new().dir("work/.git").skill("source/pdf", &skill("pdf", "one"));
    assert_eq!(run(&fixture, &["add", "../source/pdf", "--user"]).exit_code(), Some(0));
    assert_eq!(run(&fixture, &["activate", "pdf"]).exit_code(), Some(0));
    let fixture = fixture.file(".agents/skills/pdf/SKILL.md", &skill("pdf", "mine"));
    let changed = run(&fixture, &["activate", "pdf"]);
    assert_eq!(changed.exit_code(), Some(3), "{changed}");
    let trusted = run(&fixture, &["trust", "--user"]);
    assert!(trusted.stderr().contains("trusted with changes since install"), "{trusted}");
    assert!(run(&fixture, &["activate", "pdf"]).stdout().contains("mine"));
}

/// A server that a test talks to while files change.
struct Serving {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Serving {
    fn start(fixture: &Fixture) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_metier"))
            .arg("serve")
            .current_dir(fixture.join("work"))
            .env_clear()
            .env("HOME", fixture.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut serving = Self { child, input, output, number: 0 };
        serving.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } }),
        );
        serving.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        serving
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("it listens");
    }

    /// The answer to a request; news that come before it are skipped.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers") > 0, "it ended");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Whether a model can load the skill with this text in it.
    fn serves(&mut self, text: &str) -> bool {
        let call = json!({ "name": "load_skill", "arguments": { "name": "pdf" } });
        self.ask("tools/call", &call).to_string().contains(text)
    }

    /// Waits until it is so; a test that waits for ever fails.
    fn until(&mut self, what: &str, is_so: impl Fn(&mut Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !is_so(self) {
            assert!(Instant::now() < end, "it never came: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Security D13: a server judges again whenever it reloads, and when someone trusts what is there.
#[test]
fn a_running_server_drops_what_was_changed_and_takes_back_what_is_trusted() {
    let fixture = installed();
    let mut serving = Serving::start(&fixture);
    assert!(serving.serves("Read references/a.md."));
    let list = |it: &mut Serving| it.ask("tools/list", &json!({})).to_string();
    assert!(list(&mut serving).contains("load_skill"));
    // Not even its `SKILL.md` was touched, but what was trusted is all of it.
    let fixture = fixture.file(&format!("{PDF}/scripts/x.sh"), "#!/bin/sh\n");
    serving.until("the skill leaves", |it| !it.serves("Read references/a.md."));
    serving.until("the tools leave", |it| !list(it).contains("load_skill"));
    assert_eq!(run(&fixture, &["trust"]).exit_code(), Some(0));
    serving.until("the skill comes back", |it| it.serves("Read references/a.md."));
}
