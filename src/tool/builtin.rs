//! The tools that the server brings along.

use std::sync::Arc;

use super::{Tool, ToolSettings, code, file, python, report, web_search};
use crate::files::Files;

/// Those that are switched on and work on this machine; the log says why one does not. Where there is no place for files,
/// there are no tools for them.
pub async fn builtin(settings: &ToolSettings, files: Option<&Files>) -> Vec<Arc<dyn Tool>> {
    let mut tools = code::tools(&settings.code);
    tools.extend(files.map(|files| file::tools(files, &settings.code)).unwrap_or_default());
    tools.push(Arc::new(report::Report::new()));
    tools.extend(python::tool(&settings.python, files).await);
    tools.extend(web_search::tool(&settings.web_search));
    tools
}
