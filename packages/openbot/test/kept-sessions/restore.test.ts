/** Putting archives back loses nothing, whatever is in the way and whenever it ends. */
import {
  appendFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { withSessionStoreLock } from '@openbot/sessions';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { expect, test } from 'vitest';
import { openFileRunLock } from '../../src/run-lock/files/file-run-lock.ts';
import { makePlace, type SessionPlace, writeTranscript } from './session-places.ts';

const OLD = '00000000-0000-4000-8000-000000000001';
const NOW = '00000000-0000-4000-8000-000000000002';
const KEY = 'agent:main:telegram:dm:42';

const pathOf = (place: SessionPlace, id: string) => join(place.sessionsDir, `${id}.jsonl`);
const namesIn = (place: SessionPlace, part: string) =>
  readdirSync(place.sessionsDir).filter((name) => name.includes(part));

/** The key points to NOW; OLD is an archive that a chat made. */
function makeReplaced(entry: object = {}): SessionPlace & { readonly archive: string } {
  const place = makePlace(
    { [KEY]: { sessionId: NOW, updatedAt: 5, label: 'ada', ...entry } },
    { 'openbot.json': '{}' },
  );
  writeTranscript(place, NOW, 2);
  const archive = join(place.sessionsDir, `${OLD}.jsonl.reset.2026-11-15T18-14-09.411Z`);
  renameSync(writeTranscript(place, OLD, 4), archive);
  return { ...place, archive };
}

test('nothing of the replaced session is passed on, but what the person set', async () => {
  const place = makeReplaced({
    ...{ sdkSessionId: 'of the other', permissionsAdded: ['Bash(rm *)'], lastClean: { at: 4 } },
    ...{ memoryFlushAt: 3, totalTokens: 9000, compactionCount: 7, cliSessionBindings: { x: 1 } },
    ...{ thinkingLevel: 'high' },
  });
  const asked = await place.runHere('sessions', 'restore', place.archive, '--key', KEY);
  expect(asked.stderr).toContain(`as ${KEY}, and archive its present session ${NOW}`);
  const restored = await place.jsonHere<{ replaced: { archived: string[] }; undo: string[] }>(
    ...['sessions', 'restore', place.archive, '--key', KEY, '--yes'],
  );
  const { updatedAt: _at, sessionStartedAt: _since, ...entry } = place.store()[KEY]!;
  expect(entry).toEqual({
    ...{ sessionId: OLD, sessionFile: pathOf(place, OLD), label: 'ada', thinkingLevel: 'high' },
    ...{ systemSent: false, abortedLastRun: false, compactionCount: 0, totalTokensFresh: false },
  });
  expect(restored.replaced.archived).toEqual([expect.stringContaining(`${NOW}.jsonl.reset.`)]);
  // And back to the other one, with all of its own.
  await place.jsonHere('sessions', 'restore', NOW, '--yes');
  expect(place.store()[KEY]).toMatchObject({
    sessionId: NOW,
    sdkSessionId: 'of the other',
    compactionCount: 7,
  });
});

test('what keeps the transcript from its name leaves the present session as it is', async () => {
  const place = makeReplaced();
  const before = place.store();
  const { code, stderr } = await withTranscriptLock(pathOf(place, OLD), () =>
    place.run('sessions', 'restore', place.archive, '--key', KEY, '--yes', '--json'),
  );
  expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'SESSION_IN_USE']);
  expect(place.store()).toEqual(before);
  expect(namesIn(place, NOW)).toEqual([`${NOW}.jsonl`]);
  expect(namesIn(place, OLD)).toHaveLength(1);
  // One that was killed when the transcript had its name.
  linkSync(place.archive, pathOf(place, OLD));
  await place.jsonHere('sessions', 'restore', place.archive, '--key', KEY, '--yes');
  expect(place.store()[KEY]).toMatchObject({ sessionId: OLD });
  expect(namesIn(place, OLD)).toEqual([`${OLD}.jsonl`]);
});

test('a compacted transcript: each byte since is kept, the replaced one too, and again changes nothing', async () => {
  const place = makePlace({ [KEY]: { sessionId: OLD, updatedAt: 5 } }, { 'openbot.json': '{}' });
  const path = writeTranscript(place, OLD, 8);
  const whole = readFileSync(path);
  await place.jsonHere('sessions', 'compact', KEY, '--keep-lines', '2', '--yes');
  const later = Buffer.from(
    '{"type":"message","id":"later","text":"\xff\xfe"}\n\xc3\x28 no line\n',
    'latin1',
  );
  appendFileSync(path, later);
  const compacted = readFileSync(path);
  const before = namesIn(place, '.bak.');
  const asked = await place.runHere('sessions', 'restore', OLD);
  expect(asked.stderr).toContain(`as ${KEY}, and archive its present transcript`);
  const told = await place.runHere('sessions', 'restore', OLD, '--yes');
  expect(readFileSync(path).equals(Buffer.concat([whole, later]))).toBe(true);
  const [replaced = '', ...others] = namesIn(place, '.bak.').filter((name) => !before.includes(name));
  expect(others).toEqual([]);
  expect(told.stdout).toContain(replaced);
  expect(readFileSync(join(place.sessionsDir, replaced)).equals(compacted)).toBe(true);
  await place.jsonHere('sessions', 'restore', OLD, '--yes');
  expect(readFileSync(path).equals(Buffer.concat([whole, later]))).toBe(true);
  expect(namesIn(place, '.bak.')).toHaveLength(2);
});

test('a transcript that cannot be read is not replaced', async () => {
  const place = makePlace({ [KEY]: { sessionId: OLD, updatedAt: 5 } }, { 'openbot.json': '{}' });
  const path = writeTranscript(place, OLD, 8);
  await place.jsonHere('sessions', 'compact', KEY, '--keep-lines', '2', '--yes');
  // Too large to be read at once; takes no room on disk.
  truncateSync(path, 3 * 2 ** 30);
  const { code, stderr } = await place.runHere('sessions', 'restore', OLD, '--yes', '--json');
  expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'TRANSCRIPT_UNREADABLE']);
  expect(statSync(path).size).toBe(3 * 2 ** 30);
  expect(namesIn(place, '.bak.')).toHaveLength(1);
});

test.each([
  ['prune', ['prune', '--older-than', '1h', '--yes'], 'deleted'],
  ['delete', ['delete', KEY, '--yes'], 'deleted'],
  ['reset', ['reset', KEY, '--yes'], 'reset'],
])('%s: holds the run, and the entry is kept before the session goes', async (_, args, kind) => {
  const entry = { sessionId: OLD, updatedAt: 5, label: 'ada' };
  const place = makePlace({ [KEY]: entry }, { 'openbot.json': '{}' });
  writeTranscript(place, OLD, 2);
  const runs = openFileRunLock(place.stateDir);
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const { promise: isDone, resolve: letGo } = Promise.withResolvers<void>();
  const holding = withSessionStoreLock(join(place.sessionsDir, 'sessions.json'), () => {
    hold();
    return isDone;
  });
  await isHeld;
  let hasEnded = false;
  const going = place.runHere('sessions', ...args).finally(() => {
    hasEnded = true;
  });
  const kept = () => namesIn(place, `.${kind}.`).filter((name) => name.endsWith('Z.entry.json'));
  while (!hasEnded && kept().length === 0) await setImmediate();
  const [name = ''] = kept();
  expect(JSON.parse(readFileSync(join(place.sessionsDir, name), 'utf8'))).toEqual({ key: KEY, entry });
  expect(place.store()[KEY]).toEqual(entry);
  expect(await runs.holder(KEY)).toBeDefined();
  letGo();
  await holding;
  expect(await going).toMatchObject({ code: 0, stderr: '' });
  expect(namesIn(place, OLD).sort()).toEqual([name.replace('.entry.json', ''), name]);
  expect(await runs.holder(KEY)).toBeUndefined();
});
