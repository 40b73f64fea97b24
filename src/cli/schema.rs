//! `roundtable schema`: prints the content of `docs/protocol.schema.json`.

pub(super) fn print() -> anyhow::Result<()> {
    super::print_text(&format!("{}\n", serde_json::to_string_pretty(&crate::protocol::schema())?))
}
