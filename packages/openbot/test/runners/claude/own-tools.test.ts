import { expect, test } from 'vitest';
import { findGone } from '../../../src/runners/claude/own-tools.ts';

test.each([
  ['Bash', ['Bash', 'Read'], ['Read'], true],
  ['Bash', 'all', [], true],
  ['Bash', ['Read'], 'all', false],
  ['Read', ['Bash', 'Read'], ['Read'], false],
  // Claude Code calls it by its new name.
  ['Agent', ['Task', 'Read'], ['Task', 'Read'], false],
  ['Agent', ['Task', 'Read'], ['Task'], false],
  ['Agent', ['Task', 'Read'], ['Read'], true],
  // Without it the agent's own tools could not be had either.
  ['ToolSearch', 'all', ['Read'], false],
  ['read_file', 'all', [], false],
  // Nobody has changed anything: what else Claude Code has is its own matter.
  ['Skill', ['Read'], ['Read'], false],
] as const)('%s of %j, with %j in the configuration, is gone: %s', (name, told, offered, expected) => {
  const refusal = findGone(name, { ours: [{ name: 'read_file' }], told, offered });
  expect(refusal !== undefined).toBe(expected);
});
