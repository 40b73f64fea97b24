//! File with the credentials of one server, readable only by its owner.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};

/// The file `<data_dir>/mcp/<server>.json`. Another process, `roundtable mcp authorize`, can write it at any time.
#[derive(Clone)]
pub(super) struct CredentialFile {
    file: Arc<Path>,
    /// URL of the server that the credentials are for.
    url: Arc<str>,
    writing: Arc<Mutex<()>>,
    /// Secret, if any, of the client of a new authorization. It is stored together with the client's first token, not
    /// earlier, because the tokens of the previous client are valid until then. The outer `None` means that there is no
    /// new authorization.
    new_client: Option<Option<String>>,
}

/// Content of the file.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CredentialRecord {
    url: String,
    /// Tokens, and the client that they were issued to.
    stored: Option<StoredCredentials>,
    /// Secret of the client, if it was registered with one.
    pub(super) client_secret: Option<String>,
    /// Last challenge of the server (`WWW-Authenticate`), for the next authorization.
    pub(super) challenge: Option<String>,
}

impl CredentialFile {
    pub(super) fn of(folder: &Path, server: &str, url: &str) -> Self {
        let file = folder.join(format!("{server}.json"));
        Self { file: file.into(), url: url.into(), writing: Arc::default(), new_client: None }
    }

    /// Returns this file for the authorization of a new client, with the client's secret, if any.
    pub(super) fn of_client(self, secret: Option<String>) -> Self {
        Self { new_client: Some(secret), ..self }
    }

    /// Reads the credentials. Returns no credentials if there is no file, or if they are for another URL, because this
    /// server must not receive those tokens.
    pub(super) fn read(&self) -> io::Result<CredentialRecord> {
        let text = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(CredentialRecord::default()),
            text => text?,
        };
        // Omit the parser's message, which can quote the file.
        let kept: CredentialRecord =
            serde_json::from_slice(&text).map_err(|_| io::Error::other("the file is damaged; remove it"))?;
        Ok(if *kept.url == *self.url { kept } else { CredentialRecord::default() })
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut CredentialRecord)) -> io::Result<()> {
        let _writing = self.writing.lock();
        let mut kept = self.read()?;
        change(&mut kept);
        kept.url = self.url.to_string();
        let folder = self.file.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Write a new file and rename it, so that the file is never incomplete and never readable by others.
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

impl CredentialRecord {
    pub(super) fn granted_scopes(&self) -> Vec<String> {
        self.stored.as_ref().map(|stored| stored.granted_scopes.clone()).unwrap_or_default()
    }

    pub(super) fn client_id(&self) -> Option<&str> {
        self.stored.as_ref().map(|stored| &*stored.client_id)
    }
}

#[async_trait]
impl CredentialStore for CredentialFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map(|kept| kept.stored).map_err(to_auth_error)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let save = |kept: &mut CredentialRecord| {
            kept.stored = Some(credentials);
            kept.challenge = None;
            if let Some(secret) = &self.new_client {
                kept.client_secret.clone_from(secret);
            }
        };
        self.change(save).map_err(to_auth_error)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.change(|kept| kept.stored = None).map_err(to_auth_error)
    }
}

fn to_auth_error(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn they_are_for_their_owner_and_for_their_address() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let inner = folder.path().join("mcp");
        let wiki = CredentialFile::of(&inner, "wiki", "https://wiki.example.org/mcp");
        wiki.save(StoredCredentials::new("me".into(), None, vec!["read".into()], None))
            .await
            .expect("the credentials are stored");
        assert_eq!(wiki.read().expect("the read succeeds").client_id(), Some("me"));
        let mode = |path: &Path| fs::metadata(path).expect("the file exists").permissions().mode() & 0o777;
        assert_eq!((mode(&wiki.file), mode(&inner)), (0o600, 0o700));
        assert_eq!(fs::read_dir(&inner).expect("the read succeeds").count(), 1, "no draft stays behind");
        let moved = CredentialFile::of(&inner, "wiki", "https://elsewhere.example.org/mcp");
        assert!(moved.load().await.expect("the read succeeds").is_none(), "another address gets no token");
        fs::write(&*wiki.file, "{ \"secret\"").expect("the write succeeds");
        let error = wiki.load().await.expect_err("the file is damaged").to_string();
        assert!(error.contains("damaged") && !error.contains("secret"), "{error}");
        wiki.remove().expect("the file is removed");
        assert!(wiki.load().await.expect("the read succeeds").is_none());
    }
}
