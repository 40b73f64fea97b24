//! The tools that the server brings along.

use std::sync::Arc;

use super::{Tool, ToolSettings, code, python, report, web_search};

/// Those that are switched on and work on this machine; the log says why one does not.
pub async fn builtin(settings: &ToolSettings) -> Vec<Arc<dyn Tool>> {
    let mut tools = code::tools(&settings.code);
    tools.push(Arc::new(report::Report::new()));
    tools.extend(python::tool(&settings.python).await);
    tools.extend(web_search::tool(&settings.web_search));
    tools
}
