//! Provisioning: creates, changes and deactivates people according to a list, such as an export of an organization's
//! directory.

mod csv;
mod entry;
mod plan;
mod session_names;

pub use csv::parse_csv;
pub use entry::{EntryError, EntryErrorCode, PersonEntry};
pub use plan::{PersonOutcome, ProvisionedList, ProvisionedPerson, Provisioner};
