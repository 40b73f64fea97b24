//! The tools that the server brings along.

use std::sync::Arc;

use super::{Tool, ToolSettings, code, document_search, file, python, report, web};
use crate::knowledge::Knowledge;

/// Those that are switched on and work on this machine; the log says why one does not. Where there is no place for files and
/// knowledge bases, there are no tools for them.
pub async fn builtin(settings: &ToolSettings, knowledge: Option<&Knowledge>) -> Vec<Arc<dyn Tool>> {
    let files = knowledge.map(Knowledge::files);
    let mut tools = code::tools(&settings.code);
    tools.extend(knowledge.map(|knowledge| document_search::tool(&settings.document_search, knowledge)));
    tools.extend(files.map(|files| file::tools(files, &settings.code)).unwrap_or_default());
    tools.push(Arc::new(report::Report::new()));
    tools.extend(python::tool(&settings.python, files).await);
    tools.extend(web::tools(&settings.web_search, knowledge));
    tools
}
