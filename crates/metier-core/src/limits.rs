//! Turns "how much is too much" into numbers that callers can change.

/// How large a skill may be. Every refusal names the limit, the value and the place.
///
/// The defaults stand 7 to 40 times above the largest of tens of thousands of published skills.
///
/// ```
/// use metier_core::Limits;
///
/// let limits = Limits { yaml_depth: 4, ..Limits::default() };
/// assert_eq!(limits.frontmatter_bytes, 64 * 1024);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Limits {
    /// The size of a `SKILL.md`.
    pub file_bytes: usize,
    /// The size of its frontmatter, between the fences.
    pub frontmatter_bytes: usize,
    /// How deep lists and mappings may nest.
    pub yaml_depth: usize,
    /// How many keys, values, lists and mappings the frontmatter may hold.
    pub yaml_nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1024 * 1024,
            frontmatter_bytes: 64 * 1024,
            yaml_depth: 16,
            yaml_nodes: 4096,
        }
    }
}
