//! Turns the first line of a script, or its extension, into the program that runs it.

use super::ProcessOptions;
use crate::disk;
use crate::session::runner::RunError;
use metier_core::ResourcePath;
use std::path::{Path, PathBuf};

/// A program and the arguments that come before the script.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Interpreter {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
}

/// Finds what runs a script: what its `#!` line names, else what its extension means.
///
/// - `#!/bin/bash -e`: the program at that path, or one of that name in the search path where there
///   is none; the rest of the line is one argument, as the system has it.
/// - `#!/usr/bin/env python3`, `#!/usr/bin/env -S python3 -u`: a program in the search path. Words
///   behind it are arguments.
pub(super) fn find(
    script: &ResourcePath,
    head: &[u8],
    options: &ProcessOptions,
) -> Result<Interpreter, RunError> {
    let (name, arguments) = match first_line(head) {
        Some(line) => named(line).ok_or(RunError::NoInterpreter {
            script: script.clone(),
            reason: "the line that it has names no program",
        })?,
        None => (by_extension(script, options)?, Vec::new()),
    };
    let program = locate(&name, options);
    let missing =
        || RunError::MissingInterpreter { script: script.clone(), interpreter: name.clone() };
    Ok(Interpreter { program: program.ok_or_else(missing)?, arguments })
}

/// What stands behind `#!`.
fn first_line(head: &[u8]) -> Option<&str> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    // An unreadable line names nothing, which the caller says.
    Some(std::str::from_utf8(line).unwrap_or_default().trim())
}

fn named(line: &str) -> Option<(String, Vec<String>)> {
    let (program, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    let file_name = Path::new(program).file_name()?;
    if file_name != "env" {
        let arguments = Some(rest).filter(|rest| !rest.is_empty()).map(str::to_owned);
        return Some((program.to_owned(), arguments.into_iter().collect()));
    }
    let mut words = rest.split_whitespace().skip_while(|word| *word == "-S");
    let name = words.next().filter(|word| !word.starts_with('-') && !word.contains('='))?;
    Some((name.to_owned(), words.map(str::to_owned).collect()))
}

fn by_extension(script: &ResourcePath, options: &ProcessOptions) -> Result<String, RunError> {
    let none = |reason| RunError::NoInterpreter { script: script.clone(), reason };
    let extension = script.extension().ok_or_else(|| none("it has no extension"))?;
    let known = options.interpreters.get(extension);
    known.cloned().ok_or_else(|| none("its extension means no program"))
}

/// The program at a path, or of that name in the search path. A relative path is neither: what a
/// skill brings along does not choose what runs it.
fn locate(name: &str, options: &ProcessOptions) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() && disk::is_program(path) {
        return Some(path.to_owned());
    }
    if !path.is_absolute() && path.components().count() > 1 {
        return None;
    }
    let file_name = path.file_name()?;
    let folders = std::env::split_paths(&options.path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(file_name)).find(|candidate| disk::is_program(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str, head: &str) -> Result<Interpreter, RunError> {
        find(&script.parse().unwrap(), head.as_bytes(), &ProcessOptions::default())
    }

    #[test]
    fn the_first_line_names_the_program_and_its_arguments() {
        for (line, program, arguments) in [
            ("/bin/bash", "/bin/bash", &[][..]),
            (" /bin/bash -e -u ", "/bin/bash", &["-e -u"]),
            ("/usr/bin/env python3", "python3", &[]),
            ("/usr/bin/env -S python3 -u -B", "python3", &["-u", "-B"]),
            ("/usr/bin/env\tnode", "node", &[]),
        ] {
            let (name, rest) = named(line.trim()).unwrap();
            assert_eq!(
                (name.as_str(), &rest[..]),
                (program, &arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>()[..]),
                "{line}"
            );
        }
        for line in ["", "/", "/usr/bin/env", "/usr/bin/env -i python3", "/usr/bin/env A=b python3"]
        {
            assert_eq!(named(line), None, "{line}");
        }
    }

    #[test]
    fn programs_are_found_where_they_are() {
        let sh = found("scripts/a", "#!/bin/sh\nls\n").unwrap();
        assert_eq!(sh, Interpreter { program: "/bin/sh".into(), arguments: vec![] });
        // A line that ends the way Windows ends lines.
        assert_eq!(found("scripts/a", "#!/bin/sh\r\nls\r\n").unwrap(), sh);
        // Another machine has it elsewhere.
        let elsewhere = found("scripts/a", "#!/opt/nowhere/sh\n").unwrap();
        assert!(elsewhere.program.ends_with("sh"));
        assert!(found("scripts/a.sh", "ls\n").unwrap().program.ends_with("sh"));
    }

    #[test]
    fn what_names_no_program_is_told() {
        let missing = found("a", "#!/usr/bin/env no-such-program\n").unwrap_err();
        assert_eq!(missing.to_string(), "`no-such-program`, which runs `a`, is not installed");
        for (script, head) in [
            ("a", "ls\n"),
            ("a.exe", "MZ"),
            ("a.sh", "#!\n"),
            ("a.sh", "#!/usr/bin/env\n"),
            ("README.md", "# Title\n"),
        ] {
            let error = found(script, head).unwrap_err();
            assert!(matches!(error, RunError::NoInterpreter { .. }), "{script}: {error}");
        }
        for head in ["#!./own\n", "#!scripts/own\n", "#!../own\n"] {
            let error = found("a.sh", head).unwrap_err();
            assert!(matches!(error, RunError::MissingInterpreter { .. }), "{head}: {error}");
        }
    }
}
