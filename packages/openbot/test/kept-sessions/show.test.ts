import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { textWidth } from '@openbot/sessions/terminal-text';
import { describe, expect, test } from 'vitest';
import { noTerminal, spawnInTerminal } from '../setup/terminal-command.ts';
import { makeOpenclawPlace, makePlace, snapshot, writeTranscript } from './session-places.ts';

const IDS = ['aaaa1111-0000-4000-8000-000000000001', 'aaaa2222-0000-4000-8000-000000000002'] as const;

function makeNamed() {
  return makePlace({
    'agent:main:main': { sessionId: IDS[0], updatedAt: 5, label: 'Day to day' },
    'agent:main:telegram:direct:42': { sessionId: IDS[1], updatedAt: 5, label: 'twice' },
    'agent:main:slack:channel:c1': { sessionId: 'bbbb', updatedAt: 5, label: 'twice' },
  });
}

test.each([
  ['agent:main:main', IDS[0]],
  ['MAIN', IDS[0]],
  ['agent:main:telegram:dm:42', IDS[1]],
  ['telegram:direct:42', IDS[1]],
  [IDS[1], IDS[1]],
  ['aaaa1', IDS[0]],
  ['day to day', IDS[0]],
])('a session by %s', async (name, sessionId) => {
  const { stdout } = await makeNamed().runHere('sessions', 'show', name, '--json');
  expect(JSON.parse(stdout).sessionId).toBe(sessionId);
});

test.each([
  ['aaaa', 'AMBIGUOUS_SESSION', IDS[1]],
  ['twice', 'AMBIGUOUS_SESSION', 'agent:main:slack:channel:c1'],
  ['agent:main:mian', 'SESSION_NOT_FOUND', 'Did you mean agent:main:main?'],
  ['dya to day', 'SESSION_NOT_FOUND', 'Did you mean Day to day?'],
  ['../../etc', 'SESSION_NOT_FOUND', 'openbot sessions'],
  ['', 'USAGE', 'Which session?'],
])('no session by %j', async (name, code, text) => {
  const { stderr } = await makeNamed().runHere('sessions', 'show', name, '--json');
  expect(JSON.parse(stderr).error.code).toBe(code);
  expect(stderr).toContain(text);
});

test('the entry in groups, its transcript, archives and backups; nothing is changed', async () => {
  const place = makeOpenclawPlace();
  const backups = join(place.sessionsDir, 'backups');
  mkdirSync(backups);
  writeFileSync(join(backups, 'e8d94cf6-4788-4611-a0fb-59c8c4c08c8d.backup.1.jsonl'), '{}\n');
  const before = snapshot(place.stateDir);
  const { stdout } = await place.runHere('sessions', 'show', 'agent:main:max');
  expect(stdout).toMatch(/^agent:main:max\n\nSession\n {2}id +e8d94cf6-4788-4611-a0fb-59c8c4c08c8d\n/);
  expect(stdout).toMatch(/Model\n {2}model +mock\/mock-1\n/);
  expect(stdout).toMatch(/Context\n {2}used +unknown, of 128,000 tokens\n/);
  expect(stdout).toMatch(/Transcript\n {2}path +~\/state\/agents\/main\/sessions\/e8d94cf6/);
  expect(stdout).toMatch(/before a compaction .*\.jsonl\.bak\.2026-11-15T18-14-15\.211Z \(\d/);
  expect(stdout).toMatch(/before a clean .*backup\.1\.jsonl \(3 B/);
  expect(stdout).toMatch(/To read it: openbot history e8d94cf6-4788-4611-a0fb-59c8c4c08c8d\n$/);
  const shown = await place.json<{ archives: { kind: string }[]; entry: object }>('sessions', 'show', 'max');
  expect(shown.archives.map(({ kind }) => kind).sort()).toEqual(['backup', 'bak']);
  expect(shown.entry).toEqual(place.store()['agent:main:max']);
  expect(snapshot(place.stateDir)).toEqual(before);
});

test('what comes from outside cannot act on the terminal', async () => {
  const place = makePlace({
    'agent:main:\u001b[31mred': {
      sessionId: 'x',
      updatedAt: 5,
      label: '\u001b]0;title\u0007',
      model: 'a\u202eb',
    },
  });
  for (const args of [['sessions'], ['sessions', 'show', 'x'], ['sessions', '--json']]) {
    const { stdout } = await place.runHere(...args);
    expect(stdout).toContain('red');
    for (const hostile of ['\u001b', '\u0007', '\u202e']) expect(stdout).not.toContain(hostile);
  }
});

describe.skipIf(noTerminal !== undefined)(`in a terminal${noTerminal ? ` (${noTerminal})` : ''}`, () => {
  const strip = (text: string) => stripVTControlCharacters(text).replaceAll('\r', '');

  test.each([40, 80, 200])('a table of %i columns', async (columns) => {
    const { env, home } = makeOpenclawPlace();
    const command = spawnInTerminal(['sessions', '--limit', '5'], {
      cwd: home,
      env: { ...env, COLUMNS: `${columns}` },
    });
    const { stdout } = await command.ended;
    const lines = strip(stdout).trimEnd().split('\n').slice(1);
    expect(lines[0]).toMatch(/^5 of 22 sessions of agent main/);
    const [titles, ...rows] = lines.filter((line) => /^(KEY|agent:|[a-z]+\d* {2})/.test(line));
    expect(rows).toHaveLength(5);
    expect(Math.max(...[titles!, ...rows].map(textWidth))).toBeLessThanOrEqual(columns);
    expect(titles).toContain('CONTEXT');
    expect(titles!.includes('MODEL')).toBe(columns > 40);
    expect(rows.join('\n')).toMatch(/▎ +4%/);
    expect(stdout).toContain('\u001b[36m');
  });

  test('a question before something is removed', async () => {
    const place = makePlace({ 'agent:main:main': { sessionId: IDS[0], updatedAt: 5 } });
    writeTranscript(place, IDS[0], 2);
    const ask = async (answer: string) => {
      const command = spawnInTerminal(['sessions', 'delete', 'main'], { cwd: place.home, env: place.env });
      await command.shows(/Delete agent:main:main, and archive its transcript\? \[y\/N\]/);
      command.child.stdin!.write(answer);
      return command.ended;
    };
    expect(await ask('n\n')).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('Nothing was changed'),
    });
    expect(await ask('\n')).toMatchObject({ code: 130 });
    // Ctrl-C.
    expect((await ask('\u0003')).code).toBe(130);
    expect(place.store()).toHaveProperty('agent:main:main');
    expect(await ask('y\n')).toMatchObject({ code: 0, stdout: expect.stringContaining('To undo:') });
    expect(place.store()).toEqual({});
  });
});
