//! Turns addresses on the web into archives and skills, through the rules that sources on the web have.

use super::archive::{ArchiveError, unpack};
use super::package_limits::PackageLimits;
use super::progress::{Progress, Received};
use super::sha256::Sha256;
use super::tree::{FileTree, TreeError};
use crate::source::http::{ListedArchive, download};
use crate::{BlockingSource as _, Http, HttpOptions, ReadOptions, SourceError, visible};
use metier_core::{SkillName, parse};

/// How the web is reached. A host that has its own way implements this.
pub trait Web {
    /// The bytes behind an address, no more than `limit` of them.
    fn download(&self, url: &str, limit: u64) -> Result<Vec<u8>, WebError>;

    /// The names of the skills that a site lists.
    fn names(&self, site: &str) -> Result<Vec<String>, WebError>;

    /// The files of one skill that a site lists.
    fn skill(
        &self,
        site: &str,
        name: &SkillName,
        limits: &PackageLimits,
    ) -> Result<FileTree, WebError>;
}

/// Why nothing came from the web.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// The site could not be reached, or something it says is not so.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The files are not a tree that can be installed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// An archive that an index lists is refused.
    #[error("`{}` is refused: {error}", visible(url))]
    Archive {
        /// Its address.
        url: String,
        /// Why.
        error: ArchiveError,
    },
    /// An archive is not what its index says of it (security H09, Z23).
    #[error("`{}` is refused: its {what} is not the one in the index", visible(url))]
    Mismatch {
        /// Its address.
        url: String,
        /// What differs.
        what: &'static str,
    },
}

/// The web, reached as the [`Http`] source reaches it: public hosts over `https:`, a few redirects,
/// digests before anything else is read (security H01 to H16).
#[derive(Debug, Clone, Default)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in")]
pub struct OverHttp {
    /// What may be reached, and how long it may take.
    pub options: HttpOptions,
    /// Who hears how far a download is.
    pub progress: Progress,
}

impl Web for OverHttp {
    fn download(&self, url: &str, limit: u64) -> Result<Vec<u8>, WebError> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let hear = |bytes, total| self.progress.tell(Received::of(bytes, total));
        Ok(download(url, &self.options, limit, &hear)?)
    }

    fn names(&self, site: &str) -> Result<Vec<String>, WebError> {
        let source = Http::new(site, self.options.clone())?;
        let mut names: Vec<String> =
            source.list()?.skills.into_iter().map(|skill| skill.name.into()).collect();
        names.extend(source.archives()?.into_iter().map(|archive| archive.name));
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn skill(
        &self,
        site: &str,
        name: &SkillName,
        limits: &PackageLimits,
    ) -> Result<FileTree, WebError> {
        let source = Http::new(site, self.options.clone())?;
        let listing = source.list()?;
        let found = listing.skills.iter().find(|skill| skill.name == name.as_str());
        let Some(skill) = found else {
            let archives = source.archives()?;
            if let Some(archive) = archives.iter().find(|it| it.name == name.as_str()) {
                return self.unpack(archive, limits);
            }
            return Err(SourceError::UnknownSkill {
                label: site.to_owned(),
                key: name.as_str().to_owned(),
            }
            .into());
        };
        let limit = usize::try_from(limits.file_bytes).unwrap_or(usize::MAX);
        let read = ReadOptions { limit, ..ReadOptions::default() };
        let mut tree = FileTree::builder(limits);
        let own = source.read(&skill.key, &skill.file, &read)?;
        tree.add_file("SKILL.md", own.bytes, false)?;
        for path in source.files(&skill.key)?.iter() {
            if *path == skill.file {
                continue;
            }
            let file = source.read(&skill.key, path, &read)?;
            tree.add_file(path.as_str(), file.bytes, false)?;
        }
        Ok(tree.finish()?)
    }
}

impl OverHttp {
    /// The files of an archive, which must be what its index says: the digest before anything is
    /// unpacked, the name and the description after.
    fn unpack(
        &self,
        archive: &ListedArchive,
        limits: &PackageLimits,
    ) -> Result<FileTree, WebError> {
        let url = || archive.url.clone();
        let bytes = self.download(&archive.url, limits.total_bytes)?;
        if Sha256::of(&bytes).to_string() != archive.digest {
            return Err(WebError::Mismatch { url: url(), what: "digest" });
        }
        let tree = unpack(&archive.url, &bytes, limits)
            .map_err(|error| WebError::Archive { url: url(), error })?;
        let file = tree.get("SKILL.md").map(|file| String::from_utf8_lossy(&file.bytes));
        let skill = file.and_then(|text| parse(&text).skill);
        match skill {
            None => Err(WebError::Mismatch { url: url(), what: "`SKILL.md` at the root" }),
            Some(skill) if skill.name() != archive.name => {
                Err(WebError::Mismatch { url: url(), what: "name" })
            }
            Some(skill) if skill.description() != archive.description => {
                Err(WebError::Mismatch { url: url(), what: "description" })
            }
            Some(_) => Ok(tree),
        }
    }
}
