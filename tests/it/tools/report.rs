//! Reports: pages that are safe to open whatever a model wrote.

use roundtable::tool::{
    ToolSettings,
    report::{render, render_report},
};
use serde_json::json;

use super::{ToolSet, call_context};

#[test]
fn markdown_becomes_html() {
    let html = render(
        "## Result\n\n| a | b |\n| --- | --- |\n| 1<br>2 | `x < y` |\n\n- [x] done\n\n[more](https://example.org/?a=1&b=2)",
    );
    for part in [
        "<h2>Result</h2>",
        "<td>1<br />\n2</td><td><code>x &lt; y</code></td>",
        "<input disabled=\"\" type=\"checkbox\" checked=\"\"/>",
        "<a href=\"https://example.org/?a=1&amp;b=2\">more</a>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[test]
fn scripts_and_external_resources_are_removed() {
    for hostile in [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
        "text <script>alert(1)</script> text",
        "<img src=x onerror=alert(1)>",
        "a <img src=x onerror=alert(1)> b",
        "<div onclick=\"alert(1)\">x</div>",
        "<iframe src=\"https://evil.example\"></iframe>",
        "<svg/onload=alert(1)>",
        "<style>@import 'https://evil.example/x.css'</style>",
        "<base href=\"https://evil.example/\">",
        "<meta http-equiv=\"refresh\" content=\"0;url=https://evil.example\">",
        "<!-- --><script>alert(1)</script>",
        "<!--><script>alert(1)</script>",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<?php <script>alert(1)</script> ?>",
        "- <details open ontoggle=alert(1)>",
        "# <a href=x onclick=alert(1)>x</a>",
        "`<script>`\n\n    <script>alert(1)</script>\n",
        "```\"><script>alert(1)</script>\nx\n```",
        "[^1]\n\n[^1]: <script>alert(1)</script>",
        "[^\"><script>alert(1)</script>]\n\n[^\"><script>alert(1)</script>]: x",
        "| <script>alert(1)</script> |\n| --- |\n| <img src=x onerror=alert(1)> |",
        "[x](https://a.example \"\\\" onclick=alert(1) \")",
        "![\" onerror=alert(1) \"](data:image/png;base64,AAAA)",
        "<https://a.example/\"onclick=alert(1)>",
    ] {
        let html = render(hostile);
        let tags: Vec<&str> = html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default()).collect();
        for tag in &tags {
            let name: String = tag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect();
            let name = name.trim_matches('/');
            const WRITTEN: [&str; 21] = [
                "p",
                "a",
                "h1",
                "ul",
                "li",
                "code",
                "pre",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "sup",
                "div",
                "img",
                "br",
                "em",
                "strong",
                "hr",
                "blockquote",
            ];
            assert!(WRITTEN.contains(&name), "{hostile} has <{tag}>: {html}");
            // There is no event handler outside quoted values.
            let outside: String = tag.split('"').step_by(2).collect();
            assert!(!outside.to_lowercase().contains(" on"), "{hostile} has <{tag}>");
        }
    }
}

#[test]
fn only_some_kinds_of_addresses_are_allowed() {
    for address in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "java\u{0}script:alert(1)",
        "vbscript:x",
        "data:text/html;base64,PHNjcmlwdD4=",
        "file:///etc/passwd",
        "//evil.example",
        "/api/v1/sessions",
        "\u{1}javascript:alert(1)",
    ] {
        let html = render(&format!("[x](<{address}>) and ![x](<{address}>)"));
        assert!(html.contains("href=\"\"") && html.contains("src=\"\""), "{address}: {html}");
        let reference = render(&format!("[x]\n\n[x]: <{address}>"));
        assert!(reference.contains("href=\"\""), "{address}: {reference}");
    }
    assert!(render("<javascript:alert(1)>").contains("href=\"\""));
    for picture in ["https://evil.example/?what=I+know", "data:image/svg+xml;base64,AAAA"] {
        assert!(render(&format!("![x]({picture})")).contains("src=\"\""), "{picture}");
    }
    assert!(render("![x](data:image/png;base64,AAAA)").contains("src=\"data:image/png;base64,AAAA\""));
    assert!(render("<ann@example.org>").contains("href=\"mailto:ann@example.org\""));
    assert!(render("[x](#part)").contains("href=\"#part\""));
}

#[test]
fn a_title_is_escaped_in_both_formats() {
    let made = render_report("A </title><script>\nalert(1)", "Body.");
    assert_eq!(made.markdown, "# A </title><script> alert(1)\n\nBody.\n");
    assert!(made.html.contains("<title>A &lt;/title&gt;&lt;script&gt; alert(1)</title>"), "{}", made.html);
    assert!(made.html.contains("default-src 'none'") && !made.html.contains("<script"), "{}", made.html);
}

#[tokio::test]
async fn the_tool_returns_both_formats_and_limits_its_input() {
    let tools = ToolSet::of(&ToolSettings::default()).await;
    let call = async |arguments| tools.call(&call_context(&[]), "report", arguments).await;
    let arguments = json!({ "title": "A/B: who?", "markdown": "*x*" });
    let made = tools.named("report").call(&call_context(&[]), arguments).await.expect("is answered");
    assert_eq!(made.text, "created A_B: who?.md and A_B: who?.html in the session's files");
    let files: Vec<(&str, &str)> =
        made.files.iter().map(|file| (&*file.name, std::str::from_utf8(&file.content).expect("text"))).collect();
    assert_eq!(files[0], ("A_B: who?.md", "# A/B: who?\n\n*x*\n"));
    assert!(files[1].0 == "A_B: who?.html" && files[1].1.contains("<p><em>x</em></p>"), "{files:?}");
    let large = call(json!({ "title": "T", "markdown": "x".repeat(2 << 20) })).await.expect_err("is too much");
    assert_eq!(large.code, "too_large");
    // Such deep nesting makes some renderers overflow their stack.
    call(json!({ "title": "T", "markdown": ">".repeat(100_000) })).await.expect("is answered");
}
