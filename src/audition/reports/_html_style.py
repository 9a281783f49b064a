"""How the page of the HTML report looks: light and dark, on a phone and on paper."""

STYLE = """
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1c1e21;--quiet:#5c6169;--line:#dfe1e4;
--pass:#17703c;--fail:#b3261e;--error:#8a5300;--skip:#5c6169;--said:#eef3fb}
@media (prefers-color-scheme:dark){:root{--page:#15171a;--card:#1d2024;--ink:#e7e9ec;--quiet:#9aa1aa;--line:#33383f;
--pass:#6cc58f;--fail:#ff8a80;--error:#e8b15a;--skip:#9aa1aa;--said:#232a35}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
h3,h4{font-size:.95rem;margin:1rem 0 .25rem;color:var(--quiet);font-weight:600}
p{margin:.25rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:1rem 0;font-size:.9rem}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
svg{display:block;width:100%;max-width:24rem;height:1.25rem;margin:.5rem 0}
.track{fill:var(--line)}.range{fill:var(--quiet);opacity:.5}.point{fill:var(--ink)}
.trial,.trouble{background:var(--card);border:1px solid var(--line);border-left-width:4px;border-radius:6px;
margin:.5rem 0;padding:.5rem .75rem}
.trouble,.error{border-left-color:var(--error)}.pass{border-left-color:var(--pass)}
.fail{border-left-color:var(--fail)}.skip{border-left-color:var(--skip)}
summary{cursor:pointer;overflow-wrap:anywhere}
.name{font-weight:600}.more{color:var(--quiet);font-size:.875rem}
.verdict{font-weight:700}
.verdict.pass{color:var(--pass)}.verdict.fail{color:var(--fail)}
.verdict.error{color:var(--error)}.verdict.skip{color:var(--skip)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;padding:.35rem .6rem;border-radius:4px;background:var(--page);
border:1px solid var(--line);margin:.25rem 0}
.user{background:var(--said)}
.code{font-family:ui-monospace,monospace;font-size:.85rem}
.check{border-top:1px solid var(--line);padding:.5rem 0}
details details{margin:.25rem 0}
@media (max-width:36rem){main{padding:1rem .6rem 3rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}}
@media print{body{background:none}.trial{break-inside:avoid}}
"""
"""The only style of the page."""
