//! Turns a session with many activations into figures, beside the floor: loading each skill, and nothing else.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use benches::{folder, shortest};
use metier::{Registry, Retention, Session, SessionOptions, block_on};
use serde_json::json;
use testing::Layout;

/// How many skills become active.
const SKILLS: usize = 1_000;

fn main() {
    let corpus = folder(SKILLS, Layout::Flat);
    let registry = Registry::open([corpus.path()]);
    let ids: Vec<String> = registry.iter().map(|entry| entry.id.to_string()).collect();
    assert_eq!(ids.len(), SKILLS);

    let options = |max_active: usize| SessionOptions {
        retention: Retention::Bounded,
        max_active,
        tools: vec!["*".to_owned(), "Read".to_owned(), "Bash".to_owned()],
        ..SessionOptions::default()
    };
    let activate = |session: &Session| {
        for id in &ids {
            block_on(session.activate(id)).expect("the corpus can be loaded");
        }
        session.active().len()
    };
    let full = Session::new(registry.clone(), options(0));
    activate(&full);
    let history: String = full.state().active.iter().map(|skill| skill.id.as_str()).collect();
    let state = full.state();

    let times = shortest(
        5,
        &mut [
            ("loading", &mut || {
                let load = |id: &String| registry.load_blocking(id).map_or(0, |s| s.body().len());
                ids.iter().map(load).sum()
            }),
            ("activating", &mut || activate(&Session::new(registry.clone(), options(0)))),
            ("letting go", &mut || activate(&Session::new(registry.clone(), options(5)))),
            ("repeating", &mut || activate(&full)),
            ("calling", &mut || {
                let session = Session::new(registry.clone(), options(0));
                let call =
                    |id: &String| block_on(session.call("load_skill", json!({ "name": id })));
                ids.iter().filter(|id| !call(id).is_error).count()
            }),
            ("reconciling", &mut || block_on(full.reconcile(&history)).len()),
            ("restoring", &mut || {
                let restored = Session::restore(registry.clone(), options(0), &state);
                restored.map_or(0, |(session, _)| session.active().len())
            }),
            ("deactivating", &mut || {
                let restored = Session::restore(registry.clone(), options(0), &state);
                let (session, _) = restored.expect("the state was just made");
                ids.iter().filter(|id| session.deactivate(id).is_ok()).count()
            }),
        ],
    );
    let each = |at: usize| times[at].as_secs_f64() * 1e6 / f64::from(1_000);
    println!("{SKILLS} skills, microseconds a skill");
    println!("  floor: load the skill             {:.2}", each(0));
    for (at, what) in [
        (1, "activate"),
        (2, "activate, five at once"),
        (3, "activate again, a notice"),
        (4, "call `load_skill`"),
        (5, "reconcile, all lost"),
        (6, "restore"),
        (7, "restore and deactivate"),
    ] {
        println!("  {what:32}  {:.2}, {:.2} times the floor", each(at), each(at) / each(0));
    }
}
