import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EntryDraft } from '../../src/exports/transcript.ts';
import { appendToTranscript, createTranscript } from '../../src/index.ts';
import type { AppendIo } from '../../src/transcript-file/write-lines.ts';
import { readEntries, useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();
const draft: EntryDraft = { type: 'custom', customType: 'c', data: 'x'.repeat(100) };
const diskFull = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
let path: string;
let before: Buffer;

beforeEach(async () => {
  path = join(folder.path, 's.jsonl');
  await createTranscript({ path, sessionId: 's', cwd: '/w' });
  await appendToTranscript(path, draft);
  before = readFileSync(path);
});

const failing = (io: Partial<AppendIo>) => appendToTranscript(path, [draft, draft], { io });

describe('a failing disk', () => {
  it('full at once: nothing is written, and the error says so', async () => {
    await expect(failing({ write: () => Promise.reject(diskFull) })).rejects.toMatchObject({
      code: 'TRANSCRIPT_WRITE_FAILED',
      hint: expect.stringContaining('full'),
      cause: diskFull,
    });
    expect(readFileSync(path)).toEqual(before);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('full in the middle of a line: what got through is taken back', async () => {
    let calls = 0;
    const write: AppendIo['write'] = async (handle, bytes) => {
      if (calls++ > 0) throw diskFull;
      return (await handle.write(bytes.subarray(0, 150))).bytesWritten;
    };
    await expect(failing({ write })).rejects.toMatchObject({ code: 'TRANSCRIPT_WRITE_FAILED' });
    expect(readFileSync(path)).toEqual(before);
  });

  it('a short write without a fault is gone on with', async () => {
    const write: AppendIo['write'] = async (handle, bytes) =>
      (await handle.write(bytes.subarray(0, 37))).bytesWritten;
    await failing({ write });
    expect(readEntries(path)).toHaveLength(4);
  });

  it('a write that writes nothing is an end, not a loop', async () => {
    await expect(failing({ write: async () => 0 })).rejects.toMatchObject({
      code: 'TRANSCRIPT_WRITE_FAILED',
    });
    expect(readFileSync(path)).toEqual(before);
  });

  it('a sync that fails takes the lines back: the caller will try again', async () => {
    await expect(failing({ sync: () => Promise.reject(new Error('EIO')) })).rejects.toMatchObject({
      code: 'TRANSCRIPT_WRITE_FAILED',
    });
    expect(readFileSync(path)).toEqual(before);
    await failing({});
    expect(readEntries(path)).toHaveLength(4);
  });

  it('never syncs when asked not to', async () => {
    await appendToTranscript(path, draft, {
      durable: false,
      io: { sync: () => Promise.reject(new Error('synced')) },
    });
    expect(readEntries(path)).toHaveLength(3);
  });

  it('when taking back fails too, the error says what is left, and the next append deals with it', async () => {
    let calls = 0;
    const io: Partial<AppendIo> = {
      write: async (handle, bytes) => {
        if (calls++ > 0) throw diskFull;
        return (await handle.write(bytes.subarray(0, 150))).bytesWritten;
      },
      truncate: () => Promise.reject(new Error('EIO')),
    };
    await expect(failing(io)).rejects.toMatchObject({
      code: 'TRANSCRIPT_WRITE_FAILED',
      message: expect.stringContaining('could not be removed'),
    });
    expect(readFileSync(path).length).toBe(before.length + 150);
    const next = await appendToTranscript(path, draft);
    expect(next.tail).toBe('torn');
    const [, first, second] = readEntries(path);
    expect(second!.parentId).toBe(first!.id);
  });

  it('does not cut off a line that another program wrote meanwhile', async () => {
    const theirs = '{"type":"custom","id":"ffffffff","parentId":null}\n';
    const write: AppendIo['write'] = async (handle, bytes) => {
      await handle.write(bytes.subarray(0, 150));
      appendFileSync(path, `\n${theirs}`);
      throw diskFull;
    };
    await expect(failing({ write })).rejects.toMatchObject({ code: 'TRANSCRIPT_WRITE_FAILED' });
    expect(readFileSync(path, 'utf8')).toContain(theirs);
  });

  it('does not write without its lock', async () => {
    const randomId = () => {
      rmSync(`${path}.lock`);
      return '00000001';
    };
    await expect(appendToTranscript(path, draft, { randomId })).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(readFileSync(path)).toEqual(before);
  });
});

it('a file that may not grow any further (ulimit -f): the old lines stay, whole', () => {
  const script = join(import.meta.dirname, 'append-until-refused.ts');
  const child = spawnSync(
    'bash',
    ['-c', 'ulimit -f 64; exec "$0" "$1" "$2"', process.execPath, script, path],
    {
      encoding: 'utf8',
    },
  );
  expect(child.stderr).toBe('');
  const { code, cause, appended } = JSON.parse(child.stdout) as {
    code: string;
    cause: string;
    appended: number;
  };
  expect([code, cause]).toEqual(['TRANSCRIPT_WRITE_FAILED', 'EFBIG']);
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  expect(readEntries(path)).toHaveLength(2 + appended);
  expect(text.split('\n')).toHaveLength(3 + appended);
  expect(appended).toBeGreaterThan(5);
});

it('a transcript that begins with a torn line is never cut', async () => {
  writeFileSync(path, '{"type":"sess');
  await expect(appendToTranscript(path, draft)).rejects.toMatchObject({ code: 'TRANSCRIPT_HEADER_INVALID' });
  expect(readFileSync(path, 'utf8')).toBe('{"type":"sess');
});
