//! Lists the skills of another MCP server, and loads one: the client of the conformance suite.
//!
//! ```text
//! source list URL          lists, and fetches nothing
//! source load NAME URL     lists, and loads a skill with all its files
//! ```

use metier::{Blocking, ReadOptions, Registry};
use metier_mcp::{McpSource, McpSourceOptions};

#[expect(clippy::disallowed_methods, reason = "a program reads its arguments")]
#[expect(clippy::print_stdout, reason = "a program shows what it found")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let url = arguments.last().ok_or("give an address")?;
    let source = McpSource::http("remote", url, None, McpSourceOptions::default());
    let registry = Registry::builder().source(Blocking(source)).try_open()?;
    for problem in registry.problems() {
        println!("{problem}");
    }
    for entry in &registry {
        println!("{}: {}", entry.id, entry.description());
    }
    if let [command, name, _] = &arguments[..]
        && command == "load"
    {
        let skill = registry.load_blocking(name)?;
        println!("{}", skill.instructions());
        for path in registry.files_blocking(name)?.iter() {
            let file = registry.read_blocking(name, path.as_str(), &ReadOptions::default())?;
            println!("{path}: {} bytes", file.size);
        }
    }
    Ok(())
}
