/** A command that says some messages, one after another, and prints what was answered as lines of JSON. */
import { openBot } from '../../src/bot/open-bot.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';

const [stateDir = '', name = '', count = '1'] = process.argv.slice(2);
const script = { turns: [{ steps: [{ waitMs: 20 }, { text: 'to {{prompt}}' }] }] };
const bot = await openBot({
  stateDir,
  config: {},
  env: {},
  runners: { script: makeScriptRunner({ script }) },
});
for (let n = 1; n <= Number(count); n++) {
  const { outcome, payloads } = await bot.say({ message: `${name}-${n}` });
  process.stdout.write(`${JSON.stringify({ outcome, texts: payloads.map(({ text }) => text) })}\n`);
}
await bot.close();
