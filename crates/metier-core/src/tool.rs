//! Turns what a tool is for and what it takes into one definition, from which every model API gets its own.

pub(crate) mod call;
pub(crate) mod format;

use crate::tool::format::ToolFormat;
use serde_json::{Map, Value, json};

/// A tool that a model can call, in no vendor's form.
///
/// ```
/// use metier_core::{Parameter, Tool, ToolFormat, ToolSet};
///
/// let tool = Tool::new("load_skill", "Loads the instructions of a skill.")
///     .parameter(Parameter::text("name", "The name, exactly as listed."))
///     .read_only();
/// let tools = ToolSet::from_iter([tool]);
/// assert_eq!(tools.to_anthropic()[0]["input_schema"]["required"][0], "name");
/// assert_eq!(tools.render(ToolFormat::Mcp)[0]["annotations"]["readOnlyHint"], true);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// What a call names: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What people read.
    pub title: String,
    /// What the model reads: what the tool does and when to call it.
    pub description: String,
    /// What a call gives, in order.
    pub parameters: Vec<Parameter>,
    /// Whether a call changes nothing.
    pub is_read_only: bool,
    /// Whether a second call with the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// Whether a call may reach beyond the skills: the machine, the network.
    pub is_open: bool,
}

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What the model reads about it.
    pub description: String,
    /// What it holds.
    pub kind: ParameterKind,
    /// Whether a call must give it.
    pub is_required: bool,
    /// The only values it may have; any, when empty.
    pub choices: Vec<String>,
}

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParameterKind {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A list of texts.
    TextList,
}

/// Tools, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSet {
    tools: Vec<Tool>,
}

impl Tool {
    /// A tool without parameters that may change things. Its title is its name with blanks.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let name = name.into();
        let mut title =
            name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Self {
            name,
            title,
            description: description.into(),
            parameters: Vec::new(),
            is_read_only: false,
            is_idempotent: false,
            is_open: false,
        }
    }

    /// Adds a parameter behind the others.
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Says that a call changes nothing.
    pub fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self.is_idempotent = true;
        self
    }

    /// Says that a second call with the same arguments changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Says that a call may reach beyond the skills.
    pub fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// The JSON schema of the arguments, where what is optional may be left out.
    pub fn schema(&self) -> Value {
        let required = self.parameters.iter().filter(|parameter| parameter.is_required);
        let required: Vec<_> = required.map(|parameter| parameter.name.as_str()).collect();
        self.object(&required, Parameter::schema)
    }

    /// The JSON schema under OpenAI's rules for strict mode: every property is required, what is
    /// optional may be `null`, and nothing else may be given.
    pub fn strict_schema(&self) -> Value {
        let required: Vec<_> = self.parameters.iter().map(|p| p.name.as_str()).collect();
        self.object(&required, Parameter::strict_schema)
    }

    fn object(&self, required: &[&str], schema: impl Fn(&Parameter) -> Value) -> Value {
        let properties: Map<String, Value> =
            self.parameters.iter().map(|p| (p.name.clone(), schema(p))).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl Parameter {
    /// A text that a call must give.
    pub fn text(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, ParameterKind::Text)
    }

    /// A whole number that a call must give.
    pub fn integer(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, ParameterKind::Integer)
    }

    /// A list of texts that a call must give.
    pub fn text_list(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, ParameterKind::TextList)
    }

    fn new(name: impl Into<String>, description: impl Into<String>, kind: ParameterKind) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, description, kind, is_required: true, choices: Vec::new() }
    }

    /// Lets a call leave it out.
    pub fn optional(mut self) -> Self {
        self.is_required = false;
        self
    }

    /// Names the only values it may have (spec G18).
    pub fn one_of(mut self, choices: impl IntoIterator<Item = String>) -> Self {
        self.choices = choices.into_iter().collect();
        self
    }

    fn schema(&self) -> Value {
        self.typed(&self.kind.name().into())
    }

    fn strict_schema(&self) -> Value {
        if self.is_required {
            self.schema()
        } else {
            self.typed(&json!([self.kind.name(), "null"]))
        }
    }

    fn typed(&self, kind: &Value) -> Value {
        let mut schema = json!({ "type": kind, "description": self.description });
        if self.kind == ParameterKind::TextList {
            schema["items"] = json!({ "type": "string" });
        }
        if !self.choices.is_empty() {
            schema["enum"] = self.choices.clone().into();
        }
        schema
    }
}

impl ParameterKind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "integer",
            Self::TextList => "array",
        }
    }
}

impl ToolSet {
    /// The tools, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Tool> {
        self.tools.iter()
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tool that a call names.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.iter().find(|tool| tool.name == name)
    }

    /// The names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// The value of `tools` in a request: an array, empty when there is no tool.
    pub fn render(&self, format: ToolFormat) -> Value {
        format.definitions(&self.tools)
    }

    /// `tools` of an OpenAI Chat Completions request, strict.
    pub fn to_openai_chat(&self) -> Value {
        self.render(ToolFormat::OpenAiChat)
    }

    /// `tools` of an OpenAI Responses request, strict.
    pub fn to_openai_responses(&self) -> Value {
        self.render(ToolFormat::OpenAiResponses)
    }

    /// `tools` of an Anthropic Messages request.
    pub fn to_anthropic(&self) -> Value {
        self.render(ToolFormat::Anthropic)
    }

    /// `tools` of a Gemini `generateContent` request.
    pub fn to_gemini(&self) -> Value {
        self.render(ToolFormat::Gemini)
    }

    /// `tools` of the result of an MCP `tools/list`.
    pub fn to_mcp(&self) -> Value {
        self.render(ToolFormat::Mcp)
    }
}

impl FromIterator<Tool> for ToolSet {
    fn from_iter<I: IntoIterator<Item = Tool>>(tools: I) -> Self {
        Self { tools: tools.into_iter().collect() }
    }
}

impl<'a> IntoIterator for &'a ToolSet {
    type Item = &'a Tool;
    type IntoIter = std::slice::Iter<'a, Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        Tool::new("read_skill_file", "Reads a file.")
            .parameter(Parameter::text("skill", "The skill.").one_of(["pdf".to_owned()]))
            .parameter(Parameter::integer("offset", "Where to start.").optional())
            .parameter(Parameter::text_list("tags", "Tags.").optional())
    }

    #[test]
    fn what_is_optional_may_be_left_out() {
        assert_eq!(
            tool().schema(),
            json!({
                "type": "object",
                "properties": {
                    "skill": { "type": "string", "description": "The skill.", "enum": ["pdf"] },
                    "offset": { "type": "integer", "description": "Where to start." },
                    "tags": {
                        "type": "array", "description": "Tags.", "items": { "type": "string" }
                    },
                },
                "required": ["skill"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn in_strict_mode_everything_is_required_and_what_is_optional_may_be_null() {
        let schema = tool().strict_schema();
        assert_eq!(schema["required"], json!(["skill", "offset", "tags"]));
        assert_eq!(schema["properties"]["skill"]["type"], "string");
        assert_eq!(schema["properties"]["offset"]["type"], json!(["integer", "null"]));
        assert_eq!(schema["properties"]["tags"]["type"], json!(["array", "null"]));
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn titles_are_names_with_blanks() {
        assert_eq!(tool().title, "Read skill file");
        assert_eq!(Tool::new("skill__activate", "").title, "Skill activate");
        assert_eq!(Tool::new("", "").title, "");
    }
}
