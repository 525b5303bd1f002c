/** `openbot sessions export`. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { listMisfits } from '@openbot/sessions/command-line';
import { beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { EXPORT } from '../../src/commands/history/result-shapes.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const ID = '0aaaaaaa-0000-4000-8000-000000000001';
const KEY = `sk-ant-api03-${'abcdEFGH1234'.repeat(4)}`;

let home: Home;
let transcript: string;
beforeEach(() => {
  home = makeHome();
  const sessions = join(home.stateDir, 'agents/main/sessions');
  mkdirSync(sessions, { recursive: true });
  const entry = { sessionId: ID, updatedAt: Date.parse('2026-11-15T18:00:00Z'), label: 'talk' };
  writeFileSync(join(sessions, 'sessions.json'), JSON.stringify({ 'agent:main:main': entry }));
  const message = (id: string, parentId: string | null, content: object) =>
    JSON.stringify({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-11-15T18:00:00.000Z',
      message: content,
    });
  transcript = [
    `{"type": "session", "version": 3, "id": "${ID}", "timestamp": "2026-11-15T18:00:00.000Z", "cwd": "/home/ada"}`,
    message('aaaa0001', null, { role: 'user', content: `My key is ${KEY}, and 1 < 2 & 3` }),
    message('aaaa0002', 'aaaa0001', {
      role: 'assistant',
      content: [
        { type: 'toolCall', id: 'c1', name: 'exec', arguments: { command: 'ls', password: 'hunter2222' } },
      ],
    }),
    message('aaaa0003', 'aaaa0002', {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'exec',
      content: [{ type: 'text', text: 'one\ntwo' }],
    }),
    // Written by hand, with blanks and a broken line behind it.
    '{ "type": "message", "id": "aaaa0004", "parentId": "aaaa0003", "message": { "role": "assistant", "content": "Grüße" } }',
    '{"type":"message","id":"aaaa',
    '',
  ].join('\n');
  writeFileSync(join(sessions, `${ID}.jsonl`), transcript);
});

const exportTalk = (...args: string[]) => home.run(['sessions', 'export', 'talk', ...args]);
const read = (name: string) => readFileSync(join(home.folder, name), 'utf8');

describe('the file', () => {
  test('is a new one in this folder, named by the session, for nobody else to read', async () => {
    const ran = await exportTalk();
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(`${ID}.md`) });
    expect(ran.stderr).toContain('Secrets that were recognised are hidden');
    expect(statSync(join(home.folder, `${ID}.md`)).mode & 0o777).toBe(0o600);
    expect(read(`${ID}.md`)).toMatch(/^# talk\n/);
  });

  test.each([
    ['a.html', /^<!doctype html>/],
    ['a.htm', /^<!doctype html>/],
    ['a.jsonl', /^\{"type"/],
    ['a.txt', /^# talk/],
  ])('%s is of the form that its ending says', async (name, beginning) => {
    expect((await exportTalk('--output', name)).code).toBe(0);
    expect(read(name)).toMatch(beginning);
  });

  test('an ending of no format is refused, unless the format is named', async () => {
    const refused = await exportTalk('--output', 'a.pdf');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--format')]);
    expect((await exportTalk('--output', 'a.pdf', '--format', 'md')).code).toBe(0);
  });

  test('is never replaced without --force, and nothing is left of the attempt', async () => {
    writeFileSync(join(home.folder, 'a.md'), 'mine');
    const before = readdirSync(home.folder);
    const ran = await exportTalk('--output', 'a.md');
    expect(ran.stderr).toMatch(/a\.md exists already\n.*--force/);
    expect({ code: ran.code > 0, text: read('a.md'), files: readdirSync(home.folder) }).toEqual({
      code: true,
      text: 'mine',
      files: before,
    });
    expect((await exportTalk('--output', 'a.md', '--force')).code).toBe(0);
    expect(read('a.md')).toMatch(/^# talk\n/);
  });

  test.each([
    [['--output', '.'], /is a folder/],
    [['--output', 'none/a.md'], /The folder .*none does not exist/],
    [['--format', 'pdf'], /--format must be one of md, html, jsonl/],
    [['--output', '-', '--json'], /--json and --output contradict|contradict each other/],
    [['--output', `state/agents/main/sessions/${ID}.jsonl`, '--force'], /is the session itself/],
  ])('%j is refused', async (args, message) => {
    const ran = await exportTalk(...args);
    expect(ran.stderr).toMatch(message);
    expect(ran.code).toBeGreaterThan(0);
    expect(read(`state/agents/main/sessions/${ID}.jsonl`)).toBe(transcript);
  });

  test('no session, or an unknown one', async () => {
    expect((await home.run(['sessions', 'export'])).stderr).toContain('Which session?');
    expect((await home.run(['sessions', 'export', 'other'])).stderr).toContain("'other'");
  });

  test('--json says what was written', async () => {
    const printed = await home.json<{ path: string; sizeBytes: number }>('sessions', 'export', 'talk');
    expect(listMisfits(EXPORT, printed)).toEqual([]);
    expect(printed.sizeBytes).toBe(statSync(printed.path).size);
  });
});

describe('secrets', () => {
  test.each(['md', 'html', 'jsonl'])('are hidden in %s, unless they are wanted', async (format) => {
    const hidden = await exportTalk('--format', format, '--output', '-', '--tools');
    expect(hidden.stdout).not.toMatch(/abcdEFGH1234abcd|hunter2222/);
    expect(hidden.stdout).toContain('My key is');
    const whole = await exportTalk('--format', format, '--output', '-', '--tools', '--with-secrets');
    expect(whole.stdout).toMatch(/abcdEFGH1234abcd/);
    expect(whole.stdout).toContain('hunter2222');
  });

  test('are shown by history: it is the own memory', async () => {
    expect((await home.run(['history', 'talk'])).stdout).toContain(KEY);
  });
});

describe('JSONL', () => {
  test('is the transcript byte for byte, but for the lines with secrets', async () => {
    await exportTalk('--output', 'whole.jsonl', '--with-secrets');
    expect(read('whole.jsonl')).toBe(transcript);
    await exportTalk('--output', 'a.jsonl');
    const before = transcript.split('\n');
    const after = read('a.jsonl').split('\n');
    expect(after.filter((line, at) => line !== before[at])).toHaveLength(2);
    expect(after).toHaveLength(before.length);
  });

  function makeDatabase(): string {
    home = makeHome();
    const database = join(home.stateDir, 'agents/main/agent/openclaw-agent.sqlite');
    mkdirSync(dirname(database), { recursive: true });
    cpSync(join(FIXTURES, 'openclaw-sqlite/openclaw-agent.sqlite'), database);
    return database;
  }

  test('of a database has lines that are too long to be shown', LONG, async () => {
    const database = new DatabaseSync(makeDatabase());
    const long = `{"type":"custom",\n"text":"${'x'.repeat(70 * 1024 * 1024)}"}`;
    database
      .prepare(
        `UPDATE transcript_events SET event_json = ?, event_zstd = NULL, event_utf8_bytes = NULL
         WHERE session_id LIKE '5ae5f53e-%' AND seq = (SELECT max(seq) - 1 FROM transcript_events WHERE session_id LIKE '5ae5f53e-%')`,
      )
      .run(long);
    database.close();
    const args = ['sessions', 'export', 'agent:main:main', '--output', 'a.jsonl', '--with-secrets'];
    expect(await home.run(args)).toMatchObject({ code: 0 });
    const lines = readFileSync(join(home.folder, 'a.jsonl'), 'utf8').split('\n').slice(0, -1);
    expect([lines.length, lines.at(-2) === long.replace('\n', ' ')]).toEqual([22, true]);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ type: expect.any(String) });
  });

  test('of a database opens in pi, with the same conversation', async () => {
    makeDatabase();
    await home.run(['sessions', 'export', 'agent:main:main', '--output', 'a.jsonl']);
    const messages = SessionManager.open(join(home.folder, 'a.jsonl')).buildSessionContext().messages;
    const shown = await home.json<{ messages: { role: string; text: string }[] }>(
      'history',
      'agent:main:main',
    );
    const said = shown.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(said).toHaveLength(2);
    expect(messages.filter(({ role }) => role === 'user').map((one) => JSON.stringify(one))).toEqual(
      said.map((text) => expect.stringContaining(JSON.stringify(text).slice(1, -1))),
    );
  });
});
