/** `sessions.list` of the gateway: a page of 100 of 5,000 sessions, with titles and the last words of each. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRows } from '../packages/openbot/src/gateway-methods/rows/rows.ts';
import type { GatewayServices } from '../packages/openbot/src/gateway-methods/services.ts';
import { SESSION_METHODS } from '../packages/openbot/src/gateway-methods/sessions.ts';
import { openState } from '../packages/openbot/src/state/open-state.ts';
import { type BenchRow, percentile, timesOf } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { ENTRIES, keyOf, makeEntry } from './store-fixture.ts';

const RUNS = 300;
/** ms, over WebSocket; the frame around it takes the rest. */
const LIMIT_MS = 8;
const LIST = SESSION_METHODS.find(({ name }) => name === 'sessions.list')!;

async function placeSessions(stateDir: string): Promise<string> {
  const folder = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(folder, { recursive: true });
  const entries = Array.from({ length: ENTRIES }, (_, index) => {
    const { sessionFile: _file, ...entry } = makeEntry(index);
    return [keyOf(index), entry] as const;
  });
  for (const [, { sessionId, updatedAt }] of entries.slice(-200)) {
    const lines = [
      { type: 'session', id: sessionId, timestamp: new Date(updatedAt).toISOString(), cwd: '/' },
      ...Array.from({ length: 40 }, (_, at) => ({
        type: 'message',
        id: `m${at}`,
        message: {
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: [{ type: 'text', text: `${at} `.repeat(300) }],
        },
      })),
    ];
    await writeFile(
      join(folder, `${sessionId}.jsonl`),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
  }
  const path = join(folder, 'sessions.json');
  await writeFile(path, JSON.stringify(Object.fromEntries(entries), null, 2));
  return path;
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (stateDir) => {
    const path = await placeSessions(stateDir);
    const state = await openState(stateDir);
    const config = {};
    const rows = openRows({ stateDir, config, state, runs: { ofSession: () => [] }, now: Date.now });
    const services = { stateDir, env: {}, config, state, rows, now: Date.now } as unknown as GatewayServices;
    const caller = {
      connId: '1',
      scopes: new Set(['operator.read']),
      client: { id: 'cli', mode: 'cli' },
      caps: new Set<string>(),
    };
    const call = { caller, services, respondFirst: () => {}, signal: new AbortController().signal };
    const list = async (params: object) => JSON.stringify(await LIST.handle(params as never, call));
    const whole = { includeDerivedTitles: true, includeLastMessage: true };
    const began = performance.now();
    const size = (await list(whole)).length;
    const first = performance.now() - began;
    const used = process.cpuUsage();
    const ours = await timesOf(RUNS, () => list(whole));
    const { user, system } = process.cpuUsage(used);
    const searched = await timesOf(RUNS, () => list({ search: 'telegram:dm:1023' }));
    const text = await readFile(path, 'utf8');
    const parsed = percentile(await timesOf(30, async () => JSON.parse(text)), 0.5);
    // Between two lists a turn ends, and its entry is another.
    const changed = await timesOf(30, async () => {
      await state.storeOf('main').update(keyOf(7), (entry) => entry && { ...entry, updatedAt: Date.now() });
      await list({});
    });
    await state.close();
    const p95 = percentile(ours, 0.95);
    const show = (ms: number) => `${ms.toFixed(2)} ms`;
    return [
      {
        name: 'sessions.list, a page of 100 of 5,000 sessions, p95 of its method with the JSON of the answer',
        ours: show(p95),
        peer: `${LIMIT_MS} ms`,
        ratio: p95 / LIMIT_MS,
        limit: 1,
        better: 'lower',
        details: `p50 ${show(percentile(ours, 0.5))}, ${show((user + system) / 1000 / RUNS)} of CPU each, the first ${show(first)}, ${Math.round(size / 1024)} KB; search p95 ${show(percentile(searched, 0.95))}; with a change before each p50 ${show(percentile(changed, 0.5))}`,
      },
      {
        name: 'sessions.list against JSON.parse of the same store',
        ours: show(percentile(ours, 0.5)),
        peer: show(parsed),
        ratio: percentile(ours, 0.5) / parsed,
        limit: 0.5,
        better: 'lower',
      },
    ];
  });
}
