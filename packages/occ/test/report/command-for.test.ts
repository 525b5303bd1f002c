import { expect, test } from 'vitest';
import { commandFor } from '../../src/report/chosen-session.ts';
import type { SearchAgain } from '../../src/storage/contract/finding.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import { uuid } from '../finding/home.ts';

const ID = uuid('1');
const IN_DATABASE: FoundSession = {
  sessionId: ID,
  sessionKey: 'agent:molt:main',
  agentId: 'molt',
  source: 'openclaw',
  path: '/home/ada/my state/agents/molt/agent/openclaw-agent.sqlite',
  storage: 'sqlite',
  cwd: null,
  updatedAt: 1,
  sizeBytes: 1,
};

/** Many sessions share the path of a database: the id has to stand in every command. */
test.each<[string, SearchAgain, string]>([
  ['of another agent', {}, `${ID} --backup 1 --agent molt`],
  ['of the default agent', { defaultAgentId: 'molt' }, `${ID} --backup 1`],
  [
    'in a state folder that a flag named',
    { flags: ['--state-dir', '/s'] },
    `${ID} --backup 1 --agent molt --state-dir /s`,
  ],
  [
    'that was found by its path',
    { byPath: true },
    `${ID} --backup 1 --agent molt --state-dir '/home/ada/my state'`,
  ],
])('a session in a database, %s', (_, again, expected) => {
  expect(commandFor('restore', IN_DATABASE, { again }, '--backup', '1')).toBe(`occ restore ${expected}`);
});

test('the only session of a database outside a state folder', () => {
  const session = { ...IN_DATABASE, agentId: null, path: '/backup/copy.sqlite' };
  expect(commandFor('info', session, { again: { byPath: true } })).toBe('occ info /backup/copy.sqlite');
});
