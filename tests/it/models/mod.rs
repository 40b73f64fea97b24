//! The model layer against HTTP servers: the demo model, and a stub that replays recorded streams.

mod bounds;
mod claude_failures;
mod claude_requests;
mod claude_streams;
mod demo;
mod failures;
mod images;
mod shapes;
pub mod stub;
mod titles;
mod turns;

use std::time::Duration;

use roundtable::agent::{
    Completion, ModelMessage, Models, PromptBlock, ProviderKind, ProviderSettings, ProvidersSettings, TurnError,
    TurnRequest,
};
use roundtable::demo_model::{DemoCounters, DemoModel};

/// Returns settings with one provider, `p`, at this address, and with its model `m` as the default.
pub fn provider(base_url: &str, change: impl FnOnce(&mut ProviderSettings)) -> ProvidersSettings {
    let mut provider = ProviderSettings { base_url: base_url.to_owned(), ..ProviderSettings::default() };
    change(&mut provider);
    ProvidersSettings {
        default: "p/m".into(),
        named: [("p".to_owned(), provider)].into(),
        ..ProvidersSettings::default()
    }
}

/// Like [`provider`], in Claude's format.
pub fn claude(base_url: &str, change: impl FnOnce(&mut ProviderSettings)) -> ProvidersSettings {
    provider(base_url, |provider| {
        provider.kind = ProviderKind::Claude;
        change(provider);
    })
}

pub fn models(providers: &ProvidersSettings) -> Models {
    Models::new(providers, |_| None).expect("the configuration is good")
}

pub fn turn_request(model: &str, text: &str) -> TurnRequest {
    TurnRequest {
        model: Some(model.into()),
        messages: vec![ModelMessage::User(PromptBlock::anonymous(text))],
        ..TurnRequest::default()
    }
}

/// Runs a turn. Returns its result and the fragments that it streamed.
pub async fn turn(models: &Models, request: TurnRequest) -> (Result<Completion, TurnError>, Vec<String>) {
    let mut fragments = vec![];
    let mut collect = |text: &str| fragments.push(text.to_owned());
    let answer = models.turn(request, &mut collect);
    let answer = tokio::time::timeout(Duration::from_secs(20), answer).await.expect("a turn ends");
    (answer, fragments)
}

/// Waits until `wanted` returns true for the demo model's counters, and returns them.
pub async fn wait_for_counters(demo: &DemoModel, wanted: impl FnMut(&DemoCounters) -> bool) -> DemoCounters {
    let mut counters = demo.counters();
    let reached = tokio::time::timeout(Duration::from_secs(20), counters.wait_for(wanted)).await;
    *reached.expect("in time").expect("the demo model is there")
}
