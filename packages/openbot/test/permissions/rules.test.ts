import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../../test/setup/expect-linear.ts';
import { findDenial } from '../../src/permissions/find-denial.ts';
import {
  findAllowing,
  findDenying,
  isRule,
  listUnreadable,
  suggestNarrow,
} from '../../src/permissions/rules.ts';
import { listStarted } from '../../src/permissions/started-commands.ts';

const PLACES = { workspaceDir: '/ws', home: '/home/ada' };
const bash = (command: string) => ({ toolName: 'Bash', arguments: { command } });
const use = (toolName: string, args: Record<string, unknown> = {}) => ({ toolName, arguments: args });
const allows = (rule: string, what: Parameters<typeof findAllowing>[1]) =>
  findAllowing([rule], what, PLACES) !== undefined;
const denies = (rule: string, what: Parameters<typeof findAllowing>[1]) =>
  findDenying([rule], what, PLACES) !== undefined;

test.each([
  ['Bash', 'anything; at all', true],
  ['Bash(git status)', 'git status', true],
  ['Bash(git status)', ' git status ', true],
  ['Bash(git status)', 'git status -s', false],
  ['Bash(git log:*)', 'git log', true],
  ['Bash(git log:*)', 'git log --oneline -3', true],
  ['Bash(git log:*)', 'git logs', false],
  ['Bash(git * --help)', 'git push --help', true],
  ['Bash(git * --help)', 'git push', false],
  ['Bash(npm run *)', 'npm run test', true],
  ['Bash(a; b)', 'a; b', true],
  ['Bash(a:*)', 'a; b', false],
  ['Bash(a:*)', 'a && b', false],
  ['Bash(a:*)', 'a | b', false],
  ['Bash(a:*)', 'a > /etc/passwd', false],
  ['Bash(a:*)', 'a $(b)', false],
  ['Bash(a:*)', 'a `b`', false],
  ['Bash(a:*)', 'a $B', false],
  ['Bash(a:*)', 'a\nb', false],
  ['Bash(a:*)', 'a & b', false],
  ['Bash(*)', 'a <(b)', false],
  ['Read', 'ls', false],
])('%s allows the command %j: %s', (rule, command, expected) => {
  expect(allows(rule, bash(command))).toBe(expected);
  expect(allows(rule, use('exec', { command }))).toBe(expected);
});

test.each([
  ['Bash', 'ls', true],
  ['exec', 'ls', false],
  ['Bash(rm:*)', 'rmdir x', false],
  ['Bash(rm -rf:*)', "rm  '-rf' x", true],
  ['Bash(rm -rf:*)', 'rm x', false],
  ['Bash(/bin/rm:*)', 'sudo /bin/rm x', true],
  ['Bash(/bin/rm:*)', 'rm x', true],
  ['Bash(/bin/rm:*)', '/usr/bin/rm x', true],
  ['Bash(/bin/rm:*)', 'true; env rm x', true],
  ['Bash(/bin/rm:*)', 'rm', true],
  ['Bash(/bin/rm:*)', 'rmdir x', false],
  ['Bash(/bin/rm -rf *)', 'rm -rf x', true],
  ['Bash(/bin/rm -rf *)', 'rm -r $A', false],
  ['Bash(/bin/rm -rf *)', 'rm $A', true],
  ['Bash(/bin/rm*)', 'rm x', true],
  ['Bash(/opt/tool/*)', 'ls', false],
  ['Bash(/opt/tool/*)', '/opt/tool/run x', true],
  ['Bash(grep /bin/rm)', 'rm', false],
  ['Bash(rm:*)', 'RM x', true],
  ['Bash(git push:*)', 'cd x && git  push', true],
  ['Bash(git push:*)', 'git pushes', false],
  ['Bash(git push:*)', 'git log --grep push', false],
  ['Bash(git push:*)', 'git $A', true],
  ['Bash(git push:*)', 'git pu$A', true],
  ['Bash(git push:*)', 'git log $A', false],
  ['Bash(git push:*)', 'echo main | xargs git', true],
  ['Bash(git push)', 'true; git push', true],
  ['Bash(git push)', 'git push origin', false],
  ['Bash(git push)', 'git push $A', true],
  ['Bash(git * --force)', "git push '--force'", true],
  ['Bash(git * --force)', 'git push $A', false],
  ['Bash(git * --force)', '$A push', true],
  ['Bash(*secret*)', 'cat a > secret', true],
  ['Bash(npm run rm)', 'npm run rm', true],
  ['Read(x)', '$A', false],
  ['mcp__shell__run(rm:*)', 'true; rm', false],
])('%s denies the command %j: %s', async (rule, command, expected) => {
  const denial = await findDenial([rule], bash(command), PLACES);
  expect(denial !== undefined).toBe(expected);
});

test("rules for Bash cover each of Claude Code's tools that run a command", async () => {
  const sdk = createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk');
  const types = readFileSync(join(dirname(sdk), 'sdk-tools.d.ts'), 'utf8');
  // The body of an empty one ends on the line of its name.
  const inputs = types.matchAll(/^export interface (\w+)Input \{(\}|.*?^\})/gms);
  const tools = [...inputs].flatMap(([, name, body]) => (/^ {2}command\??:/m.test(body!) ? [name!] : []));
  expect(tools).toEqual(['Bash', 'Monitor']);
  for (const toolName of tools) {
    const run = (command: string) => findDenial(['Bash(rm:*)'], use(toolName, { command }), PLACES);
    expect(await run('true; rm x')).toEqual({ rule: 'Bash(rm:*)' });
    expect(await run('ls')).toBeUndefined();
    expect(allows('Bash(ls)', use(toolName, { command: 'ls' }))).toBe(true);
  }
});

test('a rule that forbids a command comes before one that may', async () => {
  const find = (command: string) => findDenial(['Bash(a:*)', 'Bash(b:*)'], bash(command), PLACES);
  expect(await find('$A; b')).toEqual({ rule: 'Bash(b:*)' });
  expect(await find('$A; c')).toEqual({ rule: 'Bash(a:*)', doubt: '$A is known only when it runs' });
});

test('what nobody has read is denied where a rule is about commands', () => {
  expect(denies('Bash(rm:*)', bash('ls'))).toBe(true);
  expect(denies('Read(x)', bash('ls'))).toBe(false);
});

test.each([
  '(',
  '$(',
  'echo "$(',
  '{ ',
  '`',
  'a;',
  'sudo -u ',
  'nice ',
  'eval ',
  'find -exec ',
  '[[ a ]];',
  'a &>f ',
  "$'a' ",
])('a command of many %j takes no more than linear time', (part) => {
  expectLinear(5000, (size) => listStarted(`${part.repeat(size / part.length)}rm`, 'sh'));
});

test.each([
  ['Read(src/**)', 'src/a/b.ts', true],
  ['Read(src/**)', '/ws/src/b.ts', true],
  ['Read(src/**)', 'other/b.ts', false],
  ['Read(src/**)', 'src/../../etc/passwd', false],
  ['Read(src/)', 'src/a/b.ts', true],
  ['Read(./a.txt)', 'a.txt', true],
  ['Read(./a.txt)', 'deep/a.txt', false],
  ['Read(*.md)', 'deep/a.md', true],
  ['Read(*.md)', '/etc/a.md', false],
  ['Read(.env)', 'deep/.env', true],
  ['Read(.env)', '..x/.env', true],
  ['Read(*.pem)', '..k.pem', true],
  ['Read(*.pem)', '../k.pem', false],
  ['Read(*.pem)', 'a/..k.pem', true],
  ['Read(..x/**)', '..x/a', true],
  ['Read(//etc/hosts)', '/etc/hosts', true],
  ['Read(//etc/*)', '/etc/hosts', true],
  ['Read(//etc/*.d)', '/etc/hosts', false],
  ['Read(~/.ssh/**)', '/home/ada/.ssh/id', true],
  ['Read(/src/*.ts)', 'src/a.ts', true],
  ['Read(src/*/x)', 'src/a/b/x', false],
])('%s is about the file %j: %s', (rule, path, expected) => {
  expect(allows(rule, use('Read', { file_path: path }))).toBe(expected);
  expect(denies(rule, use('read_file', { path }))).toBe(expected);
});

test.each([
  ['Edit', use('Write', { file_path: '/a' }), true],
  ['Edit', use('edit_file', { path: 'a' }), true],
  ['Write', use('Edit', { file_path: '/a' }), false],
  ['mcp__mail', use('mcp__mail__send'), true],
  ['mcp__mail__send', use('mcp__mail__send'), true],
  ['mcp__mail__*', use('mcp__mail__send'), true],
  ['mcp__ma', use('mcp__mail__send'), false],
  ['*', use('Anything'), true],
  ['WebFetch(domain:example.org)', use('WebFetch', { url: 'https://example.org/x' }), true],
  ['WebFetch(domain:example.org)', use('WebFetch', { url: 'https://www.example.org/x' }), true],
  ['WebFetch(domain:example.org)', use('WebFetch', { url: 'https://badexample.org/' }), false],
  ['WebFetch(domain:example.org)', use('WebFetch', { url: 'nonsense' }), false],
  ['Task(Explore)', use('Task', { kind: 'Explore' }), true],
  ['Task(Explore)', use('Task', {}), false],
  ['not a rule (', use('not'), false],
])('%s allows %j: %s', (rule, what, expected) => {
  expect(allows(rule, what)).toBe(expected);
});

test.each([
  ['https://example.org/x', 'example.org', true],
  ['https://example.org./x', 'example.org', true],
  ['https://www.example.org.:8443/x', 'example.org', true],
  ['HTTPS://EXAMPLE.ORG', 'example.org', true],
  ['example.org', 'example.org', true],
  ['www.example.org:8080/x', 'example.org', true],
  ['//example.org/x', 'example.org', true],
  ['https://example.org', 'Example.org', true],
  ['https://example.org', 'example.org.', true],
  ['https://b\u00fccher.example', 'B\u00fccher.example', true],
  ['https://badexample.org', 'example.org', false],
  ['badexample.org/example.org', 'example.org', false],
  ['nonsense', 'example.org', false],
  ['http://[', 'example.org', true],
  ['', 'example.org', true],
])('the address %j is denied to domain:%s: %s', (url, domain, expected) => {
  expect(denies(`WebFetch(domain:${domain})`, use('WebFetch', { url }))).toBe(expected);
});

test.each([
  ['https://example.org./x', 'Example.org', true],
  ['example.org', 'example.org', false],
  ['http://[', 'example.org', false],
])('the address %j is allowed to domain:%s: %s', (url, domain, expected) => {
  expect(allows(`WebFetch(domain:${domain})`, use('WebFetch', { url }))).toBe(expected);
});

test.each([
  ['Read(.env)', use('grep', { pattern: 'x', path: 'a/.env' }), true],
  ['Read(.env)', use('Grep', { pattern: 'x', path: '/ws/a/.env' }), true],
  ['Read(.env)', use('grep', { pattern: 'x' }), false],
  ['Read', use('grep', { pattern: 'x' }), true],
  ['Read(.env)', use('list_files', { path: '.env' }), false],
])('%s forbids the search %j: %s', (rule, what, expected) => {
  expect(denies(rule, what)).toBe(expected);
  expect(allows(rule, what)).toBe(false);
});

test('rules about reading files are told to Claude Code by its names', () => {
  const rules = ['Read(.env)', 'read_file(secrets/**)', 'Read', 'Bash(rm:*)', 'Edit(a)'];
  expect(listUnreadable(rules)).toEqual(['Read(.env)', 'Read(secrets/**)']);
});

test('a rule with many stars takes no exponential time', () => {
  expect(allows(`Bash(${'*a'.repeat(200)})`, bash('a'.repeat(100_000)))).toBe(true);
  expect(allows(`Bash(${'*a'.repeat(200)}b)`, bash('a'.repeat(100_000)))).toBe(false);
});

test.each([
  [bash('git push'), 'Bash(git push)'],
  [bash('a; b'), undefined],
  [bash('a *'), undefined],
  [use('exec', { command: 'make test' }), 'exec(make test)'],
  [use('write_file', { path: 'notes/a.txt' }), 'write_file(./notes/a.txt)'],
  [use('write_file', { path: 'a*' }), undefined],
  [use('Write', { file_path: '/a' }), 'Edit(//a)'],
  [use('Write', { file_path: 'a' }), undefined],
  [use('WebFetch', { url: 'https://example.org/x' }), 'WebFetch(domain:example.org)'],
  [use('Browser', { url: 'https://example.org/x' }), undefined],
  [use('WebSearch', { query: 'x' }), undefined],
  [use('claude_code', { task: 'x', repo: '/a' }), undefined],
  [use('mcp__mail__send', { to: 'ada' }), undefined],
  [use('Task', { prompt: 'x' }), undefined],
])('always for %j adds %s, which allows it and is a rule', (what, rule) => {
  expect(suggestNarrow(what)).toBe(rule);
  if (rule === undefined) return;
  expect([isRule(rule), allows(rule, what)]).toEqual([true, true]);
});
