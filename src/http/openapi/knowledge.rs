//! Operations on knowledge bases.

use super::super::documents::{DocumentsResponse, PassageSearchRequest, PassageSearchResponse};
use super::super::knowledge::{BaseRequest, BaseResponse, BasesResponse};
use super::super::pagination::PageParameters;
use crate::knowledge::{BaseChange, Document};
use crate::openapi::Endpoint;
use crate::protocol::Code;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/v1/knowledge", "List knowledge bases")
            .about("The bases that you can read, oldest first.")
            .query::<PageParameters>()
            .json::<BasesResponse>(200, "Page of knowledge bases"),
        Endpoint::post("/api/v1/knowledge", "Create a knowledge base")
            .about("You own it. Guests cannot create one.")
            .body::<BaseRequest>()
            .json::<BaseResponse>(201, "The knowledge base")
            .fails(&[Code::Forbidden, Code::UnknownParticipant, Code::KnowledgeFull]),
        of_base(Endpoint::get("/api/v1/knowledge/{base}", "Get a knowledge base"))
            .json::<BaseResponse>(200, "The knowledge base"),
        of_base(Endpoint::patch("/api/v1/knowledge/{base}", "Change a knowledge base"))
            .body::<BaseChange>()
            .json::<BaseResponse>(200, "The changed knowledge base")
            .fails(&[Code::Forbidden, Code::UnknownParticipant]),
        of_base(Endpoint::delete("/api/v1/knowledge/{base}", "Delete a knowledge base"))
            .empty(204, "It is deleted, with its documents")
            .fails(&[Code::Forbidden]),
        of_base(Endpoint::get("/api/v1/knowledge/{base}/documents", "List documents"))
            .query::<PageParameters>()
            .json::<DocumentsResponse>(200, "Page of documents"),
        of_base(Endpoint::get("/api/v1/knowledge/{base}/search", "Search a knowledge base"))
            .query::<PassageSearchRequest>()
            .json::<PassageSearchResponse>(200, "Passages, best first"),
        of_base(Endpoint::get("/api/v1/knowledge/{base}/documents/{name}", "Download a document"))
            .text("text/plain; charset=utf-8", "Content of the document")
            .fails(&[Code::UnknownDocument]),
        of_base(Endpoint::put("/api/v1/knowledge/{base}/documents/{name}", "Upload a document"))
            .about("Adds a document, or replaces its content, which must be text in UTF-8.")
            .upload()
            .json::<Document>(200, "The document")
            .fails(&[Code::Forbidden, Code::KnowledgeFull, Code::QuotaExceeded, Code::NotText]),
        of_base(Endpoint::delete("/api/v1/knowledge/{base}/documents/{name}", "Delete a document"))
            .empty(204, "It is deleted")
            .fails(&[Code::Forbidden, Code::UnknownDocument]),
    ]
}

/// Adds the errors of every path of a knowledge base.
fn of_base(endpoint: Endpoint) -> Endpoint {
    endpoint.fails(&[Code::UnknownKnowledge])
}
