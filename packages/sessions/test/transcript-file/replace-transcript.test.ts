import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { withTranscriptLock } from '../../src/transcript-file/lock.ts';
import {
  insertLines,
  type Replacement,
  replaceTranscript,
} from '../../src/transcript-file/replace-transcript.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const OLD = '{"n":1}\n{"n":2}\n';
const NEW = '{"n":2}\n';

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 'session.jsonl');
  writeFileSync(path, OLD);
});

/** Replaces the transcript by its second line, with `meanwhile` happening right before the swap. */
function replace(meanwhile: () => void, more: Partial<Replacement> = {}): Promise<number> {
  return withTranscriptLock(path, async (lock) => {
    const source = await open(path);
    try {
      return await replaceTranscript(path, source, {
        readTo: OLD.length,
        lock,
        doing: 'a test replaced it',
        write: async (copier) => copier.copy(OLD.length - NEW.length, OLD.length),
        verify: async () => {},
        beforeSwap: async () => meanwhile(),
        ...more,
      });
    } finally {
      await source.close();
    }
  });
}

const names = () => readdirSync(dirname(path));

it('carries over what was appended meanwhile, and says how far it read', async () => {
  expect(await replace(() => appendFileSync(path, '{"n":3}\n'))).toBe(OLD.length + 8);
  expect(readFileSync(path, 'utf8')).toBe(`${NEW}{"n":3}\n`);
  expect(names()).toEqual(['session.jsonl']);
});

it.each([
  [
    'put another file into its place',
    () => {
      writeFileSync(`${path}.other`, 'theirs\n');
      renameSync(`${path}.other`, path);
    },
    'theirs\n',
  ],
  ['wrote it anew', () => writeFileSync(path, '{"n":9}\n{"n":8}\n'), '{"n":9}\n{"n":8}\n'],
  ['wrote it anew and shorter', () => writeFileSync(path, '{}\n'), '{}\n'],
])('leaves the transcript to a program that %s', async (_, meanwhile, theirs) => {
  let undone = 0;
  const undo = async () => {
    undone++;
  };
  await expect(replace(meanwhile, { undo })).rejects.toMatchObject({ code: 'TRANSCRIPT_WRITE_FAILED' });
  expect(readFileSync(path, 'utf8')).toBe(theirs);
  expect(names()).toEqual(['session.jsonl']);
  expect(undone).toBe(1);
});

it('puts lines into the middle', async () => {
  await withTranscriptLock(path, (lock) => insertLines(path, 8, Buffer.from('{"n":1.5}\n'), lock));
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":1.5}\n{"n":2}\n');
  expect(names()).toEqual(['session.jsonl']);
});
