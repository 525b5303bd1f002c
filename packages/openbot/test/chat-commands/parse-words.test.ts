import { expect, test } from 'vitest';
import { parseWords, takeInside } from '../../src/chat-commands/parse-words.ts';

const RULES = {
  botUsername: '@mybot',
  isModel: (name: string) => ['opus', 'anthropic/opus'].includes(name),
  isAlias: (word: string) => word === 'opus',
};

/** In short: what it is, and what was taken out of it. */
function read(text: string): string {
  const words = parseWords(text, RULES);
  switch (words.is) {
    case 'command':
      return `${words.command.name} <${words.argument}>`;
    case 'unknown':
      return `unknown ${words.word}`;
    case 'inside':
      return [
        ...words.settings.map(({ name, value }) => `${name}=${value}`),
        ...words.shortcuts.map(({ name }) => `+${name}`),
        `<${words.rest}>`,
      ].join(' ');
    case 'several':
      return `several ${words.first} ${words.next}`;
    default:
      return words.is;
  }
}

test.each([
  ['/status', 'status <>'],
  ['  /STATUS  ', 'status <>'],
  ['/status:', 'status <>'],
  ['/status@mybot', 'status <>'],
  ['/status@MyBot', 'status <>'],
  ['/status@otherbot', 'for another'],
  ['/status please', '+status <please>'],
  ['/id', 'whoami <>'],
  ['/help think', 'help <think>'],
  ['/help /think', 'help </think>'],
  ['/help me', '+help <me>'],
  ['/think', 'think <>'],
  ['/think: high', 'think=high <>'],
  ['/think:high', 'think=high <>'],
  ['/think high', 'think=high <>'],
  ['/t high /v on', 'think=high verbose=on <>'],
  ['/think about it', 'think <about it>'],
  ['/think high please solve this', 'think=high <please solve this>'],
  ['please /think high solve this', 'think=high <please solve this>'],
  ['solve this /think high', 'think=high <solve this>'],
  ['solve\n/think high\nthis', 'think=high <solve\n\nthis>'],
  ['/think\nhigh', 'think <high>'],
  ['/queue steer cap:3 drop:old go on', 'queue=steer cap:3 drop:old <go on>'],
  ['/model opus', 'model=opus <>'],
  ['/model anthropic/opus hi', 'model=anthropic/opus <hi>'],
  ['/model nosuch', 'model <nosuch>'],
  ['/opus', 'model=opus <>'],
  ['/opus hi', 'model=opus <hi>'],
  ['hi /opus', 'model=opus <hi>'],
  ['hi /model nosuch', 'text'],
  ['hey /status', '+status <hey>'],
  ['/clean extreme', 'clean <extreme>'],
  ['and /clean it', 'text'],
  ['/compact keep\nthe names', 'compact <keep\nthe names>'],
  ['/nosuch', 'unknown nosuch'],
  ['/nosuch thing', 'unknown nosuch'],
  ['/think high /nosuch', 'unknown nosuch'],
  ['/status /clean', 'several status clean'],
  ['/opus /clean', 'several opus clean'],
  ['/compact /status', 'several compact status'],
  ['/compact keep /status', 'compact <keep /status>'],
  ['／status', 'status <>'],
  ['\u200b/status\u200b', 'status <>'],
  ['hey ／think high you', 'think=high <hey you>'],
  ['a／b', 'text'],
  ['/etc/hosts', 'text'],
  ['/etc/hosts is a file', 'text'],
  ['/tmp/x /think high', 'think=high </tmp/x>'],
  ['/home:/data', 'text'],
  ['/', 'text'],
  ['//', 'text'],
  ['/ 2', 'text'],
  ['/2', 'text'],
  ['1/2', 'text'],
  ['http://x/think high', 'text'],
  ['a/think high', 'text'],
  ['', 'text'],
  ['hello', 'text'],
])('%j', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test('a long text is searched at its start alone', () => {
  const text = `/think high ${'/ /t /v /model x '.repeat(200_000)} /verbose on`;
  expect(takeInside(text, RULES).settings).toEqual([{ name: 'think', value: 'high' }]);
});
