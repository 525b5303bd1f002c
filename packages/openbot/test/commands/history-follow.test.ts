/** `openbot history` in processes of its own: followed while others write, and in a terminal with a pager. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { executeEdit } from 'oc-context-cleaner';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { COMMAND } from '../setup/command-file.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { type Command, noTerminal, spawnInTerminal, watchCommand } from '../setup/terminal-command.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const noLess = spawnSync('less', ['--version']).status === 0 ? undefined : 'there is no less';
const ID = '0aaaaaaa-0000-4000-8000-000000000001';
const NEW_ID = '0bbbbbbb-0000-4000-8000-000000000002';
const KEY = 'agent:main:main';

let folder: string;
let sessions: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = makeTempFolder();
  sessions = join(folder, 'state/agents/main/sessions');
  mkdirSync(sessions, { recursive: true });
  env = {
    PATH: process.env.PATH!,
    HOME: folder,
    NODE_COMPILE_CACHE: inject('compiled'),
    OPENBOT_STATE_DIR: join(folder, 'state'),
  };
});

let count = 0;
let parent: string | null = null;

function line(message: object): string {
  const id = (++count).toString(16).padStart(8, '0');
  const text = JSON.stringify({
    type: 'message',
    id,
    parentId: parent,
    timestamp: '2026-11-15T18:00:00.000Z',
    message,
  });
  parent = id;
  return `${text}\n`;
}

const ask = (text: string) => line({ role: 'user', content: text });
const answer = (text: string) => line({ role: 'assistant', content: [{ type: 'text', text }] });
const call = (id: string, command: string) =>
  line({ role: 'assistant', content: [{ type: 'toolCall', id, name: 'exec', arguments: { command } }] });
const result = (id: string, text: string) =>
  line({ role: 'toolResult', toolCallId: id, toolName: 'exec', content: [{ type: 'text', text }] });

function writeSession(id: string, ...lines: string[]): string {
  const header = { type: 'session', version: 3, id, timestamp: '2026-11-15T18:00:00.000Z', cwd: folder };
  const path = join(sessions, `${id}.jsonl`);
  writeFileSync(path, `${JSON.stringify(header)}\n${lines.join('')}`);
  return path;
}

function writeStore(sessionId: string): void {
  const store = { [KEY]: { sessionId, updatedAt: Date.now() } };
  writeFileSync(join(sessions, 'sessions.json.new'), JSON.stringify(store));
  renameSync(join(sessions, 'sessions.json.new'), join(sessions, 'sessions.json'));
}

function end(child: ChildProcess): void {
  afterTest(() => void child.kill('SIGKILL'));
}

function follow(...args: string[]): Command {
  const child = spawn(process.execPath, [...COMMAND, 'history', KEY, '--follow', ...args], {
    cwd: folder,
    env,
  });
  end(child);
  return watchCommand(child);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe('--follow', () => {
  beforeEach(() => {
    count = 0;
    parent = null;
  });

  test('shows what is appended, survives a rewrite and a reset, and ends by Ctrl-C', async () => {
    const big = Array.from({ length: 200 }, (_, at) => `output ${at}`).join('\n');
    const path = writeSession(
      ID,
      ask('first question'),
      call('c1', 'ls -la'),
      result('c1', big),
      answer('first answer'),
    );
    writeStore(ID);
    const { child, ended, shows } = follow();
    await shows(/⚙ exec ls -la → 200 lines\n {2}first answer/);

    // Another process appends; a line comes in two halves.
    const half = ask('second question');
    appendFileSync(path, half.slice(0, 40));
    appendFileSync(path, half.slice(40) + call('c2', 'sleep 9'));
    await shows(/── Turn 2 .*\nyou\n {2}second question\n\nassistant\n {2}⚙ exec sleep 9 …/);
    appendFileSync(path, result('c2', 'slept') + answer('second answer'));
    await shows(/↳ exec → slept\n/);
    await shows(/second answer/);

    // Calls are removed, and nothing of the rest is shown again.
    const edited = await executeEdit({
      sessionId: path,
      toolRemoval: { preset: 'extreme' },
      env,
      force: true,
    });
    expect(edited.changed).not.toBe(false);
    appendFileSync(path, ask('third question'));
    await shows(/── Turn 3 .*\nyou\n {2}third question/);

    // The key leads to another session, whose transcript comes later.
    writeStore(NEW_ID);
    appendFileSync(path, answer('last answer'));
    await shows(/last answer/);
    parent = null;
    writeSession(NEW_ID, ask('question after the reset'));
    renameSync(path, `${path}.reset.2026-11-15T19-00-00.000Z`);
    await shows(new RegExp(`The session was reset\\. It goes on as ${NEW_ID}`));
    appendFileSync(join(sessions, `${NEW_ID}.jsonl`), answer('answer after the reset'));
    await shows(/question after the reset\n\nassistant\n {2}answer after the reset/);

    child.kill('SIGINT');
    const { stdout, stderr, signal } = await ended;
    expect({ stderr, signal }).toEqual({ stderr: '', signal: 'SIGINT' });
    for (const text of [
      'first question',
      'second question',
      'third question',
      'second answer',
      'question after',
    ]) {
      expect({ text, times: countOf(stdout, text) }).toEqual({ text, times: 1 });
    }
  });

  test('prints a line of JSON for each message, of a database too', async () => {
    const database = join(folder, 'state/agents/main/agent/openclaw-agent.sqlite');
    mkdirSync(dirname(database), { recursive: true });
    cpSync(join(FIXTURES, 'openclaw-sqlite/openclaw-agent.sqlite'), database);
    const { child, ended, shows } = follow('--json', '--last', '1');
    await shows(/"role":"assistant"/);
    const db = new DatabaseSync(database);
    const { session_id, seq } = db
      .prepare(
        `SELECT e.session_id, max(e.seq) AS seq FROM transcript_events e JOIN session_nodes n
         ON n.current_session_id = e.session_id WHERE n.session_key = ? GROUP BY e.session_id`,
      )
      .get(KEY) as { session_id: string; seq: number };
    const last = db
      .prepare(
        'SELECT event_id AS id FROM transcript_event_identities WHERE session_id = ? ORDER BY seq DESC LIMIT 1',
      )
      .get(session_id) as { id: string };
    const added = JSON.stringify({
      type: 'message',
      id: 'added-entry',
      parentId: last.id,
      timestamp: '2026-11-15T19:00:00.000Z',
      message: { role: 'user', content: 'added to the database' },
    });
    db.prepare(
      'INSERT INTO transcript_events (session_id, seq, event_json, event_utf8_bytes, created_at) VALUES (?, ?, ?, ?, ?)',
    ).run(session_id, seq + 1, added, Buffer.byteLength(added), Date.now());
    db.close();
    await shows(/"text":"added to the database"/);
    child.kill('SIGTERM');
    const { stdout } = await ended;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { id?: string });
    expect(lines.at(-1)).toMatchObject({ id: 'added-entry', role: 'user', turn: 3 });
    expect(lines.filter(({ id }) => id === 'added-entry')).toHaveLength(1);
  });

  test('what was put aside is not followed', async () => {
    const path = writeSession(ID, ask('hello'));
    renameSync(path, `${path}.deleted.2026-11-15T19-00-00.000Z`);
    const args = [...COMMAND, 'history', `${path}.deleted.2026-11-15T19-00-00.000Z`, '--follow'];
    const { ended } = watchCommand(spawn(process.execPath, args, { env }));
    expect((await ended).stderr).toMatch(/was put aside: nothing is added to it/);
  });
});

describe.skipIf(noTerminal)('in a terminal', () => {
  const open = (columns: number, args: readonly string[], more: Record<string, string> = {}) => {
    const command = spawnInTerminal(args, { cwd: folder, env: { ...env, COLUMNS: `${columns}`, ...more } });
    end(command.child);
    return command;
  };
  const talk = () =>
    writeSession(
      ID,
      ...Array.from(
        { length: 30 },
        (_, at) => ask(`question ${at} ${'word '.repeat(30)}`) + answer(`answer ${at}`),
      ),
    );

  test.each([40, 200])('a long text opens in the pager, at %i columns', async (columns) => {
    const path = talk();
    // Stands for less, which may not be there: it shows what it is given, and how wide that is.
    const pager = `awk '{ print "P " $0 } END { print "pager is done" }'`;
    const { ended } = open(columns, ['history', path], { PAGER: pager });
    const { stdout, code } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain('pager is done');
    expect(stdout).toMatch(/P .*question 29/);
    const plain = stdout
      .replaceAll('\r', '')
      .split('\n')
      .filter((text) => text.startsWith('P '));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: of colours.
    const widths = plain.map((text) => text.slice(2).replace(/\u001b\[\d+m/g, '').length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(Math.max(...widths)).toBeGreaterThan(columns / 2);
  });

  test.skipIf(noLess)('less gives back the screen as it was', async () => {
    const { child, ended, shows } = open(80, ['history', talk()]);
    await shows(/\?1049h[\s\S]*question 0/);
    // Ctrl-C is a key of less; the terminal drops what is typed with it.
    child.stdin!.write('\u0003');
    child.stdin!.on('error', () => {});
    const typing = setInterval(() => child.stdin!.write('q'), 50);
    const { stdout, code } = await ended.finally(() => clearInterval(typing));
    expect({ code, isBack: /\?1049l/.test(stdout), hasEnd: stdout.includes('question 29') }).toEqual({
      code: 0,
      isBack: true,
      hasEnd: false,
    });
  });

  test('a pager that is left early, or that is not there, is no failure', async () => {
    const path = talk();
    const left = await open(80, ['history', path], { PAGER: 'head -3' }).ended;
    expect({ code: left.code, hasEnd: left.stdout.includes('answer 29') }).toEqual({
      code: 0,
      hasEnd: false,
    });
    const missing = await open(80, ['history', path], { PAGER: 'no-such-pager' }).ended;
    expect(missing.stdout).toContain('question 0');
  });

  test('a short text, and --no-pager, need none', async () => {
    const pager = { PAGER: 'echo paged' };
    const long = await open(80, ['history', talk(), '--no-pager'], pager).ended;
    expect(long.stdout).toContain('answer 29');
    const short = await open(80, ['history', talk(), '--last', '1'], pager).ended;
    expect(short.stdout).toContain('answer 29');
    expect(long.stdout + short.stdout).not.toContain('paged');
  });

  test('several sessions are offered where none is named', async () => {
    writeSession(ID, ask('of the first'));
    writeSession(NEW_ID, ask('of the second'));
    const { child, ended, shows } = open(80, ['history']);
    await shows(/Which session\?/);
    child.stdin!.write('0aaaaaaa\r');
    await shows(/of the first/);
    expect((await ended).code).toBe(0);
  });
});

test('a reader that leaves early ends it', async () => {
  const path = writeSession(ID, ...Array.from({ length: 5000 }, (_, at) => ask(`question ${at}`)));
  const line = `"$0" "$@" | head -1`;
  const child = spawn('sh', ['-c', line, process.execPath, ...COMMAND, 'history', path], { env });
  const { ended } = watchCommand(child);
  const { stdout, stderr, code } = await ended;
  expect({ stderr, code, lines: stdout.split('\n').length }).toEqual({ stderr: '', code: 0, lines: 2 });
  expect(readFileSync(path, 'utf8')).toContain('question 4999');
});
