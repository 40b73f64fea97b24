//! Built-in tools of the server.

use std::sync::Arc;

use super::python::PythonTool;
use super::{Tool, ToolSettings, code, document_search, file, report, web};
use crate::knowledge::KnowledgeRepository;

/// Names of all built-in tools, including those that are switched off or do not work on this machine.
pub const BUILTIN_NAMES: [&str; 11] = [
    "code_list",
    "code_search",
    "code_read",
    "document_search",
    "file_list",
    "file_read",
    "file_write",
    "report",
    "python",
    "web_search",
    "deep_search",
];

/// Returns the tools that are enabled and work on this machine. If a tool does not work, the reason is logged. Without
/// `knowledge`, returns no tools for files and knowledge bases.
pub async fn builtin(settings: &ToolSettings, knowledge: Option<&KnowledgeRepository>) -> Vec<Arc<dyn Tool>> {
    builtin_with(settings, knowledge, PythonTool::start(&settings.python).await)
}

/// Returns the same tools as [`builtin`], given the result of [`PythonTool::start`]. The trial run in `start` takes
/// longer than the rest of the server's startup, so the server begins it first.
pub fn builtin_with(
    settings: &ToolSettings,
    knowledge: Option<&KnowledgeRepository>,
    python: Result<PythonTool, String>,
) -> Vec<Arc<dyn Tool>> {
    PythonTool::log_trial(&python);
    let files = knowledge.map(KnowledgeRepository::files);
    let mut tools = code::tools(&settings.code);
    tools.extend(knowledge.map(|knowledge| document_search::tool(&settings.document_search, knowledge)));
    tools.extend(files.map(|files| file::tools(files, &settings.code)).unwrap_or_default());
    tools.push(Arc::new(report::ReportTool::new()));
    tools.extend(python.ok().map(|python| python.with_files(files)));
    tools.extend(web::tools(&settings.web_search, knowledge));
    tools
}
