import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { projectTranscript, readProjection } from '../../src/openclaw-db/events/projection.ts';
import { scanDatabaseTranscript } from '../../src/openclaw-db/events/scan-transcript.ts';
import { openDatabaseForReading } from '../../src/openclaw-db/open-database.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { arbitraryOddSession } from './setup/arbitrary-odd-session.ts';
import { arbitrarySession } from './setup/arbitrary-session.ts';
import { makeAgentDatabase } from './setup/make-database.ts';
import type { Json } from './setup/reference-tree.ts';

const runs = cases({ gate: 15, torture: 600, seed: 20 });

function compare(sessions: readonly (readonly object[])[]): void {
  const path = join(makeTempFolder(), 'openclaw-agent.sqlite');
  const made = makeAgentDatabase(path, {
    sessions: sessions.map((events, number) => ({
      key: `agent:main:s${number}`,
      sessionId: `00000000-0000-4000-8000-00000000000${number}`,
      events,
    })),
  });
  const database = openDatabaseForReading(path);
  try {
    for (const { sessionId } of made) {
      const kept = readProjection(database, sessionId);
      const computed = projectTranscript(scanDatabaseTranscript(database, sessionId));
      if (kept === undefined) expect(computed.rows).toEqual([]);
      else expect(computed).toEqual({ ...kept, rows: kept.rows.map((row) => ({ ...row })) });
    }
  } finally {
    database.close();
  }
}

test('the active path that is computed from the lines is the one that OpenClaw keeps', HUNT, () => {
  fc.assert(
    fc.property(fc.array(arbitrarySession, { minLength: 1, maxLength: 8 }), (sessions) => compare(sessions)),
    runs,
  );
});

/** Names that OpenClaw reads in two ways are not followed: such a session is left alone. */
const isClear = (events: readonly Json[]) =>
  events.every(({ id, parentId, targetId, appendParentId }) =>
    [id, parentId, targetId, appendParentId].every(
      (name) => name === undefined || name === null || (typeof name === 'string' && /^\S+$/.test(name)),
    ),
  );

test('also where lines are odd', HUNT, () => {
  fc.assert(
    fc.property(fc.array(arbitraryOddSession, { minLength: 1, maxLength: 8 }), (sessions) =>
      compare(sessions.filter(isClear)),
    ),
    runs,
  );
});
