/** Several commands on one session at the same time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { ID, type Json, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { callsOfTurns, readCalls } from './told.ts';

let state: StateFolder;
let path: string;
let original: Buffer;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(thirtyTurns({ usage: true }), { entry: { totalTokens: 90_000 } });
  original = readFileSync(path);
});

async function runJson(...args: string[]): Promise<Json> {
  const run = await state.occProcess(...args, '--json');
  expect(run, `occ ${args.join(' ')}`).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
}

it('of four edits one cleans, the others find nothing to do', LONG, async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => runJson('edit', ID, '--strip-tools')));
  expect(results.filter(({ changed }) => changed)).toHaveLength(1);
  expect(readCalls(path)).toEqual(callsOfTurns(10, 30));
  expect(state.names()).toEqual([
    `${ID}.jsonl`,
    `backups/${ID}.backup.1.jsonl`,
    `backups/${ID}.occ.json`,
    'sessions.json',
  ]);
  expect(readFileSync(join(state.sessions, 'backups', `${ID}.backup.1.jsonl`)).equals(original)).toBe(true);
});

it('four clones are four sessions, all in the index, while an edit is made', async () => {
  const [edited, ...clones] = await Promise.all([
    runJson('edit', ID, '--strip-tools'),
    ...Array.from({ length: 4 }, () => runJson('clone', ID)),
  ]);
  expect(edited).toMatchObject({ changed: true });
  const index = JSON.parse(readFileSync(join(state.sessions, 'sessions.json'), 'utf8'));
  expect(Object.keys(index)).toHaveLength(5);
  for (const { clonedSessionId, clonedSessionPath, sessionKey } of clones) {
    expect(index[sessionKey]).toMatchObject({ sessionId: clonedSessionId });
    // The session as it was before the edit or after it, and nothing in between.
    expect([20, 30]).toContain(readCalls(clonedSessionPath).length);
  }
  const entry = Object.values<Json>(index).find(({ sessionId }) => sessionId === ID);
  expect(entry).toMatchObject({ totalTokens: edited.tokens.after, totalTokensFresh: false });
});
