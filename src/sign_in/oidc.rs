//! Sign-in with OpenID Connect: the discovery document and keys of the provider, and the requests to it.

use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClaimName, CoreClaimType, CoreClientAuthMethod,
    CoreErrorResponseType, CoreGenderClaim, CoreGrantType, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm, CoreJwsSigningAlgorithm, CoreResponseMode, CoreResponseType, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreSubjectIdentifierType, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AccessToken, AccessTokenHash, AdditionalProviderMetadata, AuthType, AuthorizationCode, ClaimsVerificationError,
    ClientId, ClientSecret, CsrfToken, EmptyExtraTokenFields, EndSessionUrl, EndpointMaybeSet, EndpointNotSet,
    EndpointSet, IdToken, IdTokenClaims, IdTokenFields, IssuerUrl, LogoutRequest, Nonce, OAuth2TokenResponse,
    PkceCodeChallenge, PkceCodeVerifier, PostLogoutRedirectUrl, ProviderMetadata, RedirectUrl, Scope,
    SignatureVerificationError, StandardErrorResponse, StandardTokenResponse, SubjectIdentifier, UserInfoClaims,
};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::claims::{OtherClaims, person_claims};
use super::http_client::ProviderHttpClient;
use super::{ExternalPerson, OidcError, OidcSettings, SignInAttempt};
use crate::kernel::first_chars;
use crate::telemetry::error_causes;

/// Maximum age of the discovery document and the keys, after which they are fetched again.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);
/// Maximum number of fetches in quick succession, after which one more is allowed per [`FETCH_INTERVAL`]. Otherwise,
/// tokens with unknown keys, or a provider that does not respond, could cause any number of fetches.
const MAX_FETCHES: std::num::NonZeroU32 = std::num::NonZeroU32::new(4).expect("is not zero");
/// Maximum number of characters in an error code in the log.
const MAX_CODE_CHARS: usize = 60;
/// Interval between the fetches that follow the first [`MAX_FETCHES`].
const FETCH_INTERVAL: Duration = Duration::from_secs(10);

/// Fields of the discovery document that other standards define: RFC 9207, and RP-Initiated Logout.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OtherMetadata {
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    end_session_endpoint: Option<EndSessionUrl>,
}

impl AdditionalProviderMetadata for OtherMetadata {}

type Metadata = ProviderMetadata<
    OtherMetadata,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

type ProviderIdToken =
    IdToken<OtherClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;

type Fields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

type Client = openidconnect::Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<Fields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Discovery document and keys of the provider, as fetched at one time.
struct DiscoveredProvider {
    client: Client,
    other: OtherMetadata,
    has_user_info: bool,
    fetched: Instant,
}

/// Response of the provider, in the URL that it redirects the browser to.
#[derive(Debug)]
pub struct AuthorizationResponse<'a> {
    /// Code to exchange for tokens. Absent if the provider refused.
    pub code: Option<&'a str>,
    /// Error code of the provider, if it refused.
    pub error: Option<&'a str>,
    /// Issuer, if the provider states it (RFC 9207).
    pub issuer: Option<&'a str>,
}

/// OpenID provider at which people sign in. Its discovery document and keys are fetched on first use.
pub struct OidcProvider {
    settings: OidcSettings,
    issuer: IssuerUrl,
    label: String,
    redirect: RedirectUrl,
    after_sign_out: PostLogoutRedirectUrl,
    http: ProviderHttpClient,
    known: parking_lot::Mutex<Option<Arc<DiscoveredProvider>>>,
    /// Time at which the last fetch ended. The task that fetches holds the lock.
    fetching: Mutex<Option<Instant>>,
    fetches: DefaultDirectRateLimiter,
}

impl OidcProvider {
    /// Path that the provider redirects the browser to.
    pub const CALLBACK: &'static str = "/api/v1/sign-in/oidc/callback";

    /// Creates the provider of these settings, for a server at this URL, or `None` if the settings contain no issuer.
    ///
    /// # Errors
    /// Fails with the invalid setting, in a message for the operator.
    pub fn new(settings: &OidcSettings, public_url: &str) -> Result<Option<Self>, String> {
        let Some(issuer) = &settings.issuer else { return Ok(None) };
        settings.check().map_err(|error| format!("oidc.{error}"))?;
        let text = |error: &dyn std::fmt::Display| format!("oidc.issuer: {error}");
        let url = Url::parse(issuer).map_err(|error| text(&error))?;
        let host = url.host_str().unwrap_or_default();
        let label = if settings.label.is_empty() { host } else { &settings.label };
        let quota = Quota::with_period(FETCH_INTERVAL).map(|quota| quota.allow_burst(MAX_FETCHES));
        Ok(Some(Self {
            issuer: IssuerUrl::new(issuer.clone()).map_err(|error| text(&error))?,
            label: label.to_owned(),
            redirect: RedirectUrl::new(format!("{public_url}{}", Self::CALLBACK)).map_err(|error| text(&error))?,
            after_sign_out: PostLogoutRedirectUrl::new(format!("{public_url}/sign-in"))
                .map_err(|error| text(&error))?,
            http: ProviderHttpClient::new(&url, Duration::from_secs(settings.timeout_seconds))
                .map_err(|error| text(&error))?,
            known: parking_lot::Mutex::default(),
            fetching: Mutex::default(),
            fetches: RateLimiter::direct(quota.unwrap_or(Quota::per_minute(MAX_FETCHES))),
            settings: settings.clone(),
        }))
    }

    /// Returns the name of the provider for the sign-in page.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns the settings.
    pub fn settings(&self) -> &OidcSettings {
        &self.settings
    }

    /// Returns the issuer.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the URL at which a person signs in.
    ///
    /// # Errors
    /// Fails if the provider does not respond.
    pub async fn authorization_url(&self, attempt: &SignInAttempt) -> Result<Url, OidcError> {
        let discovered = self.discovered().await?;
        let (state, nonce) = (CsrfToken::new(attempt.state()), Nonce::new(attempt.nonce()));
        let verifier = PkceCodeVerifier::new(attempt.verifier());
        let request = discovered.client.authorize_url(CoreAuthenticationFlow::AuthorizationCode, || state, || nonce);
        let request = request.set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
        let scopes = self.settings.scopes.iter().map(|scope| Scope::new(scope.clone()));
        Ok(request.add_scopes(scopes).url().0)
    }

    /// Exchanges the code in a response for the person and their ID token, which a later sign-out uses. The caller must
    /// have checked the state.
    ///
    /// # Errors
    /// Fails with the reason to show to the person. The log contains the details.
    pub async fn identify(
        &self,
        attempt: &SignInAttempt,
        response: AuthorizationResponse<'_>,
    ) -> Result<(ExternalPerson, String), OidcError> {
        let discovered = self.discovered().await?;
        // A code from one provider must not be sent to another.
        let is_stated = discovered.other.authorization_response_iss_parameter_supported;
        if response.issuer.map_or(is_stated, |issuer| issuer != &**self.issuer) {
            tracing::warn!("a response to a sign-in is from another issuer");
            return Err(OidcError::WrongIssuer);
        }
        if let Some(code) = response.error {
            tracing::warn!(code = first_chars(code, MAX_CODE_CHARS), "the provider refused a sign-in");
            let later = matches!(code, "server_error" | "temporarily_unavailable");
            return Err(if later { OidcError::Unavailable } else { OidcError::Denied });
        }
        let code = AuthorizationCode::new(response.code.ok_or(OidcError::Denied)?.to_owned());
        let exchange = discovered
            .client
            .exchange_code(code)
            .map_err(|error| OidcError::unavailable("no token endpoint", &error))?;
        let exchange = exchange.set_pkce_verifier(PkceCodeVerifier::new(attempt.verifier()));
        let tokens = exchange.request_async(&self.http).await.map_err(|error| match error {
            openidconnect::RequestTokenError::ServerResponse(error) => {
                let code = error.error().to_string();
                tracing::warn!(code = first_chars(&code, MAX_CODE_CHARS), "the provider refused the code of a sign-in");
                OidcError::Invalid
            }
            openidconnect::RequestTokenError::Parse(..) => OidcError::unparsable("no tokens"),
            error => OidcError::unavailable("no tokens", &error),
        })?;
        let Some(token) = tokens.extra_fields().id_token() else {
            tracing::warn!("the provider's response has no ID token; it must support OpenID Connect");
            return Err(OidcError::Invalid);
        };
        let claims = self.verify(discovered, token, tokens.access_token(), attempt).await?;
        let person = self.person(&claims, tokens.access_token()).await?;
        Ok((person, token.to_string()))
    }

    /// Returns the URL that ends a person's sign-in at the provider. Returns `None` if the provider has no such URL or
    /// does not respond, or if the settings disable it.
    pub async fn sign_out_url(&self, id_token: Option<&str>) -> Option<Url> {
        let wanted = self.settings.sign_out_at_provider;
        let discovered = if wanted { self.discovered().await.ok()? } else { return None };
        let request = LogoutRequest::from(discovered.other.end_session_endpoint.clone()?);
        let request = request.set_client_id(ClientId::new(self.settings.client_id.clone()));
        let request = request.set_post_logout_redirect_uri(self.after_sign_out.clone());
        let hint = id_token.and_then(|token| token.parse::<ProviderIdToken>().ok());
        Some(hint.iter().fold(request, LogoutRequest::set_id_token_hint).http_get_url())
    }

    /// Verifies an ID token: signature, issuer, audience, expiry, nonce, and that it belongs to the access token. If
    /// the key is unknown, the provider has probably changed its keys, so newer ones are fetched.
    async fn verify(
        &self,
        mut discovered: Arc<DiscoveredProvider>,
        token: &ProviderIdToken,
        access_token: &AccessToken,
        attempt: &SignInAttempt,
    ) -> Result<IdTokenClaims<OtherClaims, CoreGenderClaim>, OidcError> {
        let nonce = Nonce::new(attempt.nonce());
        let mut verified = token.claims(&discovered.client.id_token_verifier(), &nonce).cloned();
        if let Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)) = verified
            && let Some(newer) = self.newer(&discovered).await
        {
            discovered = newer;
            verified = token.claims(&discovered.client.id_token_verifier(), &nonce).cloned();
        }
        let invalid = |error: &dyn std::fmt::Display, causes: Option<String>| {
            tracing::warn!(%error, causes, "an ID token is invalid");
            OidcError::Invalid
        };
        let claims = verified.map_err(|error| invalid(&error, error_causes(&error)))?;
        if let Some(expected) = claims.access_token_hash() {
            let verifier = discovered.client.id_token_verifier();
            let hash = token.signing_alg().and_then(|algorithm| Ok((algorithm, token.signing_key(&verifier)?)));
            let (algorithm, key) = hash.map_err(|error| invalid(&error, error_causes(&error)))?;
            let hash = AccessTokenHash::from_token(access_token, algorithm, key)
                .map_err(|error| invalid(&error, error_causes(&error)))?;
            if hash != *expected {
                return Err(invalid(&"it belongs to another access token", None));
            }
        }
        Ok(claims)
    }

    /// Returns the person that the verified claims describe. Missing claims are read from the user info endpoint.
    async fn person(
        &self,
        claims: &IdTokenClaims<OtherClaims, CoreGenderClaim>,
        access_token: &AccessToken,
    ) -> Result<ExternalPerson, OidcError> {
        let (subject, groups) = (claims.subject(), &self.settings.groups_claim);
        let mut known = person_claims!(claims, groups);
        let discovered = self.discovered().await?;
        if known.is_incomplete() && discovered.has_user_info {
            let more = self.user_info(&discovered.client, subject, access_token).await?;
            known = known.or(person_claims!(more, groups));
        }
        Ok(known.person(subject.to_string()))
    }

    async fn user_info(
        &self,
        client: &Client,
        subject: &SubjectIdentifier,
        access_token: &AccessToken,
    ) -> Result<UserInfoClaims<OtherClaims, CoreGenderClaim>, OidcError> {
        let request = client.user_info(access_token.clone(), Some(subject.clone()));
        let request = request.map_err(|error| OidcError::unavailable("no user info endpoint", &error))?;
        request.request_async(&self.http).await.map_err(|error| match error {
            openidconnect::UserInfoError::Parse(..) => OidcError::unparsable("no user info"),
            error => OidcError::unavailable("no user info", &error),
        })
    }

    /// Returns the discovery document and the keys. While one caller fetches newer ones, others get the older ones.
    /// These are better than none, because the provider's next response shows whether they are valid.
    async fn discovered(&self) -> Result<Arc<DiscoveredProvider>, OidcError> {
        let known = self.known.lock().clone();
        match known {
            Some(known) if known.fetched.elapsed() < MAX_AGE => Ok(known),
            Some(known) => match self.fetching.try_lock() {
                Ok(mut ended) => Ok(self.fetch_newer(&mut ended).await.unwrap_or(known)),
                Err(_) => Ok(known),
            },
            None => self.newer_than(None).await.ok_or(OidcError::Unavailable),
        }
    }

    /// Returns keys that are newer than these, if they can be fetched.
    async fn newer(&self, old: &Arc<DiscoveredProvider>) -> Option<Arc<DiscoveredProvider>> {
        self.newer_than(Some(old.fetched)).await
    }

    /// Fetches the discovery document and the keys, or waits for a fetch in progress and uses its result. Otherwise,
    /// callers would wait for a slow provider one after the other.
    async fn newer_than(&self, old: Option<Instant>) -> Option<Arc<DiscoveredProvider>> {
        let started = Instant::now();
        let mut ended = self.fetching.lock().await;
        let known = self.known.lock().clone().filter(|known| old.is_none_or(|old| known.fetched > old));
        if known.is_some() || ended.is_some_and(|ended| ended > started) {
            return known;
        }
        self.fetch_newer(&mut ended).await
    }

    async fn fetch_newer(&self, ended: &mut Option<Instant>) -> Option<Arc<DiscoveredProvider>> {
        let newer = self.fetch().await;
        if let Some(newer) = &newer {
            *self.known.lock() = Some(newer.clone());
        }
        *ended = Some(Instant::now());
        newer
    }

    async fn fetch(&self) -> Option<Arc<DiscoveredProvider>> {
        if self.fetches.check().is_err() {
            return None;
        }
        let metadata = Metadata::discover_async(self.issuer.clone(), &self.http).await;
        let metadata = metadata.map_err(|error| match error {
            openidconnect::DiscoveryError::Parse(..) => OidcError::unparsable("no discovery document"),
            error => OidcError::unavailable("no discovery document", &error),
        });
        let metadata = metadata.ok()?;
        if let Some(endpoint) = self.unprotected(&metadata) {
            tracing::warn!(endpoint, "the discovery document names a URL without TLS; fix it at the provider");
            return None;
        }
        let other = metadata.additional_metadata().clone();
        let has_user_info = metadata.userinfo_endpoint().is_some();
        // Basic authentication is the default of the standard.
        let methods = metadata.token_endpoint_auth_methods_supported();
        let posts = methods.is_some_and(|methods| !methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let secret = self.settings.client_secret.as_deref().map(|secret| ClientSecret::new(secret.to_owned()));
        let client = Client::from_provider_metadata(metadata, ClientId::new(self.settings.client_id.clone()), secret);
        let client = client.set_redirect_uri(self.redirect.clone());
        let client = client.set_auth_type(if posts { AuthType::RequestBody } else { AuthType::BasicAuth });
        Some(Arc::new(DiscoveredProvider { client, other, has_user_info, fetched: Instant::now() }))
    }

    /// Returns the first endpoint without TLS, or `None` if all endpoints use TLS or the provider's issuer does not.
    fn unprotected(&self, metadata: &Metadata) -> Option<String> {
        let is_secure = self.issuer.url().scheme() == "https";
        let endpoints = [
            Some(metadata.authorization_endpoint().url()),
            Some(metadata.jwks_uri().url()),
            metadata.token_endpoint().map(|endpoint| endpoint.url()),
            metadata.userinfo_endpoint().map(|endpoint| endpoint.url()),
            // The ID token is sent to this endpoint.
            metadata.additional_metadata().end_session_endpoint.as_ref().map(|endpoint| endpoint.url()),
        ];
        let bad = endpoints.into_iter().flatten().find(|url| is_secure && url.scheme() != "https");
        bad.map(Url::to_string)
    }
}
