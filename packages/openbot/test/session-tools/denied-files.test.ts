import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { MAIN, textsOf } from '../bot/bot-home.ts';
import { ToolHome } from './tool-home.ts';

const withRules = (...deny: string[]): BotConfig => ({ agents: { defaults: { permissions: { deny } } } });

test.each([{ enabled: true }, { enabled: false }])(
  'a note that must not be read is neither found nor in the prompt (index: %j)',
  async (index) => {
    const home = new ToolHome().on('look', { tool: 'memory_search', args: { query: 'door code' } });
    home.writeFile('MEMORY.md', 'The door code is hidden-one.');
    home.writeFile('notes/soul.txt', 'The door code is hidden-two.');
    symlinkSync('notes/soul.txt', join(home.stateDir, 'workspace/SOUL.md'));
    home.writeFile('memory/2026-11-15.md', 'The door code is hidden-three.');
    home.writeFile('memory/2026-11-16.md', 'The door code is new.');
    const bot = await home.startCommand({
      config: { ...withRules('Read(MEMORY.md)', 'Read(notes/**)', 'Read(memory/*15.md)'), index },
    });
    const said = textsOf(await bot.say({ message: 'look' }))[0];
    expect(said).toContain('The door code is new.');
    const files = home.entryOf(MAIN).systemPromptReport?.injectedWorkspaceFiles ?? [];
    expect(files).toEqual([]);
    expect(JSON.stringify([said, home.prompts, home.linesOf()])).not.toContain('hidden-');
  },
);

test('a link to a file that must not be read is refused to every tool', async () => {
  const link = { path: 'link.txt' };
  const calls = [
    { tool: 'read_file', args: link },
    { tool: 'grep', args: { ...link, pattern: '.' } },
    { tool: 'message', args: { channel: 'memory', to: 'ada', text: 'Here.', media: ['link.txt'] } },
    { tool: 'write_file', args: { ...link, content: 'x' } },
    { tool: 'edit_file', args: { ...link, oldText: 'a', newText: 'b' } },
  ];
  const home = new ToolHome();
  for (const [at, call] of calls.entries()) home.on(`call ${at}`, call);
  home.on('send', [{ text: 'Here.\nMEDIA: link.txt' }]);
  home.writeFile('.env', 'a secret');
  symlinkSync('.env', join(home.stateDir, 'workspace/link.txt'));
  const bot = await home.start({ config: withRules('Read(.env)', 'Edit(.env)') });
  for (const [at, { tool }] of calls.entries()) {
    const said = textsOf(await bot.say({ message: `call ${at}` }))[0];
    expect([tool, said]).toEqual([
      tool,
      expect.stringMatching(/^The rule (?:Read|Edit)\(\.env\) forbids it\./),
    ]);
  }
  const { payloads } = await bot.say({ message: 'send' });
  expect(JSON.stringify(payloads)).not.toContain('mediaUrl');
  home.checkTranscripts();
});
