import { expect, it } from 'vitest';
import { resolveRunPlace } from '../../src/run-contract/run-scope.ts';
import { makeTempFolder } from '../temp-folder.ts';

it('a label is kept without its secrets', () => {
  const repoPath = makeTempFolder();
  const request = { task: 'x', repoPath, agentId: 'main', env: { HOME: repoPath } };
  const labelOf = (label: string) => resolveRunPlace({ ...request, label }).label;
  expect(labelOf(' web password=hunter2swordfish ')).toBe('web password=***');
  expect(labelOf('web')).toBe('web');
});
