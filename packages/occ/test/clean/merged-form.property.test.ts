import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { findFault } from '../../src/rewrite/verify-clean.ts';
import { piTranscript } from './arbitraries/openclaw-transcript.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes, readTranscript } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { blocksOf, type Json } from './oracle/read-line.ts';

describe.each(DIALECTS)('what a provider sees, $dialect', ({ transcripts }) => {
  test('holds nothing that it refuses and did not before, so that no clean fails by it', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { transcript, plan, planned } = cleanBytes(bytes, options);
        expect(findFault(transcript, readTranscript(planned), plan)).toBeUndefined();
      }),
      RUNS,
    );
  });
});

describe('what pi gives to a provider', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'occ-merged-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** By message of the assistant, as neighbours are joined: the numbers of its entries, where thinking is not first. */
  function misplaced(bytes: Buffer): unknown[][] {
    const path = join(folder, 'session.jsonl');
    // Opening rewrites a file of an older version.
    writeFileSync(path, bytes);
    const { messages } = SessionManager.open(path).buildSessionContext();
    const runs: Json[][] = [[]];
    for (const message of (messages as unknown as Json[]).filter(isHeard)) {
      if (message.role === 'assistant') runs.at(-1)!.push(message);
      else runs.push([]);
    }
    return runs
      .filter((run) => {
        const kinds = run.flatMap(shownBlocks).map(({ type }) => type);
        return kinds.includes('thinking') && kinds[0] !== 'thinking';
      })
      .map((run) => run.map(({ timestamp }) => timestamp));
  }

  test('thinking comes first in every message in which it did before', HUNT, () => {
    fc.assert(
      fc.property(piTranscript, removalOptions, ({ bytes }, options) => {
        const before = new Set(misplaced(bytes).flat());
        // Messages carry the number of their line as their timestamp.
        for (const run of misplaced(cleanBytes(bytes, options).planned)) {
          expect(run.filter((number) => before.has(number))).not.toEqual([]);
        }
      }),
      RUNS,
    );
  });
});

/** Programs leave out what failed, and messages of a person with nothing in them. */
function isHeard(message: Json): boolean {
  const { role, stopReason } = message;
  if (role === 'user') return shownBlocks(message).length > 0;
  return role !== 'system' && stopReason !== 'error' && stopReason !== 'aborted';
}

function shownBlocks({ content }: Json): Json[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : blocksOf(content);
  return blocks.filter(({ type, text }) => type !== 'text' || text !== '');
}
