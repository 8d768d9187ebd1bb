//! Turns trusted, changed and new skills into judgements, by their contents and not by their places.

use crate::repository::skill;
use metier::install::{Judgement, TrustRecord};
use testing::Fixture;

/// Security D13.
#[test]
fn trust_is_in_contents() {
    let fixture = Fixture::new()
        .skill("skills/pdf", &skill("pdf", "one"))
        .file("skills/pdf/scripts/x.sh", "one");
    let (file, folder) = (fixture.join("config/metier/trust.toml"), fixture.join("skills"));
    let judge = || TrustRecord::read(&file).unwrap().judge(&folder).unwrap();
    assert_eq!(judge(), Judgement::Unknown);
    let names = TrustRecord::change(&file, |record| record.trust(&folder)).unwrap();
    assert_eq!(names, ["pdf"]);
    assert_eq!(judge(), Judgement::Trusted);

    let fixture = fixture.file("skills/pdf/scripts/x.sh", "two");
    assert_eq!(judge(), Judgement::Changed(vec!["pdf".to_owned()]));
    let fixture = fixture.file("skills/pdf/scripts/x.sh", "one");
    assert_eq!(judge(), Judgement::Trusted);
    let fixture = fixture.skill("skills/new", &skill("new", "x"));
    assert_eq!(judge(), Judgement::Changed(vec!["new".to_owned()]));
    let fixture = fixture.remove("skills/new").link("linked", folder.clone());
    let linked = TrustRecord::read(&file).unwrap().judge(&fixture.join("linked")).unwrap();
    assert_eq!(linked, Judgement::Trusted, "a link to it is the same folder");

    let elsewhere = fixture.skill("other/pdf", &skill("pdf", "one"));
    let record = TrustRecord::read(&file).unwrap();
    assert_eq!(record.judge(&elsewhere.join("other")).unwrap(), Judgement::Unknown);
    assert_eq!(record.folders().count(), 1);
    assert!(TrustRecord::change(&file, |record| record.revoke(&folder)).unwrap());
    assert_eq!(judge(), Judgement::Unknown);
}

#[test]
fn a_record_that_cannot_be_read_trusts_nothing() {
    let fixture =
        Fixture::new().file("trust.toml", "broken").skill("skills/pdf", &skill("pdf", "x"));
    let file = fixture.join("trust.toml");
    assert!(TrustRecord::read(&file).is_err());
    let trusted = TrustRecord::change(&file, |record| record.trust(&fixture.join("skills")));
    assert!(trusted.is_err());
    assert_eq!(fixture.read("trust.toml"), "broken");
}
