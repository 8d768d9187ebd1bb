//! Turns another MCP server into a source of skills, each of which is verified when it is read.

mod connection;
mod http_wire;
mod mcp_source;
mod remote_skill;
mod stream_wire;

pub use connection::McpError;
pub use mcp_source::{McpSource, McpSourceOptions};
