//! Erasure of text in plans. Every change of a plan records the whole plan. Text in one revision is therefore repeated
//! in later ones, in the calls that are items of the plan, and in the results of the `plan` tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fact::erase_item;
use crate::RunId;
use crate::plan::{Plan, PlanItem};
use crate::redaction::REDACTED;

/// Plans of a log, and the strings in them that are to be erased.
#[derive(Debug, Default)]
pub(super) struct PlanTexts {
    /// Current plan of each run, with its original text.
    plans: BTreeMap<RunId, Plan>,
    /// Strings to be erased from the plans of a run, each with the seq from which it is erased. An earlier plan can
    /// contain the same string independently.
    texts: BTreeMap<(RunId, Arc<str>), u64>,
}

impl PlanTexts {
    /// Records a new plan of the run. If `goes` is true, all strings that the previous plan did not contain are to be
    /// erased.
    pub(super) fn follow(&mut self, seq: u64, run: RunId, plan: &Plan, goes: bool) {
        if goes {
            let before: Vec<Arc<str>> = self.plans.get(&run).map(texts_of_plan).unwrap_or_default();
            let new = texts_of_plan(plan).into_iter().filter(|text| !before.contains(text));
            new.for_each(|text| self.add(seq, run, text));
        }
        self.plans.insert(run, plan.clone());
    }

    /// Records a new note of a plan item.
    pub(super) fn follow_note(&mut self, seq: u64, run: RunId, number: u32, note: &Arc<str>, goes: bool) {
        if goes && !note.is_empty() {
            self.add(seq, run, note.clone());
        }
        if let Some(item) = self.plans.get_mut(&run).and_then(|plan| plan.item_mut(number)) {
            item.note = note.clone();
        }
    }

    /// Records items that are to be erased wherever the plans of the run contain them.
    pub(super) fn add_items(&mut self, seq: u64, run: RunId, items: &[PlanItem]) {
        items.iter().flat_map(texts_of_item).for_each(|text| self.add(seq, run, text));
    }

    /// Returns whether a string in the run's current plan is to be erased.
    pub(super) fn is_touched(&self, run: RunId) -> bool {
        self.plans.get(&run).is_some_and(|plan| texts_of_plan(plan).iter().any(|text| self.goes(u64::MAX, run, text)))
    }

    /// Returns whether a string in this item of the run's current plan is to be erased.
    pub(super) fn is_item_touched(&self, run: RunId, number: u32) -> bool {
        let item = self.plans.get(&run).and_then(|plan| plan.item(number));
        item.is_some_and(|item| texts_of_item(item).iter().any(|text| self.goes(u64::MAX, run, text)))
    }

    /// Returns whether `text` is to be erased from the run's plan in the event at `seq`.
    pub(super) fn goes(&self, seq: u64, run: RunId, text: &str) -> bool {
        self.texts.get(&(run, text.into())).is_some_and(|since| *since <= seq)
    }

    /// Erases the strings that are to be erased from the plan in the event at `seq`.
    pub(super) fn erase(&self, seq: u64, run: RunId, plan: &mut Plan) {
        let goes = |text: &Arc<str>| self.goes(seq, run, text);
        for text in [&mut plan.title, &mut plan.estimated_time].into_iter().filter(|text| goes(text)) {
            *text = "".into();
        }
        plan.risks.retain(|risk| !goes(risk));
        plan.removed.retain(|action| !goes(action));
        for item in &mut plan.items {
            if goes(&item.action) {
                erase_item(item);
                continue;
            }
            for text in [&mut item.reason, &mut item.note].into_iter().filter(|text| goes(text)) {
                *text = "".into();
            }
            item.arguments.take_if(|arguments| self.goes(seq, run, &arguments.to_string()));
        }
    }

    fn add(&mut self, seq: u64, run: RunId, text: Arc<str>) {
        self.texts.entry((run, text)).or_insert(seq);
    }
}

fn texts_of_plan(plan: &Plan) -> Vec<Arc<str>> {
    let own = [&plan.title, &plan.estimated_time].into_iter().chain(&plan.risks).chain(&plan.removed).cloned();
    own.chain(plan.items.iter().flat_map(texts_of_item)).filter(|text| is_text(text)).collect()
}

fn texts_of_item(item: &PlanItem) -> Vec<Arc<str>> {
    let arguments = item.arguments.iter().map(|arguments| arguments.to_string().into());
    let texts = [&item.action, &item.reason, &item.note].into_iter().cloned().chain(arguments);
    texts.filter(|text: &Arc<str>| is_text(text)).collect()
}

fn is_text(text: &str) -> bool {
    !matches!(text, "" | "{}" | REDACTED)
}
