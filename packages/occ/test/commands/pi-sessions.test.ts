/** pi opens what is left of its sessions, and lists no backups. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSessionWithTurns, formatLines } from '../setup/sessions.ts';
import { ID, type Json, makeStateFolder, type StateFolder } from './state-folder.ts';

const CWD = '/test/project';
const NAME = `2026-01-01T00-00-00-000Z_${ID}`;
const FIXTURES = join(import.meta.dirname, '../../../../fixtures/pi');

let state: StateFolder;
let folder: string;
let path: string;
beforeEach(() => {
  state = makeStateFolder();
  folder = join(state.home, '.pi/agent/sessions/--test-project--');
  mkdirSync(folder, { recursive: true });
  path = join(folder, `${NAME}.jsonl`);
});

const writeTurns = (turns: number) =>
  writeFileSync(
    path,
    formatLines(createSessionWithTurns(turns, 1, { tree: true, sessionId: ID, resultLength: 900 })),
  );
const occ = (command: string, ...args: string[]) => state.json(command, ...args, '--source', 'pi');

/** What pi gives to the model, a line for each message. */
function tell(file = path): string[] {
  const copy = join(state.home, 'opened.jsonl');
  // Opening rewrites a file of an older version.
  copyFileSync(file, copy);
  return SessionManager.open(copy)
    .buildSessionContext()
    .messages.map((message) => {
      const { role, content, toolCallId, summary } = message as Json;
      const said = Array.isArray(content)
        ? content
            .filter(({ type }: Json) => type === 'text' || type === 'toolCall')
            .map((block: Json) => (block.type === 'toolCall' ? `<${block.id}>` : block.text))
            .join(' ')
        : (content ?? summary);
      return `${role}${toolCallId === undefined ? '' : ` ${toolCallId}`}: ${said}`;
    });
}

const isTool = (line: string) => line.startsWith('toolResult');

describe('after a clean the session opens in pi', () => {
  it.each([
    { preset: 'default', calls: 20 },
    { preset: 'aggressive', calls: 10 },
    { preset: 'extreme', calls: 0 },
  ])('$preset: with all that was said, and $calls calls and results', async ({ preset, calls }) => {
    writeTurns(30);
    const leaf = SessionManager.open(path).getLeafId();
    const before = tell();
    expect(await occ('edit', ID, `--strip-tools=${preset}`)).toMatchObject({ sessionId: ID, changed: true });
    const expected = before
      .map((line, index) => (Math.floor(index / 4) < 30 - calls ? line.replace(/ <call_\d+_0>/, '') : line))
      .filter((line, index) => !isTool(line) || Math.floor(index / 4) >= 30 - calls);
    const after = tell();
    expect(after.map((line) => (isTool(line) ? line.split(':')[0] : line))).toEqual(
      expected.map((line) => (isTool(line) ? line.split(':')[0] : line)),
    );
    expect(SessionManager.open(path).getLeafId()).toBe(leaf);
  });

  it('and pi appends to it where it left off', async () => {
    writeTurns(5);
    const running = SessionManager.open(path);
    await occ('edit', ID, '--keep', '1');
    running.appendMessage({ role: 'user', content: 'And then?', timestamp: 1 });
    const left = tell();
    expect(left.at(-1)).toBe('user: And then?');
    expect(left).toHaveLength(5 * 3 + 1 + 1);
    await occ('restore', ID, '--force');
    expect(tell()).toHaveLength(5 * 4 + 1);
    expect(tell().at(-1)).toBe('user: And then?');
  });

  it('also one with branches and a compaction, made by pi itself', async () => {
    const pi = SessionManager.create(CWD, folder);
    const ask = (about: string) => {
      pi.appendMessage({ role: 'user', content: about, timestamp: 1 });
      pi.appendMessage({
        role: 'assistant',
        content: [{ type: 'toolCall', id: `c ${about}`, name: 'read', arguments: { path: about } }],
        stopReason: 'toolUse',
      } as Json);
      const result = pi.appendMessage({
        role: 'toolResult',
        toolCallId: `c ${about}`,
        toolName: 'read',
        content: [{ type: 'text', text: 'r'.repeat(600) }],
        isError: false,
      } as Json);
      pi.appendMessage({
        role: 'assistant',
        content: [{ type: 'text', text: `Done: ${about}` }],
        stopReason: 'stop',
      } as Json);
      return result;
    };
    ask('one');
    const kept = ask('two');
    ask('left behind');
    pi.branch(kept);
    pi.appendCompaction('All about one', kept, 1000);
    ask('three');
    ask('four');
    const written = pi.getSessionFile()!;
    const before = tell(written);
    await occ('edit', written, '--keep', '1');
    const after = tell(written);
    expect(after).toEqual(before.filter((line) => !/c two|c three/.test(line) || /Done/.test(line)));
    expect(after[0]).toContain('All about one');
    expect(after.filter(isTool)).toHaveLength(1);
    // The branch that was left behind can still be gone back to.
    const text = readFileSync(written, 'utf8');
    expect(text).toContain('"c left behind"');
    await occ('restore', written);
    expect(tell(written)).toEqual(before);
  });

  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.jsonl')))(
    'the recorded %s',
    async (name) => {
      const copy = join(folder, name);
      copyFileSync(join(FIXTURES, name), copy);
      const before = tell(copy);
      const original = readFileSync(copy);
      const { changed } = await occ('edit', copy, '--strip-tools=extreme', '--force');
      const after = tell(copy);
      const said = (lines: string[]) =>
        lines
          .filter((line) => !isTool(line))
          .map((line) => line.replaceAll(/<[^>]*>/g, '').trim())
          .filter((line) => !/^assistant:$/.test(line));
      expect(said(after)).toEqual(said(before));
      expect(after.length < before.length || !before.some(isTool) || !changed).toBe(true);
      if (changed) await occ('restore', copy, '--force');
      expect(readFileSync(copy).equals(original)).toBe(true);
    },
  );
});

describe("backups of pi's sessions", () => {
  it('are in a folder of their own, and pi lists none of them', async () => {
    writeTurns(30);
    const { backupPath } = await occ('edit', ID, '--strip-tools');
    expect(backupPath).toBe(join(folder, 'backups', `${NAME}.backup.1.jsonl`));
    const { backupPath: second } = await occ('restore', ID);
    expect(second).toBe(join(folder, 'backups', `${NAME}.backup.2.jsonl`));
    expect(readdirSync(folder).sort()).toEqual([`${NAME}.jsonl`, 'backups'].sort());
    const listed = await SessionManager.list(CWD, folder);
    expect(listed.map((session) => session.path)).toEqual([path]);
    process.env.PI_CODING_AGENT_DIR = dirname(dirname(folder));
    try {
      expect((await SessionManager.listAll()).map((session) => session.path)).toEqual([path]);
    } finally {
      delete process.env.PI_CODING_AGENT_DIR;
    }
    expect((await SessionManager.listAll(folder)).map((session) => session.path)).toEqual([path]);
    expect(SessionManager.findById(CWD, ID, folder)).toBe(path);
    expect((await occ('list')).map((session: Json) => session.path)).toEqual([path]);
  });

  it('in a flat folder of sessions too', async () => {
    const flat = join(state.home, 'flat');
    mkdirSync(flat);
    path = join(flat, `${NAME}.jsonl`);
    writeTurns(30);
    const env = ['--source', 'pi'];
    const { backupPath } = await state.json('edit', path, '--strip-tools', ...env);
    expect(backupPath).toBe(join(flat, 'backups', `${NAME}.backup.1.jsonl`));
    expect((await SessionManager.listAll(flat)).map((session) => basename(session.path))).toEqual([
      `${NAME}.jsonl`,
    ]);
  });
});
