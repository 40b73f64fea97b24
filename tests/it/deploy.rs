//! What stands in `deploy/` fits the program: its settings exist, and whoever stops it waits long enough.

use std::fs;
use std::path::Path;

use roundtable::config::{Config, Given, load};

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).expect("is there")
}

#[test]
fn every_setting_that_is_set_exists() {
    for name in ["Dockerfile", "compose.yaml", "roundtable.service", "kubernetes/roundtable.yaml"] {
        let text = file(name);
        let words = text.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
        let variables: Vec<&str> = words.filter(|word| word.starts_with("ROUNDTABLE_")).collect();
        assert!(!variables.is_empty(), "{name}");
        for variable in variables {
            let given = Given { environment: vec![(variable.to_owned(), "x".to_owned())], ..Given::default() };
            let wrong = load(&given).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!wrong.contains("no such setting"), "{name}: {wrong}");
        }
    }
}

/// The number after this word.
fn seconds(name: &str, word: &str) -> u64 {
    let text = file(name);
    let (_, rest) = text.split_once(word).unwrap_or_else(|| panic!("{name} has no {word}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn whoever_stops_it_waits_until_it_has_drained() {
    let config = Config::default();
    // And what the last traces may take.
    let drain = config.http.drain_seconds + config.socket.drain_millis.div_ceil(1000) + 2;
    assert!(seconds("roundtable.service", "TimeoutStopSec=") > drain);
    assert!(seconds("compose.yaml", "stop_grace_period: ") > drain);
    let before = seconds("kubernetes/roundtable.yaml", "[\"sleep\", \"");
    assert!(seconds("kubernetes/roundtable.yaml", "terminationGracePeriodSeconds: ") > before + drain);
}
