//! Plans: the items of a run, as an agent proposed them and people confirmed them.

pub mod planner_decision;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentId, AgentRole, REDACTED, Team};

/// State of a plan item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanItemState {
    /// The item has not started, or is to be repeated.
    #[default]
    NotStarted,
    /// The item is in progress.
    InProgress,
    /// The item is done.
    Completed,
    /// The item cannot be done under the current circumstances.
    Blocked,
    /// The item was deliberately left out.
    Skipped,
}

impl PlanItemState {
    /// Returns whether the state is final.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Blocked | Self::Skipped)
    }
}

/// An item of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanItem {
    /// Agent that executes the item. Absent if the flow decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Task of the item. Parts separated by `<sep>` can be executed in parallel.
    pub action: Arc<str>,
    /// Reason for the item. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Arc<str>,
    /// Tool that executes the item without a model; `user_input` asks people. Absent if an agent executes the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Arc<str>>,
    /// Arguments for the tool. Absent without a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// State of the item.
    #[serde(default)]
    pub state: PlanItemState,
    /// Note about the last change of state. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub note: Arc<str>,
    /// Number of times that the item was started.
    #[serde(default)]
    pub tries: u32,
}

/// Plan of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Revision, from 1. A confirmation names it.
    #[serde(default)]
    pub rev: u32,
    /// Title of the plan. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub title: Arc<str>,
    /// Items in order, numbered from 1. At most 100.
    pub items: Vec<PlanItem>,
    /// Duration that the author estimates, as free text. Can be empty. Example: `2 hours`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub estimated_time: Arc<str>,
    /// Risks that the author sees. Can be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Arc<str>>,
    /// Actions of the items that people removed from the plan, at most 100. Agents read them, so that they do not
    /// propose the same actions again. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Arc<str>>,
    /// True if people confirmed the plan.
    #[serde(default)]
    pub approved: bool,
    /// True if people want another plan.
    #[serde(default)]
    pub rejected: bool,
    /// True if the author says that the remaining items are not needed.
    #[serde(default)]
    pub finished: bool,
    /// True if a model's output could not be read, so that the server made a fallback plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
}

impl Plan {
    /// Separator of parts of an item that can be executed in parallel.
    pub const SEPARATOR: &str = "<sep>";
    /// Maximum number of items in a plan.
    pub const MAX_ITEMS: usize = 100;

    /// Returns the item with this number, from 1.
    pub fn item(&self, number: u32) -> Option<&PlanItem> {
        self.items.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the item with this number, from 1, for modification.
    pub fn item_mut(&mut self, number: u32) -> Option<&mut PlanItem> {
        self.items.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the revision that follows `known`, or the first revision if `known` is `None`. Items that are over keep
    /// their place, so that the plan shows what has happened and a number always means the same item. The new items
    /// follow. Open items before the last finished one are skipped, unless the new items contain them.
    pub(super) fn succeed(known: Option<&Self>, mut next: Self) -> Self {
        let before = known.map_or(&[][..], |plan| &plan.items);
        let kept = before.iter().rposition(|item| item.state.is_over()).map_or(0, |last| last + 1);
        let mut items = before[..kept].to_vec();
        for open in items.iter_mut().filter(|item| !item.state.is_over()) {
            match next.items.iter().position(|wanted| wanted.action == open.action) {
                Some(at) => drop(next.items.remove(at)),
                None => open.state = PlanItemState::Skipped,
            }
        }
        items.extend(next.items);
        items.truncate(Self::MAX_ITEMS);
        let removed = still_removed(known.map_or(&[][..], |plan| &plan.removed), &items);
        Self { rev: known.map_or(0, |plan| plan.rev) + 1, items, removed, ..next }
    }

    /// Returns revision `rev` with the items of an editor: finished items of this plan, followed by the editor's open
    /// items. The error says why the team cannot execute them.
    pub(super) fn edited(&self, wanted: Self, rev: u32, team: &Team) -> Result<Self, String> {
        let fresh = |item: PlanItem| PlanItem { state: PlanItemState::NotStarted, tries: 0, note: "".into(), ..item };
        // Only this plan determines which items are finished. If the editor could mark others as finished, they would
        // disappear.
        let is_over =
            |item: &PlanItem| self.items.iter().any(|known| known.state.is_over() && known.action == item.action);
        let mut open = vec![];
        for (number, item) in (1..).zip(wanted.items) {
            match (item.state.is_over(), is_over(&item)) {
                (true, true) => {}
                // Executing such an item would be the opposite of what the editor wants.
                (true, false) => {
                    return Err(format!(
                        "item {number} of the edit is marked as finished, but only the run changes states; leave out the \
                         items that should not be carried out"
                    ));
                }
                (false, _) => open.push(item),
            }
        }
        let items: Vec<PlanItem> = open.into_iter().map(fresh).collect();
        can_be_done(&items, team)?;
        // An editor cannot change whether the plan is confirmed, rejected or finished.
        let (title, risks, estimated_time) = (wanted.title, wanted.risks, wanted.estimated_time);
        let next = Self { title, items, risks, estimated_time, ..Self::default() };
        let mut next = Self::succeed(Some(self), next);
        let is_known = |item: &PlanItem| self.items.iter().any(|known| known.action == item.action);
        // A new action can be a rewording of an open item, in which case that item was not removed.
        if next.items.iter().all(is_known) {
            let open = self.items.iter().filter(|item| !item.state.is_over() && &*item.action != REDACTED);
            next.removed.extend(open.map(|item| item.action.clone()));
            next.removed = still_removed(&next.removed, &next.items);
        }
        Ok(Self { rev, ..next })
    }

    /// Returns the next revision, with additional items at index `at`.
    pub(super) fn with(self, at: usize, more: Vec<PlanItem>) -> Self {
        let mut items = self.items;
        items.splice(at..at, more);
        items.truncate(Self::MAX_ITEMS);
        let removed = still_removed(&self.removed, &items);
        Self { rev: self.rev + 1, items, removed, ..self }
    }

    /// Returns the first item that is not finished, with its number; `None` if all items are finished.
    pub fn current(&self) -> Option<(u32, &PlanItem)> {
        (1..).zip(&self.items).find(|(_, item)| !item.state.is_over())
    }

    /// Returns the BLAKE3 hash, in hexadecimal, of the parts that people confirm.
    pub fn digest(&self) -> Arc<str> {
        let text: Vec<_> = self
            .items
            .iter()
            .map(|item| (&item.agent, &item.action, &item.reason, &item.tool, &item.arguments))
            .collect();
        crate::call::digest(&serde_json::to_string(&text).expect("a plan serializes: its keys are strings"))
    }
}

/// Returns the removed actions, without duplicates, that no item contains again. Returns up to [`Plan::MAX_ITEMS`] of
/// the newest ones.
fn still_removed(removed: &[Arc<str>], items: &[PlanItem]) -> Vec<Arc<str>> {
    let mut left: Vec<Arc<str>> = vec![];
    for action in removed.iter().rev() {
        if left.len() < Plan::MAX_ITEMS && !left.contains(action) && items.iter().all(|item| item.action != *action) {
            left.insert(0, action.clone());
        }
    }
    left
}

fn can_be_done(items: &[PlanItem], team: &Team) -> Result<(), String> {
    if items.is_empty() || items.len() > Plan::MAX_ITEMS {
        return Err(format!("a plan has 1 to {} items; add or remove some", Plan::MAX_ITEMS));
    }
    let executors: Vec<&str> = team.in_role(AgentRole::Executor).map(|agent| agent.id.as_str()).collect();
    for (number, item) in (1..).zip(items) {
        if item.action.trim().is_empty() {
            return Err(format!("item {number} has no action; describe what to do"));
        }
        if let Some(agent) = item.agent.as_ref().filter(|agent| !executors.contains(&agent.as_str())) {
            let names = executors.join(", ");
            return Err(format!(
                "item {number} is for {agent}, which is not an executor of the team; use one of {names}"
            ));
        }
    }
    Ok(())
}

impl PlanItem {
    /// Returns the parts of the item that can be executed in parallel.
    pub fn parts(&self) -> Vec<&str> {
        let parts: Vec<&str> =
            self.action.split(Plan::SEPARATOR).map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { vec![&self.action] } else { parts }
    }
}
