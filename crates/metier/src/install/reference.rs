//! Turns what people write into the one place it means, and back into the shortest text that means it.

use super::git_url::{GitUrl, InvalidGitUrl, Transport, helper, is_loopback, scp_parts};
use super::invalid_reference::{InvalidReference, ReferenceProblem};
use super::local_path::LocalPath;
use super::revision::Revision;
use super::sha256::Sha256;
use crate::visible::is_hidden;
use metier_core::{PathProblem, ResourcePath, SkillName};
use std::fmt;
use std::str::FromStr;
use url::Url;

/// The longest reference, in bytes.
const MAX_BYTES: usize = 2048;

/// Hosts whose every page of two or more components is a repository.
const FORGES: [&str; 4] = ["github.com", "gitlab.com", "codeberg.org", "bitbucket.org"];

/// Where skills come from, as someone asked for them.
///
/// The forms, tried in this order:
///
/// 1. `@org/name[@version]`: the repository `name` of `org` on GitHub;
/// 2. `./folder`, `../folder`, `/folder`, `~/folder`: a folder on this machine, or an archive when it
///    ends in `.tar.gz`, `.tgz` or `.zip`;
/// 3. `git+https://..`, `ssh://..`, `file://..`, `user@host:path`, and any `https://..` that ends in
///    `.git`, holds `//subpath` or stands on a well-known forge: a git repository;
/// 4. `https://../x.tar.gz[#sha256:..]`: an archive;
/// 5. any other `https://..`: a web site with an index of skills;
/// 6. `owner/repo[/path]`: a repository on GitHub.
///
/// Repositories take `[#revision][@skill]` at the end, a web site `#@skill`.
///
/// ```
/// use metier::install::Reference;
///
/// let reference: Reference = "https://github.com/acme/skills/tree/v2/pdf".parse().unwrap();
/// assert_eq!(reference.to_string(), "acme/skills/pdf#v2");
///
/// let error = "https://me:secret@example.com/x.git".parse::<Reference>().unwrap_err();
/// assert!(!error.to_string().contains("secret"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reference {
    /// `@org/name[@version]`.
    #[non_exhaustive]
    Named {
        /// The organisation.
        org: String,
        /// The repository, which is one skill.
        name: String,
        /// A tag, a branch or a commit.
        version: Option<Revision>,
    },
    /// `owner/repo[/path][#revision][@skill]`.
    #[non_exhaustive]
    GitHub {
        /// The owner.
        owner: String,
        /// The repository, without `.git`.
        repo: String,
        /// Where in the repository to look.
        path: Option<ResourcePath>,
        /// A tag, a branch or a commit.
        revision: Option<Revision>,
        /// The one skill that is meant.
        skill: Option<SkillName>,
    },
    /// Any other git repository.
    #[non_exhaustive]
    Git {
        /// Its address.
        url: GitUrl,
        /// Where in the repository to look.
        path: Option<ResourcePath>,
        /// A tag, a branch or a commit.
        revision: Option<Revision>,
        /// The one skill that is meant.
        skill: Option<SkillName>,
    },
    /// A folder on this machine.
    #[non_exhaustive]
    Folder {
        /// The folder.
        path: LocalPath,
    },
    /// An archive on this machine.
    #[non_exhaustive]
    ArchiveFile {
        /// The file.
        path: LocalPath,
    },
    /// An archive on the web.
    #[non_exhaustive]
    Archive {
        /// Its address.
        url: String,
        /// What its bytes must hash to.
        digest: Option<Sha256>,
    },
    /// A web site with an index of skills.
    #[non_exhaustive]
    Site {
        /// Its address.
        url: String,
        /// The one skill that is meant.
        skill: Option<SkillName>,
    },
}

type Parsed<T> = Result<T, ReferenceProblem>;

impl Reference {
    /// The repository, the path in it and the revision, when the reference is to one.
    pub fn repository(&self) -> Option<(GitUrl, Option<&ResourcePath>, Option<&Revision>)> {
        match self {
            Self::Named { org, name, version } => {
                Some((GitUrl::github(org, name), None, version.as_ref()))
            }
            Self::GitHub { owner, repo, path, revision, .. } => {
                Some((GitUrl::github(owner, repo), path.as_ref(), revision.as_ref()))
            }
            Self::Git { url, path, revision, .. } => {
                Some((url.clone(), path.as_ref(), revision.as_ref()))
            }
            _ => None,
        }
    }

    /// The one skill that is meant, when the reference names it.
    pub fn skill(&self) -> Option<&SkillName> {
        match self {
            Self::GitHub { skill, .. } | Self::Git { skill, .. } | Self::Site { skill, .. } => {
                skill.as_ref()
            }
            _ => None,
        }
    }

    /// Whether the place is on this machine, and so means nothing on another.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Folder { .. } | Self::ArchiveFile { .. } => true,
            Self::Git { url, .. } => url.transport() == Transport::File,
            _ => false,
        }
    }
}

impl FromStr for Reference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map_err(|problem| InvalidReference::new(text, problem))
    }
}

fn parse(text: &str) -> Parsed<Reference> {
    if text.is_empty() {
        return Err(ReferenceProblem::Empty);
    }
    if text.len() > MAX_BYTES {
        return Err(ReferenceProblem::TooLong { bytes: text.len(), limit: MAX_BYTES });
    }
    if text.starts_with('-') {
        return Err(ReferenceProblem::Option);
    }
    if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
        return Err(ReferenceProblem::Hidden(c));
    }
    if text.trim() != text {
        return Err(ReferenceProblem::Blank);
    }
    if let Some(rest) = text.strip_prefix('@') {
        return parse_named(rest);
    }
    if LocalPath::is_meant_by(text) {
        return parse_local(text);
    }
    if let Some(url) = text.strip_prefix("git+") {
        return parse_git(url);
    }
    if let Some(program) = helper(text) {
        return Err(InvalidGitUrl::Helper(program.to_owned()).into());
    }
    match text.split_once("://") {
        Some((scheme, _)) if matches!(&*scheme.to_ascii_lowercase(), "https" | "http") => {
            parse_web(text)
        }
        Some(_) => parse_git(text),
        None if scp_parts(text).is_some() => parse_git(text),
        None => parse_github(text),
    }
}

fn parse_named(rest: &str) -> Parsed<Reference> {
    let (org, rest) = rest.split_once('/').ok_or(ReferenceProblem::Named)?;
    let (name, version) = match rest.split_once('@') {
        Some((_, "")) => return Err(ReferenceProblem::EmptyVersion),
        Some((name, version)) => (name, Some(revision(version)?)),
        None => (rest, None),
    };
    if name.contains('/') {
        return Err(ReferenceProblem::Named);
    }
    Ok(Reference::Named { org: owner(org)?, name: repository(name)?, version })
}

fn parse_local(text: &str) -> Parsed<Reference> {
    if text.starts_with('~') && text != "~" && !text.starts_with("~/") {
        return Err(ReferenceProblem::OtherHome);
    }
    let path = LocalPath::new(text);
    Ok(if is_archive(text) { Reference::ArchiveFile { path } } else { Reference::Folder { path } })
}

fn parse_github(text: &str) -> Parsed<Reference> {
    let (place, revision, skill) = split_tail(text)?;
    let Some((owner_name, rest)) = place.split_once('/') else {
        let bare = is_archive(place);
        return Err(if bare { ReferenceProblem::BareArchive } else { ReferenceProblem::Word });
    };
    let (repo, path) = match rest.split_once('/') {
        Some((repo, "")) => (repo, None),
        Some((repo, path)) => (repo, Some(resource(path)?)),
        None => (rest, None),
    };
    let (owner, repo) = (owner(owner_name)?, repository(repo)?);
    Ok(Reference::GitHub { owner, repo, path, revision, skill })
}

fn parse_web(text: &str) -> Parsed<Reference> {
    let (place, fragment) = match text.split_once('#') {
        Some((place, fragment)) => (place, Some(fragment)),
        None => (text, None),
    };
    let url = web_address(place)?;
    // By now they are gone from the address, and it would mean another place (security G13).
    if place.contains('\\') {
        return Err(ReferenceProblem::Address("it has a backslash".to_owned()));
    }
    if place.split('/').any(is_parent) {
        return Err(ReferenceProblem::Path(PathProblem::Parent));
    }
    let host = url.host_str().unwrap_or_default();
    let forge = FORGES.contains(&host) && url.path().trim_matches('/').contains('/');
    let repository = url.path().split('@').next().unwrap_or_default().trim_end_matches('/');
    let doubled = url.path().contains("//");
    if is_archive(url.path()) {
        let digest = fragment.map(|text| text.parse().map_err(|_| ReferenceProblem::Digest));
        return Ok(Reference::Archive { url: url.into(), digest: digest.transpose()? });
    }
    if host == "github.com" && forge && !doubled {
        // As it was written: a blank is `%20` in an address, and a blank in a path.
        let page = place.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        return parse_github_page(page.map_or("", |(_, page)| page), fragment);
    }
    if forge || doubled || repository.strip_suffix(".git").is_some() {
        return parse_git(text);
    }
    let skill = match fragment {
        None | Some("") => None,
        Some(fragment) => match fragment.strip_prefix('@') {
            Some(name) => Some(skill(name)?),
            None => return Err(ReferenceProblem::SiteRevision),
        },
    };
    Ok(Reference::Site { url: url.into(), skill })
}

/// `owner/repo`, or the page of a folder in it: `owner/repo/tree/revision/path`.
fn parse_github_page(path: &str, fragment: Option<&str>) -> Parsed<Reference> {
    let tail = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
    let path = path.trim_end_matches('/');
    let parts: Vec<&str> = path.splitn(5, '/').collect();
    let short = match parts[..] {
        [owner, repo, "tree" | "blob", revision] if tail.is_empty() => {
            format!("{owner}/{repo}#{revision}")
        }
        [owner, repo, "tree" | "blob", revision, path] if tail.is_empty() => {
            // The page of the file is the page of the skill.
            let path = path.strip_suffix("SKILL.md").unwrap_or(path).trim_end_matches('/');
            let path = if path.is_empty() { String::new() } else { format!("/{path}") };
            format!("{owner}/{repo}{path}#{revision}")
        }
        _ => format!("{path}{tail}"),
    };
    parse_github(&short)
}

/// `url[//path][#revision][@skill]`.
fn parse_git(text: &str) -> Parsed<Reference> {
    let (place, revision, skill) = split_tail(text)?;
    let start = place.find("://").map_or(0, |at| at + 3);
    // `file:///x` has its third slash for itself.
    let start = start + place[start..].find(|c| c != '/').unwrap_or_default();
    let (url, path) = match place[start..].find("//") {
        Some(at) => (&place[..start + at], Some(resource(&place[start + at + 2..])?)),
        None => (place, None),
    };
    let url: GitUrl = url.parse()?;
    let page = url.as_str().strip_prefix("https://github.com/").and_then(|it| it.split_once('/'));
    if let Some((name, repo)) = page {
        let (owner, repo) = (owner(name)?, repository(repo)?);
        return Ok(Reference::GitHub { owner, repo, path, revision, skill });
    }
    Ok(Reference::Git { url, path, revision, skill })
}

/// The place, and what stands after its `#` and its last `@`.
fn split_tail(text: &str) -> Parsed<(&str, Option<Revision>, Option<SkillName>)> {
    if let Some((place, tail)) = text.split_once('#') {
        // A tag may hold an `@`, as in `pkg@1.2.0`; what follows is a skill only if it can be one.
        let named = tail.rsplit_once('@').and_then(|(before, name)| {
            (!before.is_empty()).then_some(())?;
            name.parse::<SkillName>().ok().map(|name| (before, name))
        });
        let (tail, skill) = match named {
            Some((tail, name)) => (tail, Some(name)),
            None => (tail, None),
        };
        return Ok((place, Some(revision(tail)?), skill));
    }
    // What a path drops at its end must not hide that an `@` is at the end.
    let mut text = text;
    while let Some(rest) = text.strip_suffix('/').or_else(|| text.strip_suffix("/.")) {
        text = rest;
    }
    // Before the last slash, or the colon of `user@host:path`, an `@` belongs to a user or a folder.
    let start = text.rfind('/').or_else(|| text.rfind(':')).map_or(0, |at| at + 1);
    match text[start..].rfind('@') {
        Some(at) if start > 0 => {
            let (place, name) = text.split_at(start + at);
            Ok((place, None, Some(skill(&name[1..])?)))
        }
        _ => Ok((text, None, None)),
    }
}

fn web_address(text: &str) -> Parsed<Url> {
    let url = Url::parse(text).map_err(|error| ReferenceProblem::Address(error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ReferenceProblem::Credentials);
    }
    if url.query().is_some() {
        return Err(ReferenceProblem::Query);
    }
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(InvalidGitUrl::Plain("http".to_owned()).into());
    }
    Ok(url)
}

/// Whether a part of an address leads up; `%2e` is a dot to whoever reads addresses.
fn is_parent(part: &str) -> bool {
    part.to_ascii_lowercase().replace("%2e", ".") == ".."
}

fn is_archive(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".tar.gz", ".tgz", ".zip"].iter().any(|end| path.ends_with(end))
}

fn owner(text: &str) -> Parsed<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let good = !text.is_empty() && text.len() <= 64 && !text.starts_with('-');
    if good && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err(ReferenceProblem::Owner(text.to_owned()))
    }
}

fn repository(text: &str) -> Parsed<String> {
    let name = text.strip_suffix(".git").unwrap_or(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let good = !matches!(name, "" | "." | "..") && name.len() <= 100 && !name.starts_with('-');
    if good && name.strip_suffix(".git").is_none() && name.chars().all(plain) {
        Ok(name.to_owned())
    } else {
        Err(ReferenceProblem::Repository(text.to_owned()))
    }
}

fn resource(text: &str) -> Parsed<ResourcePath> {
    text.parse().map_err(|error: metier_core::InvalidPath| ReferenceProblem::Path(error.problem))
}

fn revision(text: &str) -> Parsed<Revision> {
    text.parse()
        .map_err(|problem| ReferenceProblem::Revision { revision: text.to_owned(), problem })
}

fn skill(text: &str) -> Parsed<SkillName> {
    text.parse().map_err(|error: metier_core::InvalidName| ReferenceProblem::Skill {
        name: text.to_owned(),
        problems: error.problems,
    })
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { org, name, version } => {
                write!(f, "@{org}/{name}")?;
                version.iter().try_for_each(|version| write!(f, "@{version}"))
            }
            Self::GitHub { owner, repo, path, revision, skill } => {
                write!(f, "{owner}/{repo}")?;
                path.iter().try_for_each(|path| write!(f, "/{path}"))?;
                write_tail(f, revision.as_ref(), skill.as_ref())
            }
            Self::Git { url, path, revision, skill } => {
                if needs_prefix(url, path.as_ref()) {
                    f.write_str("git+")?;
                }
                write!(f, "{url}")?;
                path.iter().try_for_each(|path| write!(f, "//{path}"))?;
                write_tail(f, revision.as_ref(), skill.as_ref())
            }
            Self::Folder { path } | Self::ArchiveFile { path } => write!(f, "{path}"),
            Self::Archive { url, digest } => {
                f.write_str(url)?;
                digest.iter().try_for_each(|digest| write!(f, "#{digest}"))
            }
            Self::Site { url, skill } => {
                f.write_str(url)?;
                skill.iter().try_for_each(|skill| write!(f, "#@{}", skill.as_str()))
            }
        }
    }
}

/// Whether the address alone would be taken for something else.
fn needs_prefix(url: &GitUrl, path: Option<&ResourcePath>) -> bool {
    let web = matches!(url.transport(), Transport::Https | Transport::LoopbackHttp);
    let archive = path.is_some_and(|path| is_archive(path.as_str()));
    web && (archive || url.as_str().strip_suffix(".git").is_none())
}

fn write_tail(
    f: &mut fmt::Formatter<'_>,
    revision: Option<&Revision>,
    skill: Option<&SkillName>,
) -> fmt::Result {
    revision.iter().try_for_each(|revision| write!(f, "#{revision}"))?;
    skill.iter().try_for_each(|skill| write!(f, "@{}", skill.as_str()))
}
