/** The list of tools that a model is given depends on the configuration and the session key, and on nothing else. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, textsOf } from '../bot/bot-home.ts';
import { ToolHome } from './tool-home.ts';

const WRITE = { tool: 'write_file', args: { path: 'a.txt', content: 'x' } };
const CONFIG = {
  channels: { memory: { allowFrom: ['ada', 'bob'] } },
  claudeCode: { repos: ['/'] },
  tools: { exec: { security: 'full' as const } },
};

test('whoever writes, whatever the session may do and whether a person can be asked, the list is the same', async () => {
  const home = new ToolHome();
  const config = { ...CONFIG, commands: { ownerAllowFrom: ['ada'] } };
  const first = await home.start({ config });
  await home.chat.write('ada', 'an owner');
  await home.chat.write('bob', 'somebody who is not asked');
  await first.say({ message: 'a command' });
  await first.idle();
  await first.close();
  for (const limits of [
    { execSecurity: 'deny' },
    { execSecurity: 'allowlist' },
    { execSecurity: undefined, execAsk: 'always' },
    { execAsk: 'on-miss' },
  ]) {
    home.changeEntry(MAIN, limits);
    const command = await home.startCommand({ config });
    await command.say({ message: 'once more' });
    await command.close();
  }
  expect(home.offered).toHaveLength(7);
  expect([...new Set(home.offered.map((names) => names.join(' ')))]).toEqual([
    'list_files read_file grep write_file edit_file exec message sessions_list sessions_history sessions_send sessions_spawn session_status context_clean memory_search claude_code claude_code_send',
  ]);
});

test.each([
  [{ execSecurity: 'deny' }, 'This session must not change anything.'],
  [
    { execSecurity: 'allowlist' },
    'The tool write_file is not in the list of tools that this session may use.',
  ],
  [
    { execAsk: 'on-miss' },
    'It needs a permission each time, and no person can be asked: there is no terminal',
  ],
  [
    { execAsk: 'always' },
    'It needs a permission each time, and no person can be asked: there is no terminal',
  ],
])('what %j forbids is refused at the call, with the reason', async (limits, reason) => {
  const home = new ToolHome().on('write', WRITE);
  // A rule that would open the tool where a person can be asked.
  const config = { ...CONFIG, agents: { defaults: { permissions: { allow: ['Edit'] } } } };
  const first = await home.startCommand({ config });
  await first.say({ message: 'hello' });
  await first.close();
  home.changeEntry(MAIN, limits);
  const bot = await home.startCommand({ config });
  expect(textsOf(await bot.say({ message: 'write it' }))[0]).toContain(reason);
  expect(existsSync(join(home.stateDir, 'workspace/a.txt'))).toBe(false);
});

test('one session of all people has no search of memories, and neither has what it spawns', async () => {
  const home = new ToolHome().on('look', { tool: 'memory_search', args: { query: 'door code' } });
  home.writeFile('MEMORY.md', 'The door code is 4711.');
  const bot = await home.start({ config: { ...CONFIG, session: { scope: 'global' } } });
  await home.chat.write('ada', 'look');
  await bot.idle();
  await home.chat.writeInGroup('g1', { name: 'Bob', id: 'bob' }, 'look', { WasMentioned: true });
  await bot.idle();
  expect(home.offered[0]).toEqual(home.offered[1]);
  expect(home.offered[0]).not.toContain('memory_search');
  expect(home.chat.shown.join('\n')).not.toContain('4711');
});
