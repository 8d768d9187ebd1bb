//! Turns a seed and a number into a corpus of skills, in memory or on disk.

use crate::Defect;
use crate::defect;
use crate::frontmatter::Frontmatter;
use crate::prose::{self, Topic, capitalised};
use crate::random::Random;
use crate::words::{ACTIONS, DOMAINS, QUALIFIERS};
use std::fs;
use std::io;
use std::path::Path;

/// How many names have two words, `ledger-merger`; later names have more.
const PAIRS: usize = DOMAINS.len() * DOMAINS[0].objects.len() * ACTIONS.len();

/// A prime that does not divide [`PAIRS`], so that multiples of it reach every pair.
const STRIDE: usize = 3571;

/// A corpus of made-up skills that look like real ones.
///
/// The same fields make the same bytes everywhere, and a skill is the same whether the corpus is
/// large or small. Names are unique and valid, and equal to their directories. Shapes and shares
/// follow a census of public skills: keys that the specification lacks, descriptions in seven
/// styles, tools in five. Links point at files that are there.
///
/// ```
/// use testing::Corpus;
///
/// let corpus = Corpus { skills: 3, ..Corpus::default() };
/// let paths: Vec<_> = corpus.texts().map(|(path, _)| path).collect();
/// assert_eq!(paths.len(), 3);
/// assert!(paths[0].ends_with("/SKILL.md"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    /// How many skills.
    pub skills: usize,
    /// Where they stand.
    pub layout: Layout,
    /// About how long a body is; they vary evenly from half of it to one and a half.
    pub body_bytes: usize,
    /// What to draw from.
    pub seed: u64,
    /// The share of skills with one mistake, from 0 to 1; each [`Defect`] as often as any other.
    pub defects: f64,
}

/// Where the skills of a corpus stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// `NAME/SKILL.md`
    #[default]
    Flat,
    /// `plugins/DOMAIN/skills/NAME/SKILL.md`, some one folder deeper.
    Nested,
}

/// One skill of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The name, also where a defect has spoilt it in the text.
    pub name: String,
    /// The path of the directory, relative and with `/`; it ends with the name.
    pub directory: String,
    /// The text of `SKILL.md`.
    pub text: String,
    /// The other files: path inside the directory, text.
    pub files: Vec<(String, String)>,
    /// The mistake, if it has one.
    pub defect: Option<Defect>,
}

impl Default for Corpus {
    fn default() -> Self {
        Self { skills: 1000, layout: Layout::Flat, body_bytes: 4096, seed: 1, defects: 0.0 }
    }
}

impl Corpus {
    /// The skill at a place, whether or not the corpus is that large.
    pub fn skill(&self, index: usize) -> Generated {
        let random = &mut Random::new(self.seed, index);
        let (name, topic) = self.name(index);
        let directory = match self.layout {
            Layout::Flat => name.clone(),
            Layout::Nested => nested(&name, topic, random),
        };
        let defect = self.defect(random);
        let frontmatter = Frontmatter::new(&name, topic, random);
        let files = files(topic, random);
        let paths: Vec<_> = files.iter().map(|(path, _)| path.clone()).collect();
        let bytes = random.between(self.body_bytes / 2, self.body_bytes + self.body_bytes / 2);
        let body = prose::body(topic, &paths, bytes, random);
        let what = topic.phrase(random, 5);
        let text = defect::text(&name, &what, frontmatter, &body, defect);
        Generated { name, directory, text, files, defect }
    }

    /// The path and text of every `SKILL.md`, made one at a time.
    pub fn texts(&self) -> impl Iterator<Item = (String, String)> {
        let skills = (0..self.skills).map(|index| self.skill(index));
        skills.map(|skill| (format!("{}/SKILL.md", skill.directory), skill.text))
    }

    /// Writes all files below a folder, which is made if need be, and answers how many they are.
    ///
    /// # Errors
    ///
    /// The first fault, with the path in its message.
    pub fn write_to(&self, folder: &Path) -> io::Result<usize> {
        let mut written = 0;
        for index in 0..self.skills {
            let skill = self.skill(index);
            let directory = folder.join(&skill.directory);
            let main = ("SKILL.md".to_owned(), skill.text);
            for (path, text) in std::iter::once(main).chain(skill.files) {
                write(&directory.join(path), &text)?;
                written += 1;
            }
        }
        Ok(written)
    }

    /// The name at a place, and what the skill is about; no name comes twice.
    ///
    /// All pairs of object and action come first, in an order that the seed picks; then all pairs
    /// behind a qualifier; then with a number behind that.
    fn name(&self, index: usize) -> (String, Topic) {
        let (round, place) = (index / PAIRS, index % PAIRS);
        let start = (self.seed % PAIRS as u64) as usize;
        let pair = (place * STRIDE + start) % PAIRS;
        let (object, action) = (pair / ACTIONS.len(), pair % ACTIONS.len());
        let (domain, object) = (object % DOMAINS.len(), object / DOMAINS.len());
        let (object, action) = (DOMAINS[domain].objects[object], ACTIONS[action]);
        let topic = Topic { domain, object, action };
        let Some(extra) = round.checked_sub(1) else {
            return (format!("{object}-{action}"), topic);
        };
        let qualifier = QUALIFIERS[extra % QUALIFIERS.len()];
        let name = match extra / QUALIFIERS.len() {
            0 => format!("{qualifier}-{object}-{action}"),
            again => format!("{qualifier}-{object}-{action}-v{}", again + 1),
        };
        (name, topic)
    }

    /// The mistake of a skill, in the share that was asked for.
    fn defect(&self, random: &mut Random) -> Option<Defect> {
        // Both draws are made in any case, so that the share changes no other choice.
        let (draw, defect) = (random.next() >> 11, random.pick(&Defect::ALL));
        #[expect(clippy::cast_precision_loss, reason = "53 bits are what an f64 holds")]
        let drawn = draw as f64 / (1u64 << 53) as f64;
        (drawn < self.defects).then_some(defect)
    }
}

/// A directory as repositories of many plugins have it; one in four is a folder deeper.
fn nested(name: &str, topic: Topic, random: &mut Random) -> String {
    let (domain, object) = (topic.domain().name, topic.object);
    match random.below(4) {
        0 => format!("plugins/{domain}/{object}/skills/{name}"),
        _ => format!("plugins/{domain}/skills/{name}"),
    }
}

/// The other files of a skill: one in five has references, one in eight scripts, as real ones do.
fn files(topic: Topic, random: &mut Random) -> Vec<(String, String)> {
    let mut files = Vec::new();
    if random.permille(200) {
        for at in 1..=random.between(1, 3) {
            let text = prose::body(topic, &[], random.between(500, 4000), random);
            files.push((format!("references/{}-{at}.md", topic.object), text));
        }
    }
    if random.permille(130) {
        for at in 1..=random.between(1, 2) {
            let text = format!(
                "#!/usr/bin/env python3\n\"\"\"{} {}.\"\"\"\n\nimport sys\n\nprint(len(sys.argv))\n",
                capitalised(topic.object),
                topic.phrase(random, 4)
            );
            files.push((format!("scripts/{}_{at}.py", topic.action), text));
        }
    }
    files
}

/// Writes a file and the folders above it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let parents = path.parent().map_or(Ok(()), fs::create_dir_all);
    parents.and_then(|()| fs::write(path, text)).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::{Corpus, PAIRS};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_valid_and_never_come_twice() {
        let corpus = Corpus::default();
        let mut seen = BTreeSet::new();
        // Far enough to need a qualifier and a number.
        for index in 0..PAIRS * 30 {
            let (name, topic) = corpus.name(index);
            assert!(name.len() <= 64, "{name}");
            assert!(topic.domain().objects.contains(&topic.object), "{name}");
            assert!(seen.insert(name), "{index}");
        }
        assert!(seen.iter().any(|name| name.ends_with("-v2")));
    }
}
