import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { user } from '../../../sessions/test/setup/drafts.ts';
import { openMemoryState, openState } from '../../src/state/open-state.ts';
import { arrival } from '../inbox/arrival.ts';
import { outbound } from '../outbox/outbound.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { REF } from '../transcripts/transcripts-contract.ts';

test.each([
  ['in a folder', () => openState(makeTempFolder())],
  ['in memory', async () => openMemoryState()],
])('all parts of a state %s can be used, and are closed together', async (_, open) => {
  const state = await open();
  expect(state.storeOf('main')).toBe(state.storeOf('main'));
  expect(state.storeOf('main')).not.toBe(state.storeOf('other'));
  await state.storeOf('main').update('k', () => ({ sessionId: 's', updatedAt: 1 }));
  expect(await state.storeOf('other').get('k')).toBeUndefined();
  await state.inbox.accept(arrival('1'));
  await state.outbox.put([outbound('t:1')]);
  await state.transcripts.append(REF, [user('hello')]);
  const run = await state.runLock.acquire('agent:main:main', { waitMs: 0 });
  await run?.release();
  await state.close();
});

test('a state folder has one database for what arrives and what is sent', async () => {
  const stateDir = makeTempFolder();
  const state = await openState(stateDir);
  await state.inbox.accept(arrival('1'));
  await state.outbox.put([outbound('t:1')]);
  await state.close();
  expect(readdirSync(stateDir)).toEqual(['openbot-inbox.sqlite']);
  const again = await openState(stateDir);
  expect(await again.outbox.get('t:1')).toBeDefined();
  await again.close();
});
