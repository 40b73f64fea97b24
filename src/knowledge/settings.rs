//! What knowledge bases are bound by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Knowledge bases: how many, how large.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeSettings {
    /// Knowledge bases that one participant may have; one more is answered `knowledge_full`.
    #[schemars(range(min = 1, max = 10_000))]
    pub bases: u32,
    /// Documents of one base; one more is answered `knowledge_full`.
    #[schemars(range(min = 1, max = 100_000))]
    pub documents: u32,
    /// Bytes of all documents of one base; one more is answered `knowledge_full`.
    #[schemars(range(min = 1024, max = 17_179_869_184_i64))]
    pub base_bytes: u64,
    /// Bytes of one document; a larger one is answered `too_large`. Larger files of sessions are not searched.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub document_bytes: usize,
}

impl Default for KnowledgeSettings {
    fn default() -> Self {
        Self { bases: 50, documents: 500, base_bytes: 64 * 1024 * 1024, document_bytes: 4 * 1024 * 1024 }
    }
}
