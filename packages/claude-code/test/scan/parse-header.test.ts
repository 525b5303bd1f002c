import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClaudeLineReader } from '@openbot/sessions/lines';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { parseJsonlHeader } from '../../src/scan/parse-header.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { transcriptText } from './claude-lines.ts';
import { referenceHeader } from './reference-header.ts';

const PROJECTS = join(import.meta.dirname, '../../../../fixtures/claude-code/projects');
const SESS = join(PROJECTS, '-home-user-work-sess/11111111-1111-4111-8111-111111111111.jsonl');
const FIXTURES = [
  SESS,
  join(PROJECTS, '-home-user-work-tui/cffc02be-27e5-4d1c-ae94-755482ed1222.jsonl'),
  ...['aaaa0001', 'aaaa0002', 'aaaa0007', 'bbbb0020'].map((id) =>
    join(PROJECTS, `-home-user-work-types/${id}-0000-4000-8000-000000000000.jsonl`),
  ),
];

function parseText(text: string) {
  const path = join(makeTempFolder(), 'session.jsonl');
  writeFileSync(path, text);
  return parseJsonlHeader(path);
}
const line = (own: object) => `${JSON.stringify(own)}\n`;
const person = (uuid: string, content: unknown, own: object = {}) =>
  line({ parentUuid: null, type: 'user', message: { role: 'user', content }, uuid, cwd: '/w', ...own });

test('a real session: tokens once per message, as its own cost-state has them', async () => {
  expect(await parseJsonlHeader(SESS)).toMatchObject({
    totalInputTokens: 12166,
    version: '2.1.325',
    // It was resumed from elsewhere, which goes on in the same file.
    cwds: ['/home/user/work/sess', '/home/user/work/sess/sub', '/home/user/work/other'],
  });
});

test('a real session that was compacted', async () => {
  const header = await parseJsonlHeader(FIXTURES[4]!);
  const boundaries = readFileSync(FIXTURES[4]!, 'utf8').match(/"subtype":"compact_boundary"/g);
  expect(header.compactionCount).toBe(boundaries!.length);
  expect(header.slug).toMatch(/^\w+-\w+-\w+$/);
});

test.each(FIXTURES)('a real session reads as JSON.parse reads it: %s', async (path) => {
  const header = await parseJsonlHeader(path);
  expect(header).toEqual(referenceHeader(readFileSync(path, 'utf8')));
  expect(header.messageCount).toBeGreaterThan(0);
  expect(header.messageCount).toBeLessThan(header.lineCount / 2);
});

test('any lines read as JSON.parse reads them', HUNT, async () => {
  const path = join(makeTempFolder(), 'session.jsonl');
  const reader = new ClaudeLineReader();
  await fc.assert(
    fc.asyncProperty(transcriptText, async (text) => {
      writeFileSync(path, text);
      const read = readFileSync(path, 'utf8');
      expect(await parseJsonlHeader(path, { reader })).toEqual(referenceHeader(read));
    }),
    cases({ gate: 160, torture: 4000, seed: 5 }),
  );
});

test('the first message is what a person typed: nothing that the program wrote in their place', async () => {
  const header = await parseText(
    person('1', 'warm up', { isMeta: true }) +
      person('2', '<command-name>/clear</command-name>') +
      person('3', '<local-command-stdout></local-command-stdout>') +
      person('4', '<task-notification>x</task-notification>') +
      person('5', 'a summary', { isCompactSummary: true }) +
      person('6', 'a subagent', { isSidechain: true }) +
      person('7', [{ type: 'tool_result', tool_use_id: 't', content: 'output' }]) +
      person('8', [
        { type: 'text', text: '<ide_opened_file>a.ts</ide_opened_file>' },
        { type: 'text', text: ' Fix it \n' },
      ]) +
      person('9', 'later'),
  );
  expect(header.firstUserMessage).toBe('Fix it');
  expect(header.messageCount).toBe(2);
});

test('a long first message is cut at 200 characters, never inside one', async () => {
  const { firstUserMessage } = await parseText(person('1', `${'a'.repeat(199)}😀tail`));
  expect(firstUserMessage).toBe('a'.repeat(199));
  expect((await parseText(person('1', `${'a'.repeat(198)}😀tail`))).firstUserMessage).toBe(
    `${'a'.repeat(198)}😀`,
  );
});

test('a first message has no secret in it, nor half of one where it is cut', async () => {
  const key = `sk-ant-api03-${'Ab1'.repeat(20)}`;
  for (const [before, marker] of [
    [150, ''],
    [180, '[openclaw:agent=main]\n\n'],
    [195, ''],
  ] as const) {
    const typed = `${marker}${'word '.repeat(before / 5)}${key} and more`;
    const { firstUserMessage } = await parseText(person('1', typed));
    expect(firstUserMessage).toMatch(/^(?:word )+/);
    expect(firstUserMessage!.length).toBeLessThanOrEqual(200);
    expect(firstUserMessage).not.toContain('sk-ant-api03');
  }
  expect((await parseText(person('1', `Use ${key}`))).firstUserMessage).toBe('Use sk-ant…1Ab1');
});

test.each([
  ['[openclaw:agent=main]\n\nDo it', 'main', 'Do it'],
  ['[openclaw:agent=a b] Do it', 'a b', 'Do it'],
  ['Do it [openclaw:agent=main]', undefined, 'Do it [openclaw:agent=main]'],
  ['Do it\n[openclaw:agent=main]', undefined, 'Do it\n[openclaw:agent=main]'],
  ['[openclaw:agent=]\nDo it', undefined, '[openclaw:agent=]\nDo it'],
])('the marker is the beginning of the first message: %j', async (typed, originMarker, firstUserMessage) => {
  const header = await parseText(person('1', typed) + person('2', '[openclaw:agent=late]\nmore'));
  expect(header.originMarker).toBe(originMarker);
  expect(header.firstUserMessage).toBe(firstUserMessage);
});

test('the marker of a later message names no agent, also where the first one has no text', async () => {
  const image = [{ type: 'image', source: { data: 'AAAA' } }];
  const header = await parseText(person('1', image) + person('2', '[openclaw:agent=other]\n\nfoo'));
  expect(header).toMatchObject({ firstUserMessage: 'foo', messageCount: 2 });
  expect(header).not.toHaveProperty('originMarker');
  const empty = await parseText(person('1', '[openclaw:agent=main]\n\n') + person('2', 'foo'));
  expect(empty).toMatchObject({ firstUserMessage: 'foo', originMarker: 'main' });
});

test('a line whose id is no text is a line and no message', async () => {
  const odd = { message: { content: 'hello', usage: { input_tokens: 5 } } };
  const header = await parseText(
    person('1', 'hello') +
      line({ ...odd, type: 'user', uuid: 2 }) +
      line({ ...odd, type: 'assistant', uuid: 3 }) +
      line({ type: 'system', subtype: 'compact_boundary', uuid: [] }),
  );
  expect(header).toMatchObject({
    lineCount: 4,
    messageCount: 1,
    totalInputTokens: 0,
    compactionCount: 0,
  });
});

test('a half-written last line and broken lines are counted and tolerated', async () => {
  const header = await parseText(
    `${person('1', 'hello', { gitBranch: 'main' })}\0\0broken\n${person('2', 'again', { gitBranch: 'next' })}{"type":"assi`,
  );
  expect(header).toMatchObject({ lineCount: 4, messageCount: 2, gitBranch: 'next' });
});

test('a last line without a line end counts where it is whole', async () => {
  const header = await parseText(person('1', 'hello').trimEnd());
  expect(header).toMatchObject({ lineCount: 1, messageCount: 1 });
});

test('figures that we computed are not taken for recorded ones', async () => {
  const message = { id: 'm', model: 'x', content: [], usage: { input_tokens: 9, output_tokens: 1 } };
  const marked = { ...message, usage: { input_tokens: 500, output_tokens: 5, estimatedBy: 'openbot' } };
  const header = await parseText(
    line({ type: 'assistant', uuid: '1', message }) + line({ type: 'assistant', uuid: '2', message: marked }),
  );
  expect(header).toMatchObject({ messageCount: 1, totalInputTokens: 9, totalOutputTokens: 1 });
});

test('an empty file has a header without anything', async () => {
  expect(await parseText('')).toEqual({
    cwds: [],
    cwdLines: [],
    lineCount: 0,
    messageCount: 0,
    totalInputTokens: 0,
    totalCacheTokens: 0,
    totalOutputTokens: 0,
    compactionCount: 0,
  });
});

test('a missing file and a folder are errors with a code', async () => {
  const folder = makeTempFolder();
  await expect(parseJsonlHeader(join(folder, 'none.jsonl'))).rejects.toMatchObject({
    code: 'TRANSCRIPT_NOT_FOUND',
  });
  await expect(parseJsonlHeader(folder)).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
});
