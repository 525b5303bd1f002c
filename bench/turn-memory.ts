/** Whether a process that runs for long keeps more than it needs: its memory after many turns, with a model that pi asks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startMessagesApi } from '../test/imitations/messages-api.ts';
import { say } from '../test/imitations/messages-format.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { openBenchBot } from './turn-fixture.ts';

const SESSIONS = 100;
const FEW = 100;
const MANY = 1000;
const LIMIT = 1.5;
const FAR = { api: 'anthropic-messages', apiKey: 'none', models: [{ id: 'm' }] } as const;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const api = await startMessagesApi({
      replies: () => {
        // The imitation remembers what it was asked; the bot is in another process.
        api.forget();
        return { blocks: [say('An answer of a few words.')] };
      },
    });
    const args = ['--expose-gc', '--conditions=openbot-source', fileURLToPath(import.meta.url)];
    const child = spawn(process.execPath, [...args, join(folder, 'state'), api.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const [code] = await once(child, 'close');
    await api.close();
    if (code !== 0) throw new Error(`The bot ended with ${code}`);
    const [few = 0, fewLive = 0, many = 0, manyLive = 0] = printed.trim().split(' ').map(Number);
    return [
      {
        name: `memory of a process after ${MANY} turns on ${SESSIONS} sessions`,
        ours: `${megabytes(many)} MB`,
        peer: `${megabytes(few)} MB after ${FEW} turns`,
        ratio: many / few,
        limit: LIMIT,
        better: 'lower',
        details: `resident, after a collection; in use: ${megabytes(manyLive)} MB against ${megabytes(fewLive)} MB`,
      },
    ];
  });
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

/** The bot itself. Prints its resident memory and what is in use of it, after a few turns and after many. */
async function run(stateDir: string, baseUrl: string): Promise<void> {
  const { bot, ask, sent } = await openBenchBot(stateDir, {
    config: {
      agents: { defaults: { model: 'far/m', userTimezone: 'UTC' } },
      models: { providers: { far: { ...FAR, baseUrl } } },
    },
  });
  const figures: number[] = [];
  for (let turn = 0; turn < MANY; turn++) {
    await ask(turn % SESSIONS);
    // Of the fixture, not of the bot.
    sent.length = 0;
    if (turn + 1 !== FEW && turn + 1 !== MANY) continue;
    await bot.idle();
    await collectGarbage();
    const { rss, heapUsed, external } = process.memoryUsage();
    figures.push(rss, heapUsed + external);
  }
  console.log(figures.join(' '));
  await bot.close();
}

/** What V8 keeps for later allocations is given back some time after a collection. */
async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await sleep(250);
  }
}

const [stateDir, baseUrl] = process.argv.slice(2);
if (process.argv[1] === fileURLToPath(import.meta.url)) await run(stateDir!, baseUrl!);
