//! Requests with a bound: request and response together stay within it, in tokens and in cost.

use roundtable::agent::{ModelSettings, Prices, TurnRequest};
use roundtable::kernel::TurnBound;

use super::stub::{Stub, StubScript};
use super::{ask, claude, models, provider, turn};

fn bound(tokens: u64, cost_micros: Option<u64>) -> Option<TurnBound> {
    Some(TurnBound { tokens, cost_micros })
}

fn done() -> StubScript {
    let delta = "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}";
    StubScript::stream(format!("data: {delta}\n\ndata: [DONE]\n\n"))
}

#[tokio::test]
async fn a_response_is_limited_by_the_bound_of_its_request() {
    let stub = Stub::start(done()).await;
    let prices = Some(Prices { input: 2.0, output: 10.0 });
    let priced = ModelSettings { name: "m".into(), prices, ..ModelSettings::default() };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![priced]));
    let asked = |bound, max_tokens| TurnRequest { bound, max_tokens, ..ask("p/m", "Is it done?") };
    let cases = [
        (asked(None, None), None),
        (asked(bound(10_000, None), None), Some(2_500)),
        (asked(bound(10_000, None), Some(50_000)), Some(5_000)),
        (asked(bound(10_000, None), Some(100)), Some(100)),
        // 20000 millionths buy 2000 tokens at the higher price.
        (asked(bound(10_000, Some(20_000)), None), Some(500)),
        (asked(bound(10_000_000, None), None), Some(16_384)),
    ];
    for (request, max_tokens) in cases {
        let (answer, _) = turn(&models, request.clone()).await;
        answer.expect("answers");
        let (_, body) = stub.asked().pop().expect("a request");
        assert_eq!(body["max_tokens"].as_u64(), max_tokens, "{:?} {:?}", request.bound, request.max_tokens);
    }
}

#[tokio::test]
async fn a_message_that_does_not_fit_into_the_bound_is_not_sent() {
    let stub = Stub::start(done()).await;
    for providers in [provider(&stub.base_url, |_| {}), claude(&stub.base_url, |_| {})] {
        let request = TurnRequest { bound: bound(10_000, None), ..ask("p/m", &"word ".repeat(20_000)) };
        let (answer, _) = turn(&models(&providers), request).await;
        assert_eq!(&*answer.expect_err("is too large").error.code, "context_too_large");
    }
    assert!(stub.asked().is_empty());
}
