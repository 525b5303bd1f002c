import { expect, test } from 'vitest';
import { readRules } from '../../src/commands/cc/input.ts';

test.each([
  [undefined, []],
  [['Read'], ['Read']],
  [['Read, Bash(touch a,b),Write'], ['Read', 'Bash(touch a,b)', 'Write']],
  [['Bash(a (b), c),Read'], ['Bash(a (b), c)', 'Read']],
  [
    ['Read', 'mcp__x-y__z,WebFetch(domain:example.org)'],
    ['Read', 'mcp__x-y__z', 'WebFetch(domain:example.org)'],
  ],
  [[' , '], []],
])('--allow %j', (allow, rules) => {
  expect(readRules({ flags: { allow } })).toEqual(rules);
});

test.each(['Bash(git', 'Bash()', 'git status', 'Bash(a)b', '(x)'])('--allow %j is refused', (rule) => {
  expect(() => readRules({ flags: { allow: [rule] } })).toThrow(`'${rule}' is not a rule for --allow`);
});
