//! Turns an address into an empty repository of our own to fetch into, which goes when it is done with.

use super::process::Program;
use super::{Git, GitError, config};
use crate::disk::held_folder::HeldFolder;
use crate::disk::make_folders;
use crate::install::git_url::{GitUrl, Transport};

/// What every one of these folders starts with.
const PREFIX: &str = ".metier-git-";

/// A temporary repository. One that a killed process has left is removed by the next.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) program: Program,
    _folder: HeldFolder,
}

impl Workspace {
    /// Refuses transports that are not open to the caller, before any program runs.
    pub(super) fn open(git: &Git, url: &GitUrl) -> Result<Self, GitError> {
        let allowed = match url.transport() {
            Transport::Https | Transport::Ssh => true,
            Transport::File => git.options.allow_file,
            Transport::LoopbackHttp => git.options.allow_loopback_http,
        };
        if !allowed {
            return Err(GitError::Transport { url: url.clone() });
        }
        let failed = |reason: String| GitError::Temporary { path: git.temporary.clone(), reason };
        make_folders(&git.temporary).map_err(|error| failed(error.to_string()))?;
        let folder = HeldFolder::make_in(&git.temporary, PREFIX)
            .map_err(|error| failed(error.kind().to_string()))?;
        let mut program = Program {
            path: git.program.clone(),
            environment: git.environment.clone(),
            folder: folder.path().to_owned(),
            url: url.clone(),
            timeout: git.options.timeout,
            max_bytes: git.options.max_bytes,
            config: Vec::new(),
            progress: git.progress.clone(),
        };
        program.run("prepare for", &["init", "--quiet", "--bare", "--template="], &[])?;
        program.config = config::of_user(&program)?;
        Ok(Self { program, _folder: folder })
    }
}
