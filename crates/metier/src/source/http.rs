//! Turns a web index, or the address of one `SKILL.md`, into a source of skills.

mod address;
mod cache;
mod entry;
mod fetch;
mod index;
mod json;
mod options;

pub use options::HttpOptions;

use crate::{
    BlockingSource, Files, Listed, Listing, Problem, ReadOptions, Resource, SourceError, Trust,
};
use entry::{Beside, Entry};
use fetch::{Client, FetchError, Fetched, without_secrets};
use index::Index;
use metier_core::{Manifest, ParseOptions, ResourcePath, Severity, SharedText};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// Where an index is looked for, below the address of a site (spec W1, W2).
const PLACES: [&[&str]; 3] = [
    &[".well-known", "agent-skills", "index.json"],
    &[".well-known", "skills", "index.json"],
    &["index.json"],
];

/// How many skills whose index says nothing about them are read for a listing.
const MAX_UNDESCRIBED: usize = 1_000;

/// How many files of a skill are listed (DESIGN.md §5).
const MAX_FILES: usize = 1_000;

/// Skills of a web site. Listing reads the index; a skill is fetched when it is read.
///
/// The address is that of
/// 1. a `SKILL.md`: that one skill, and files beside it when asked for by path;
/// 2. an index: anything that ends in `.json`;
/// 3. a site or a part of one: the index is `.well-known/agent-skills/index.json` below it, else
///    `.well-known/skills/index.json`, else `index.json`, else the address itself.
///
/// What an index says of a skill must be so: the digest where there is one, the name and the
/// description. Nothing is reached but public addresses over `https:` unless [`HttpOptions`] say so.
///
/// ```no_run
/// use metier::{BlockingSource, Http, HttpOptions};
///
/// let site = Http::new("https://example.com", HttpOptions::default())?;
/// let listing = site.list()?;
/// for skill in &listing.skills {
///     let file = site.read(&skill.key, &skill.file, &Default::default())?;
///     println!("{}: {} bytes", skill.name, file.size);
/// }
/// # Ok::<(), metier::SourceError>(())
/// ```
#[derive(Debug)]
pub struct Http {
    label: String,
    address: Url,
    options: HttpOptions,
    client: Client,
    /// What the last listing found.
    entries: Mutex<Option<Arc<Entries>>>,
}

type Entries = BTreeMap<String, Entry>;

impl Http {
    /// A source at `address`. Nothing is asked for yet; an address that may not be reached is refused.
    ///
    /// ```
    /// use metier::{Http, HttpOptions};
    ///
    /// let error = Http::new("https://127.1/index.json", HttpOptions::default()).unwrap_err();
    /// assert!(error.to_string().ends_with("`127.0.0.1` is not a public address"));
    /// ```
    pub fn new(address: &str, options: HttpOptions) -> Result<Self, SourceError> {
        let mut url = Url::parse(address).map_err(|error| SourceError::Unavailable {
            location: address.to_owned(),
            message: format!("it is not an address: {error}"),
        })?;
        url.set_fragment(None);
        let refused =
            |message| SourceError::Unavailable { location: without_secrets(&url).into(), message };
        options.reach().check(&url).map_err(refused)?;
        let client = Client::new(&url, &options).map_err(refused)?;
        // The host in ASCII, so that no letter passes for another (security H14).
        let host = url.host_str().unwrap_or_default();
        let label = options.label.clone().unwrap_or_else(|| host.to_owned());
        Ok(Self { label, address: url, options, client, entries: Mutex::new(None) })
    }

    /// The name of the one file that the address is, when it is one.
    fn file(&self) -> Option<ResourcePath> {
        let name = self.address.path().rsplit('/').next()?;
        name.eq_ignore_ascii_case("SKILL.md").then(|| name.parse().ok())?
    }

    /// A listing of the one skill at the address.
    fn list_file(&self, file: ResourcePath) -> Result<(Listing, Entries), SourceError> {
        let limit = ReadOptions::default().limit;
        let fetched = self.client.get(&self.address, limit).map_err(unavailable)?;
        let mut listing = Listing::default();
        let mut entries = Entries::new();
        let (listed, report) = Listed::parse("", &fetched.body, &ParseOptions::default());
        listing.problems.extend(Problem::of_skill(self.address.as_str(), report));
        if let Some(mut listed) = listed {
            let entry = Entry {
                key: listed.name.to_string(),
                name: listed.name.to_string(),
                description: None,
                digest: None,
                url: self.address.clone(),
                file,
                beside: Beside::Unknown,
            };
            entry.place(&mut listed);
            listed.digest = Some(digest(&fetched.body).into());
            listing.skills.push(listed);
            entries.insert(entry.key.clone(), entry);
        }
        Ok((listing, entries))
    }

    /// A listing of what the index says.
    fn list_index(&self) -> Result<(Listing, Entries), SourceError> {
        let fetched = self.fetch_index()?;
        let Index { entries, problems, .. } =
            index::parse(&fetched.body, &fetched.url, &self.options.index()).map_err(
                |message| SourceError::Unavailable { location: fetched.url.to_string(), message },
            )?;
        let mut listing = Listing { problems, ..Listing::default() };
        let mut undescribed = Undescribed { left: MAX_UNDESCRIBED, skipped: 0 };
        let mut kept = Entries::new();
        for entry in entries {
            let listed = match &entry.description {
                Some(_) => Ok(entry.listed()),
                None => self.list_undescribed(&entry, &mut undescribed),
            };
            match listed {
                Ok(listed) => {
                    listing.skills.push(listed);
                    kept.insert(entry.key.clone(), entry);
                }
                Err(problem) => listing.problems.push(problem),
            }
        }
        if undescribed.skipped > 0 {
            let skipped = undescribed.skipped;
            listing.problems.push(Problem::new(
                fetched.url.as_str(),
                Severity::Warning,
                format!("{skipped} skills are listed without their descriptions"),
                "add a `description` to each entry of the index",
            ));
        }
        listing.sort();
        Ok((listing, kept))
    }

    /// A skill that its index says nothing about. Its own file is read, as far as that goes well: a
    /// server that does not answer is not asked a thousand times.
    fn list_undescribed(
        &self,
        entry: &Entry,
        undescribed: &mut Undescribed,
    ) -> Result<Listed, Problem> {
        if undescribed.left == 0 {
            undescribed.skipped += 1;
            return Ok(entry.listed());
        }
        undescribed.left -= 1;
        let problem = |message: String| {
            let help = "mend the skill or its entry in the index";
            Problem::new(entry.url.as_str(), Severity::Error, message, help)
        };
        let fetched = match self.client.get(&entry.url, ReadOptions::default().limit) {
            Ok(fetched) => fetched,
            Err(error) => {
                if matches!(error, FetchError::Failed { .. }) {
                    undescribed.left = 0;
                }
                return Err(problem(format!("`{}` cannot be read: {error}", entry.name)));
            }
        };
        if let Err(reason) = entry.verify(&fetched.body) {
            return Err(problem(format!("`{}` is refused: {reason}", entry.name)));
        }
        let (listed, report) = Listed::parse(&entry.key, &fetched.body, &entry.parse_options());
        let mut listed = match listed {
            Some(listed) => listed,
            None => match Problem::of_skill(entry.url.as_str(), report) {
                Some(problem) => return Err(problem),
                None => entry.listed(),
            },
        };
        entry.place(&mut listed);
        listed.digest = Some(digest(&fetched.body).into());
        Ok(listed)
    }

    /// The index, from the first of its places that has one.
    fn fetch_index(&self) -> Result<Fetched, SourceError> {
        let mut absent = String::new();
        for place in index_addresses(&self.address) {
            let reason = match self.client.get(&place, self.options.max_index_bytes) {
                // Some sites answer every address with a page.
                Ok(page) if page.body.trim_ascii_start().starts_with(b"<") => "a page".to_owned(),
                Ok(fetched) => return Ok(fetched),
                Err(FetchError::Status { status: status @ (403 | 404 | 410), .. }) => {
                    format!("status {status}")
                }
                Err(error) => return Err(unavailable(error)),
            };
            let comma = if absent.is_empty() { "" } else { ", " };
            let _ = write!(absent, "{comma}`{place}` ({reason})");
        }
        Err(SourceError::Unavailable {
            location: self.address.to_string(),
            message: format!("there is no index of skills at {absent}"),
        })
    }

    /// The entry of a skill. The index is read when it was not yet.
    fn entry(&self, key: &str) -> Result<Entry, SourceError> {
        let known = self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let entries = match known {
            Some(entries) => entries,
            None => self.list_all()?.1,
        };
        entries.get(key).cloned().ok_or_else(|| SourceError::UnknownSkill {
            label: self.label.clone(),
            key: key.to_owned(),
        })
    }

    fn list_all(&self) -> Result<(Listing, Arc<Entries>), SourceError> {
        let (listing, entries) = match self.file() {
            Some(file) => self.list_file(file)?,
            None => self.list_index()?,
        };
        let entries = Arc::new(entries);
        *self.entries.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&entries));
        Ok((listing, entries))
    }
}

#[cfg(feature = "install")]
impl Http {
    /// The skills that the index has as archives.
    pub(crate) fn archives(&self) -> Result<Vec<ListedArchive>, SourceError> {
        if self.file().is_some() {
            return Ok(Vec::new());
        }
        let fetched = self.fetch_index()?;
        let index = index::parse(&fetched.body, &fetched.url, &self.options.index()).map_err(
            |message| SourceError::Unavailable { location: fetched.url.to_string(), message },
        )?;
        let archive = |entry: Entry| ListedArchive {
            name: entry.name,
            description: entry.description.unwrap_or_default(),
            digest: entry.digest.unwrap_or_default(),
            url: entry.url.into(),
        };
        Ok(index.archives.into_iter().map(archive).collect())
    }
}

/// A skill that an index has as an archive.
#[cfg(feature = "install")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedArchive {
    pub(crate) name: String,
    pub(crate) description: String,
    /// `sha256:` and 64 digits.
    pub(crate) digest: String,
    pub(crate) url: String,
}

impl BlockingSource for Http {
    fn label(&self) -> &str {
        &self.label
    }

    fn trust(&self) -> Trust {
        self.options.trust
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.list_all().map(|(listing, _)| listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        let entry = self.entry(key)?;
        let missing = || SourceError::NoSuchFile { key: key.to_owned(), path: path.clone() };
        let url = entry.address(path).ok_or_else(missing)?;
        // A digest is that of the whole file, so a part is cut here and not by the server.
        let limit = match options.range {
            Some(_) => self.options.max_file_bytes,
            None => options.limit,
        };
        let too_large = |size, limit| SourceError::TooLarge {
            key: key.to_owned(),
            path: path.clone(),
            size,
            limit,
        };
        let body = match self.client.get(&url, limit) {
            Ok(fetched) => fetched.body,
            Err(FetchError::Status { status: 404 | 410, .. }) => return Err(missing()),
            Err(FetchError::TooLarge { size: Some(size), limit, .. }) => {
                return Err(too_large(size, limit));
            }
            Err(error) => return Err(unavailable(error)),
        };
        // One file that was asked for by its address has no index to agree with.
        if *path == entry.file && self.file().is_none() {
            entry.verify(&body).map_err(|reason| SourceError::Refused {
                key: key.to_owned(),
                path: path.clone(),
                reason,
            })?;
        }
        let bytes = match &options.range {
            Some(range) => part(&body, range),
            None => &body,
        };
        let size = body.len() as u64;
        if bytes.len() > options.limit {
            return Err(too_large(bytes.len() as u64, options.limit));
        }
        Ok(Resource { path: path.clone(), bytes: bytes.to_vec(), size })
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        let entry = self.entry(key)?;
        let Beside::Files(paths) = &entry.beside else { return Ok(Files::default()) };
        let mut files = Files::of_skill(paths.iter().cloned());
        if files.len() > MAX_FILES {
            let kept: Vec<ResourcePath> = files.iter().take(MAX_FILES).cloned().collect();
            files = Files { truncated: true, nested: files.nested, ..Files::group(kept) };
        }
        Ok(files)
    }
}

/// How many skills without a description may still be read, and how many were not.
struct Undescribed {
    left: usize,
    skipped: usize,
}

impl Entry {
    /// The skill as its index has it.
    fn listed(&self) -> Listed {
        let mut manifest = Manifest::default();
        let name = SharedText::from(self.name.as_str());
        manifest.name = Some(name.clone());
        manifest.description = self.description.as_deref().map(Into::into);
        let mut listed = Listed::new("", name, manifest);
        listed.digest = self.digest.as_deref().map(Into::into);
        self.place(&mut listed);
        listed
    }

    /// Puts the skill where the index has it.
    fn place(&self, listed: &mut Listed) {
        listed.key = self.key.as_str().into();
        listed.file = self.file.clone();
        listed.set_location(self.url.as_str());
    }

    /// A file without a name goes by that of its directory, which is the key.
    fn parse_options(&self) -> ParseOptions {
        ParseOptions { directory: Some(self.key.clone()), ..ParseOptions::default() }
    }

    /// Whether the skill's own file is what the index says: the digest over the bytes first, before
    /// anything reads them, then what the file says of itself (spec W5, security H09).
    fn verify(&self, bytes: &[u8]) -> Result<(), &'static str> {
        if self.digest.as_ref().is_some_and(|expected| *expected != digest(bytes)) {
            return Err("its digest is not the one in the index");
        }
        let (listed, _) = Listed::parse(&self.key, bytes, &self.parse_options());
        let Some(listed) = listed else { return Err("it is not a skill that can be loaded") };
        if listed.manifest.name.as_ref().is_some_and(|name| *name != self.name) {
            return Err("its name is not the one in the index");
        }
        let description = self.description.as_deref();
        if description.is_some_and(|description| description != listed.description()) {
            return Err("its description is not the one in the index");
        }
        Ok(())
    }
}

/// The bytes behind one address, under the same rules as everything else here.
#[cfg(feature = "install")]
pub(crate) fn download(
    address: &str,
    options: &HttpOptions,
    limit: usize,
    hear: &dyn Fn(u64, Option<u64>),
) -> Result<Vec<u8>, SourceError> {
    let url = Url::parse(address).map_err(|error| SourceError::Unavailable {
        location: address.to_owned(),
        message: format!("it is not an address: {error}"),
    })?;
    let client = Client::new(&url, options).map_err(|message| SourceError::Unavailable {
        location: without_secrets(&url).into(),
        message,
    })?;
    let fetched = client.get_heard(&url, limit, hear).map_err(unavailable)?;
    Ok(fetched.body.to_vec())
}

/// The places of an index for the address that a caller gave.
fn index_addresses(address: &Url) -> Vec<Url> {
    if address.path().to_ascii_lowercase().ends_with(".json") {
        return vec![address.clone()];
    }
    let below = |place: &[&str]| {
        let mut url = address.clone();
        url.set_query(None);
        url.set_path(address.path().trim_end_matches('/'));
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(place);
        }
        url
    };
    let mut places: Vec<Url> = PLACES.iter().map(|place| below(place)).collect();
    if address.path() != "/" {
        places.push(address.clone());
    }
    places
}

/// The bytes of a range, as far as there are any.
fn part<'a>(bytes: &'a [u8], range: &Range<u64>) -> &'a [u8] {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(at(range.start)..at(range.end)).unwrap_or_default()
}

/// `sha256:` and 64 hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().fold(String::from("sha256:"), |mut digest, byte| {
        let _ = write!(digest, "{byte:02x}");
        digest
    })
}

#[allow(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn unavailable(error: FetchError) -> SourceError {
    SourceError::Unavailable { location: error.url().to_string(), message: error.to_string() }
}
