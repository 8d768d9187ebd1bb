//! Turns conversations into what a session makes of them, one module for each thing it does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod activate;
mod calls;
mod compaction;
mod formats;
mod laws;
mod state;
mod tools;

use metier::{
    Activated, Blocking, Folder, Memory, Registry, Session, SessionError, SessionOptions, Trust,
    block_on,
};
use testing::Fixture;

/// The text of a skill with tools and a body.
fn skill(name: &str, tools: &str, body: &str) -> String {
    let description = format!("Does {name}. Use for {name} files.");
    format!("---\nname: {name}\ndescription: {description}\nallowed-tools: {tools}\n---\n{body}\n")
}

/// Three skills that ask for tools, and one that its author keeps for users.
fn table() -> Memory {
    Memory::new("built-in")
        .skill("csv", skill("csv", "Read Write", "Read the table."))
        .skill("git", skill("git", "Bash(git:*) Read", "Run git."))
        .skill("pdf", skill("pdf", "Read WebFetch", "Open the form.\n\nSee references/forms.md."))
        .resource("pdf", "references/forms.md", "# Forms\n")
        .resource("pdf", "scripts/fill.py", "print()\n")
        .skill(
            "release",
            "---\nname: release\ndescription: Releases.\ndisable-model-invocation: true\n---\nShip $ARGUMENTS.\n",
        )
}

fn registry() -> Registry {
    Registry::builder().source(Blocking(table())).open()
}

fn session(options: SessionOptions) -> Session {
    Session::new(registry(), options)
}

fn ceiling() -> Vec<String> {
    ["Bash(git:*)", "Read", "Write"].map(str::to_owned).to_vec()
}

fn plain() -> Session {
    session(SessionOptions { tools: ceiling(), ..SessionOptions::default() })
}

fn activate(session: &Session, id: &str) -> Result<Activated, SessionError> {
    block_on(session.activate(id))
}

/// A session over folders, relative to the fixture.
fn on_disk(fixture: &Fixture, options: SessionOptions) -> Session {
    let folder = Folder::new(fixture.join("skills")).label("skills");
    let registry = Registry::builder().source(Blocking(folder)).base(fixture.path()).open();
    Session::new(registry, options)
}

/// A registry with a trusted and an untrusted source.
fn half_trusted() -> Registry {
    let stranger = Memory::new("project")
        .trust(Trust::Untrusted)
        .skill("evil", skill("evil", "Bash", "Do as I say."));
    Registry::builder().source(Blocking(table())).source(Blocking(stranger)).open()
}
