//! Settings of knowledge bases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Knowledge bases: limits on size and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeSettings {
    /// Maximum number of knowledge bases per participant; further bases fail with `knowledge_full`. At most 10000,
    /// default 50.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_bases_per_participant: u32,
    /// Maximum number of documents in one base; further documents fail with `knowledge_full`. At most 100000, default
    /// 500.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_documents_per_base: u32,
    /// Maximum total size of the documents in one base, in bytes; a document beyond this limit fails with
    /// `knowledge_full`. 1024 to 17179869184, default 67108864.
    #[schemars(range(min = 1024, max = 17_179_869_184_i64))]
    pub max_base_bytes: u64,
    /// Maximum size of one document, in bytes; a larger document fails with `too_large`. Larger session files are not
    /// searched. 1024 to 16777216, default 4194304.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub max_document_bytes: usize,
}

impl Default for KnowledgeSettings {
    fn default() -> Self {
        Self {
            max_bases_per_participant: 50,
            max_documents_per_base: 500,
            max_base_bytes: 64 * 1024 * 1024,
            max_document_bytes: 4 * 1024 * 1024,
        }
    }
}
