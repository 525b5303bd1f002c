/** What openbot adds to a turn of a model that pi asks, over pi's SDK used bare with the same provider. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createAgentSession,
  ModelRuntime,
  SessionManager,
  SettingsManager,
} from '@earendil-works/pi-coding-agent';
import { startMessagesApi } from '../test/imitations/messages-api.ts';
import { say } from '../test/imitations/messages-format.ts';
import { type BenchRow, percentile } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { openBenchBot, timeTurns } from './turn-fixture.ts';
import { openBareDisk } from './turn-overhead.ts';

const TURNS = 150;
const WARM_UP = 15;
const LIMIT_MS = 30;
const FAR = { api: 'anthropic-messages', apiKey: 'none' } as const;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const api = await startMessagesApi({ replies: () => ({ blocks: [say('An answer.')] }) });
    const bare = await openBarePi(join(folder, 'pi'), api.url);
    const { bot, ask } = await openBenchBot(folder, {
      config: {
        agents: { defaults: { model: 'far/m', userTimezone: 'UTC', thinkingDefault: 'off' } },
        models: { providers: { far: { ...FAR, baseUrl: api.url, models: [{ id: 'm' }] } } },
      },
    });
    await ask(0);
    await bot.idle();
    const disk = await openBareDisk(folder);
    const rounds = { warmUp: WARM_UP, count: TURNS };
    const [ours = [], theirs = [], writes = []] = await timeTurns(
      bot,
      rounds,
      () => ask(0),
      (turn) => bare.prompt(`message ${turn}`),
      () => disk.write(),
    );
    await bot.close();
    await disk.close();
    bare.dispose();
    await api.close();
    const at = (times: readonly number[], share: number) =>
      percentile(
        times.toSorted((a, b) => a - b),
        share,
      );
    const added = at(ours, 0.5) - at(theirs, 0.5);
    return [
      {
        name: 'what a turn adds to pi used bare, p50',
        ours: `${added.toFixed(2)} ms`,
        peer: `a limit of ${LIMIT_MS} ms`,
        ratio: added / LIMIT_MS,
        limit: 1,
        better: 'lower',
        details: `p50 ${at(ours, 0.5).toFixed(2)} ms against ${at(theirs, 0.5).toFixed(2)} ms of pi; p95 ${at(ours, 0.95).toFixed(2)} against ${at(theirs, 0.95).toFixed(2)} ms; the writes of a turn by themselves: p50 ${at(writes, 0.5).toFixed(2)} ms`,
      },
    ];
  });
}

/** One session of pi, kept in a file as pi does by itself. */
async function openBarePi(folder: string, baseUrl: string) {
  const cwd = join(folder, 'workspace');
  await mkdir(cwd, { recursive: true });
  const modelRuntime = await ModelRuntime.create({
    authPath: join(folder, 'auth.json'),
    modelsPath: join(folder, 'models.json'),
  });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: 'm', name: 'm', reasoning: false, input: ['text' as const], cost };
  modelRuntime.registerProvider('far', {
    ...FAR,
    baseUrl,
    models: [{ ...model, contextWindow: 128_000, maxTokens: 16_384 }],
  });
  const { session } = await createAgentSession({
    cwd,
    agentDir: folder,
    modelRuntime,
    model: modelRuntime.getModel('far', 'm')!,
    thinkingLevel: 'off',
    sessionManager: SessionManager.create(cwd, join(folder, 'sessions')),
    settingsManager: SettingsManager.inMemory(),
  });
  return session;
}
