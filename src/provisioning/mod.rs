//! Provisioning: creates, changes and disables people according to a list, such as an export of an organization's
//! directory.

mod csv;
mod entry;
mod import;
mod json;
mod session_names;

pub use csv::parse_csv;
pub use entry::{EntryError, EntryErrorCode, PersonEntry};
pub use import::{PersonOutcome, ProvisionedList, ProvisionedPerson, Provisioner};
pub use json::parse_json;
