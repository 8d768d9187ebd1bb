//! Turns a catalog into every matcher there is to compare.

use crate::{Catalog, Record};
use metier_core::{Matcher, SkillIndex};

/// How a matcher is made of a catalog.
pub type Build = fn(&Catalog) -> Box<dyn Matcher>;

/// Every matcher, with the name that the table has for it. A new one is a new line.
pub const MATCHERS: &[(&str, Build)] =
    &[("default", |catalog| Box::new(SkillIndex::build(catalog.skills.iter().map(Record::text))))];
