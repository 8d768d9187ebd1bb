//! Turns layers of sources into what one source says.

use crate::changing::{Changing, one, skill};
use metier::{
    Blocking, InvalidMount, Layer, Layers, Listing, Memory, Precedence, ReadOptions, Registry,
    Severity, Source, Trust, block_on,
};

fn list(layers: &Layers) -> Listing {
    block_on(layers.list()).unwrap()
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.skills.iter().map(|skill| &*skill.name).collect()
}

/// The body of a skill, which tells where it came from.
fn body(layers: &Layers, key: &str) -> String {
    let path = "SKILL.md".parse().unwrap();
    let file = block_on(layers.read(key, &path, &ReadOptions::default())).unwrap();
    file.text().unwrap().rsplit("---\n").next().unwrap().to_owned()
}

/// deuz's override changed the listing and not the reading: it listed one skill and read another.
#[test]
fn what_is_listed_is_what_is_read_under_either_precedence() {
    for (precedence, winner, loser) in [(Precedence::First, "a", "b"), (Precedence::Last, "b", "a")]
    {
        let layers = Layers::new("both")
            .layer(Layer::new(Blocking(one("a", "pdf"))))
            .layer(Layer::new(Blocking(one("b", "pdf"))))
            .precedence(precedence);
        // Reading before listing gives the same.
        assert_eq!(body(&layers, "pdf"), winner);
        let listing = list(&layers);
        assert_eq!(names(&listing), ["pdf"]);
        assert_eq!(listing.skills[0].description(), format!("Use the one of {winner}."));
        assert_eq!(body(&layers, "pdf"), winner);
        // The other is noted with both places, and can be had.
        assert_eq!(body(&layers, &format!("{loser}:pdf")), loser);
        let [note] = listing.problems.as_slice() else { panic!("{:?}", listing.problems) };
        assert_eq!(note.severity, Severity::Note);
        assert_eq!(
            note.to_string(),
            format!("note: {loser}:pdf: `pdf` is hidden by `{winner}:pdf`")
        );
        assert!(note.help.as_ref().unwrap().contains(&format!("`{loser}:pdf`")));
    }
}

/// deuz tried the next source on any error; here the layer that was listed answers alone.
#[test]
fn a_file_that_one_layer_lacks_is_not_taken_from_another() {
    let other = one("b", "pdf").resource("pdf", "notes.md", "of b");
    let layers = Layers::new("both")
        .layer(Layer::new(Blocking(one("a", "pdf"))))
        .layer(Layer::new(Blocking(other)));
    let path = "notes.md".parse().unwrap();
    let error = block_on(layers.read("pdf", &path, &ReadOptions::default())).unwrap_err();
    assert_eq!(error.to_string(), "the skill `pdf` has no file `notes.md`");
    assert!(block_on(layers.files("pdf")).unwrap().is_empty());
    assert_eq!(block_on(layers.files("b:pdf")).unwrap().len(), 1);
    let error = block_on(layers.files("zip")).unwrap_err();
    assert_eq!(error.to_string(), "`both` has no skill `zip`");
}

#[test]
fn prefixes_keep_skills_of_one_name_apart() {
    let layers = Layers::new("both")
        .layer(Layer::new(Blocking(one("a", "pdf"))).prefix("proj"))
        .layer(Layer::new(Blocking(one("b", "pdf"))));
    let listing = list(&layers);
    assert_eq!(names(&listing), ["pdf", "proj:pdf"]);
    assert!(listing.problems.is_empty());
    assert_eq!((body(&layers, "pdf"), body(&layers, "proj:pdf")), ("b".into(), "a".into()));
    let registry = Registry::builder().source(layers).open();
    assert_eq!(registry.load_blocking("proj:pdf").unwrap().body(), "a");
}

#[test]
fn filters_see_the_own_names_and_both_lists_count() {
    let table = ["pdf-fill", "pdf-read", "docx", "zip"]
        .into_iter()
        .fold(Memory::new("m"), |t, name| t.skill(name, skill(name, "Use it.", "")));
    let layer = || Layer::new(Blocking(table.clone())).prefix("p");
    let listed = |layer: Layer| {
        let layers = Layers::new("l").layer(layer);
        let listing = list(&layers);
        names(&listing).join(" ")
    };
    assert_eq!(listed(layer().only(["pdf-*", "zip"])), "p:pdf-fill p:pdf-read p:zip");
    assert_eq!(listed(layer().except(["pdf-*"])), "p:docx p:zip");
    assert_eq!(listed(layer().only(["pdf-*"]).except(["*-read"])), "p:pdf-fill");
    assert_eq!(listed(layer().filter(|skill| skill.name.len() == 4)), "p:docx");
    assert_eq!(listed(layer().only(["p:docx"])), "");
    // What is filtered out cannot be read either.
    let layers = Layers::new("l").layer(layer().except(["zip"]));
    assert!(block_on(layers.files("p:zip")).is_err());
}

#[test]
fn mounts_are_joined_and_checked() {
    let mounted = |mount: &str, key: &str| -> Result<String, InvalidMount> {
        let table = Memory::new("m").skill(key, skill("pdf", "Use it.", ""));
        let layers = Layers::new("l").layer(Layer::new(Blocking(table)).mount_as(mount)?);
        Ok(list(&layers).skills[0].virtual_path.clone().unwrap().into())
    };
    for (mount, key, expected) in [
        ("billing", "pdf", "billing/pdf"),
        ("billing/", "a/pdf", "billing/a/pdf"),
        ("./x//y/.", "pdf", "x/y/pdf"),
        ("/abs", "pdf", "/abs/pdf"),
        ("/", "pdf", "/pdf"),
        ("a..b", "pdf", "a..b/pdf"),
        ("a]", "pdf", "a]/pdf"),
        ("billing", ".", "billing"), // the folder of the source itself
    ] {
        assert_eq!(mounted(mount, key).unwrap(), expected);
    }
    for (mount, message) in [
        ("a*", "the mount `a*` holds `*`, which is a wildcard"),
        ("a?b", "the mount `a?b` holds `?`, which is a wildcard"),
        ("[a]", "the mount `[a]` holds `[`, which is a wildcard"),
        ("../x", "the mount `../x` has a `..` component"),
        ("a/../b", "the mount `a/../b` has a `..` component"),
        ("a\\..", "the mount `a\\..` has a `..` component"),
        ("", "a mount needs a path"),
        (".", "a mount needs a path"),
    ] {
        assert_eq!(mounted(mount, "pdf").unwrap_err().to_string(), message);
    }
}

#[test]
fn preload_is_handed_on_and_never_taken_back() {
    for precedence in [Precedence::First, Precedence::Last] {
        for marked in [0, 1] {
            let layer = |index: usize| {
                let layer = Layer::new(Blocking(one(["a", "b"][index], "pdf")));
                if index == marked { layer.preload() } else { layer }
            };
            let layers = Layers::new("l").precedence(precedence).layer(layer(0)).layer(layer(1));
            assert!(list(&layers).skills[0].preload, "{precedence:?} {marked}");
        }
    }
    let layers = Layers::new("l").layer(Layer::new(Blocking(one("a", "pdf"))));
    assert!(!list(&layers).skills[0].preload);
}

#[test]
fn a_cached_layer_lists_again_after_a_refresh_only() {
    let (kept, fresh) = (Changing::new("kept"), Changing::new("fresh"));
    kept.put("a", skill("a", "Use it.", ""));
    let layers = Layers::new("l")
        .layer(Layer::new(Blocking(kept.clone())).cached())
        .layer(Layer::new(Blocking(fresh.clone())));
    assert_eq!(names(&list(&layers)), ["a"]);
    kept.put("b", skill("b", "Use it.", ""));
    fresh.put("c", skill("c", "Use it.", ""));
    assert_eq!(names(&list(&layers)), ["a", "c"]);
    layers.refresh();
    assert_eq!(names(&list(&layers)), ["a", "b", "c"]);
    assert_eq!((kept.listed(), fresh.listed()), (2, 3));
    // Reading asks no layer to list.
    body(&layers, "a");
    assert_eq!((kept.listed(), fresh.listed()), (2, 3));
}

#[test]
fn a_layer_that_fails_is_alone_in_that_and_keeps_what_it_had() {
    let source = Changing::new("flaky");
    source.put("pdf", skill("pdf", "Use it.", ""));
    source.fail(true);
    let layers = Layers::new("l")
        .layer(Layer::new(Blocking(source.clone())))
        .layer(Layer::new(Blocking(one("good", "zip"))));
    let listing = list(&layers);
    assert_eq!(names(&listing), ["zip"]);
    assert_eq!(listing.problems[0].to_string(), "error: flaky: `flaky` cannot be read: it is out");
    source.fail(false);
    assert_eq!(names(&list(&layers)), ["pdf", "zip"]);
    source.fail(true);
    let listing = list(&layers);
    assert_eq!(names(&listing), ["pdf", "zip"]);
    assert!(listing.problems[0].message.ends_with("its last listing is used"));
}

#[test]
fn layers_are_as_trusted_as_the_least_of_them() {
    let layers = Layers::new("l").layer(Layer::new(Blocking(one("a", "pdf"))));
    assert_eq!(layers.trust(), Trust::Trusted);
    let untrusted = one("b", "zip").trust(Trust::Untrusted);
    assert_eq!(layers.layer(Layer::new(Blocking(untrusted))).trust(), Trust::Untrusted);
}

#[test]
fn names_are_merged_in_their_normal_form() {
    let layers = Layers::new("l")
        .layer(Layer::new(Blocking(one("a", "caf\u{e9}"))))
        .layer(Layer::new(Blocking(one("b", "cafe\u{301}"))));
    let listing = list(&layers);
    assert_eq!(names(&listing), ["caf\u{e9}"]);
    assert_eq!(listing.problems.iter().filter(|p| p.message.contains("hidden")).count(), 1);
}
