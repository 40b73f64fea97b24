//! Operations on the caller's own identity.

use super::super::credentials::CredentialsResponse;
use super::super::me::{MeResponse, RenameRequest};
use super::super::quotas::MonthlyQuotasResponse;
use super::super::sign_in::SignInStartParameters;
use super::super::sign_in::link::SignInRequest;
use super::super::sign_in::oidc::OidcCallbackParameters;
use super::super::sign_in::options::SignInOptions;
use super::super::sign_in::sign_out::SignOutResponse;
use super::super::tokens::{TokenCreateRequest, TokenCreatedResponse};
use crate::openapi::Endpoint;
use crate::protocol::Code;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/v1/sign-in", "List the ways to sign in")
            .about("Links and tokens always work; the response lists what else does.")
            .optional_credential()
            .json::<SignInOptions>(200, "Ways to sign in"),
        Endpoint::get("/api/v1/sign-in/oidc", "Sign in at the identity provider")
            .about("Redirects the browser to the provider, or to the sign-in page if the provider does not respond.")
            .optional_credential()
            .query::<SignInStartParameters>()
            .empty(303, "Redirects to the URL in the `location` header")
            .header("location", "Address at the provider.")
            .header("set-cookie", "Cookie that binds the sign-in to the browser.")
            .fails(&[Code::NotFound]),
        Endpoint::get("/api/v1/sign-in/oidc/callback", "End a sign-in at the identity provider")
            .about(
                "The provider redirects the browser here. Leads to the page that the sign-in was for, or to the \
                sign-in page with an error code.",
            )
            .optional_credential()
            .query::<OidcCallbackParameters>()
            .empty(303, "Redirects to the URL in the `location` header")
            .header("location", "Page of this server.")
            .header("set-cookie", "Cookie of the signed-in browser.")
            .fails(&[Code::NotFound]),
        Endpoint::get("/api/v1/sign-in/proxy", "Sign in by a reverse proxy")
            .about(
                "Signs the browser in as the person whom a listed reverse proxy names in a header, or leads to the sign-in \
                 page with an error code.",
            )
            .optional_credential()
            .query::<SignInStartParameters>()
            .empty(303, "Redirects to the URL in the `location` header")
            .header("location", "Page of this server.")
            .header("set-cookie", "Cookie of the signed-in browser.")
            .fails(&[Code::NotFound]),
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
            .json::<SignOutResponse>(200, "The cookie is invalid now; the identity provider's sign-in is still to end")
            .empty(204, "The cookie is invalid now"),
        Endpoint::get("/api/v1/me", "Get your identity").json::<MeResponse>(200, "Your identity"),
        Endpoint::patch("/api/v1/me", "Rename yourself")
            .about("Also renames you in those of your 100 most recently changed sessions that are open. Bots cannot change their name.")
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
        Endpoint::get("/api/v1/me/quotas", "Get your monthly quota")
            .about("Includes what your runs have used of models this month, even without a limit.")
            .json::<MonthlyQuotasResponse>(200, "Your monthly quota"),
        Endpoint::post("/api/v1/me/tokens", "Create a token")
            .about(
                "Creates a token that acts as you, within the limits of its scope. `GET /api/v1/me/credentials` lists \
                 your tokens, `DELETE` on one revokes it.",
            )
            .body::<TokenCreateRequest>()
            .json::<TokenCreatedResponse>(201, "The token, which is shown only now")
            .fails(&[Code::Forbidden, Code::QuotaExceeded]),
    ]
}
