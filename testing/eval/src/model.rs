//! Turns a program outside that embeds texts into an embedder.

use metier_core::{EmbedError, Embedder};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A program that reads a JSON list of texts from each line of its input, and writes a JSON list of their
/// vectors as a line of its output. It ends with the value.
#[derive(Debug)]
pub struct Model {
    child: Child,
    pipes: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Model {
    /// Starts the program `embed` of a folder.
    pub fn start(folder: &Path) -> Result<Self, String> {
        let program = folder.join("embed");
        let cannot = |reason: &str| format!("cannot start `{}`: {reason}", program.display());
        let mut command = Command::new(&program);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| cannot(&error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(cannot("it has no pipes"));
        };
        Ok(Self { child, pipes: Mutex::new((input, BufReader::new(output))) })
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Box<dyn std::error::Error>> {
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(pipes.0, "{}", serde_json::to_string(texts)?)?;
        pipes.0.flush()?;
        let mut line = String::new();
        pipes.1.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Embedder for Model {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.ask(texts).map_err(|error| EmbedError::Failed(error.to_string()))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
