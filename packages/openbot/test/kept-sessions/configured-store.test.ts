/** `session.store` of openbot.json: every command finds the sessions that a turn left there. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePlace } from './session-places.ts';

test.each([
  ['of each agent', 'stores/{agentId}/sessions.json', 'stores/main'],
  ['that agents share', 'stores/all.json', 'stores'],
])('a store %s', async (_, store, folder) => {
  const place = makePlace(undefined, {
    'openbot.json': JSON.stringify({ session: { store: `~/${store}` } }),
  });
  await place.run('agent', '-m', 'hello harbour');
  const [name = ''] = readdirSync(join(place.home, folder)).filter((file) => file.endsWith('.jsonl'));
  const sessionId = name.replace('.jsonl', '');
  expect(existsSync(join(place.stateDir, 'agents', 'main', 'sessions'))).toBe(false);
  expect(await place.jsonHere('sessions', 'show', 'agent:main:main')).toMatchObject({
    transcript: { isThere: true },
  });
  const { stdout } = await place.runHere('history', 'agent:main:main', '--no-pager');
  expect(stdout).toContain('hello harbour');
  expect((await place.runHere('sessions', 'export', 'main', '--output', '-')).stdout).toContain(
    'hello harbour',
  );
  expect(await place.jsonHere('clean', 'info', 'agent:main:main')).toMatchObject({ sessionId });
  expect(await place.jsonHere('usage', 'session')).toMatchObject({
    sessions: [{ sessionKey: 'agent:main:main' }],
  });
  await place.jsonHere('index', 'rebuild');
  expect(await place.jsonHere('search', 'harbour')).toMatchObject({
    hits: [{ sessionKey: 'agent:main:main' }, { sessionKey: 'agent:main:main' }],
  });
  expect((await place.runHere('doctor', '--json')).code).toBe(0);
  const { archived } = await place.jsonHere<{ archived: string[] }>('sessions', 'reset', 'main', '--yes');
  expect(archived).toEqual([expect.stringContaining(join(place.home, folder, name))]);
});
