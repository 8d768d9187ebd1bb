//! Turns addresses on the web into archives and skills, through the rules that sources on the web have.

use super::package_limits::PackageLimits;
use super::tree::{FileTree, TreeError};
use crate::http::download;
use crate::{BlockingSource as _, Http, HttpOptions, ReadOptions, SourceError};
use metier_core::SkillName;

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
}

/// The web, reached as the [`Http`] source reaches it: public hosts over `https:`, a few redirects,
/// digests before anything else is read (security H01 to H16).
#[derive(Debug, Clone, Default)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in")]
pub struct OverHttp {
    /// What may be reached, and how long it may take.
    pub options: HttpOptions,
}

impl Web for OverHttp {
    fn download(&self, url: &str, limit: u64) -> Result<Vec<u8>, WebError> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(download(url, &self.options, limit)?)
    }

    fn names(&self, site: &str) -> Result<Vec<String>, WebError> {
        let listing = Http::new(site, self.options.clone())?.list()?;
        Ok(listing.skills.into_iter().map(|skill| skill.name).collect())
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
