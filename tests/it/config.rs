//! Settings: precedence of sources, and error messages about invalid settings.

use std::fs;
use std::path::PathBuf;

use roundtable::config::{ConfigError, ConfigInput, LoadedConfig, load};

/// Loads the configuration from a file, an environment and flags.
fn load_config(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<LoadedConfig, ConfigError> {
    let folder = tempfile::tempdir().expect("makes a folder");
    let path: PathBuf = folder.path().join("roundtable.toml");
    fs::write(&path, file).expect("writes");
    let owned = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let environment: Vec<(String, String)> = owned(environment);
    let flags: Vec<(String, String)> = owned(flags);
    let flags = flags.into_iter().map(|(name, value)| (name, value, "--set".to_owned())).collect();
    load(&ConfigInput { file: Some(path), environment, flags })
}

/// Returns the only error that loading this configuration reports.
fn load_error(file: &str, environment: &[(&str, &str)]) -> String {
    match load_config(file, environment, &[]).expect_err("is wrong").0.as_slice() {
        [only] => only.clone(),
        several => panic!("{several:?}"),
    }
}

#[test]
fn flags_win_over_environment_over_file_over_defaults() {
    let file = "listen = '127.0.0.1:1'\ndata_dir = 'from-file'\n[http]\ndefault_page_size = 11\n";
    let environment =
        [("ROUNDTABLE_LISTEN", "127.0.0.1:2"), ("ROUNDTABLE_HTTP__DEFAULT_PAGE_SIZE", "12"), ("OTHER", "x")];
    let loaded = load_config(file, &environment, &[("listen", "127.0.0.1:3")]).expect("is right");
    assert_eq!(loaded.config.listen, "127.0.0.1:3");
    assert_eq!(loaded.config.http.default_page_size, 12);
    assert_eq!(loaded.config.data_dir, PathBuf::from("from-file"));
    assert_eq!(loaded.config.http.timeout_seconds, 30);
    let printed = loaded.show();
    assert!(printed.contains("listen = \"127.0.0.1:3\"  # flag --set"), "{printed}");
    assert!(printed.contains("default_page_size = 12  # environment ROUNDTABLE_HTTP__DEFAULT_PAGE_SIZE"), "{printed}");
    assert!(printed.contains("data_dir = \"from-file\"  # file "), "{printed}");
    assert!(printed.contains("timeout_seconds = 30  # default"), "{printed}");
}

#[test]
fn the_environment_can_set_lists_tables_and_booleans() {
    let environment = [
        ("ROUNDTABLE_ALLOWED_HOSTS", "a.example, b.example:8443"),
        ("ROUNDTABLE_GUEST_DOORS", "yes"),
        ("ROUNDTABLE_RATE_LIMITS__CHAT", "{ burst = 3, per_second = 1 }"),
        ("ROUNDTABLE_PROVIDERS__NAMED__MINE__BASE_URL", "http://127.0.0.1:1/v1"),
        ("ROUNDTABLE_PUBLIC_URL", ""),
    ];
    let config = load_config("", &environment, &[]).expect("is right").config;
    assert_eq!(config.allowed_hosts, ["a.example", "b.example:8443"]);
    assert_eq!(config.guest_doors, Some(true));
    assert_eq!(config.rate_limits.chat.burst.get(), 3);
    assert_eq!(config.providers.named["mine"].base_url, "http://127.0.0.1:1/v1");
    assert_eq!(config.public_url, None);
}

#[test]
fn an_error_about_an_unknown_key_suggests_the_nearest_one() {
    let in_file = load_error("liste = 'x'", &[]);
    assert!(in_file.starts_with("liste (file ") && in_file.ends_with("did you mean listen?"), "{in_file}");
    let nested = load_error("[socket]\nping_second = 5", &[]);
    assert!(nested.contains("did you mean socket.ping_seconds?"), "{nested}");
    let misplaced = load_error("ping_seconds = 5", &[]);
    assert!(misplaced.contains("did you mean socket.ping_seconds?"), "{misplaced}");
    let in_environment = load_error("", &[("ROUNDTABLE_DATABSE_URL", "x")]);
    assert_eq!(
        in_environment,
        "ROUNDTABLE_DATABSE_URL: there is no such setting; did you mean ROUNDTABLE_DATABASE_URL?"
    );
    let table = load_error("[sockets]\nping_seconds = 5", &[]);
    assert!(table.starts_with("sockets (file ") && table.ends_with("did you mean socket?"), "{table}");
    let of_provider = load_error("[providers.named.mine]\nbase_ur = 'x'", &[]);
    assert!(of_provider.ends_with("did you mean providers.named.mine.base_url?"), "{of_provider}");
    let of_same_table = load_error("[providers.named.mine]\nconcurrency = 64", &[]);
    assert!(of_same_table.ends_with("did you mean providers.named.mine.max_concurrent_requests?"), "{of_same_table}");
}

#[test]
fn an_error_about_a_wrong_value_names_the_accepted_values() {
    let typed = load_error("[http]\nmax_body_bytes = 'big'", &[]);
    assert!(typed.ends_with("expected a whole number from 1024 to 67108864"), "{typed}");
    let ranged = load_error("", &[("ROUNDTABLE_SOCKET__PING_SECONDS", "0")]);
    assert!(ranged.contains("socket.ping_seconds") && ranged.contains("from 1 to 3600"), "{ranged}");
    let example = load_error("listen = 8080", &[]);
    assert!(example.ends_with("expected a text, like \"127.0.0.1:8080\""), "{example}");
    assert!(load_error("listen = 'here'", &[]).contains("use for example 127.0.0.1:8080"));
    assert!(load_error("public_url = 'round.example'", &[]).contains("use https://name"));
    assert!(load_error("database_url = 'mysql://x'", &[]).contains("postgres://"));
    assert!(load_error("", &[("ROUNDTABLE_GUEST_DOORS", "perhaps")]).contains("true or false"));
    assert!(load_error("[log]\nfilter = 'a=b=c'", &[]).contains("log.filter"));
    assert!(load_error("listen = ", &[]).contains("is not TOML"));
    let proxies = load_error("[http]\ntrusted_proxies = ['10.0.0.0/8', '10.0.0.0/33']", &[]);
    assert!(proxies.contains("http.trusted_proxies: \"10.0.0.0/33\""), "{proxies}");
}

#[test]
fn an_unknown_choice_is_reported_with_its_source() {
    let in_file = load_error("[http]\nforwarded_header = 'x-real-ip'", &[]);
    assert!(in_file.starts_with("http.forwarded_header (file "), "{in_file}");
    assert!(in_file.ends_with("\"x-real-ip\" is not valid; use one of x-forwarded-for, forwarded"), "{in_file}");
    let in_environment = load_error("", &[("ROUNDTABLE_PROVIDERS__NAMED__MINE__KIND", "gemini")]);
    let expected =
        "providers.named.mine.kind (environment ROUNDTABLE_PROVIDERS__NAMED__MINE__KIND): \"gemini\" is not valid";
    assert!(in_environment.starts_with(expected), "{in_environment}");
    let flags = [("demo.fault", "511")];
    let by_flag = load_config("", &[], &flags).expect_err("is wrong").to_string();
    assert!(by_flag.contains("demo.fault (flag --set): \"511\" is not valid; use one of "), "{by_flag}");
}

#[test]
fn invalid_numbers_empty_paths_and_filters_without_effect_are_rejected() {
    for rate in ["-1", "nan", "inf"] {
        let error = load_error("", &[("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", rate)]);
        assert!(
            error.contains("demo.tokens_per_second") && error.ends_with("expected a number of at least 0"),
            "{error}"
        );
    }
    for url in ["sqlite:", "sqlite://", "sqlite:?mode=rwc"] {
        let error = load_error(&format!("database_url = '{url}'"), &[]);
        assert_eq!(error, "database_url: the path of the file is missing; use sqlite:path/to/file");
    }
    let error = load_error("[log]\nfilter = 'debgu'", &[]);
    assert_eq!(error, "log.filter: \"debgu\" is neither a level nor a target; did you mean debug?");
    let twice = load_error("[http]\ndefault_page_size = 1\ndefault_page_size = 2\n", &[]);
    assert!(twice.ends_with("is not TOML: line 3: duplicate key default_page_size"), "{twice}");
}

#[test]
fn a_redis_url_is_checked_without_revealing_its_secrets() {
    for url in [
        "redis://host",
        "redis://:s3cret@host:6380/0",
        "rediss://ann:s3cret@host",
        "unix:///run/r.sock?pass=s3cret&db=1",
    ] {
        let loaded = load_config(&format!("redis_url = '{url}'"), &[], &[]).expect("is right");
        assert!(!loaded.show().contains("s3cret"), "{}", loaded.show());
    }
    for url in [
        "http://:s3cret@host",
        "host:6379",
        "redis://",
        "redis://:s3cret@host/x",
        "redis://:s3cret@host:port",
        // Sentinels point to another server, so a node would have to follow each change of that server.
        "redis+sentinel://:s3cret@host:26379/mymaster",
        "rediss+sentinel://:s3cret@one:26379,two:26379/mymaster/0",
        "sentinel://:s3cret@host:26379/mymaster",
        "redis-sentinel://:s3cret@host:26379?sentinelServiceName=mymaster",
        "redis://:s3cret@one:26379,two:26379",
        "unix://host/x",
    ] {
        let text = load_error(&format!("redis_url = '{url}'"), &[]);
        assert!(text.contains("use redis://") && !text.contains("s3cret"), "{text}");
    }
    assert!(load_error("[bus]\nprefix = ''", &[]).contains("bus.prefix"));
    assert!(load_error("[bus]\nreply_ms = 1", &[]).contains("from 10 to 60000"));
}

#[test]
fn a_lease_must_last_for_three_renewals() {
    load_config("[cluster]\nlease_ms = 1000\nrenew_ms = 333", &[], &[]).expect("is right");
    let late = load_error("[cluster]\nlease_ms = 1000\nrenew_ms = 334", &[]);
    assert!(late.starts_with("cluster.renew_ms: 334 ") && late.ends_with("set it to at most 333"), "{late}");
    let shorter = load_error("", &[("ROUNDTABLE_CLUSTER__LEASE_MS", "900")]);
    assert!(shorter.ends_with("set it to at most 300"), "the default of one is measured by the other: {shorter}");
}

#[test]
fn all_configuration_errors_are_reported_at_once() {
    let several = load_config("lissten = 1\n[http]\ndefault_page_size = 0\n", &[("ROUNDTABLE_X", "1")], &[])
        .expect_err("is wrong");
    assert_eq!(several.0.len(), 3, "{several}");
}

#[test]
fn secrets_are_masked() {
    let file = "database_url = 'postgres://ann:s3cret@db/rt'\n\
        [providers.named.mine]\nbase_url = 'http://127.0.0.1:1/v1'\napi_key = 'sk-s3cret'\n";
    let loaded = load_config(file, &[], &[]).expect("is right");
    let printed = loaded.show();
    assert!(!printed.contains("s3cret"), "{printed}");
    assert!(printed.contains("postgres://ann:********@db/rt"), "{printed}");
    assert!(printed.contains("[providers.named.mine]"), "{printed}");
}

#[test]
fn printed_configuration_can_be_loaded() {
    let printed = load_config("", &[], &[]).expect("is right").show();
    let again = load_config(&printed, &[], &[]).expect("is right");
    assert_eq!(
        toml::to_string(&again.config).expect("writes"),
        toml::to_string(&roundtable::config::Config::default()).expect("writes")
    );
}

#[test]
fn the_largest_message_must_fit_into_a_bus_message() {
    load_config("redis_url = 'redis://127.0.0.1'\n", &[], &[]).expect("the defaults go together");
    let large = "[socket]\nmax_text_bytes = 200_000\n";
    load_config(large, &[], &[]).expect("a server that is alone has no such way");
    let among_others = format!("redis_url = 'redis://127.0.0.1'\n{large}");
    let problem = load_error(&among_others, &[]);
    assert!(problem.starts_with("bus.max_message_bytes: 655360") && problem.contains("1335168 or more"), "{problem}");
    let raised = format!("{among_others}[bus]\nmax_message_bytes = 1_335_168\n");
    load_config(&raised, &[], &[]).expect("is enough");
}

#[test]
fn code_bases_are_named_for_agents() {
    let file = "[tools.code]\nbases = { server = { path = '/srv/server' }, web = { path = '/srv/web', readers = { role = 'admin' } } }\nmax_matches = 7\n";
    let loaded = load_config(file, &[("ROUNDTABLE_TOOLS__CODE__HIDDEN", "true")], &[]).expect("is right");
    assert_eq!(loaded.config.tools.code.bases["web"].path, PathBuf::from("/srv/web"));
    assert!(loaded.config.tools.code.hidden);
    let again = load_config(&loaded.show(), &[], &[]).expect("what is shown can be used again");
    assert_eq!(again.config.tools, loaded.config.tools);
    for name in ["", "a/b", "a b"] {
        let text = load_error(&format!("[tools.code]\nbases = {{ {name:?} = {{ path = '/srv' }} }}"), &[]);
        assert!(text.starts_with("tools.code.bases: "), "{text}");
    }
    let none = load_error("[tools.code]\nmax_matches = 0", &[]);
    assert!(none.contains("tools.code.max_matches") && none.contains("from 1 to 100000"), "{none}");
}

#[test]
fn the_address_of_a_web_search_is_checked_and_masked() {
    let text = load_error("[tools.web_search]\nurl = 'search.example.org'", &[]);
    assert!(text.starts_with("tools.web_search.url: ") && text.contains("use https://name"), "{text}");
    let loaded =
        load_config("", &[("ROUNDTABLE_TOOLS__WEB_SEARCH__URL", "https://ann:s3cret@search.example.org")], &[]);
    let printed = loaded.expect("is right").show();
    assert!(printed.contains("https://ann:********@search.example.org") && !printed.contains("s3cret"), "{printed}");
}

#[test]
fn an_empty_table_is_a_table() {
    let error = load_error("[tools.mcp.shop]", &[]);
    assert!(error.contains("tools.mcp.shop: it has neither a command nor a url"), "{error}");
    load_config("[http]\n[bus]", &[], &[]).expect("the defaults");
}

#[test]
fn secrets_are_masked_wherever_operators_can_set_them() {
    let file = "
        public_url = 'https://round.example'
        [log]
        otlp_endpoint = 'http://ann:s3cret@collector:4318'
        [providers.named.local]
        base_url = 'https://s3cret@models.example/v1?api-key=s3cret'
        api_key = 's3cret'
        [tools.web_search]
        url = 'https://ann:s3cret@search.example'
        [tools.mcp.docs]
        url = 'https://docs.example/mcp?token=s3cret'
        headers = { X-Api-Key = 's3cret', Accept-Language = 's3cret' }
        [tools.mcp.shop]
        command = 'shop'
        args = ['--token', 's3cret', '--password=s3cret', 'postgres://ann:s3cret@db/shop', '--port', '80']
        env = { DATABASE = 'postgres://ann:s3cret@db/shop', MODE = 's3cret' }
    ";
    let printed = load_config(file, &[], &[]).expect("is right").show();
    let lines: Vec<&str> = printed.lines().filter(|line| line.contains("s3cret")).collect();
    assert!(lines.is_empty(), "{lines:#?}");
    for kept in ["https://round.example", "models.example/v1", "docs.example/mcp", "X-Api-Key", "MODE", "--port", "80"]
    {
        assert!(printed.contains(kept), "{kept} is no secret: {printed}");
    }
}

#[test]
fn rights_templates_are_validated_and_printed() {
    let rule = |right: &str, access: &str| format!("{{ role = 'member', right = '{right}', access = '{access}' }}");
    let template = |rules: &str| format!("[rights_templates.review]\nrights = [{rules}]\n");
    let default = "[sessions]\nrights_template = 'review'\n";
    let right = load_config(&format!("{}{default}", template(&rule("steer", "ask"))), &[], &[]).expect("is right");
    assert_eq!(right.config.rights_templates["review"].rights.len(), 1);
    let printed = right.show();
    assert!(printed.contains("[rights_templates.review]") && printed.contains("access = \"ask\""), "{printed}");
    for (file, names) in [
        (template(&rule("steer", "maybe")), "rights_templates"),
        (template(&rule("watch", "deny")), "rights_templates.review.rights: the right watch cannot be changed"),
        (template(&rule("approve", "ask")), "rights_templates.review.rights: only the rights say, steer, interrupt"),
        (format!("{}title = ''\n", template("")), "rights_templates.review.title"),
        ("[rights_templates.Review]\n".to_owned(), "rights_templates: \"Review\" is not a valid name"),
        (default.to_owned(), "sessions.rights_template: there is no rights_templates.review; define it"),
    ] {
        let error = load_error(&file, &[]);
        assert!(error.contains(names), "{file}: {error}");
    }
}
