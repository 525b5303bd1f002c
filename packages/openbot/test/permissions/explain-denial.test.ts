import type { PermissionRequest } from '@openbot/claude-code';
import { expect, test } from 'vitest';
import { explainDenial, suggestRule } from '../../src/permissions/explain-denial.ts';

const repoPath = import.meta.dirname;

test.each([
  ['Bash', { command: 'git status -s' }, 'Bash(git status -s)'],
  ['Bash', { command: ' npm ' }, 'Bash(npm)'],
  ['Bash', { command: 'X=1 a, "b c"' }, 'Bash(X=1 a, "b c")'],
  ['Bash', { command: 'a; b' }, 'Bash'],
  ['Bash', { command: 'a | b' }, 'Bash'],
  ['Bash', { command: 'a > b' }, 'Bash'],
  ['Bash', { command: 'a *' }, 'Bash'],
  ['Bash', { command: 'a\nb' }, 'Bash'],
  ['Bash', { command: 'echo $(date)' }, 'Bash'],
  ['Bash', { command: 'x'.repeat(2000) }, 'Bash'],
  ['Bash', {}, 'Bash'],
  ['Write', { file_path: '/a/b c.txt' }, 'Edit(//a/b c.txt)'],
  ['Edit', { file_path: '/a' }, 'Edit(//a)'],
  ['Read', { file_path: '/etc/hosts' }, 'Read(//etc/hosts)'],
  ['Write', { file_path: '/a[1].txt' }, 'Write'],
  ['Write', { file_path: 'a' }, 'Write'],
  ['WebFetch', { url: 'https://example.org/a?b' }, 'WebFetch(domain:example.org)'],
  ['WebFetch', { url: 'nowhere' }, 'WebFetch'],
  ['mcp__a__b', { command: 'x' }, 'mcp__a__b'],
  ['AskUserQuestion', { questions: [] }, undefined],
])('%s %j would be allowed by %s', (toolName, input, rule) => {
  expect(suggestRule({ toolName, input })).toBe(rule);
});

const denied = (
  request: Partial<PermissionRequest> & Pick<PermissionRequest, 'toolName' | 'input'>,
  allowedTools: readonly string[] = [],
) =>
  explainDenial({ requestId: 'r', toolUseId: 't', isRisky: false, ...request }, { repoPath, allowedTools });

test('the advice is a rule that a shell takes as it is', () => {
  expect(denied({ toolName: 'Bash', input: { command: "echo 'a'" } })).toBe(
    "no rule allows it, and there is no terminal to ask at; --allow 'Bash(echo '\\''a'\\'')' would",
  );
});

test('a rule that was given, and did not help, is no advice', () => {
  const nothing = 'no rule covers it, and there is no terminal to ask at';
  expect(denied({ toolName: 'Bash', input: { command: 'a; b' } }, ['Read', 'Bash'])).toBe(nothing);
  expect(denied({ toolName: 'Bash', input: { command: 'ls' } }, ['Bash(ls)'])).toBe(nothing);
  expect(denied({ toolName: 'Write', input: { file_path: '/a' } }, ['Write'])).toBe(nothing);
  expect(denied({ toolName: 'Write', input: { file_path: '/a' } }, ['Write(a)'])).toMatch(
    /--allow 'Edit\(\/\/a\)' would$/,
  );
});

test('another reason than missing rules is given instead of them', () => {
  const reason = 'Claude requested permissions to edit /a/.git/config which is a sensitive file.';
  expect(denied({ toolName: 'Write', input: { file_path: '/a/.git/config' }, reason })).toBe(
    `${reason.slice(0, -1)}, and there is no terminal to ask at`,
  );
  const command = { toolName: 'Bash', input: { command: 'touch x' } };
  expect(denied({ ...command, blockedPath: '/elsewhere/x' })).toBe(
    'it reaches outside the repository (/elsewhere/x), and there is no terminal to ask at',
  );
  expect(
    denied({ ...command, blockedPath: `${repoPath}/x`, reason: 'This command requires approval' }),
  ).toMatch(/^no rule allows it, .*; --allow 'Bash\(touch x\)' would$/);
});

test('a file outside the repository is allowed by a rule of its own', () => {
  const reason = 'Path is outside allowed working directories';
  expect(denied({ toolName: 'Read', input: { file_path: '/etc/hosts' }, reason })).toBe(
    `${reason}, and there is no terminal to ask at; --allow 'Read(//etc/hosts)' would`,
  );
});

test('a question of Claude Code is not to be allowed', () => {
  expect(denied({ toolName: 'AskUserQuestion', input: {} })).toBe(
    'no rule allows it, and there is no terminal to ask at',
  );
});
