import { appendFileSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClaudeLineReader } from '@openbot/sessions/lines';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { SessionIndex } from '../../src/session-index/session-index.ts';
import { transcriptText } from '../scan/claude-lines.ts';
import { referenceHeader } from '../scan/reference-header.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { awaitNewTime } from './new-time.ts';

const ID = '11111111-1111-4111-8111-111111111111';

/** What can happen to a file between two looks at it. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), text: transcriptText }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), text: transcriptText }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), text: transcriptText }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), text: fc.constant('') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('nothing' as const), text: fc.constant('') }) },
);

test('after any steps the index knows what a reading of the whole file gives', HUNT, async () => {
  const root = makeTempFolder();
  const reader = new ClaudeLineReader();
  let runs = 0;
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true })), {
        minLength: 1,
        maxLength: 8,
      }),
      async (steps) => {
        const folder = join(root, String(runs++));
        mkdirSync(folder);
        const path = join(folder, `${ID}.jsonl`);
        writeFileSync(path, '');
        for (const [{ kind, text }, isLate, part] of steps) {
          if (kind === 'append') {
            // Cut anywhere, also inside of a character.
            const bytes = Buffer.from(text);
            appendFileSync(path, bytes.subarray(0, Math.ceil(bytes.length * Math.max(part, 0.5))));
          } else if (kind === 'rewrite') writeFileSync(path, text);
          else if (kind === 'replace') {
            writeFileSync(`${path}.new`, text);
            renameSync(`${path}.new`, path);
          } else if (kind === 'cut') truncateSync(path, Math.floor(readFileSync(path).length * part));
          const now = () => Date.now() + (isLate ? 10_000 : 0);
          const index = new SessionIndex(folder, join(root, 'cache'), now);
          const { header, read } = await index.scan(ID, reader);
          await index.save();
          seen.add(read);
          expect(header).toEqual(referenceHeader(readFileSync(path, 'utf8')));
          if (isLate) awaitNewTime(path);
        }
      },
    ),
    cases({ gate: 15, torture: 1500, seed: 11 }),
  );
  expect([...seen].sort()).toEqual(['grown', 'nothing', 'whole']);
});
