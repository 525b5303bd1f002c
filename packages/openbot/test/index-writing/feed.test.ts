import { resolveStorePath } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { user } from '../../../sessions/test/setup/drafts.ts';
import { openIndexDatabase } from '../../src/index-db/index-database.ts';
import { resolveIndexPath } from '../../src/index-db/index-path.ts';
import { feedIndex } from '../../src/index-writing/feed.ts';
import { openFileTranscripts } from '../../src/transcripts/files/file-transcripts.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test('a session that cannot be written keeps none of the others out of the index', async () => {
  const stateDir = makeTempFolder();
  const transcripts = openFileTranscripts(stateDir);
  const storePathOf = (agentId: string) => resolveStorePath(undefined, { agentId, stateDir });
  const names = ['1', '2', '3'].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  const made = await openIndexDatabase(resolveIndexPath(stateDir, {}));
  const fault = `CREATE TRIGGER fault BEFORE INSERT ON sessions WHEN new.session_id = '${names[1]}'
    BEGIN SELECT RAISE(ABORT, 'made by the test'); END`;
  await made.write(() => made.prepare(fault).run());
  made.close();
  const reports: string[] = [];
  const feed = feedIndex({
    stateDir,
    env: {},
    transcripts,
    storePathOf,
    report: (message) => reports.push(message),
    catchesUp: false,
  });
  for (const sessionId of names)
    await transcripts.append(
      {
        agentId: 'main',
        sessionKey: `agent:main:${sessionId}`,
        sessionId,
        sessionFile: `${sessionId}.jsonl`,
        cwd: '/',
      },
      [user(`hello from ${sessionId}`)],
    );
  await feed.settled();
  await feed.close();
  const index = await openIndexDatabase(resolveIndexPath(stateDir, {}));
  const rows = await index.read(() =>
    index.prepare('SELECT session_id FROM sessions ORDER BY session_id').all(),
  );
  index.close();
  expect(rows.map(({ session_id }) => session_id)).toEqual([names[0], names[2]]);
  expect(reports).toEqual([expect.stringContaining('made by the test')]);
});
