//! Turns a topic into frontmatter, in the shapes and shares of real skills.
//!
//! The shares, in a thousand, are those of 27 432 distinct public `SKILL.md` files.

use crate::prose::{Topic, capitalised};
use crate::random::Random;
use crate::words::QUALIFIERS;

/// The keys of a frontmatter as YAML source, each piece with its last newline.
#[derive(Debug, Clone)]
pub(crate) struct Frontmatter {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) others: String,
}

/// How a description is written.
#[derive(Debug, Clone, Copy)]
enum Style {
    Plain,
    Double,
    Single,
    Literal,
    Folded,
    FoldedStrip,
    NextLine,
}

const STYLES: [(Style, usize); 7] = [
    (Style::Plain, 394),
    (Style::Double, 297),
    (Style::Literal, 142),
    (Style::Single, 128),
    (Style::Folded, 22),
    (Style::FoldedStrip, 15),
    (Style::NextLine, 2),
];

/// Lengths of descriptions: so many in a thousand have at most so many characters.
const LENGTHS: [(usize, usize); 7] =
    [(0, 50), (100, 120), (500, 226), (900, 460), (950, 579), (990, 890), (1000, 1000)];

/// The longest description of the specification.
const LONGEST: usize = 1024;

#[rustfmt::skip]
const TOOLS: [&str; 10] = [
    "Read", "Write", "Edit", "Bash", "Glob", "Grep", "WebFetch", "Task", "Bash(git:*)", "Bash(python3:*)",
];

impl Frontmatter {
    /// Frontmatter for a skill of this name; valid, but for keys that the specification lacks.
    pub(crate) fn new(name: &str, topic: Topic, random: &mut Random) -> Self {
        let style = random.weighted(&STYLES);
        let name_line = match random.below(20) {
            0 => format!("name: \"{name}\"\n"),
            _ => format!("name: {name}\n"),
        };
        Self {
            name: name_line,
            description: description(topic, style, random),
            others: others(topic, random),
        }
    }
}

/// The `description` key.
fn description(topic: Topic, style: Style, random: &mut Random) -> String {
    let text = describe(topic, random);
    // Only between quotes may a text hold what YAML would read otherwise.
    let example = topic.phrase(random, 2);
    match style {
        Style::Plain => format!("description: {text}\n"),
        Style::Double => format!("description: \"{text} Triggers: \\\"{example}\\\".\"\n"),
        Style::Single => format!("description: '{text} Not for: {example}, the user''s own.'\n"),
        Style::Literal => format!("description: |\n{}", wrapped(&text)),
        Style::Folded => format!("description: >\n{}", wrapped(&text)),
        Style::FoldedStrip => format!("description: >-\n{}", wrapped(&text)),
        Style::NextLine => format!("description:\n{}", wrapped(&text)),
    }
}

/// What a skill does and when to use it, in whole sentences.
fn describe(topic: Topic, random: &mut Random) -> String {
    let target = length(random);
    let (what, object) = (capitalised(topic.action), topic.object);
    let mut text = format!("{what} for {object} {}.", topic.phrase(random, 5));
    // One in three says nothing about when.
    if random.permille(660) {
        text = format!("{text} Use when {object} {}.", topic.phrase(random, 5));
    }
    // Half a sentence early on average, so that the lengths come out as wanted.
    while text.len() + 55 < target {
        let sentence = topic.sentence(random);
        // Room for the words that quoted styles add.
        if text.len() + sentence.len() + 100 > LONGEST {
            break;
        }
        text.push(' ');
        text.push_str(&sentence);
    }
    text
}

/// A length between the two marks of [`LENGTHS`] that a draw falls between.
fn length(random: &mut Random) -> usize {
    let at = random.below(1000);
    let next = LENGTHS.partition_point(|(share, _)| *share <= at);
    let ((low, short), (high, long)) = (LENGTHS[next - 1], LENGTHS[next]);
    short + (long - short) * (at - low) / (high - low)
}

/// The text in indented lines of about 80 characters.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        if width == 0 || width + word.len() > 76 {
            lines.push_str(if width == 0 { "  " } else { "\n  " });
            width = 0;
        } else {
            lines.push(' ');
        }
        lines.push_str(word);
        width += word.len() + 1;
    }
    lines + "\n"
}

/// All other keys, those of the specification first.
fn others(topic: Topic, random: &mut Random) -> String {
    let domain = topic.domain().name;
    let author = format!("{}-{domain}", random.pick(&QUALIFIERS));
    let version = format!("{}.{}.{}", random.below(4), random.below(10), random.below(10));
    let mut keys = Vec::new();
    if random.permille(361) {
        let license = random.pick(&["MIT", "Apache-2.0", "Complete terms in LICENSE.txt"]);
        keys.push(format!("license: {license}\n"));
    }
    if random.permille(144) {
        let needs = random.pick(&["Python 3.11 or newer", "git and network access", "any agent"]);
        keys.push(format!("compatibility: Designed for coding agents, requires {needs}\n"));
    }
    if random.permille(315) {
        keys.push(allowed_tools(random));
    }
    if random.permille(200) {
        keys.push(metadata(topic, &author, &version, random));
    }
    // Half of all skills keep to the specification's keys; the others have several more each.
    if random.permille(510) {
        return keys.concat();
    }
    if random.permille(680) {
        keys.push(format!("author: {author} <{author}@example.com>\n"));
    }
    if random.permille(645) {
        keys.push(match random.below(20) {
            0 => format!("version: {}\n", random.between(1, 3)),
            1..10 => format!("version: \"{version}\"\n"),
            _ => format!("version: {version}\n"),
        });
    }
    if random.permille(317) {
        let (first, second) = (topic.object, topic.word(random));
        keys.push(match random.below(2) {
            0 => format!("tags: [{first}, \"{second}\", {domain}]\n"),
            _ => format!("tags:\n  - {first}\n  - \"{second}\"\n  - {domain}\n"),
        });
    }
    if random.permille(274) {
        keys.push(format!("source: https://example.com/{author}/skills/tree/main/{domain}\n"));
    }
    if random.permille(244) {
        keys.push(format!("category: {domain}\n"));
    }
    if random.permille(43) {
        keys.push("argument-hint: \"[file]\"\n".to_owned());
    }
    if random.permille(38) {
        keys.push(format!("homepage: https://example.com/{author}\n"));
    }
    if random.permille(23) {
        keys.push(format!("user-invocable: {}\n", random.pick(&["true", "true", "false"])));
    }
    keys.concat()
}

/// The `allowed-tools` key, mostly not in the form of the specification.
fn allowed_tools(random: &mut Random) -> String {
    let first = random.below(TOOLS.len());
    let count = random.between(2, 5);
    let tools: Vec<_> = (first..first + count).map(|at| TOOLS[at % TOOLS.len()]).collect();
    match random.below(1000) {
        0..759 => format!("allowed-tools: {}\n", tools.join(", ")),
        759..896 => {
            let quoted: Vec<_> = tools.iter().map(|tool| format!("\"{tool}\"")).collect();
            format!("allowed-tools: [{}]\n", quoted.join(", "))
        }
        896..935 => format!("allowed-tools: {}\n", tools.join(" ")),
        935..970 => format!("allowed-tools: {}\n", tools[0]),
        _ => format!("allowed-tools:\n  - {}\n", tools.join("\n  - ")),
    }
}

/// The `metadata` key: nested, flat, with numbers, or as JSON.
fn metadata(topic: Topic, author: &str, version: &str, random: &mut Random) -> String {
    let (object, word) = (topic.object, topic.word(random));
    match random.below(1000) {
        0..170 => format!(
            "metadata: {{\"{author}\": {{\"emoji\": \"🧾\", \"requires\": {{\"bins\": [\"{object}\"]}}}}}}\n"
        ),
        170..480 => format!(
            "metadata:\n  author: {author}\n  tags:\n    - {object}\n    - \"{word}\"\n  source:\n    \
             repository: https://example.com/{author}\n"
        ),
        480..950 => format!("metadata:\n  author: {author}\n  version: \"{version}\"\n"),
        _ => format!("metadata:\n  priority: {}\n  stable: true\n", random.below(10)),
    }
}
