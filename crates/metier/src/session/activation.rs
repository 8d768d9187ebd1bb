//! Turns the id of a skill into the text that a model receives when the skill is activated.

use crate::disk::real_path;
use crate::registry::catalog::CatalogEntry;
use crate::registry::{Registry, RegistryError};
use crate::source::ReadOptions;
use crate::source::blocking::block_on;
use crate::source::resource::Files;
use metier_core::{
    Activation, ActivationForm, ActivationOptions, Bundle, BundledFile, ResourcePath, Skill,
};
use std::path::{Path, PathBuf};

impl Registry {
    /// What a model receives when the skill with this id is activated. Reads the skill's file, lists
    /// the files beside it, and reads those only that are to stand in the text.
    ///
    /// Whether the skill may reach the model is for the caller to know: see
    /// [`CatalogEntry::is_offered`].
    ///
    /// ```
    /// use metier::{ActivationOptions, Blocking, Memory, Registry};
    ///
    /// let table = Memory::new("built-in")
    ///     .inline("pdf", "Fills in forms. Use for PDF files.", "Run scripts/fill.py.")
    ///     .resource("pdf", "scripts/fill.py", "print()\n");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    ///
    /// let activation = registry.activation_blocking("pdf", &ActivationOptions::default())?;
    /// assert_eq!(activation.text, "\
    /// <skill_content name=\"pdf\">
    /// Run scripts/fill.py.
    ///
    /// Relative paths in this skill are those of the files below.
    ///
    /// <skill_resources>
    ///   <file>scripts/fill.py</file>
    /// </skill_resources>
    /// </skill_content>");
    /// # Ok::<(), metier::RegistryError>(())
    /// ```
    pub async fn activation(
        &self,
        id: &str,
        options: &ActivationOptions,
    ) -> Result<Activation, RegistryError> {
        let skill = self.load(id).await?;
        let entry = self.entry(id)?;
        let files = self.files_of(&entry).await;
        Ok(self.activate(&entry, skill, &files, options).await)
    }

    /// [`activation`](Self::activation), waiting for it.
    pub fn activation_blocking(
        &self,
        id: &str,
        options: &ActivationOptions,
    ) -> Result<Activation, RegistryError> {
        block_on(self.activation(id, options))
    }

    /// The files of a skill. The skill can be used without; that they are not known is said.
    pub(crate) async fn files_of(&self, entry: &CatalogEntry) -> Files {
        let files = entry.held.source.files(&entry.listed.key).await;
        files.unwrap_or_else(|_| Files { truncated: true, ..Files::default() })
    }

    /// The activation of a skill that was loaded already.
    pub(crate) async fn activate(
        &self,
        entry: &CatalogEntry,
        skill: Skill,
        files: &Files,
        options: &ActivationOptions,
    ) -> Activation {
        let bundle = self.bundle(entry, files, options).await;
        let skill = match skill.path().filter(|path| path.is_relative()) {
            Some(path) => {
                let path = self.absolute(path);
                skill.with_path(path)
            }
            None => skill,
        };
        let line = entry.line();
        match (&options.origin, line.origin) {
            (None, Some(origin)) => {
                let origin = Some(origin.to_owned());
                skill.activation_with(&bundle, &ActivationOptions { origin, ..options.clone() })
            }
            _ => skill.activation_with(&bundle, options),
        }
    }

    /// The path from the root of the file system: a model's tools may start anywhere (spec X3).
    fn absolute(&self, path: &Path) -> PathBuf {
        let based = self.shared.options.base.join(path);
        if based.is_absolute() { based } else { real_path(&based).unwrap_or(based) }
    }

    /// The files that an activation lists, with the texts of those that are to stand in it. A file
    /// that cannot be read, is too large or is no text is listed by its name.
    async fn bundle(
        &self,
        entry: &CatalogEntry,
        files: &Files,
        options: &ActivationOptions,
    ) -> Bundle {
        let mut bundle = Bundle { files: Vec::new(), truncated: files.truncated };
        let mut paths: Vec<&ResourcePath> = files.iter().collect();
        match options.form {
            ActivationForm::Zerodep => paths.truncate(files.len() - files.other.len()),
            // Sorted as one list (spec assertion 97).
            _ => paths.sort(),
        }
        for path in paths {
            let mut text = None;
            if let Some(limit) = options.max_inline_bytes
                && bundle.files.len() < options.max_listed
            {
                let read = ReadOptions { limit, range: None };
                let resource = entry.held.source.read(&entry.listed.key, path, &read).await;
                text = resource.ok().and_then(|file| String::from_utf8(file.bytes).ok());
            }
            bundle.files.push(BundledFile { path: path.clone(), text });
        }
        bundle
    }
}
