//! Turns a rule's code into its severity and its documentation: the one table of everything metier can find.

use crate::{Mode, Severity};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Declares the rules: doc comment, variant, code, severity when strict, severity when lenient.
///
/// The doc comment is the rule's documentation everywhere: in rustdoc, in `metier rule` and in
/// `docs/rules`. Its first line is the title; `What it does`, `Why it matters`, `Example` and
/// `Instead` follow as headings.
macro_rules! rules {
    ($($(#[doc = $doc:expr])+ $rule:ident $code:literal $strict:tt $lenient:tt;)+) => {
        /// Something metier can find in a skill, with a stable code.
        ///
        /// ```
        /// use metier_core::{Mode, Rule, Severity};
        ///
        /// let rule: Rule = "unquoted-colon".parse().unwrap();
        /// assert_eq!(rule.severity(Mode::Lenient), Some(Severity::Warning));
        /// assert!(rule.docs().contains("## Why it matters"));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $rule,)+
        }

        impl Rule {
            /// Every rule, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$rule,)+];

            /// The stable kebab-case code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$rule => $code,)+ }
            }

            /// How much a finding of this rule matters in `mode`; `None` where the mode has it off.
            pub fn severity(self, mode: Mode) -> Option<Severity> {
                let (strict, lenient) = match self {
                    $(Self::$rule => (rules!(@severity $strict), rules!(@severity $lenient)),)+
                };
                match mode {
                    Mode::Strict => strict,
                    Mode::Lenient => lenient,
                }
            }

            /// The documentation as Markdown: a title line, then sections under `##` headings.
            pub fn docs(self) -> &'static str {
                match self { $(Self::$rule => concat!($($doc, "\n",)+),)+ }
            }
        }
    };
    (@severity error) => { Some(Severity::Error) };
    (@severity warning) => { Some(Severity::Warning) };
    (@severity off) => { None };
}

rules! {
    // Document
    /// The file is not UTF-8 text.
    NotUtf8 "not-utf8" error error;
    /// The file is larger than the limit.
    FileTooLarge "file-too-large" error error;
    /// The file does not start with YAML frontmatter.
    MissingFrontmatter "missing-frontmatter" error error;
    /// The frontmatter is never closed with a line of `---`.
    UnclosedFrontmatter "unclosed-frontmatter" error error;
    /// The frontmatter is larger than the limit.
    FrontmatterTooLarge "frontmatter-too-large" error error;
    /// The file starts with a byte order mark.
    ByteOrderMark "byte-order-mark" error warning;
    /// Something stands before the opening `---`.
    LeadingContent "leading-content" error warning;
    /// The closing `---` is indented.
    IndentedFence "indented-fence" warning warning;

    // YAML
    /// The frontmatter is not YAML.
    InvalidYaml "invalid-yaml" error error;
    /// The frontmatter is empty or not a mapping of keys to values.
    NotAMapping "not-a-mapping" error error;
    /// A key is given twice.
    DuplicateKey "duplicate-key" error warning;
    /// The frontmatter uses an anchor or an alias.
    YamlAnchor "yaml-anchor" error error;
    /// The frontmatter uses a YAML tag.
    YamlTag "yaml-tag" error error;
    /// The frontmatter uses a YAML directive.
    YamlDirective "yaml-directive" error error;
    /// The frontmatter holds more than one YAML document.
    SecondDocument "second-document" error error;
    /// A key is a list or a mapping.
    ComplexKey "complex-key" error error;
    /// The frontmatter nests deeper than the limit.
    TooDeep "too-deep" error error;
    /// The frontmatter holds more values than the limit.
    TooManyNodes "too-many-nodes" error error;
    /// The frontmatter holds a control character.
    ControlCharacter "control-character" error error;
    /// The frontmatter holds text that was decoded twice.
    Mojibake "mojibake" error warning;
    /// An unquoted value holds a colon followed by a space.
    UnquotedColon "unquoted-colon" error warning;
    /// An unquoted value starts with a character that YAML reserves.
    UnquotedIndicator "unquoted-indicator" error warning;
    /// Text stands on the same line as a block indicator.
    TextAfterBlockIndicator "text-after-block-indicator" error warning;
    /// A quoted value is not closed where it ends.
    UnescapedQuotes "unescaped-quotes" error warning;
    /// A value goes on in a line that is not indented.
    UnindentedContinuation "unindented-continuation" error warning;
    /// A line is indented with a tab.
    TabIndentation "tab-indentation" error warning;
    /// A `[` or `{` is never closed.
    BrokenFlow "broken-flow" error warning;
    /// A field is indented unlike the ones around it.
    MisindentedField "misindented-field" error warning;
    /// The line that closes the frontmatter comes too late.
    LateFence "late-fence" error warning;
    /// The frontmatter holds the marks of an unresolved merge.
    MergeConflict "merge-conflict" error warning;
    /// A field could not be read and is left out.
    UnreadField "unread-field" error warning;
    /// An unquoted value means different things to different YAML readers.
    AmbiguousScalar "ambiguous-scalar" warning off;
    /// An unquoted value is cut short by ` #`.
    CommentInValue "comment-in-value" warning warning;

    // Fields
    /// The skill has no name.
    MissingName "missing-name" error warning;
    /// The name is not text.
    NameType "name-type" error warning;
    /// The name is longer than 64 characters.
    NameTooLong "name-too-long" error warning;
    /// The name has capital letters.
    NameCase "name-case" error warning;
    /// The name starts or ends with a hyphen, or doubles one.
    NameHyphens "name-hyphens" error warning;
    /// The name has a character that is not a letter, a digit or a hyphen.
    NameCharacters "name-characters" error warning;
    /// The name is not the name of the directory.
    NameMismatch "name-mismatch" error warning;
    /// The name is reserved by a vendor or an operating system.
    NameReserved "name-reserved" warning off;
    /// The name has letters outside a-z.
    NameNotAscii "name-not-ascii" warning off;
    /// The skill has no description.
    MissingDescription "missing-description" error error;
    /// The description is not text.
    DescriptionType "description-type" error error;
    /// The description is longer than 1024 characters.
    DescriptionTooLong "description-too-long" error warning;
    /// The description holds angle brackets.
    DescriptionMarkup "description-markup" warning off;
    /// The description never says when to use the skill.
    DescriptionWithoutTrigger "description-without-trigger" warning off;
    /// A field has the wrong type.
    FieldType "field-type" error warning;
    /// The compatibility is empty or longer than 500 characters.
    CompatibilityLength "compatibility-length" error warning;
    /// The metadata is not a mapping.
    MetadataType "metadata-type" error warning;
    /// A metadata value is a list or a mapping.
    MetadataValue "metadata-value" warning off;
    /// The allowed tools are not one space-separated string.
    AllowedToolsForm "allowed-tools-form" warning off;
    /// A tool pattern has unbalanced parentheses.
    AllowedToolsUnbalanced "allowed-tools-unbalanced" warning warning;
    /// A key looks like a known one, spelt differently.
    MisspeltField "misspelt-field" error warning;
    /// The specification does not know this key.
    UnknownField "unknown-field" error off;
    /// The frontmatter declares hooks.
    DeclaresHooks "declares-hooks" warning warning;

    // Body
    /// There are no instructions after the frontmatter.
    EmptyBody "empty-body" warning off;
    /// The instructions are longer than 500 lines or 5 000 tokens.
    BodyTooLong "body-too-long" warning off;
    /// A relative link leads nowhere.
    DeadLink "dead-link" warning off;
    /// The instructions name a file that is not there.
    MissingResource "missing-resource" warning off;
    /// A path leads out of the skill's folder.
    PathLeavesSkill "path-leaves-skill" warning off;
    /// The text holds what looks like a secret.
    Secret "secret" warning warning;
    /// The text holds characters that cannot be seen.
    HiddenCharacters "hidden-characters" warning warning;
    /// A comment that no reader sees gives instructions.
    HiddenComment "hidden-comment" warning off;
    /// Text stands so far right that nobody sees it.
    HiddenFarRight "hidden-far-right" warning off;
    /// A web address mixes alphabets.
    ConfusableHost "confusable-host" warning warning;
    /// A download is piped straight into a shell.
    PipeToShell "pipe-to-shell" warning off;
    /// A picture carries text or scripts that cannot be seen.
    HiddenImageText "hidden-image-text" warning warning;

    // Folder
    /// The file is not called `SKILL.md`.
    FileName "file-name" error warning;
    /// The file is called `skill.md`.
    LowercaseFileName "lowercase-file-name" warning off;
    /// The folder holds `SKILL.md` under two spellings.
    TwoManifests "two-manifests" warning warning;
    /// Another skill stands inside this one.
    NestedSkill "nested-skill" warning off;
    /// Two files differ only in case or in Unicode form.
    CaseCollision "case-collision" warning warning;
    /// A script is run without its interpreter, and is not executable.
    ScriptInterpreter "script-interpreter" warning off;
    /// The folder holds something that is neither a file nor a folder.
    SpecialFile "special-file" warning warning;
}

impl Rule {
    /// The title: one sentence that says what is wrong.
    pub fn title(self) -> &'static str {
        self.docs().lines().next().unwrap_or_default().trim()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// No rule has this code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRule {
    /// The code that was asked for.
    pub code: String,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no rule has the code `{}`", self.code)
    }
}

impl std::error::Error for UnknownRule {}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().copied().find(|rule| rule.code() == code);
        found.ok_or_else(|| UnknownRule { code: code.to_owned() })
    }
}
