import { expect, it } from 'vitest';
import { resolveRunScope } from '../../src/run-contract/run-scope.ts';
import { makeTempFolder } from '../temp-folder.ts';

it('a label is kept without its secrets', () => {
  const repoPath = makeTempFolder();
  const request = { task: 'x', repoPath, agentId: 'main', env: { HOME: repoPath } };
  const labelOf = (label: string) => resolveRunScope({ ...request, label }).label;
  expect(labelOf(' web password=hunter2swordfish ')).toBe('web password=***');
  expect(labelOf('web')).toBe('web');
});
