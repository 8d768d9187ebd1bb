//! Turns the user's git configuration into the part that says how hosts are reached.

use super::GitError;
use super::process::{Configuration, Program};

/// What is taken over: who we are to a host, and the way there.
const SECTIONS: [&str; 3] = ["credential.", "http.", "url."];
const KEYS: [&str; 2] = ["core.sshcommand", "ssh.variant"];

/// What is not: certificates are checked (security H15), and limits are ours.
const NEVER: [&str; 4] = ["sslverify", "followredirects", "lowspeedlimit", "lowspeedtime"];

/// The settings of the user and the system that reaching a host may need.
pub(super) fn of_user(program: &Program) -> Result<Vec<(String, String)>, GitError> {
    let arguments = ["config", "--includes", "--null", "--show-scope", "--list"];
    let output = program.run_as(Configuration::User, "prepare for", &arguments, &[])?;
    Ok(select(&String::from_utf8_lossy(&output.stdout)))
}

/// Picks from `scope NUL key LF value NUL ...`.
fn select(listed: &str) -> Vec<(String, String)> {
    let mut fields = listed.split('\0');
    let mut settings = Vec::new();
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        if !matches!(scope, "system" | "global") {
            continue;
        }
        let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
        let last = key.rsplit('.').next().unwrap_or_default();
        let wanted = SECTIONS.iter().any(|section| key.starts_with(section)) || KEYS.contains(&key);
        if wanted && !NEVER.contains(&last) {
            settings.push((key.to_owned(), value.to_owned()));
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_hosts_is_taken_over_and_nothing_else() {
        let listed = "global\0credential.helper\nstore\0system\0http.proxy\nhttp://p:1\0\
                      global\0core.hookspath\n/evil\0global\0core.fsmonitor\nevil\0\
                      global\0http.sslverify\nfalse\0global\0http.https://h.example/.sslverify\nfalse\0\
                      global\0url.git@h.example:.insteadof\nhttps://h.example/\0\
                      local\0credential.helper\nevil\0command\0http.proxy\nx\0\
                      global\0core.sshcommand\nssh -i k\0global\0alias.x\n!evil\0\
                      global\0http.https://h.example/.sslcert\n";
        let keys: Vec<(String, String)> = select(listed);
        let keys: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "credential.helper",
                "http.proxy",
                "url.git@h.example:.insteadof",
                "core.sshcommand",
                "http.https://h.example/.sslcert",
            ]
        );
    }
}
