import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { loadSessionStore } from '@openbot/sessions';
import { expect, it } from 'vitest';
import { CONVERSATION } from '../../src/demo/conversation.ts';
import { demoTranscriptPath, writeDemoState } from '../../src/demo/write-state.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

it('the generated session is one that pi opens, with every message', async () => {
  const stateDir = makeTempFolder();
  await writeDemoState(stateDir, NOW);
  const { messages } = SessionManager.open(demoTranscriptPath(stateDir)).buildSessionContext();
  const calls = CONVERSATION.flatMap((turn) => turn.calls).length;
  expect(messages).toHaveLength(2 * CONVERSATION.length + 2 * calls);
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'stop' });
});

it('the index knows all sessions', async () => {
  const stateDir = makeTempFolder();
  await writeDemoState(stateDir, NOW);
  const store = loadSessionStore(join(stateDir, 'agents/main/sessions/sessions.json'));
  expect(Object.keys(store).sort()).toEqual([
    'agent:main:cron:morning-report',
    'agent:main:main',
    'agent:main:telegram:dm:4711',
  ]);
});

it('is the same each time', async () => {
  const [one, two] = await Promise.all(
    [makeTempFolder(), makeTempFolder()].map(async (stateDir) => {
      await writeDemoState(stateDir, NOW);
      return readFileSync(demoTranscriptPath(stateDir));
    }),
  );
  expect(one!.equals(two!)).toBe(true);
});
