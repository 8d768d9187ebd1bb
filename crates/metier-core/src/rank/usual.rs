//! Turns a stem into how usual it is among skills at large, for catalogs too small to tell.

/// Stems that at least one in twenty skills has, and the share that does, in percent.
///
/// Counted over the names, descriptions and bodies of some three thousand public skills. Within a line
/// they are sorted.
#[rustfmt::skip]
const USUAL: [(u8, &[&str]); 6] = [
    (6, &[
        "addit", "advanc", "altern", "amount", "appear", "append", "approach", "appropri", "arg",
        "argument", "array", "async", "await", "balanc", "bearer", "better", "bill", "bin",
        "binari", "bind", "bound", "boundari", "browser", "calcul", "canon", "caveat", "ci",
        "clone", "color", "combin", "comment", "comparison", "complex", "comprehens", "concret",
        "connector", "consid", "consist", "const", "constraint", "consum", "credit", "daili",
        "databas", "dataset", "decid", "def", "describ", "destruct", "determin", "disabl",
        "discoveri", "display", "distribut", "drive", "drop", "durat", "either", "encod", "evid",
        "except", "explain", "expos", "fallback", "folder", "forc", "frame", "fs", "gap", "generic",
        "give", "global", "goal", "grep", "hand", "helper", "home", "ident", "improv", "indic",
        "infer", "instanc", "insuffici", "intent", "invok", "involv", "ip", "java", "javascript",
        "jq", "know", "knowledg", "known", "lack", "later", "layout", "length", "lifecycl",
        "machin", "maintain", "make", "mani", "manifest", "mark", "market", "materi", "matter",
        "measur", "media", "medium", "mm", "month", "nativ", "net", "npx", "openai", "organ",
        "otherwis", "overwrit", "owner", "parallel", "param", "parent", "part", "past", "patch",
        "pdf", "persist", "phase", "phrase", "place", "plain", "plugin", "port", "powershel",
        "prepar", "prevent", "prioriti", "privat", "proactiv", "problem", "proceed", "program",
        "properti", "protocol", "push", "put", "quot", "reach", "receiv", "recent", "reduc",
        "remain", "render", "repositori", "resolut", "retriev", "scale", "sensit", "silent", "sort",
        "space", "spec", "specifi", "split", "src", "stack", "stat", "stay", "storag", "switch",
        "tell", "term", "threshold", "tmp", "train", "transform", "trust", "turn", "unit", "upload",
        "var", "visual", "way", "week", "weight", "well", "within", "word", "yet",
    ]),
    (8, &[
        "accept", "allow", "anoth", "answer", "architectur", "artifact", "asset", "assum", "audit",
        "authorit", "autom", "avoid", "batch", "behavior", "break", "built", "bundl", "busi",
        "cach", "capabl", "captur", "carri", "categori", "caus", "chain", "channel", "chat",
        "checklist", "choos", "close", "cloud", "collect", "commit", "compar", "compat", "compon",
        "comput", "condit", "consol", "construct", "continu", "convert", "cost", "critic", "deep",
        "defin", "devic", "docker", "domain", "done", "download", "echo", "edit", "els", "empti",
        "engin", "ensur", "evalu", "even", "exit", "expir", "extern", "fall", "fast", "focus",
        "form", "framework", "free", "gate", "general", "githubusercont", "good", "googl", "gpu",
        "guidanc", "health", "histori", "hour", "human", "immedi", "inform", "init", "inject",
        "insid", "interact", "intern", "invalid", "job", "keyword", "lab", "larg", "launch",
        "layer", "learn", "llm", "logic", "long", "loop", "maco", "manual", "mcp", "mean",
        "mention", "meta", "metric", "minim", "minimum", "minut", "modifi", "modul", "move", "none",
        "normal", "npm", "nvidia", "observ", "omit", "org", "origin", "overrid", "paramet",
        "payload", "permiss", "person", "pick", "pipelin", "plus", "png", "polici", "posit",
        "practic", "pre", "preserv", "price", "primari", "progress", "publish", "pull", "purpos",
        "rang", "rather", "regist", "releas", "relev", "repeat", "replac", "repo", "research",
        "rest", "right", "risk", "role", "sampl", "say", "scan", "schedul", "score", "sdk",
        "secret", "self", "shape", "ship", "short", "sign", "signal", "simpl", "small", "solut",
        "stage", "still", "store", "strategi", "stream", "suggest", "surfac", "sync", "team",
        "three", "timeout", "timestamp", "topic", "treat", "tree", "tri", "troubleshoot", "txt",
        "typic", "ui", "understand", "unless", "verif", "video", "visibl", "wait", "want", "warn",
        "whenev", "whether", "workspac", "wrong", "yaml", "yes", "zero",
    ]),
    (12, &[
        "account", "across", "actual", "ad", "address", "analysi", "analyz", "approv", "authent",
        "author", "automat", "block", "bodi", "case", "cd", "class", "clean", "clear", "client",
        "contract", "control", "convers", "copi", "correct", "cover", "credenti", "cross", "day",
        "debug", "decis", "delet", "deploy", "design", "detect", "dev", "develop", "differ", "dir",
        "directori", "effect", "email", "enabl", "end", "endpoint", "entri", "etc", "event",
        "exchang", "expect", "failur", "featur", "filter", "final", "fix", "flag", "flow",
        "function", "get", "go", "group", "head", "header", "high", "host", "html", "identifi",
        "implement", "index", "info", "initi", "inspect", "instruct", "io", "issu", "item", "js",
        "label", "languag", "last", "latest", "librari", "link", "linux", "locat", "login", "look",
        "low", "mac", "main", "markdown", "may", "memori", "metadata", "method", "min", "monitor",
        "multi", "multipl", "network", "non", "null", "optim", "os", "overview", "page", "pars",
        "perform", "pip", "plan", "point", "power", "prefer", "prerequisit", "present", "print",
        "produc", "profil", "public", "qualiti", "question", "rate", "re", "readi", "readm", "real",
        "reason", "record", "relat", "resolv", "resourc", "retri", "root", "rout", "runtim", "safe",
        "safeti", "save", "schema", "second", "section", "secur", "send", "separ", "session",
        "share", "shell", "side", "skip", "standard", "style", "success", "tabl", "tag", "take",
        "titl", "top", "total", "track", "trigger", "two", "upstream", "variabl", "view", "web",
        "window", "www",
    ]),
    (19, &[
        "access", "action", "activ", "alreadi", "alway", "app", "appli", "applic", "ask", "auth",
        "auto", "avail", "back", "basic", "best", "call", "common", "complet", "config", "configur",
        "confirm", "connect", "contain", "context", "core", "count", "curl", "current", "custom",
        "date", "depend", "descript", "detail", "direct", "env", "environ", "everi", "exact",
        "execut", "exist", "explicit", "export", "extract", "fail", "fals", "fetch", "field",
        "find", "follow", "format", "found", "full", "git", "guid", "handl", "http", "hub", "imag",
        "import", "input", "instead", "integr", "keep", "level", "limit", "line", "live", "load",
        "local", "log", "manag", "map", "max", "messag", "miss", "mode", "model", "must", "need",
        "never", "next", "node", "number", "object", "oper", "order", "packag", "pass", "pattern",
        "per", "platform", "post", "process", "product", "project", "prompt", "py", "queri",
        "quick", "raw", "recommend", "remov", "report", "respons", "return", "review", "rule",
        "scope", "see", "select", "server", "servic", "sh", "show", "singl", "size", "state",
        "stop", "string", "structur", "summari", "support", "system", "target", "task", "templat",
        "test", "token", "updat", "usag", "valid", "valu", "verifi", "version", "via", "vs",
        "without", "write",
    ]),
    (30, &[
        "add", "agent", "ai", "base", "build", "chang", "check", "cli", "code", "command",
        "content", "creat", "default", "doc", "document", "error", "exampl", "first", "generat",
        "github", "includ", "match", "new", "note", "one", "open", "option", "output", "provid",
        "python", "read", "refer", "request", "requir", "result", "script", "search", "set",
        "setup", "sourc", "specif", "start", "status", "step", "text", "time", "tool", "true",
        "url", "work", "workflow",
    ]),
    (50, &[
        "api", "bash", "data", "file", "id", "instal", "json", "key", "list", "md", "name", "path",
        "run", "skill", "type",
    ]),
];

/// The share of skills at large that have a stem, from 0 to 1; `None` for one that few have.
pub(super) fn share(stem: &str) -> Option<f32> {
    // A long Chinese query is two thousand pairs of characters, none of which is in the lists.
    if !stem.is_ascii() {
        return None;
    }
    let has = |(_, stems): &&(u8, &[&str])| stems.binary_search(&stem).is_ok();
    USUAL.iter().find(has).map(|&(percent, _)| f32::from(percent) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::{USUAL, share};
    use crate::terms;
    use std::collections::BTreeSet;

    #[test]
    fn the_lists_can_be_searched_and_have_each_stem_once() {
        assert!(USUAL.iter().all(|(_, stems)| stems.is_sorted()));
        let all: Vec<&str> = USUAL.iter().flat_map(|(_, stems)| *stems).copied().collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert!(all.iter().all(|stem| stem.is_ascii()));
        assert!(USUAL.is_sorted_by_key(|(percent, _)| *percent));
    }

    #[test]
    fn request_words_are_usual_and_subjects_are_not() {
        for word in ["current", "provide", "information", "file", "data"] {
            assert!(share(&terms(word)[0]).is_some_and(|share| share >= 0.05), "{word}");
        }
        for word in ["weather", "invoice", "kubernetes", "poem"] {
            assert_eq!(share(&terms(word)[0]), None, "{word}");
        }
        assert!(share("data") > share("provid"));
    }
}
