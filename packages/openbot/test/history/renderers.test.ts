import { createHash } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { PLAIN_PALETTE, paletteFor, textWidth } from '@openbot/sessions/terminal-text';
import { expect, test } from 'vitest';
import { renderAsHtml } from '../../src/history/render/html.ts';
import { renderAsJson, renderAsJsonLines } from '../../src/history/render/json.ts';
import { renderAsMarkdown } from '../../src/history/render/markdown.ts';
import { renderForTerminal } from '../../src/history/render/terminal.ts';
import {
  ACTING,
  describeRenderer,
  HEAD,
  HOSTILE,
  HOSTILE_ITEMS,
  ITEMS,
  renderAll,
} from './renderers-contract.ts';

const EVERYTHING = { tools: true, thinking: true };

describeRenderer('terminal', (options) =>
  renderForTerminal({ ...options, palette: PLAIN_PALETTE, columns: Number.POSITIVE_INFINITY }),
);
describeRenderer('markdown', renderAsMarkdown);
describeRenderer('html', renderAsHtml);

test.each([40, 80, 200])('a terminal of %i columns has no longer line', (columns) => {
  for (const items of [ITEMS, HOSTILE_ITEMS]) {
    for (const options of [{}, EVERYTHING]) {
      const renderer = renderForTerminal({ ...options, palette: PLAIN_PALETTE, columns });
      const lines = renderAll(renderer, items, { ...HEAD, label: HOSTILE }).split('\n');
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
    }
  }
});

test('a terminal breaks lines between words, and keeps their indentation', () => {
  const renderer = renderForTerminal({ palette: PLAIN_PALETTE, columns: 30 });
  const text = 'one two three four five six seven\n    indented words that go on and on';
  const shown = renderer.item({ kind: 'message', speaker: 'user', parts: [{ kind: 'text', text }] });
  expect(shown.split('\n')).toEqual([
    'you',
    '  one two three four five six',
    '  seven',
    '      indented words that go',
    '      on and on',
    '',
  ]);
});

test('the entry that was asked for is marked', () => {
  const renderer = renderForTerminal({ palette: PLAIN_PALETTE, columns: 80 });
  const [, first] = ITEMS;
  expect(renderer.item({ ...first!, isMarked: true })).toMatch(/you {2}◀ here\n▌ Why does the test fail\?\n/);
});

test('colours change nothing of what is read', () => {
  const plain = renderAll(renderForTerminal({ palette: PLAIN_PALETTE, columns: 60 }));
  const coloured = renderAll(renderForTerminal({ palette: paletteFor(true), columns: 60 }));
  expect(coloured).not.toBe(plain);
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});

test('a call that is under way is not one without a result', () => {
  const renderer = renderForTerminal({ palette: PLAIN_PALETTE, columns: 80, isLive: true });
  expect(renderAll(renderer)).toContain('⚙ grep x …');
});

test('in Markdown everything that was said is in a quote or a fence that it cannot end', () => {
  const text = renderAll(renderAsMarkdown(EVERYTHING), HOSTILE_ITEMS);
  let marks: string | undefined;
  const outside: string[] = [];
  for (const line of text.split('\n')) {
    const fence = /^(`{3,})$/.exec(line)?.[1];
    if (marks !== undefined) marks = fence === marks ? undefined : marks;
    else if (fence !== undefined) marks = fence;
    else if (!line.startsWith('>') && line !== '') outside.push(line);
  }
  expect(marks).toBeUndefined();
  // Titles on one line, with their signs taken out of force.
  for (const line of outside) {
    expect(line).toMatch(/^(# |## Turn 1$|Session |\*|<details><summary>|<\/details>$|Result:$)/);
    expect(line.replace(/^<details><summary>(.*)<\/summary>$/, '$1')).not.toMatch(/(?<!\\)<(?!\/details>$)/);
  }
  const quoted = text.split('\n').filter((line) => line.startsWith('>'));
  expect(quoted.some((line) => line.includes('&lt;script>'))).toBe(true);
  expect(quoted.filter((line) => /<(script|img|style|a |!--)/.test(line) && !line.includes('`'))).toEqual([]);
});

const TAGS = new Set(
  'html head meta title style body header h1 h2 h3 h4 p span main section a time article small strong em code pre details summary b !doctype'.split(
    ' ',
  ),
);

test.each([{}, EVERYTHING])('in HTML no tag and no attribute is of what was said: %j', (options) => {
  const head = { ...HEAD, label: HOSTILE, sessionKey: HOSTILE };
  const page = renderAll(renderAsHtml(options), HOSTILE_ITEMS, head);
  const body = page.replace(/<style>[\s\S]*?<\/style>/, '');
  const open: string[] = [];
  for (const [tag, slash, name = '', attributes = ''] of body.matchAll(/<(\/?)([a-z0-9!]+)([^<>]*)>/gi)) {
    expect(TAGS).toContain(name);
    expect(attributes, tag).toMatch(
      /^( (charset|http-equiv|content|name|lang|class|id|href="#|datetime|html|open)[^<>]*)?$/,
    );
    if (slash === '/') expect(open.pop()).toBe(name);
    else if (name !== 'meta' && name !== '!doctype') open.push(name);
  }
  expect(open).toEqual([]);
  // Each sign of less is the beginning of one of these tags.
  expect(body.replace(/<\/?[a-z0-9!]+[^<>]*>/gi, '')).not.toMatch(/[<>]/);
  expect(body).not.toMatch(/\bon\w+=(?!alert)|src=(?!x )|url\(/);
});

test('an HTML page allows its own style, and nothing else', () => {
  const page = renderAll(renderAsHtml({}));
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).not.toMatch(/https?:|<script|<link|@import|url\(/);
  expect(page).toMatch(/^<!doctype html>/);
});

test('JSON is one value, and a line for each message where it is followed', () => {
  const printed = renderAll(renderAsJson(), HOSTILE_ITEMS);
  expect(printed).not.toMatch(ACTING);
  const { messages, ...head } = JSON.parse(printed);
  expect(head).toEqual(HEAD);
  expect(messages).toHaveLength(HOSTILE_ITEMS.length);
  expect(messages[3].calls[0]).toMatchObject({ name: HOSTILE, result: { text: HOSTILE, isError: true } });
  const lines = renderAll(renderAsJsonLines(), ITEMS).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).role)).toEqual([
    'note',
    'user',
    'assistant',
    'note',
    'user',
    'assistant',
  ]);
  expect(JSON.parse(renderAll(renderAsJson(), [])).messages).toEqual([]);
});
