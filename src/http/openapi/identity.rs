//! Operations on the caller's own identity.

use super::super::credentials::CredentialsResponse;
use super::super::sign_in::{MeResponse, RenameRequest, SignInRequest};
use crate::openapi::Endpoint;
use crate::protocol::Code;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/api/v1/sign-in", "Sign in")
            .about("Exchanges the code of a sign-in link, or a token, for a cookie. A link works once.")
            .optional_credential()
            .body::<SignInRequest>()
            .json::<MeResponse>(200, "Your identity")
            .header("set-cookie", "Cookie of the signed-in browser.")
            .fails(&[Code::LinkInvalid]),
        Endpoint::post("/api/v1/sign-out", "Sign out")
            .about("Ends the cookie of the request, if it has one.")
            .optional_credential()
            .empty(204, "The cookie is invalid now"),
        Endpoint::get("/api/v1/me", "Get your identity").json::<MeResponse>(200, "Your identity"),
        Endpoint::patch("/api/v1/me", "Rename yourself")
            .about("Also renames you in the 100 open sessions that changed last. Bots cannot change their name.")
            .body::<RenameRequest>()
            .json::<MeResponse>(200, "Your new identity")
            .fails(&[Code::Forbidden]),
        Endpoint::get("/api/v1/me/credentials", "List your credentials")
            .json::<CredentialsResponse>(200, "Your credentials, without secrets"),
        Endpoint::delete("/api/v1/me/credentials", "Sign out everywhere")
            .about("Revokes your cookies and unused sign-in links. Tokens stay valid.")
            .empty(204, "They are revoked"),
        Endpoint::delete("/api/v1/me/credentials/{credential}", "Revoke your credential")
            .about("Revokes the credential and everything that was created from it.")
            .empty(204, "It is revoked")
            .fails(&[Code::NotFound]),
    ]
}
