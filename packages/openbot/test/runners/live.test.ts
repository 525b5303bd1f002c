/** The real API of Anthropic, where a key for it is set. It costs a few cents. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BotHome } from '../bot/bot-home.ts';

const key = process.env.ANTHROPIC_API_KEY?.trim();

describe.skipIf(!key)('with ANTHROPIC_API_KEY', () => {
  test.each(['claude/haiku', 'anthropic/claude-haiku-4-5'])(
    '%s reads a file, and remembers it in the next process',
    { timeout: 300_000 },
    async (model) => {
      const home = new BotHome();
      const ask = async (message: string, asked = model) => {
        const bot = await home.open({
          config: { agents: { defaults: { model: asked } } },
          env: { ...process.env, ANTHROPIC_API_KEY: key },
        });
        const { payloads, error } = await bot.say({ message });
        await bot.close();
        expect(error).toBeUndefined();
        return payloads.map(({ text }) => text).join('\n');
      };
      await ask('hello', 'script/echo');
      writeFileSync(join(home.stateDir, 'workspace', 'fruit.txt'), 'papaya');
      expect(await ask('Read fruit.txt with your tool and answer with its content.')).toMatch(/papaya/i);
      expect(await ask('Which fruit was it? Answer with one word.')).toMatch(/papaya/i);
      home.checkTranscripts();
    },
  );
});
