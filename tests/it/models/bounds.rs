//! Requests with a bound: a request and its response together stay within it, in tokens and in cost.

use roundtable::agent::{ModelSettings, Prices, TurnRequest};
use roundtable::kernel::TurnBound;

use super::stub::{ModelStub, StubResponse};
use super::{claude, models, provider, turn, turn_request};

fn bound(tokens: u64, cost_micros: Option<u64>) -> Option<TurnBound> {
    Some(TurnBound { tokens, cost_micros })
}

fn complete_stream() -> StubResponse {
    let delta = "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}";
    StubResponse::stream(format!("data: {delta}\n\ndata: [DONE]\n\n"))
}

#[tokio::test]
async fn a_response_is_limited_by_the_bound_of_its_request() {
    let stub = ModelStub::start(complete_stream()).await;
    let prices = Some(Prices { input: 2.0, output: 10.0 });
    let priced = ModelSettings { name: "m".into(), prices, ..ModelSettings::default() };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![priced]));
    let bounded_request = |bound, max_tokens| TurnRequest { bound, max_tokens, ..turn_request("p/m", "Is it done?") };
    let cases = [
        (bounded_request(None, None), None),
        (bounded_request(bound(10_000, None), None), Some(2_500)),
        (bounded_request(bound(10_000, None), Some(50_000)), Some(5_000)),
        (bounded_request(bound(10_000, None), Some(100)), Some(100)),
        // 20000 millionths buy 2000 tokens at the higher price.
        (bounded_request(bound(10_000, Some(20_000)), None), Some(500)),
        (bounded_request(bound(10_000_000, None), None), Some(16_384)),
    ];
    for (request, max_tokens) in cases {
        let (answer, _) = turn(&models, request.clone()).await;
        answer.expect("answers");
        let (_, body) = stub.requests().pop().expect("a request");
        assert_eq!(body["max_tokens"].as_u64(), max_tokens, "{:?} {:?}", request.bound, request.max_tokens);
    }
}

#[tokio::test]
async fn a_message_that_does_not_fit_into_the_bound_is_not_sent() {
    let stub = ModelStub::start(complete_stream()).await;
    for providers in [provider(&stub.base_url, |_| {}), claude(&stub.base_url, |_| {})] {
        let request = TurnRequest { bound: bound(10_000, None), ..turn_request("p/m", &"word ".repeat(20_000)) };
        let (answer, _) = turn(&models(&providers), request).await;
        assert_eq!(&*answer.expect_err("is too large").error.code, "context_too_large");
    }
    assert!(stub.requests().is_empty());
}
