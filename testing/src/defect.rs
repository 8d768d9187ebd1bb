//! Turns a sound skill into one with a single mistake, of a kind that authors really make.

use crate::frontmatter::Frontmatter;
use crate::prose::capitalised;

/// A mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Defect {
    /// A bare description holds a colon and a blank.
    UnquotedColon,
    /// The description starts on the line of its `|`.
    TextAfterBlockIndicator,
    /// A bare description starts with bold text.
    LeadingAsterisk,
    /// A bare description starts with code.
    LeadingBacktick,
    /// A quoted description holds quotes.
    InnerQuotes,
    /// A description goes on in a line that is not indented.
    UnindentedContinuation,
    /// A list is never closed.
    BrokenFlow,
    /// The name is given twice.
    DuplicateKey,
    /// There is no description.
    MissingDescription,
    /// The description is empty.
    EmptyDescription,
    /// The description is longer than 1024 characters.
    LongDescription,
    /// There is no name.
    MissingName,
    /// The name is a title, with capitals and blanks.
    TitleName,
    /// The name is longer than 64 characters.
    LongName,
    /// The name is not that of the directory.
    OtherName,
    /// There is no frontmatter.
    MissingFrontmatter,
    /// The frontmatter is never closed.
    UnclosedFrontmatter,
    /// An empty line stands before the frontmatter.
    LeadingBlankLine,
    /// Every line ends with a carriage return and a newline.
    CarriageReturns,
    /// The file starts with a byte order mark.
    ByteOrderMark,
}

impl Defect {
    /// Every mistake.
    pub const ALL: [Self; 20] = [
        Self::UnquotedColon,
        Self::TextAfterBlockIndicator,
        Self::LeadingAsterisk,
        Self::LeadingBacktick,
        Self::InnerQuotes,
        Self::UnindentedContinuation,
        Self::BrokenFlow,
        Self::DuplicateKey,
        Self::MissingDescription,
        Self::EmptyDescription,
        Self::LongDescription,
        Self::MissingName,
        Self::TitleName,
        Self::LongName,
        Self::OtherName,
        Self::MissingFrontmatter,
        Self::UnclosedFrontmatter,
        Self::LeadingBlankLine,
        Self::CarriageReturns,
        Self::ByteOrderMark,
    ];
}

/// The text of a skill, with a mistake if one is asked for.
///
/// `what` is a short phrase about the skill, for the mistakes that need a description of their own.
pub(crate) fn text(
    name: &str,
    what: &str,
    frontmatter: Frontmatter,
    body: &str,
    defect: Option<Defect>,
) -> String {
    let Frontmatter { name: mut name_line, mut description, mut others } = frontmatter;
    match defect {
        Some(Defect::UnquotedColon) => description = format!("description: Use this: {what}\n"),
        Some(Defect::TextAfterBlockIndicator) => {
            description = format!("description: | Use when {what}\n  and so on.\n");
        }
        Some(Defect::LeadingAsterisk) => description = format!("description: **Use** {what}\n"),
        Some(Defect::LeadingBacktick) => description = format!("description: `{name}` {what}\n"),
        Some(Defect::InnerQuotes) => {
            description = format!("description: \"Use on \"{what}\" only\"\n");
        }
        Some(Defect::UnindentedContinuation) => {
            description = format!("description: Use when {what}\nand never otherwise.\n");
        }
        Some(Defect::BrokenFlow) => others.push_str("keywords: [one, two\n"),
        Some(Defect::DuplicateKey) => others.push_str(&name_line),
        Some(Defect::MissingDescription) => description.clear(),
        Some(Defect::EmptyDescription) => description = "description: \"\"\n".into(),
        Some(Defect::LongDescription) => {
            let many = format!("{what}, ").repeat(1 + 1024 / what.len().max(1));
            description = format!("description: Use when {many}and so on.\n");
        }
        Some(Defect::MissingName) => name_line.clear(),
        Some(Defect::TitleName) => {
            let words: Vec<_> = name.split('-').map(capitalised).collect();
            name_line = format!("name: {}\n", words.join(" "));
        }
        Some(Defect::LongName) => {
            let many = vec![name; 1 + 64 / name.len().max(1)];
            name_line = format!("name: {}\n", many.join("-"));
        }
        Some(Defect::OtherName) => name_line = format!("name: my-{name}\n"),
        _ => {}
    }
    let inside = format!("{name_line}{description}{others}");
    match defect {
        Some(Defect::MissingFrontmatter) => body.to_owned(),
        // Without rules, none of which may close it by chance.
        Some(Defect::UnclosedFrontmatter) => {
            format!("---\n{inside}\n{}", body.replace("\n---\n", "\n"))
        }
        Some(Defect::LeadingBlankLine) => format!("\n---\n{inside}---\n\n{body}"),
        Some(Defect::CarriageReturns) => {
            format!("---\n{inside}---\n\n{body}").replace('\n', "\r\n")
        }
        Some(Defect::ByteOrderMark) => format!("\u{feff}---\n{inside}---\n\n{body}"),
        _ => format!("---\n{inside}---\n\n{body}"),
    }
}
