//! Turns short lists of stems into a vocabulary of thousands of words, used as unevenly as real ones.

use crate::random::Random;
use std::sync::LazyLock;

/// A field of work: what its skills are about, and the words that they use.
pub(crate) struct Domain {
    /// One word, fit for a path.
    pub(crate) name: &'static str,
    /// What a skill works on; no object stands in two domains.
    pub(crate) objects: [&'static str; 16],
    /// More stems of the field, parted by blanks, the most used first.
    stems: &'static str,
}

/// All fields of work.
#[rustfmt::skip]
pub(crate) const DOMAINS: [Domain; 12] = [
    Domain {
        name: "documents",
        objects: ["pdf", "form", "spreadsheet", "slide", "invoice", "contract", "letter", "report", "table", "template", "footnote", "bookmark", "watermark", "signature", "annotation", "transcript"],
        stems: "page text field cell column row chapter margin font layout paragraph outline draft revise print scan merge split stamp caption citation glossary appendix header footer bullet typeset redact",
    },
    Domain {
        name: "backend",
        objects: ["api", "endpoint", "database", "migration", "queue", "cache", "schema", "webhook", "scheduler", "gateway", "session", "transaction", "index", "replica", "router", "worker"],
        stems: "request response server client handler query insert select join commit lock retry timeout throttle cursor shard payload serialize route token header latency backoff idempotent socket stream batch",
    },
    Domain {
        name: "frontend",
        objects: ["component", "stylesheet", "layout", "animation", "icon", "theme", "dialog", "carousel", "sidebar", "tooltip", "wizard", "chart", "canvas", "palette", "storybook", "landing"],
        stems: "render state prop hook event click scroll viewport pixel grid flex colour contrast focus hover bundle hydrate responsive breakpoint button input label modal portal accessible gesture drag shadow",
    },
    Domain {
        name: "cloud",
        objects: ["cluster", "container", "pipeline", "bucket", "function", "network", "registry", "secret", "volume", "firewall", "balancer", "namespace", "rollout", "backup", "quota", "terraform"],
        stems: "deploy scale region zone node image pod ingress policy role identity tenant provision drift plan apply rollback monitor alert metric probe restart upgrade snapshot subnet gateway artifact canary",
    },
    Domain {
        name: "data",
        objects: ["dataset", "warehouse", "dashboard", "notebook", "feature", "forecast", "cohort", "metric", "survey", "embedding", "classifier", "regression", "anomaly", "histogram", "lineage", "catalogue"],
        stems: "sample column aggregate filter group median variance outlier train validate label predict score fold matrix vector gradient epoch tune normalise impute encode correlate plot axis bin trend season",
    },
    Domain {
        name: "security",
        objects: ["vulnerability", "certificate", "password", "audit", "incident", "malware", "threat", "permission", "sandbox", "exploit", "phishing", "forensics", "credential", "advisory", "honeypot", "cipher"],
        stems: "attack scan patch encrypt decrypt hash salt token sign verify revoke detect block escalate inject sanitise escape leak breach scope tamper trust rotate expire quarantine triage harden fuzz",
    },
    Domain {
        name: "marketing",
        objects: ["campaign", "newsletter", "keyword", "persona", "headline", "funnel", "brand", "podcast", "influencer", "webinar", "testimonial", "hashtag", "storefront", "coupon", "pitch", "banner"],
        stems: "audience reach convert engage click share follow post publish launch segment retain churn offer copy tone voice story hook brief creative impression budget channel rank snippet outreach loyal",
    },
    Domain {
        name: "finance",
        objects: ["ledger", "budget", "payroll", "expense", "portfolio", "receipt", "tax", "loan", "dividend", "mortgage", "pension", "refund", "subscription", "reconciliation", "valuation", "cashflow"],
        stems: "account balance debit credit quarter fiscal accrue amortise interest rate yield hedge asset equity margin revenue cost depreciate deduct file settle transfer charge fee currency exchange risk cap",
    },
    Domain {
        name: "science",
        objects: ["genome", "protein", "molecule", "spectrum", "telescope", "reactor", "specimen", "experiment", "citation", "manuscript", "simulation", "microscope", "vaccine", "climate", "sediment", "enzyme"],
        stems: "measure sample observe hypothesis control dose assay sequence align bind fold react catalyse dilute culture strain orbit decay emit absorb calibrate replicate variant cohort model mesh solve converge",
    },
    Domain {
        name: "media",
        objects: ["video", "photo", "subtitle", "soundtrack", "thumbnail", "storyboard", "voiceover", "playlist", "gif", "panorama", "montage", "lyrics", "sprite", "shader", "waveform", "poster"],
        stems: "frame clip cut crop blur mix fade encode decode bitrate codec sharpen mask layer blend render record mute caption loop pitch tempo chord beat exposure contrast tint zoom",
    },
    Domain {
        name: "workflow",
        objects: ["issue", "commit", "branch", "release", "changelog", "standup", "roadmap", "backlog", "sprint", "meeting", "calendar", "inbox", "reminder", "checklist", "retrospective", "onboarding"],
        stems: "review approve merge rebase assign label estimate block ship plan track remind follow summarise agenda minute owner deadline priority milestone ticket board comment notify delegate archive triage close",
    },
    Domain {
        name: "languages",
        objects: ["grammar", "vocabulary", "translation", "dictionary", "pronunciation", "dialect", "compiler", "parser", "linter", "macro", "closure", "generic", "iterator", "regex", "debugger", "profiler"],
        stems: "type scope bind borrow trait module import export token tree node visit rewrite infer check emit optimise inline allocate thread await yield panic trace step break watch evaluate",
    },
];

/// What a skill does to its object, as the last word of a name.
#[rustfmt::skip]
pub(crate) const ACTIONS: [&str; 30] = [
    "builder", "checker", "cleaner", "converter", "designer", "editor", "explorer", "exporter", "extractor", "filler",
    "finder", "fixer", "formatter", "generator", "importer", "inspector", "mapper", "merger", "optimizer", "planner",
    "publisher", "renderer", "reviewer", "scanner", "splitter", "summarizer", "tester", "tracker", "validator", "writer",
];

/// First words of the names that come after all pairs of object and action are used up.
#[rustfmt::skip]
pub(crate) const QUALIFIERS: [&str; 24] = [
    "advanced", "agile", "async", "basic", "batch", "bulk", "custom", "daily", "deep", "fast", "global", "guided",
    "legacy", "light", "live", "local", "mobile", "native", "open", "quick", "remote", "shared", "smart", "team",
];

/// Words of every text, the most used first.
const COMMON: &str = "the to a and of for in with is when or this that from use it on be are by if not \
    all as each an before after any can user only into one file must should then you your at run new \
    out which always never more than first check make between step without output input need project \
    example result value list set name code tool add keep where how what next change work both \
    instead until while already still also most least same other every few many see ask answer \
    follow show read write open save start end call return find look take give turn leave say";

/// Stems of no field in particular, the most used first.
const GENERAL: &str = "create update verify generate format extract convert handle support include require \
    define explain compare prefer avoid ensure describe inspect confirm collect combine reduce improve \
    organise structure document report detail reason context source target option default setting version \
    error warning message status command script folder path link reference section pattern rule limit \
    quality guide practice standard method approach process system custom simple complex careful specific";

/// What is put behind a stem, the most used first.
const SUFFIXES: [&str; 12] =
    ["", "s", "ing", "ed", "er", "able", "ers", "ment", "less", "like", "ness", "wise"];

/// Words with how often each is used: the word of rank `r` about `1 / (r + 3)` as often.
#[derive(Debug)]
pub(crate) struct Zipf {
    words: Vec<String>,
    /// The weights, each added to those before it.
    sums: Vec<usize>,
}

impl Zipf {
    fn new(words: Vec<String>) -> Self {
        let mut sum = 0;
        let weight = |rank: usize| 1_000_000 / (rank + 3);
        let add = |rank| {
            sum += weight(rank);
            sum
        };
        Self { sums: (0..words.len()).map(add).collect(), words }
    }

    /// One word.
    pub(crate) fn draw(&self, random: &mut Random) -> &str {
        let total = self.sums.last().copied().unwrap_or_default();
        let at = random.below(total);
        &self.words[self.sums.partition_point(|sum| *sum <= at)]
    }
}

/// Every word that a corpus is made of.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// The words that hold a sentence together.
    pub(crate) common: Zipf,
    /// The words of any work.
    pub(crate) general: Zipf,
    /// The words of each domain, in the order of [`DOMAINS`].
    pub(crate) domains: Vec<Zipf>,
}

/// The vocabulary, made when it is first asked for.
pub(crate) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary {
    common: Zipf::new(COMMON.split_whitespace().map(str::to_owned).collect()),
    general: Zipf::new(derived(&GENERAL.split_whitespace().collect::<Vec<_>>())),
    domains: DOMAINS
        .iter()
        .map(|domain| {
            // Objects and stems take turns, so that both have words that are used often.
            let stems: Vec<_> = domain.stems.split_whitespace().collect();
            let (first, rest) = stems.split_at(domain.objects.len());
            let pairs =
                domain.objects.iter().zip(first).flat_map(|(object, stem)| [*object, *stem]);
            Zipf::new(derived(&pairs.chain(rest.iter().copied()).collect::<Vec<_>>()))
        })
        .collect(),
});

/// All stems plain, then all with one suffix, then all with the next.
fn derived(stems: &[&str]) -> Vec<String> {
    let suffixes = SUFFIXES.iter();
    suffixes.flat_map(|suffix| stems.iter().map(|stem| glued(stem, suffix))).collect()
}

/// A stem with a suffix, as English would spell it most of the time.
fn glued(stem: &str, suffix: &str) -> String {
    let stem = match suffix.chars().next() {
        Some('a' | 'e' | 'i') => stem.strip_suffix('e').unwrap_or(stem),
        _ => stem,
    };
    format!("{stem}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::{ACTIONS, DOMAINS, QUALIFIERS, VOCABULARY, glued};
    use crate::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_thousands_of_words() {
        let vocabulary = &*VOCABULARY;
        let lists = [&vocabulary.common, &vocabulary.general];
        let words = lists.into_iter().chain(&vocabulary.domains).flat_map(|list| &list.words);
        let words: BTreeSet<_> = words.collect();
        assert!(words.len() > 5000, "{}", words.len());
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn the_words_of_names_are_unique_and_fit() {
        let objects: Vec<_> = DOMAINS.iter().flat_map(|domain| domain.objects).collect();
        // One `citation` in two domains would make two skills of one name.
        for list in [&objects[..], &ACTIONS, &QUALIFIERS] {
            let mut seen = BTreeSet::new();
            for word in list {
                assert!(seen.insert(word), "`{word}` stands twice");
                assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "`{word}`");
            }
        }
    }

    #[test]
    fn the_first_words_are_used_most() {
        let mut random = Random::new(1, 1);
        let drawn: Vec<_> = (0..10_000).map(|_| VOCABULARY.common.draw(&mut random)).collect();
        let count = |word| drawn.iter().filter(|drawn| **drawn == word).count();
        assert!(count("the") > 2 * count("when"), "{} {}", count("the"), count("when"));
        assert!(count("say") > 0);
    }

    #[test]
    fn a_final_e_gives_way_to_a_vowel() {
        assert_eq!(glued("encode", "ing"), "encoding");
        assert_eq!(glued("encode", "s"), "encodes");
    }
}
