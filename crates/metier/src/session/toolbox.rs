//! Turns what a session may do into the tools that its model is offered.

use crate::session::Session;
use crate::session::tool_names::{ToolNames, Verb};
use metier_core::{Parameter, Tool, ToolSet};

impl Session {
    /// The tools that the model is offered: none when there is no skill that it may load (spec G16).
    ///
    /// The definitions stay the same for as long as the session lasts, which keeps prompt caches
    /// warm, but for two things: `run_skill_script` appears once a skill with scripts is active and
    /// the host runs scripts, and names or the catalog are in them if the options say so.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, Session, SessionOptions};
    ///
    /// let table = Memory::new("m").inline("pdf", "Use for PDFs.", "Open it.");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// let session = Session::new(registry, SessionOptions::default());
    /// let tools = session.tools();
    /// assert!(tools.names().contains(&"load_skill"));
    /// let request = serde_json::json!({ "model": "...", "tools": tools.to_anthropic() });
    /// # assert_eq!(request["tools"][0]["name"], tools.names()[0]);
    /// ```
    pub fn tools(&self) -> ToolSet {
        let snapshot = self.registry().catalog();
        if self.visible(&snapshot).next().is_none() {
            return ToolSet::default();
        }
        let options = self.options();
        let choices: Vec<String> = if options.list_names {
            self.visible(&snapshot).map(|entry| entry.id.to_string()).collect()
        } else {
            Vec::new()
        };
        let offered = options.names.verbs().iter().filter(|(verb, _)| match verb {
            Verb::Run => self.can_run(),
            Verb::Search | Verb::Load | Verb::Unload | Verb::Read => true,
        });
        let index = options.index.as_ref().map(|render| self.prompt(render).text);
        let define = |(verb, name): &(Verb, &str)| {
            let mut tool = define(options.names, *verb, name, &choices);
            if let Some(index) = index.as_deref().filter(|_| *verb == Verb::Load) {
                tool.description = format!("{}\n\n{}", tool.description, index.trim_start());
            }
            tool
        };
        offered.map(define).collect()
    }

    /// Whether a call of this name is one for the session.
    pub fn handles(&self, tool: &str) -> bool {
        self.options().names.verb(tool).is_some()
    }

    /// Whether an active skill has scripts and the host runs them.
    fn can_run(&self) -> bool {
        let has_scripts = || self.live().table.iter().any(|(_, active)| active.has_scripts);
        self.options().runner.is_some() && has_scripts()
    }
}

fn define(names: ToolNames, verb: Verb, name: &str, choices: &[String]) -> Tool {
    let skill = |description: &str| {
        let parameter = Parameter::text(names.skill_argument(verb), description);
        parameter.one_of(choices.iter().cloned())
    };
    match (names, verb) {
        (_, Verb::Search) => Tool::new(
            name,
            "Find skills by what they do. Call it when a task may have a skill that is not in the \
             list, and load the best match.",
        )
        .parameter(Parameter::text("query", "What the task is about, in a few words."))
        .parameter(
            Parameter::integer("limit", "How many skills to return at most; 5 by default.")
                .optional(),
        )
        .read_only(),
        (ToolNames::Drover, Verb::Load) => Tool::new(
            name,
            "Load the full instructions for a named skill. Use after the system prompt advertises a \
             skill's name and description.",
        )
        .parameter(skill("Skill name (as advertised in the system prompt)."))
        .idempotent(),
        (ToolNames::Fizeau, Verb::Load) => Tool::new(
            name,
            "Load the full instructions of a skill by name. Returns the skill's body as markdown.",
        )
        .parameter(skill("Name of the skill to load (matches the frontmatter \"name\" field)."))
        .idempotent(),
        (ToolNames::PromptKit, Verb::Load) => {
            Tool::new(name, "Activate a skill to load its instructions and tools.")
                .parameter(skill("Name of the skill to activate."))
                .idempotent()
        }
        (ToolNames::Default, Verb::Load) => Tool::new(
            name,
            "Load a skill's full instructions. Call it before you start a task that matches a \
             skill's description, and follow what it says.",
        )
        .parameter(skill("The skill's name, exactly as listed."))
        .idempotent(),
        (ToolNames::PromptKit, Verb::Unload) => {
            Tool::new(name, "Deactivate a skill to unload its instructions and tools.")
                .parameter(skill("Name of the skill to deactivate."))
        }
        (_, Verb::Unload) => Tool::new(
            name,
            "Mark a loaded skill as no longer needed. Its tools go with it, unless another loaded \
             skill needs them.",
        )
        .parameter(skill("The name of the loaded skill.")),
        (ToolNames::Drover, Verb::Read) => Tool::new(
            name,
            "Read or list supporting files in a skill directory. Call without `resource` to list \
             available files, with `resource` to read one. Use after `skill_load` if the skill body \
             references additional files.",
        )
        .parameter(skill("Skill name (must be allowlisted)."))
        .parameter(
            Parameter::text(
                "resource",
                "Relative path under the skill directory (e.g. 'references/REFERENCE.md', \
                 'scripts/extract.py'). Omit to list available resources instead of reading one.",
            )
            .optional(),
        )
        .read_only(),
        (ToolNames::PromptKit, Verb::Read) => {
            Tool::new(name, "Read a resource file from within a skill's directory.")
                .parameter(skill("Name of the skill owning the resource."))
                .parameter(Parameter::text(
                    "path",
                    "Relative path to the resource within the skill directory.",
                ))
                .read_only()
        }
        (_, Verb::Read) => Tool::new(
            name,
            "Read one file of a skill, or list its files. Call it when a skill's instructions name \
             a file.",
        )
        .parameter(skill("The skill's name, exactly as listed."))
        .parameter(
            Parameter::text(
                "path",
                "The file, relative to the skill, such as references/forms.md. Leave it out to \
                 list the files.",
            )
            .optional(),
        )
        .parameter(
            Parameter::integer(
                "offset",
                "The byte to start at, for a file that is too large to read at once; 0 is the first.",
            )
            .optional(),
        )
        .parameter(Parameter::integer("length", "How many bytes to read at most.").optional())
        .read_only(),
        (_, Verb::Run) => Tool::new(
            name,
            "Run a script of a loaded skill and return what it prints. It runs in the skill's \
             folder, without a shell.",
        )
        .parameter(skill("The name of the loaded skill."))
        .parameter(Parameter::text("script", "The script, such as scripts/fill.py."))
        .parameter(
            Parameter::text_list("arguments", "Its arguments, each as it is.").optional(),
        )
        .parameter(Parameter::text("input", "What it reads from its standard input.").optional())
        .open(),
    }
}
