//! Turns what is locked and what a source offers into which of them is the older one.

use super::git::History;
use super::install_error::InstallError;
use super::installer::Installer;
use super::lock::LockedSkill;
use super::origin::Origin;
use super::tree::FileTree;
use super::verified::Verified;
use metier_core::parse;

impl Installer<'_> {
    /// Where what a source offers stands, seen from what is locked. The history of a repository is
    /// the best witness; without one, a version that goes down and files that were here before tell
    /// of a source that was put back, or of someone who replays it (security L12).
    pub(crate) fn age(
        &self,
        locked: &LockedSkill,
        old: Option<&FileTree>,
        new: &Verified,
    ) -> Result<History, InstallError> {
        if let (Origin::Git { url, commit: before, .. }, Origin::Git { url: same, commit: now, .. }) =
            (&locked.source, &new.fetched.origin)
            && url == same
            && before != now
        {
            let history = self.repositories.history(url, before, now)?;
            if history != History::Unknown {
                return Ok(history);
            }
        }
        let versions = old.and_then(version).zip(version(&new.fetched.tree));
        match versions {
            Some((before, now)) if now < before => return Ok(History::Older),
            Some((before, now)) if now > before => return Ok(History::Newer),
            _ => {}
        }
        let owned = self.owned()?;
        let past = owned.skills.get(&locked.name).filter(|it| it.requested == locked.requested);
        let digest = new.fetched.tree.digest();
        let was_here = past.is_some_and(|past| past.before.contains(&digest));
        Ok(if was_here { History::Older } else { History::Unknown })
    }

    /// The files of a skill as they were installed, where they can still be had without fetching.
    pub(crate) fn as_installed(&self, locked: &LockedSkill) -> Option<FileTree> {
        self.stored(&locked.digest).or_else(|| {
            let folder = self.location.folder(locked.into.as_ref()).join(locked.name.as_str());
            let here = super::local::read_folder(&folder, &self.options.limits).ok()?;
            (here.digest() == locked.digest).then_some(here)
        })
    }
}

/// The numbers of the version that a skill says it has: `metadata.version`, such as `1.10` or `v2`.
fn version(tree: &FileTree) -> Option<Vec<u64>> {
    let text = std::str::from_utf8(&tree.get("SKILL.md")?.bytes).ok()?.to_owned();
    let skill = parse(&text).skill?;
    let (_, version) = skill.manifest().metadata_text().find(|(key, _)| *key == "version")?;
    let version = version.trim();
    version.strip_prefix('v').unwrap_or(version).split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::PackageLimits;

    #[test]
    fn versions_are_numbers() {
        let version = |text: &str| {
            let mut tree = FileTree::builder(&PackageLimits::default());
            let text =
                format!("---\nname: pdf\ndescription: x\nmetadata:\n  version: {text}\n---\n");
            tree.add_file("SKILL.md", text.into_bytes(), false).unwrap();
            version(&tree.finish().unwrap())
        };
        assert_eq!(version("1.10"), Some(vec![1, 10]));
        assert_eq!(version("\"v2\""), Some(vec![2]));
        assert!(version("1.9") < version("1.10"));
        assert_eq!(version("1.0-beta"), None);
        assert_eq!(version("yesterday"), None);
    }
}
