//! `roundtable schema`: prints the content of `docs/protocol.schema.json`, or, with `--openapi`, of
//! `docs/openapi.json`.

pub(super) fn print(openapi: bool) -> anyhow::Result<()> {
    let schema = if openapi { crate::doors::openapi_document() } else { crate::protocol::schema() };
    super::print_text(&format!("{}\n", serde_json::to_string_pretty(&schema)?))
}
