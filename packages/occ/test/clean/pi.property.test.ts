import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { piTranscript } from './arbitraries/openclaw-transcript.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { RUNS } from './dialects.ts';
import { expectClean } from './oracle/expect-clean.ts';
import { judgeLine } from './oracle/judge-line.ts';
import { splitLines } from './oracle/read-bytes.ts';
import type { Json } from './oracle/read-line.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-pi-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The messages that pi gives to the model, and the entry that it would append to. */
function openInPi(bytes: Buffer): { messages: Json[]; leaf: string | null } {
  const path = join(folder, 'session.jsonl');
  // Opening rewrites a file of an older version.
  writeFileSync(path, bytes);
  const manager = SessionManager.open(path);
  return { messages: manager.buildSessionContext().messages as unknown as Json[], leaf: manager.getLeafId() };
}

const isTree = (bytes: Buffer) => /"version"\s*:\s*[23]/.test(bytes.toString('latin1', 0, 200));

test('a cleaned transcript opens in pi with the messages that the rules leave', HUNT, () => {
  fc.assert(
    fc.property(piTranscript, removalOptions, ({ bytes }, options) => {
      const { planned, lines } = cleanBytes(bytes, options);
      const before = openInPi(bytes);
      const after = openInPi(planned);
      if (isTree(bytes)) expect(after.leaf).toBe(before.leaf);

      // Messages carry the number of their line as their timestamp.
      const { expected } = expectClean(
        splitLines(bytes),
        'openclaw',
        options,
        lines.map(({ after }) => after),
      );
      const byNumber = new Map(expected.map((one) => [(one.line.value?.message as Json)?.timestamp, one]));
      const left = before.messages.filter(({ timestamp }) => byNumber.get(timestamp)?.isRemoved !== true);
      expect(after.messages.map(identify)).toEqual(left.map(identify));
      for (const [position, message] of left.entries()) {
        const line = byNumber.get(message.timestamp);
        const now = after.messages[position]!;
        // What pi shows in the place of an entry that was edited is not the entry's.
        const isEdited =
          line === undefined || !sameContent(message, (line.line.value as { message: Json }).message);
        if (isEdited) expect(shownOf(now)).toEqual(shownOf(message));
        else judgeLine(line, { message }, { message: now }, 'openclaw');
      }
    }),
    { ...RUNS, numRuns: Math.ceil(RUNS.numRuns / 3) },
  );
});

function identify({ role, timestamp, summary }: Json): unknown[] {
  return [role, timestamp, summary];
}

function sameContent(shown: Json, own: Json): boolean {
  return JSON.stringify(shown.content) === JSON.stringify(own.content);
}

/** What the model sees of a message. */
function shownOf({ role, content, summary, toolCallId }: Json): Json {
  return { role, content, summary, toolCallId };
}
