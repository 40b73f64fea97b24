//! Rules that choose the quorum of a gate by its kind, and by the risk and the sources of the call.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GateKind, Quorum};
use crate::kernel::call::{CallSourceKind, CallSources, Risk};

/// Rule for the approval of some gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// Kind of the gates, for example `plan`. Absent: all kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateKind>,
    /// Minimum risk of the call that the gate is about: `low`, `medium` or `high`. Absent: also gates without a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_risk: Option<Risk>,
    /// Kinds of source of the call that the gate is about, one of which it must have, for example `["guest", "web"]`.
    /// Such a rule also asks about calls that would be made without a gate, except those that only read. Empty: any
    /// sources, also gates without a call.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub caused_by: BTreeSet<CallSourceKind>,
    /// Votes that decide these gates.
    pub quorum: Quorum,
    /// True if somebody else must approve than those who started or steered the run, or edited what is decided on.
    /// Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_duties: bool,
}

impl ApprovalRule {
    /// Maximum rules of a session.
    pub const MAX: usize = 16;

    /// Returns whether the rule is about a gate of this kind, with a call of this risk and these sources.
    pub(in crate::kernel) fn applies(&self, kind: GateKind, risk: Option<Risk>, sources: Option<&CallSources>) -> bool {
        let caused = || sources.is_some_and(|sources| !self.caused_by.is_disjoint(&sources.kinds));
        self.gate.is_none_or(|wanted| wanted == kind)
            && self.min_risk.is_none_or(|min| risk >= Some(min))
            && (self.caused_by.is_empty() || caused())
    }
}
