import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureTranscript } from '../../src/exports/transcript.ts';
import { createTranscript } from '../../src/index.ts';
import { withoutHardLinks } from '../setup/node-faults.ts';
import { useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();
const now = () => Date.UTC(2026, 10, 15, 18, 0, 0, 5);
const at = (path: string) => ({ path, sessionId: 's1', cwd: '/work', now });

describe('createTranscript', () => {
  it('writes pi’s header into a file of its own, private to the user', async () => {
    const path = join(folder.path, 'agents/main/sessions/s1.jsonl');
    await createTranscript(at(path));
    expect(readFileSync(path, 'utf8')).toBe(
      '{"type":"session","version":3,"id":"s1","timestamp":"2026-11-15T18:00:00.005Z","cwd":"/work"}\n',
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.path, 'agents')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(path, '..'))).toEqual(['s1.jsonl']);
  });

  it('names the parent of a fork', async () => {
    const path = join(folder.path, 's1.jsonl');
    await createTranscript({ ...at(path), parentSession: '/a/parent.jsonl', durable: false });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ parentSession: '/a/parent.jsonl' });
  });

  it('never replaces what is there', async () => {
    const path = join(folder.path, 's1.jsonl');
    writeFileSync(path, 'precious');
    await expect(createTranscript(at(path))).rejects.toMatchObject({ code: 'TRANSCRIPT_EXISTS' });
    expect(readFileSync(path, 'utf8')).toBe('precious');
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
  });

  it('does the same where there are no hard links', async () => {
    const path = join(folder.path, 's1.jsonl');
    await withoutHardLinks(async () => {
      await createTranscript(at(path));
      await expect(createTranscript(at(path))).rejects.toMatchObject({ code: 'TRANSCRIPT_EXISTS' });
    });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ type: 'session', id: 's1' });
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
  });

  it('of many at once, one wins', async () => {
    const path = join(folder.path, 's1.jsonl');
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => createTranscript({ ...at(path), cwd: `/w${i}` })),
    );
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
    expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1);
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
  });

  it('says so when a folder, a dangling link or a file as folder is in the way', async () => {
    const inTheWay = join(folder.path, 'dir.jsonl');
    mkdirSync(inTheWay);
    await expect(createTranscript(at(inTheWay))).rejects.toMatchObject({
      code: 'TRANSCRIPT_EXISTS',
      message: expect.stringContaining('folder'),
    });
    const link = join(folder.path, 'link.jsonl');
    symlinkSync('/nowhere/x.jsonl', link);
    await expect(createTranscript(at(link))).rejects.toMatchObject({ code: 'TRANSCRIPT_EXISTS' });
    writeFileSync(join(folder.path, 'file'), '');
    await expect(createTranscript(at(join(folder.path, 'file/x.jsonl')))).rejects.toMatchObject({
      code: 'TRANSCRIPT_WRITE_FAILED',
    });
    expect(readdirSync(folder.path).sort()).toEqual(['dir.jsonl', 'file', 'link.jsonl']);
  });

  it('refuses invalid ids and folders', async () => {
    const path = join(folder.path, 'x.jsonl');
    await expect(createTranscript({ ...at(path), sessionId: '../x' })).rejects.toMatchObject({
      code: 'INVALID_SESSION_ID',
    });
    await expect(createTranscript({ ...at(path), cwd: '' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('ensureTranscript', () => {
  it('makes one only if there is none', async () => {
    const path = join(folder.path, 's1.jsonl');
    const made = await Promise.all(Array.from({ length: 8 }, () => ensureTranscript(at(path))));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await ensureTranscript({ ...at(path), sessionId: 'other' })).toBe(false);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: 's1' });
  });

  it('does not take a folder for a transcript', async () => {
    mkdirSync(join(folder.path, 'd.jsonl'));
    await expect(ensureTranscript(at(join(folder.path, 'd.jsonl')))).rejects.toMatchObject({
      code: 'TRANSCRIPT_EXISTS',
    });
  });
});
