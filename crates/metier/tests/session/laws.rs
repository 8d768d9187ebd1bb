//! Turns any interleaving of what a session can do into laws that hold after each step.

use crate::skill;
use metier::{
    Blocking, Injection, Layer, Layers, Memory, Registry, Retention, Session, SessionOptions,
    SessionState, block_on,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

const SKILLS: [(&str, &str); 6] = [
    ("a", "Read Write"),
    ("b", "Bash(git:*) Read"),
    ("c", "Bash Edit"),
    ("d", "mcp__x__*"),
    ("e", ""),
    ("f", "Write Write Read(docs)"),
];
const CEILING: [&str; 5] = ["Read", "Write", "Bash(git:*)", "mcp__x__one", "mcp__x__two"];
const FILTERS: [&str; 6] = ["", "none", "one/*", "two/*", "*/[a-c]", "one/a"];

fn registry() -> Registry {
    let table = |label: &str, range: std::ops::Range<usize>| {
        SKILLS[range].iter().fold(Memory::new(label), |table, (name, tools)| {
            table.skill(*name, skill(name, tools, &format!("Body of {name}.")))
        })
    };
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(table("1", 0..3))).mount_as("one").unwrap())
        .layer(Layer::new(Blocking(table("2", 3..6))).mount_as("two").unwrap());
    Registry::builder().source(layers).open()
}

#[derive(Debug, Clone)]
enum Step {
    Activate(usize),
    Invoke(usize),
    Deactivate(usize),
    Filter(usize),
    Call(usize),
    Unload(usize),
    EndTurn,
    Reconcile(bool),
    Restate,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let skill = 0..SKILLS.len();
    prop_oneof![
        4 => skill.clone().prop_map(Step::Activate),
        1 => skill.clone().prop_map(Step::Invoke),
        2 => skill.clone().prop_map(Step::Deactivate),
        2 => (0..FILTERS.len()).prop_map(Step::Filter),
        2 => skill.clone().prop_map(Step::Call),
        1 => skill.prop_map(Step::Unload),
        1 => Just(Step::EndTurn),
        1 => any::<bool>().prop_map(Step::Reconcile),
        1 => Just(Step::Restate),
        1 => Just(Step::Restart),
    ]
}

fn options() -> impl Strategy<Value = SessionOptions> {
    let retention = prop_oneof![
        Just(Retention::Persistent),
        Just(Retention::Bounded),
        Just(Retention::Ephemeral)
    ];
    (retention, 0usize..4).prop_map(|(retention, max_active)| SessionOptions {
        retention,
        max_active,
        tools: CEILING.map(str::to_owned).to_vec(),
        ..SessionOptions::default()
    })
}

/// What a skill is granted, worked out by hand from the table above.
fn granted(name: &str) -> &'static [&'static str] {
    match name {
        "a" => &["Read", "Write"],
        "b" => &["Bash(git:*)", "Read"],
        "d" => &["mcp__x__one", "mcp__x__two"],
        "f" => &["Read(docs)", "Write"],
        _ => &[],
    }
}

fn take(session: Session, step: &Step) -> Session {
    let name = |index: &usize| SKILLS[*index].0;
    match step {
        Step::Activate(index) => {
            let _ = block_on(session.activate(name(index)));
        }
        Step::Invoke(index) => {
            let _ = block_on(session.invoke(name(index), Some("x")));
        }
        Step::Deactivate(index) => {
            let before: BTreeSet<_> = session.active_tools().into_iter().collect();
            if let Ok(removed) = session.deactivate(name(index)) {
                let after: BTreeSet<_> = session.active_tools().into_iter().collect();
                let gone: Vec<_> = before.difference(&after).cloned().collect();
                assert_eq!(removed, gone);
            }
        }
        Step::Filter(index) => {
            let before: BTreeSet<_> = session.active().into_iter().collect();
            let left = session.set_filter(FILTERS[*index]);
            let after: BTreeSet<_> = session.active().into_iter().collect();
            let gone: Vec<_> = before.difference(&after).cloned().collect();
            assert_eq!(left, gone);
        }
        Step::Call(index) => {
            block_on(session.call("load_skill", json!({ "name": name(index) })));
        }
        Step::Unload(index) => {
            block_on(session.call("unload_skill", json!({ "name": name(index) })));
        }
        Step::EndTurn => {
            session.end_turn();
        }
        Step::Reconcile(is_empty) => {
            let history = if *is_empty { "" } else { "<skill_content name=\"a\">" };
            assert_eq!(block_on(session.reconcile(history)), session.active());
        }
        Step::Restate => {
            block_on(session.restate());
        }
        Step::Restart => {
            let state = serde_json::to_string(&session.state()).unwrap();
            let state: SessionState = serde_json::from_str(&state).unwrap();
            let (restored, vanished) =
                Session::restore(registry(), session.options().clone(), &state).unwrap();
            assert!(vanished.is_empty(), "{vanished:?}");
            assert_eq!(restored.state(), session.state());
            return restored;
        }
    }
    session
}

fn check(session: &Session) {
    let active = session.active();
    let union: BTreeSet<&str> = active.iter().flat_map(|id| granted(id)).copied().collect();
    assert_eq!(session.active_tools(), union.into_iter().collect::<Vec<_>>());
    assert!(active.is_sorted());
    let filter = session.filter();
    let folder =
        |id: &str| if SKILLS[..3].iter().any(|(name, _)| *name == id) { "one" } else { "two" };
    for id in &active {
        assert!(filter.matches(&format!("{}/{id}", folder(id))), "{id} is active under {filter}");
    }
    let limit = session.options().max_active;
    assert!(limit == 0 || active.len() <= limit);
    // Whoever is active and present gets a notice; the text is never given twice.
    let visible: Vec<_> = session.catalog().iter().map(|entry| entry.id.to_string()).collect();
    assert!(active.iter().all(|id| visible.contains(id)));
}

proptest! {
    #[test]
    fn any_interleaving_leaves_the_union_of_the_active_grants(
        options in options(),
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let mut session = Session::new(registry(), options);
        for step in &steps {
            session = take(session, step);
            check(&session);
        }
    }

    #[test]
    fn calls_at_once_inject_each_skill_once(picks in prop::collection::vec(0..SKILLS.len(), 1..24)) {
        let options = SessionOptions { tools: CEILING.map(str::to_owned).to_vec(), ..Default::default() };
        let session = Session::new(registry(), options);
        let injected: Vec<AtomicUsize> = SKILLS.iter().map(|_| AtomicUsize::new(0)).collect();
        let (session, counts) = (&session, &injected);
        std::thread::scope(|scope| {
            for chunk in picks.chunks(6) {
                scope.spawn(move || {
                    for pick in chunk {
                        let activated = block_on(session.activate(SKILLS[*pick].0)).unwrap();
                        if activated.injection != Injection::Repeated {
                            counts[*pick].fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let mut expected: BTreeMap<usize, usize> = BTreeMap::new();
        expected.extend(picks.iter().map(|pick| (*pick, 1)));
        for (pick, injected) in injected.iter().enumerate() {
            prop_assert_eq!(injected.load(Ordering::Relaxed), expected.get(&pick).copied().unwrap_or(0));
        }
        check(session);
    }

    #[test]
    fn no_call_fails_to_answer(
        tool in prop_oneof![
            Just("search_skills"), Just("load_skill"), Just("unload_skill"),
            Just("read_skill_file"), Just("run_skill_script"), Just("skill_load"), Just("")
        ],
        text in "\\PC{0,30}|\\{\"(name|skill|query|path)\": ?[\"1n]?[a-z./]{0,9}\"?\\}?",
        number in any::<i64>(),
    ) {
        let session = Session::new(registry(), SessionOptions::default());
        for arguments in [
            Value::String(text.clone()),
            json!({ "name": text, "skill": text, "query": text, "path": text, "offset": number }),
            json!({ "name": "a", "skill": "a", "query": "a", "path": text, "length": number, "offset": number }),
            json!([text]),
        ] {
            let reply = block_on(session.call(tool, arguments));
            prop_assert!(!reply.content.is_empty());
            prop_assert!(reply.data.is_object());
            prop_assert_eq!(reply.is_error, reply.data.get("reason").is_some());
        }
    }
}
