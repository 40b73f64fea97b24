//! The file with the credentials of one server, for its owner's eyes only.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};

/// `<data_dir>/mcp/<server>.json`: another process, `roundtable mcp authorize`, may write it at any time.
#[derive(Clone)]
pub(super) struct Credentials {
    file: Arc<Path>,
    /// The address that they are for.
    url: Arc<str>,
    writing: Arc<Mutex<()>>,
    /// The client that a new authorization is for, with its secret if it has one: kept with its first token and not before, as
    /// the tokens of the client before it are good until then.
    new_client: Option<Option<String>>,
}

/// What is in it.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    url: String,
    /// Tokens, and the client that they were given to.
    stored: Option<StoredCredentials>,
    /// The client's secret, where it was registered with one.
    pub(super) client_secret: Option<String>,
    /// What the server last asked for when it refused a request, for the next authorization.
    pub(super) challenge: Option<String>,
}

impl Credentials {
    pub(super) fn of(folder: &Path, server: &str, url: &str) -> Self {
        let file = folder.join(format!("{server}.json"));
        Self { file: file.into(), url: url.into(), writing: Arc::default(), new_client: None }
    }

    /// The same, for a new client.
    pub(super) fn of_client(self, secret: Option<String>) -> Self {
        Self { new_client: Some(secret), ..self }
    }

    /// What is kept for this address; nothing where it is for another one, which must not get these tokens.
    pub(super) fn read(&self) -> io::Result<Kept> {
        let text = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::default()),
            text => text?,
        };
        // Not the parser's own words, which may quote the file.
        let kept: Kept =
            serde_json::from_slice(&text).map_err(|_| io::Error::other("the file is damaged; remove it"))?;
        Ok(if *kept.url == *self.url { kept } else { Kept::default() })
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Kept)) -> io::Result<()> {
        let _writing = self.writing.lock();
        let mut kept = self.read()?;
        change(&mut kept);
        kept.url = self.url.to_string();
        let folder = self.file.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Whole or not at all, and never open to others in between.
        let draft = PathBuf::from(format!("{}.{}.new", self.file.display(), std::process::id()));
        let _ = fs::remove_file(&draft);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        file.sync_all()?;
        fs::rename(&draft, &self.file)
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

impl Kept {
    pub(super) fn granted_scopes(&self) -> Vec<String> {
        self.stored.as_ref().map(|stored| stored.granted_scopes.clone()).unwrap_or_default()
    }

    pub(super) fn client_id(&self) -> Option<&str> {
        self.stored.as_ref().map(|stored| &*stored.client_id)
    }
}

#[async_trait]
impl CredentialStore for Credentials {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map(|kept| kept.stored).map_err(failed)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let save = |kept: &mut Kept| {
            kept.stored = Some(credentials);
            kept.challenge = None;
            if let Some(secret) = &self.new_client {
                kept.client_secret.clone_from(secret);
            }
        };
        self.change(save).map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.change(|kept| kept.stored = None).map_err(failed)
    }
}

fn failed(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn they_are_for_their_owner_and_for_their_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("mcp");
        let wiki = Credentials::of(&inner, "wiki", "https://wiki.example.org/mcp");
        wiki.save(StoredCredentials::new("me".into(), None, vec!["read".into()], None)).await.expect("is kept");
        assert_eq!(wiki.read().expect("reads").client_id(), Some("me"));
        let mode = |path: &Path| fs::metadata(path).expect("is there").permissions().mode() & 0o777;
        assert_eq!((mode(&wiki.file), mode(&inner)), (0o600, 0o700));
        assert_eq!(fs::read_dir(&inner).expect("reads").count(), 1, "no draft stays behind");
        let moved = Credentials::of(&inner, "wiki", "https://elsewhere.example.org/mcp");
        assert!(moved.load().await.expect("reads").is_none(), "another address gets no token");
        fs::write(&*wiki.file, "{ \"secret\"").expect("writes");
        let error = wiki.load().await.expect_err("is damaged").to_string();
        assert!(error.contains("damaged") && !error.contains("secret"), "{error}");
        wiki.remove().expect("is removed");
        assert!(wiki.load().await.expect("reads").is_none());
    }
}
