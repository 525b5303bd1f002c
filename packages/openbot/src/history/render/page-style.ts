/** The look of an exported page: light or dark as the reader's system is, and plain on paper. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfdfc, #16181b);
  --ink: light-dark(#1c1e21, #e4e5e7);
  --faint: light-dark(#676c75, #9aa0a9);
  --line: light-dark(#e2e4e8, #2c3036);
  --person: light-dark(#e9f1fb, #1d2a3a);
  --code: light-dark(#f3f4f6, #1f2226);
  --accent: light-dark(#2058a8, #82b1ff);
  --bad: light-dark(#a82020, #ff8d85);
  --mark: light-dark(#8a5a00, #e8b65c);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 50rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; }
header p { color: var(--faint); font-size: .85rem; margin: 0 0 1rem; }
section { margin: 0 0 2rem; }
h2 { display: flex; gap: .75rem; align-items: baseline; font-size: .8rem; font-weight: 600; color: var(--faint); margin: 0 0 .6rem; }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover { text-decoration: underline; }
h2 time { font-weight: 400; }
h2::after { content: ""; flex: 1; border-top: 1px solid var(--line); align-self: center; }
h3 { font-size: .85rem; margin: 0 0 .2rem; color: var(--accent); }
h3 small { color: var(--faint); font-weight: 400; margin-left: .4rem; }
h4 { font-size: .75rem; color: var(--faint); margin: .6rem 0 .2rem; font-weight: 600; }
article { margin: .6rem 0; }
article.user { background: var(--person); border-radius: .6rem; padding: .7rem .9rem; }
article p { margin: 0 0 .6rem; white-space: pre-wrap; }
article > :last-child { margin-bottom: 0; }
code, pre { font: .84em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
code { background: var(--code); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--code); border-radius: .4rem; padding: .7rem .8rem; margin: .3rem 0 .7rem; overflow-x: auto; white-space: pre-wrap; max-height: 40rem; overflow-y: auto; }
pre code { background: none; padding: 0; }
.call { font-size: .85rem; color: var(--faint); margin: .25rem 0; border-left: 2px solid var(--line); padding-left: .6rem; }
p.call, .call > summary { white-space: normal; }
.call > summary { cursor: pointer; }
.call code { background: none; padding: 0; }
.call b { color: var(--ink); font-weight: 600; }
.call pre { color: var(--ink); }
.call pre code { font-size: 1em; }
.failed, .failed .sign, .failed .outcome { color: var(--bad); }
.call.failed { border-color: var(--bad); }
.thinking { color: var(--faint); font-size: .9rem; margin: .25rem 0; }
.thinking > summary { cursor: pointer; font-style: italic; }
.note { color: var(--faint); font-size: .85rem; font-style: italic; }
.mark { color: var(--mark); border: 1px solid; border-radius: .4rem; font-size: .85rem; padding: .4rem .7rem; margin: .8rem 0; }
.mark > summary { cursor: pointer; }
.mark p { color: var(--ink); white-space: pre-wrap; }
.gap { color: var(--faint); font-size: .8rem; text-align: center; margin: 1rem 0; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; background: none; }
  pre { max-height: none; border: 1px solid var(--line); }
  article, pre, h2, h3 { break-inside: avoid-page; }
  h2, h3 { break-after: avoid; }
}
`;
