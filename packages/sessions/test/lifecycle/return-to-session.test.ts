import { expect, it } from 'vitest';
import { openMemorySessionStore, returnToSession } from '../../src/index.ts';
import { FOREIGN_FIELDS_CLEARED, RESET_RULES } from '../../src/lifecycle/reset/reset-fields.ts';
import { NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const KEY = 'agent:main:main';
const ids = { now: '00000000-0000-4000-8000-000000000001', before: '00000000-0000-4000-8000-000000000002' };

it('another session than the present one gets what a reset keeps, field by field', async () => {
  const store = openMemorySessionStore();
  const fields = [...Object.keys(RESET_RULES), ...FOREIGN_FIELDS_CLEARED];
  const present = Object.fromEntries(fields.map((field) => [field, `old ${field}`]));
  Object.assign(present, { sessionId: ids.now, updatedAt: 1, sessionFile: undefined });
  await store.update(KEY, () => present as never);
  const session = { sessionId: ids.before, sdkSessionId: 'its own' };
  const place = { storePath: agent.storePath, store, now: () => NOW };
  const { replaced } = await returnToSession({ ...place, sessionKey: KEY, session });
  expect(replaced).toMatchObject({ sessionEntry: { sessionId: ids.now }, archived: [] });
  const next = (await store.get(KEY)) as unknown as Record<string, unknown>;
  for (const field of fields) {
    const rule = (RESET_RULES as Record<string, string>)[field];
    if (rule === 'kept') expect(next[field]).toBe(`old ${field}`);
    else if (field in session) expect(next[field]).toBe(session[field as keyof typeof session]);
    else expect([field, next[field]]).not.toEqual([field, `old ${field}`]);
  }
  expect(next).toMatchObject({ updatedAt: NOW });
  expect(next.pendingArchives).toBeUndefined();
});

it('a removal that was cut off does not take the session away again', async () => {
  const store = openMemorySessionStore();
  const marks = [{ sessionId: ids.before, reason: 'deleted', at: 1 }];
  await store.update(KEY, () => ({ sessionId: ids.before, updatedAt: 1, pendingArchives: marks }) as never);
  const session = { sessionId: ids.before, label: 'ada' };
  await returnToSession({ storePath: agent.storePath, store, sessionKey: KEY, session });
  expect(await store.get(KEY)).toMatchObject({ label: 'ada' });
  expect(await store.get(KEY)).not.toHaveProperty('pendingArchives');
});
