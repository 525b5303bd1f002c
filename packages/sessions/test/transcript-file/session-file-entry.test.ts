import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildSessionFileEntry, extractSessionText, listSessionFiles } from '../../src/exports/transcript.ts';
import { readEntries, useTempFolder } from './temp-folder.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const folder = useTempFolder();
let sessions: string;
let path: string;
const say = (role: string, content: unknown) =>
  `${JSON.stringify({ type: 'message', message: { role, content } })}\n`;

beforeEach(() => {
  sessions = join(folder.path, 'sessions');
  mkdirSync(sessions);
  path = join(sessions, 's1.jsonl');
});

describe('listSessionFiles', () => {
  it('lists transcripts and topics, and nothing else', async () => {
    for (const name of [
      'b.jsonl',
      'a.jsonl',
      'a-topic-7.jsonl',
      'sessions.json',
      'a.jsonl.lock',
      'a.trajectory.jsonl',
      'a.backup.1.jsonl',
      'a.checkpoint.x.jsonl',
      'a.jsonl.reset.2026-11-15T18-14-09.411Z',
      'notes.txt',
    ]) {
      writeFileSync(join(sessions, name), '');
    }
    mkdirSync(join(sessions, 'folder.jsonl'));
    symlinkSync('/etc/passwd', join(sessions, 'link.jsonl'));
    const files = await listSessionFiles(folder.path);
    expect(files).toEqual(['a-topic-7.jsonl', 'a.jsonl', 'b.jsonl'].map((name) => join(sessions, name)));
  });

  it('an agent without sessions has none; a file in the way is an error', async () => {
    expect(await listSessionFiles(join(folder.path, 'nobody'))).toEqual([]);
    rmSync(sessions, { recursive: true });
    writeFileSync(sessions, '');
    await expect(listSessionFiles(folder.path)).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
  });
});

describe('buildSessionFileEntry', () => {
  it('holds the conversation, redacted, and the hash of it', async () => {
    writeFileSync(
      path,
      `\uFEFF{"type":"session","id":"s1"}\r\n${say('user', 'my\n key: ghp_0123456789abcdefghijklmn')}broken {"user"\n${say('toolResult', '"user"')}${say('assistant', [{ type: 'text', text: 'a\u2028b' }])}${say('user', 'torn').slice(0, -5)}`,
    );
    const entry = (await buildSessionFileEntry(path))!;
    const stat = statSync(path);
    expect(entry).toEqual({
      path: 'sessions/s1.jsonl',
      absPath: path,
      mtimeMs: stat.mtimeMs,
      size: stat.size,
      ino: stat.ino,
      content: 'User: my key: ghp_01…klmn\nAssistant: a b',
      hash: createHash('sha256').update(entry.content).digest('hex'),
    });
  });

  it.each([
    'openclaw-files/2026.7.35/compacted-pristine.jsonl',
    'openclaw-files/2026.1.30/00d1fa26-b85f-4025-93d9-1e82517447a8.jsonl',
    'pi/robust-broken-tail.jsonl',
    'pi/legacy-v1.before-open.jsonl.orig',
    'claude-code/projects/-home-user-work-tui/cffc02be-27e5-4d1c-ae94-755482ed1222.jsonl',
  ])('reads %s as a full parse would', async (fixture) => {
    copyFileSync(join(FIXTURES, fixture), path);
    const expected = extractSessionText(readEntries(path));
    expect((await buildSessionFileEntry(path))!.content).toBe(expected);
    expect(expected).not.toBe('');
  });

  it('does not read an unchanged file again', async () => {
    writeFileSync(path, say('user', 'one'));
    const first = (await buildSessionFileEntry(path))!;
    expect(await buildSessionFileEntry(path, { previous: first })).toBe(first);
    const marked = { ...first, content: 'not read' };
    expect((await buildSessionFileEntry(path, { previous: marked }))!.content).toBe('not read');
    const elsewhere = { ...marked, absPath: '/other' };
    expect((await buildSessionFileEntry(path, { previous: elsewhere }))!.content).toBe('User: one');
  });

  it('sees growth, an overwrite of equal size, and a replaced file of equal size and time', async () => {
    writeFileSync(path, say('user', 'one'));
    let previous = (await buildSessionFileEntry(path))!;
    appendFileSync(path, say('toolResult', 'x'));
    const grown = (await buildSessionFileEntry(path, { previous }))!;
    expect(grown.size).toBeGreaterThan(previous.size);
    expect(grown.hash).toBe(previous.hash);
    appendFileSync(path, say('assistant', 'two'));
    previous = (await buildSessionFileEntry(path, { previous: grown }))!;
    expect(previous.content).toBe('User: one\nAssistant: two');

    writeFileSync(path, readFileSync(path, 'utf8').replace('two', 'six'));
    utimesSync(path, 5000, 5000);
    previous = (await buildSessionFileEntry(path, { previous }))!;
    expect(previous.content).toBe('User: one\nAssistant: six');

    const text = readFileSync(path, 'utf8').replace('six', 'ten');
    // Made while the old one exists, so that its inode is another.
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    utimesSync(path, 5000, 5000);
    expect((await buildSessionFileEntry(path, { previous }))!.content).toBe('User: one\nAssistant: ten');
  });

  it('is undefined for a file that is gone, and an error for a folder', async () => {
    expect(await buildSessionFileEntry(path)).toBeUndefined();
    mkdirSync(path);
    await expect(buildSessionFileEntry(path)).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
  });

  it('takes memory for the text, not for the file', async () => {
    const noise = say('toolResult', 'z'.repeat(1_000_000));
    for (let i = 0; i < 120; i++) appendFileSync(path, noise);
    appendFileSync(path, say('user', 'found'));
    const before = process.memoryUsage();
    let peak = 0;
    const timer = setInterval(() => {
      const { external, heapUsed, arrayBuffers } = process.memoryUsage();
      peak = Math.max(peak, external + heapUsed + arrayBuffers);
    }, 1);
    const entry = await buildSessionFileEntry(path);
    clearInterval(timer);
    expect(entry!.content).toBe('User: found');
    expect(peak - before.external - before.heapUsed - before.arrayBuffers).toBeLessThan(60_000_000);
  });
});
