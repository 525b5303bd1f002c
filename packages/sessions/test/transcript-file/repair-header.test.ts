import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, describe, expect, it } from 'vitest';
import { repairTranscriptHeader } from '../../src/exports/transcript.ts';
import { appendToTranscript } from '../../src/index.ts';
import { useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();
const LINE =
  '{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hi","timestamp":1}}\n';
let path: string;
const repair = () => repairTranscriptHeader({ path, sessionId: 's1', cwd: '/w', now: () => 0 });
const HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"1970-01-01T00:00:00.000Z","cwd":"/w"}\n';

beforeEach(() => {
  path = join(folder.path, 's1.jsonl');
});

describe('repairTranscriptHeader', () => {
  it.each([
    ['a torn header', `{"type":"session","vers\n${LINE}`],
    ['no header', LINE],
    ['a torn tail too', `${LINE}{"type":"mes`],
    ['nothing at all', ''],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
  ])('puts a header before %s and keeps every byte', async (_name, content) => {
    writeFileSync(path, content, { mode: 0o640 });
    expect(await repair()).toBe(true);
    expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.from(HEADER), Buffer.from(content)]));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
    expect(await repair()).toBe(false);
  });

  it('pi and we can then go on', async () => {
    writeFileSync(path, `{"type":"session","vers\n${LINE}`);
    await repair();
    await appendToTranscript(path, { type: 'custom', customType: 'c' });
    const pi = SessionManager.open(path);
    expect(pi.getSessionId()).toBe('s1');
    expect(pi.getBranch().map((entry) => entry.type)).toEqual(['message', 'custom']);
  });

  it.each([
    ['before the header, by dropping it', HEADER + LINE, HEADER + LINE],
    ['before a line that is no header, whose text it spoils', LINE, HEADER + LINE],
    ['and nothing else', '', HEADER],
  ])('deals with a byte order mark %s', async (_name, content, expected) => {
    writeFileSync(path, `\uFEFF${content}`);
    expect(await repair()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(expected);
    expect(await repair()).toBe(false);
    expect(SessionManager.open(path).getEntries()).toHaveLength(content === '' ? 0 : 1);
  });

  it('keeps the mode, whatever this process may set', async () => {
    writeFileSync(path, LINE);
    chmodSync(path, 0o666);
    const umask = process.umask(0o077);
    try {
      await repair();
    } finally {
      process.umask(umask);
    }
    expect(statSync(path).mode & 0o7777).toBe(0o600);
  });

  it('keeps the owner', async (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can give a file to somebody else');
    writeFileSync(path, LINE);
    chownSync(path, 12_345, 12_346);
    await repair();
    expect(statSync(path)).toMatchObject({ uid: 12_345, gid: 12_346 });
  });

  it('changes nothing once its lock is lost', async () => {
    const big = `${JSON.stringify({ type: 'custom', data: 'x'.repeat(500) })}\n`.repeat(20_000);
    writeFileSync(path, big);
    const repairing = expect(repair()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    const lock = `${path}.lock`;
    while (!existsSync(lock)) await new Promise((resolve) => setImmediate(resolve));
    rmSync(lock);
    await repairing;
    expect(readFileSync(path, 'utf8')).toBe(big);
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
  });

  it('leaves a valid file alone', async () => {
    writeFileSync(path, HEADER + LINE);
    const before = statSync(path);
    expect(await repair()).toBe(false);
    expect(statSync(path).ino).toBe(before.ino);
    expect(readFileSync(path, 'utf8')).toBe(HEADER + LINE);
  });

  it('carries over what is appended without the lock while it copies', async () => {
    const big = `${JSON.stringify({ type: 'custom', data: 'x'.repeat(500) })}\n`.repeat(20_000);
    writeFileSync(path, big);
    const repairing = repair();
    let appended = 0;
    const timer = setInterval(() => {
      appendFileSync(path, `{"type":"custom","n":${appended++}}\n`);
    }, 1);
    expect(await repairing).toBe(true);
    clearInterval(timer);
    const text = readFileSync(path, 'utf8');
    expect(text.startsWith(HEADER + big)).toBe(true);
    for (let n = 0; n < appended; n++) expect(text).toContain(`{"type":"custom","n":${n}}\n`);
  });

  it('refuses what is not a file, and invalid ids', async () => {
    await expect(repair()).rejects.toMatchObject({ code: 'TRANSCRIPT_NOT_FOUND' });
    mkdirSync(path);
    await expect(repair()).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
    await expect(repairTranscriptHeader({ path, sessionId: '..', cwd: '/w' })).rejects.toMatchObject({
      code: 'INVALID_SESSION_ID',
    });
  });
});
