//! Turns a running server and a kind of request into requests a second and the time each took.

use crate::wire::{Era, Wire};
use memchr::memmem;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};
use testing::Corpus;

/// How many of the skills are asked for: more than fit into any cache of the server.
const ASKED_FOR: usize = 20_000;

/// What clients ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The tool `search_skills`.
    Search,
    /// The tool `load_skill`.
    Load,
    /// `resources/read` of a `SKILL.md`.
    Read,
    /// A page of `skills/list`.
    List,
    /// A search, two loads, a read; now and then a page.
    Mixed,
}

impl Kind {
    /// Its name in the figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search_skills",
            Self::Load => "load_skill",
            Self::Read => "resources/read",
            Self::List => "skills/list",
            Self::Mixed => "mixed",
        }
    }
}

/// How fast a client sends its next request.
#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// At once.
    Unbroken,
    /// So many a second, at even distances; a late answer makes none of the others late.
    PerSecond(u32),
}

/// The requests that clients choose from.
#[derive(Debug)]
pub struct Requests {
    searches: Vec<Value>,
    names: Vec<String>,
    cursors: Vec<Option<String>>,
}

impl Requests {
    /// Requests about generated skills of which the server has `count`, and for the pages of its list.
    pub fn new(count: usize, cursors: Vec<Option<String>>) -> Self {
        let corpus = Corpus { skills: count, ..Corpus::default() };
        let step = (count / ASKED_FOR.min(count)).max(1);
        let names: Vec<String> = (0..count).step_by(step).map(|at| corpus.skill(at).name).collect();
        let searches = (0..2_000).filter_map(|at| query(&corpus, at, count)).collect();
        Self { searches, names, cursors }
    }

    /// The request at a place; every place has one.
    pub fn at(&self, kind: Kind, at: usize) -> (&'static str, Value) {
        let name = || self.names[at % self.names.len()].as_str();
        match kind {
            Kind::Search => ("tools/call", self.searches[at % self.searches.len()].clone()),
            Kind::Load => {
                ("tools/call", json!({ "name": "load_skill", "arguments": { "name": name() } }))
            }
            Kind::Read => {
                ("resources/read", json!({ "uri": format!("skill://{}/SKILL.md", name()) }))
            }
            Kind::List => {
                ("skills/list", json!({ "cursor": self.cursors[at % self.cursors.len()] }))
            }
            Kind::Mixed => match at % 16 {
                15 => self.at(Kind::List, at / 16),
                n if n % 4 == 0 => self.at(Kind::Search, at),
                n if n % 4 == 3 => self.at(Kind::Read, at),
                _ => self.at(Kind::Load, at),
            },
        }
    }
}

/// Three to eight words of what a skill says it does, as a model would search for it.
fn query(corpus: &Corpus, at: usize, count: usize) -> Option<Value> {
    let skill = metier_core::parse(&corpus.skill((at * 7919) % count).text).skill?;
    let words: Vec<&str> = skill.description().split_whitespace().collect();
    let length = (3 + at % 6).min(words.len());
    let start = (at * 31) % (words.len() - length + 1);
    let query = words[start..start + length].join(" ");
    Some(json!({ "name": "search_skills", "arguments": { "query": query } }))
}

/// The cursor of every page of `skills/list`, and how many skills they hold.
pub fn pages(address: SocketAddr) -> io::Result<(Vec<Option<String>>, usize)> {
    let mut wire = Wire::connect(address, Era::Modern)?;
    let (mut cursors, mut skills) = (vec![None], 0);
    loop {
        let cursor = cursors.last().cloned().flatten();
        let page = wire.result("skills/list", &json!({ "cursor": cursor }))?;
        skills += page["skills"].as_array().map_or(0, Vec::len);
        match page["nextCursor"].as_str() {
            Some(next) => cursors.push(Some(next.to_owned())),
            None => return Ok((cursors, skills)),
        }
    }
}

/// How a load went.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How long each answer took, sorted.
    pub times: Vec<Duration>,
    /// How long all took together.
    pub wall: Duration,
    /// How many bytes came back.
    pub bytes: usize,
}

impl Outcome {
    /// One line of figures.
    pub fn line(&self, name: &str) -> String {
        let count = self.times.len();
        let per_second = count as u128 * 1_000 / self.wall.as_millis().max(1);
        let at = |thousandths: usize| {
            let place = (count * thousandths / 1_000).min(count.saturating_sub(1));
            self.times.get(place).map_or(0.0, Duration::as_secs_f64) * 1e3
        };
        let (half, most, worst) = (at(500), at(990), at(1_000));
        let bytes = self.bytes / count.max(1);
        format!(
            "  {name:<16} {per_second:>6}/s   p50 {half:>7.2} ms   p99 {most:>7.2} ms   \
             worst {worst:>7.2} ms   {bytes:>6} bytes each"
        )
    }
}

/// Lets so many clients send requests of a kind for so long. The first fault ends it.
pub fn run(
    address: SocketAddr,
    era: Era,
    clients: usize,
    requests: &Requests,
    (kind, pace): (Kind, Pace),
    length: Duration,
) -> io::Result<Outcome> {
    let start_line = Barrier::new(clients);
    let client = |number: usize| -> io::Result<(Vec<Duration>, usize, Duration)> {
        let connected = Wire::connect(address, era);
        start_line.wait();
        let mut wire = connected?;
        let (mut times, mut bytes) = (Vec::new(), 0);
        let start = Instant::now();
        // Clients do not ask for the same at the same time, nor all at once.
        let mut at = number * 977;
        let gap = match pace {
            Pace::Unbroken => None,
            Pace::PerSecond(count) => Some(Duration::from_secs(1) / count),
        };
        let mut due = gap.map_or(Duration::ZERO, |gap| gap * number as u32 / clients as u32);
        while start.elapsed() < length {
            let (method, params) = requests.at(kind, at);
            at += 1;
            let sent = if let Some(gap) = gap {
                thread::sleep(due.saturating_sub(start.elapsed()));
                let sent = start + due;
                due += gap;
                sent
            } else {
                Instant::now()
            };
            let answer = wire.ask(method, &params)?;
            times.push(sent.elapsed());
            bytes += answer.len();
            // In the text of a skill the quotation marks would be escaped.
            let has_failed = ["\"isError\":true", "\"error\":{"]
                .iter()
                .any(|mark| memmem::find(answer, mark.as_bytes()).is_some());
            if has_failed {
                let text = String::from_utf8_lossy(answer).into_owned();
                return Err(io::Error::other(format!("{method} {params}: {text:.400}")));
            }
        }
        Ok((times, bytes, start.elapsed()))
    };
    let done: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> =
            (0..clients).map(|number| scope.spawn(move || client(number))).collect();
        running.into_iter().map(|one| one.join().expect("a client does not panic")).collect()
    });
    let mut all = Outcome { times: Vec::new(), wall: Duration::ZERO, bytes: 0 };
    for one in done {
        let (times, bytes, wall) = one?;
        all.times.extend(times);
        all.bytes += bytes;
        all.wall = all.wall.max(wall);
    }
    all.times.sort_unstable();
    Ok(all)
}
