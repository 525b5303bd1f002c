/** A run that is aborted before it has a session. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ClaudeRun, startRun } from '../../src/run/claude-run.ts';
import type { RunEvent } from '../../src/run-contract/run-event.ts';
import { makeHome } from '../discover/claude-home.ts';

test('an abort ends a question to the model', async () => {
  const home = makeHome();
  const repo = join(home.root, 'repo');
  mkdirSync(repo);
  home.addSession(repo, { text: '[openclaw:agent=main]\n\nTrim the hedge' });
  const events: RunEvent[] = [];
  const asked = Promise.withResolvers<AbortSignal>();
  const run: ClaudeRun = startRun({
    ...{ task: 'Trim the hedge again', repoPath: repo, agentId: 'main', stateDir: home.stateDir },
    env: { PATH: process.env.PATH, HOME: home.root, CLAUDE_CONFIG_DIR: home.config },
    selection: {
      // Never answers, and does not listen.
      askModel: ({ signal }) => {
        asked.resolve(signal);
        run.abort();
        return new Promise(() => {});
      },
    },
    onEvent: (event) => events.push(event),
  });
  expect((await asked.promise).aborted).toBe(true);
  expect(await run.outcome).toMatchObject({ result: 'aborted', ending: 'aborted', turns: 0 });
  // Who waits for the model all the same selects by words.
  expect(events.map(({ type }) => type)).toEqual(['ended']);
});
