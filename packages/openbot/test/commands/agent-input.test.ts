/** What is refused before anything is kept or run: the state folder stays empty. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome } from '../setup/run-openbot.ts';

const HELLO = ['-m', 'hello'];

it.each<[string, string[], string, RegExp]>([
  ['no message', [], 'There is no message in standard input', /openbot agent -m "hello"/],
  ['an empty message', ['-m', ' '], '-m is empty', /"hello"/],
  [
    'two messages',
    [...HELLO, '--message-file', 'x'],
    '--message and --message-file contradict each other',
    /Leave one/,
  ],
  [
    'no such file',
    ['--message-file', '/none/x.md'],
    'Cannot read /none/x.md: it does not exist',
    /text file/,
  ],
  ['a folder', ['--message-file', '/'], 'Cannot read /: it is a folder', /text file/],
  [
    'key and id',
    [...HELLO, '--session-id', 'a', '--session-key', 'b'],
    '--session-id and --session-key contradict each other',
    /names a session/,
  ],
  [
    'id and to',
    [...HELLO, '--session-id', 'a', '-t', '42'],
    '--session-id and --to contradict each other',
    /names a session/,
  ],
  ['an id that is a path', [...HELLO, '--session-id', '../x'], "'../x' is not a session id", /--session-key/],
  ['a level', [...HELLO, '--thinking', 'hihg'], '--thinking must be one of off', /Did you mean high/],
  ['a word of on and off', [...HELLO, '--verbose', 'yes'], '--verbose must be one of on, off, full', /on/],
  ['a timeout', [...HELLO, '--timeout', '0'], '--timeout must be a number of seconds from 1', /600/],
  [
    'a target without --deliver',
    [...HELLO, '--reply-to', '42'],
    '--reply-to says where a reply is sent, and none is sent',
    /Add --deliver/,
  ],
  ['words', ['hello'], "Unexpected word: 'hello'", /flags only/],
])('%s', async (_, args, message, hint) => {
  const home = makeHome();
  const { code, stdout, stderr } = await home.run(['agent', ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`Error: ${message}`);
  expect(stderr).toMatch(hint);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect(existsSync(home.stateDir)).toBe(false);
});

it.each<[string, string[], string, RegExp]>([
  [
    'an unknown agent',
    ['--agent', 'opss'],
    'AGENT_NOT_FOUND',
    /Did you mean ops\? .*openbot agents add opss/,
  ],
  ['an agent of a key', ['--session-key', 'agent:zebra:main'], 'AGENT_NOT_FOUND', /Known: main, ops/],
  ['agent and key', ['--agent', 'main', '--session-key', 'agent:ops:x'], 'USAGE', /names the agent ops/],
  [
    'an unknown model',
    ['--model', 'script/ecko'],
    'MODEL_NOT_FOUND',
    /agents\.defaults\.model in .*openbot\.json/,
  ],
  ['a provider that is not there', ['--model', 'acme/big'], 'MODEL_NOT_FOUND', /agents\.defaults\.model in/],
  ['no channel', ['--deliver'], 'USAGE', /channel/],
  ['a channel that is not open', ['--deliver', '--channel', 'telegram', '-t', '42'], 'USAGE', /telegram/],
])('%s, with two agents', async (_, args, code, hint) => {
  const home = makeHome();
  mkdirSync(home.stateDir);
  const agents = { list: [{ id: 'main' }, { id: 'ops' }], defaults: { model: 'script/echo' } };
  writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify({ agents }));
  const ran = await home.run(['agent', '-m', 'x', ...args, '--json']);
  expect([ran.code, ran.stdout]).toEqual([code === 'USAGE' ? 2 : 1, '']);
  const { error } = JSON.parse(ran.stderr);
  expect(error).toMatchObject({ code });
  expect(`${error.message} ${error.hint}`).toMatch(hint);
  expect(existsSync(join(home.stateDir, 'agents'))).toBe(false);
});

it('a message that is too large says what to do instead', async () => {
  const home = makeHome();
  const { code, stderr } = await home.run(['agent', '-m', '-'], { input: 'x'.repeat(4 * 1024 * 1024 + 1) });
  expect(code).toBe(2);
  expect(stderr).toBe(
    "Error: The message in standard input is larger than 4 MiB\n  Put it into a file in the agent's workspace, and name the file in the message\n",
  );
});

it('a file that is no text', async () => {
  const home = makeHome();
  writeFileSync(join(home.folder, 'a.png'), Buffer.from([0x89, 0x50, 0, 1]));
  const { stderr } = await home.run(['agent', '--message-file', join(home.folder, 'a.png')]);
  expect(stderr).toMatch(/a\.png: it is not a text\n {2}Name a text file in UTF-8\n$/);
});

it('a configuration that is wrong is an error as JSON too', async () => {
  const home = makeHome();
  mkdirSync(home.stateDir);
  writeFileSync(join(home.stateDir, 'openbot.json'), '{ session: { dmScope: 1 } }');
  const { code, stdout, stderr } = await home.run(['agent', ...HELLO, '--json']);
  expect([code, stdout]).toEqual([1, '']);
  expect(JSON.parse(stderr)).toMatchObject({ success: false, error: { code: 'CONFIG_INVALID' } });
});
