//! Turns the topic of a skill into sentences and into a Markdown body.

use crate::random::Random;
use crate::words::{DOMAINS, Domain, VOCABULARY};

/// What a skill is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Topic {
    /// The place of its field in [`DOMAINS`].
    pub(crate) domain: usize,
    /// What it works on.
    pub(crate) object: &'static str,
    /// What it does, as a noun: `builder`.
    pub(crate) action: &'static str,
}

impl Topic {
    pub(crate) fn domain(self) -> &'static Domain {
        &DOMAINS[self.domain]
    }

    /// One word of a text about this topic.
    pub(crate) fn word(self, random: &mut Random) -> &'static str {
        let vocabulary = &*VOCABULARY;
        match random.below(100) {
            0..45 => vocabulary.common.draw(random),
            45..78 => vocabulary.domains[self.domain].draw(random),
            78..93 => vocabulary.general.draw(random),
            93..97 => self.object,
            97..99 => self.action,
            _ => vocabulary.domains[random.below(vocabulary.domains.len())].draw(random),
        }
    }

    /// Some words parted by blanks.
    pub(crate) fn phrase(self, random: &mut Random, words: usize) -> String {
        let words: Vec<_> = (0..words).map(|_| self.word(random)).collect();
        words.join(" ")
    }

    /// A sentence with its period; letters, commas and blanks only, so that YAML takes it bare.
    pub(crate) fn sentence(self, random: &mut Random) -> String {
        let length = random.between(6, 16);
        let mut sentence = capitalised(self.word(random));
        for at in 1..length {
            let comma = at > 2 && at + 2 < length && random.permille(80);
            sentence.push_str(if comma { ", " } else { " " });
            sentence.push_str(self.word(random));
        }
        sentence.push('.');
        sentence
    }

    /// Some sentences on one line.
    fn paragraph(self, random: &mut Random) -> String {
        let sentences: Vec<_> = (0..random.between(1, 4)).map(|_| self.sentence(random)).collect();
        sentences.join(" ")
    }

    /// A name such as code has: `merge_ledger`.
    fn identifier(self, random: &mut Random) -> String {
        let vocabulary = &*VOCABULARY;
        let verb = vocabulary.general.draw(random);
        format!("{verb}_{}", vocabulary.domains[self.domain].draw(random))
    }
}

/// The word with a capital first letter.
pub(crate) fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_ascii_uppercase() + rest
}

/// A body of at least `bytes`, a little more, that links to each of `files`.
pub(crate) fn body(topic: Topic, files: &[String], bytes: usize, random: &mut Random) -> String {
    let title = format!("{} {}", capitalised(topic.object), topic.action);
    let mut body = format!("# {title}\n\n{}\n", topic.paragraph(random));
    // 57 % of real files hold more than ASCII, 17 % a rule (reference corpus).
    let signs: &[&str] =
        if random.permille(570) { &["", "", "→ ", "✅ ", "é — "] } else { &[""] };
    if random.permille(170) {
        body.push_str("\n---\n");
    }
    let mut files = files.iter();
    while body.len() < bytes || files.len() > 0 {
        let words = random.between(1, 4);
        let heading = capitalised(&topic.phrase(random, words));
        body.extend(["\n## ", &heading, "\n"]);
        for _ in 0..random.between(1, 3) {
            body.push('\n');
            body.push_str(&block(topic, signs, random));
        }
        if let Some(file) = files.next() {
            body.push('\n');
            body.push_str(&mention(topic, file, random));
        }
    }
    body
}

/// A paragraph, list, table or piece of code, with its last newline.
fn block(topic: Topic, signs: &[&str], random: &mut Random) -> String {
    let rows = 1..=random.between(3, 6);
    let lines = |line: &mut dyn FnMut(usize) -> String| rows.map(line).collect::<Vec<_>>().concat();
    match random.below(10) {
        0..4 => topic.paragraph(random) + "\n",
        4..6 => lines(&mut |_| format!("- {}{}\n", random.pick(signs), topic.sentence(random))),
        6 => lines(&mut |at| format!("{at}. {}\n", topic.sentence(random))),
        7 => {
            let rows = lines(&mut |_| {
                format!("| `{}` | {} |\n", topic.identifier(random), topic.phrase(random, 4))
            });
            format!("| name | meaning |\n|---|---|\n{rows}")
        }
        8 => {
            let code = lines(&mut |_| {
                let (name, call) = (topic.identifier(random), topic.identifier(random));
                format!("    {name} = {call}(\"{}\")\n", topic.word(random))
            });
            format!("```python\ndef main():\n{code}```\n")
        }
        _ => {
            let code = lines(&mut |_| format!("{} --{} 2\n", topic.object, topic.word(random)));
            format!("```bash\n{code}```\n")
        }
    }
}

/// A sentence that names a file of the skill, as a link or in code.
fn mention(topic: Topic, file: &str, random: &mut Random) -> String {
    let label = topic.phrase(random, 2);
    if file.starts_with("scripts/") {
        format!("Run `python3 {file}` to {label}.\n")
    } else if random.permille(600) {
        format!("See [{label}]({file}) for more.\n")
    } else {
        format!("Read `{file}` before you {label}.\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{Topic, body};
    use crate::random::Random;

    const TOPIC: Topic = Topic { domain: 7, object: "ledger", action: "merger" };

    #[test]
    fn a_body_is_as_long_as_asked_and_not_much_longer() {
        for item in 0..200 {
            let text = body(TOPIC, &[], 4096, &mut Random::new(3, item));
            assert!((4096..8192).contains(&text.len()), "{}", text.len());
        }
    }

    #[test]
    fn every_file_is_named() {
        let files = ["references/a.md".to_owned(), "scripts/b.py".to_owned()];
        for item in 0..50 {
            let text = body(TOPIC, &files, 0, &mut Random::new(3, item));
            assert!(files.iter().all(|file| text.contains(file.as_str())), "{text}");
        }
    }

    #[test]
    fn a_sentence_is_fit_for_a_bare_value() {
        let mut random = Random::new(3, 0);
        for _ in 0..500 {
            let sentence = TOPIC.sentence(&mut random);
            let fit = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b',' | b'.');
            assert!(sentence.bytes().all(fit), "{sentence}");
        }
    }
}
