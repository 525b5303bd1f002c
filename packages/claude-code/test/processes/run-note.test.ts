import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { type RunNote, readRunNotes, removeRunNote, writeRunNote } from '../../src/processes/run-note.ts';
import { startRun } from '../../src/run/claude-run.ts';
import type { RunEvent } from '../../src/run-contract/run-event.ts';
import { makeTempFolder } from '../temp-folder.ts';

function makeFolder() {
  const root = makeTempFolder();
  const folder = join(root, 'openbot-locks');
  mkdirSync(folder);
  const env = { CLAUDE_CONFIG_DIR: root };
  const make = (own: Partial<RunNote> = {}): RunNote => ({
    ...{ sessionId: randomUUID(), repoKey: '/a/repo', runner: ownIdentity(), mark: randomUUID() },
    ...own,
  });
  return { root, folder, env, make };
}

test('a note is read as it was written, and is for its owner alone', () => {
  const { folder, env, make } = makeFolder();
  const note = make({ child: { ...ownIdentity(), pid: 4711 }, insideOf: randomUUID() });
  writeRunNote(note, env);
  expect(readRunNotes(env)).toEqual([note]);
  const name = `session-${note.sessionId}.run.json`;
  expect(readdirSync(folder)).toEqual([name]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('what is taken away is this note, not that of a later run in the session', () => {
  const { env, make } = makeFolder();
  const [first, other] = [make(), make()];
  const later = make({ sessionId: first.sessionId });
  for (const note of [first, other, later]) writeRunNote(note, env);
  removeRunNote(first, env);
  expect(readRunNotes(env)).toHaveLength(2);
  removeRunNote(later, env);
  removeRunNote(later, env);
  expect(readRunNotes(env)).toEqual([other]);
});

test('unreadable files are skipped', () => {
  const { folder, env, make } = makeFolder();
  const good = make();
  writeRunNote(good, env);
  const put = (text: string, id: string = randomUUID()) =>
    writeFileSync(join(folder, `session-${id}.run.json`), text);
  const wrong = [
    { ...make(), mark: 'x' },
    { ...make(), mark: undefined },
    { ...make(), runner: { pid: -1, host: 'a' } },
    { ...make(), runner: null },
    { ...make(), child: { pid: 1 } },
    { ...make(), repoKey: 1 },
    { ...make(), insideOf: 1 },
  ];
  for (const note of wrong) put(JSON.stringify(note), note.sessionId);
  put(JSON.stringify(make({ sessionId: '../x' })));
  for (const text of ['', '{', 'null', '[]', '7', ' '.repeat(100_000)]) put(text);
  // That of another session under this name.
  put(JSON.stringify(make()));
  mkdirSync(join(folder, `session-${randomUUID()}.run.json`));
  if (process.platform !== 'win32')
    execFileSync('mkfifo', [join(folder, `session-${randomUUID()}.run.json`)]);
  expect(readRunNotes(env)).toEqual([good]);
});

test('where there is no folder there are no notes', () => {
  const { folder, env, make } = makeFolder();
  rmSync(folder, { recursive: true });
  expect(readRunNotes(env)).toEqual([]);
  expect(() => writeRunNote(make(), env)).toThrow(/ENOENT/);
  removeRunNote(make(), env);
});

test('a note that cannot be written leaves nothing behind, and the run goes on with a warning', async () => {
  const root = makeTempFolder();
  const program = join(root, 'program');
  // Tells what is written down at its very beginning, and ends.
  const script = `#!/bin/sh\ncp '${root}/.claude/openbot-locks/'*.run.json '${root}/seen' && exit 3; exit 4\n`;
  writeFileSync(program, script, { mode: 0o755 });
  const request = {
    ...{ task: 'go', agentId: 'main', repoPath: root, session: { action: 'fresh' as const } },
    ...{ stateDir: join(root, 'state'), env: { PATH: process.env.PATH, HOME: root } },
    pathToClaudeCodeExecutable: program,
  };
  await expect(startRun(request).outcome).rejects.toMatchObject({
    code: 'CLAUDE_NOT_STARTED',
    message: expect.stringContaining('code 3'),
  });
  expect(JSON.parse(readFileSync(join(root, 'seen'), 'utf8'))).toMatchObject({
    repoKey: root,
    runner: ownIdentity(),
    mark: expect.any(String),
  });
  expect(readdirSync(join(root, '.claude/openbot-locks'))).toEqual([]);

  const events: RunEvent[] = [];
  const run = startRun({
    ...request,
    // By then the lock of the session is held, and Claude Code is about to be started.
    mcpServers: ({ sessionId }) => {
      mkdirSync(join(root, `.claude/openbot-locks/session-${sessionId}.run.json`));
      return {};
    },
    onEvent: (event) => events.push(event),
  });
  await expect(run.outcome).rejects.toMatchObject({ message: expect.stringContaining('code 4') });
  expect(events).toMatchObject([
    { type: 'warning', message: expect.stringMatching(/note of the run could not be written/) },
  ]);
  expect(readdirSync(join(root, '.claude/openbot-locks'))).toEqual([expect.stringMatching(/\.run\.json$/)]);
});
