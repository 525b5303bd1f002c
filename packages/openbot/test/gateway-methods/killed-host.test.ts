import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { countKills, HUNT, makeChance } from '../../../../test/setup/hunt.ts';
import { type Heard, RunsPlace } from './runs-place.ts';
import { readTurns } from './turns-of.ts';

const SCRIPT = {
  turns: [
    { when: 'files', steps: [{ tool: 'list_files' }, { text: 'So many for {{prompt}}.' }] },
    { when: '.', steps: [{ text: 'Heard {{prompt}}, word for word.' }] },
  ],
};

test(
  'under load, a host that is killed at any moment loses nothing and runs nothing twice',
  HUNT,
  async () => {
    const place = new RunsPlace({
      agents: { defaults: { model: 'script/play' }, maxConcurrentRuns: 8 },
      messages: { queue: { mode: 'followup', debounceMs: 0, cap: 1000 } },
    });
    place.place.writeScript('play', SCRIPT);
    await place.open({ callMs: 1e6, restart: { firstMs: 1, mostMs: 1 } });
    const chance = makeChance();
    const sent: Promise<unknown>[] = [];
    const runIds: string[] = [];
    for (let kill = 0; kill < countKills({ gate: 4, torture: 100 }); kill++) {
      for (let n = Math.floor(chance() * 8); n >= 0; n--) {
        const idempotencyKey = `r${runIds.length}`;
        runIds.push(idempotencyKey);
        const message = chance() < 0.3 ? `list the files (${idempotencyKey})` : `say ${idempotencyKey}`;
        sent.push(
          place.send(message, { idempotencyKey, sessionKey: `agent:main:s${Math.floor(chance() * 8)}` }),
        );
      }
      await place.place.until(() => place.host.status.phase.at === 'up');
      await sleep(chance() * 200);
      const { phase } = place.host.status;
      if (phase.at === 'up') process.kill(phase.pid, 'SIGKILL');
      await place.place.until(() => place.host.status.phase.at !== 'up');
    }
    await Promise.all(sent);
    const isEnd = ({ event, payload }: Heard) =>
      event === 'chat' && ['final', 'error', 'aborted'].includes(String(payload.state));
    await place.until(() => {
      const ended = new Set(place.heard.filter(isEnd).map(({ payload }) => payload.runId));
      return runIds.every((runId) => ended.has(runId));
    });

    const ends = Map.groupBy(place.heard.filter(isEnd), ({ payload }) => payload.runId);
    const { turnsOf, runsOf } = readTurns(place.place.stateDir);
    const once = runIds.filter((runId) => ends.get(runId)?.length === 1);
    expect(once, 'runs with exactly one end').toEqual(runIds);
    const wrong = runIds.filter((runId) => {
      const { state, message } = ends.get(runId)![0]!.payload;
      // A run that is cut off eight times is given up, as when each one ends its process.
      if (state === 'error') return [...turnsOf.get(runId)!].some((turnId) => runsOf.get(turnId)! < 8);
      const said = JSON.stringify((message as { content?: unknown } | undefined)?.content ?? '');
      // One that goes on after a kill is told of that, and not of its message again.
      const named = said.match(/\br\d+\b/g) ?? [];
      return !/Heard|So many/.test(said) || named.some((name) => name !== runId);
    });
    expect(wrong, 'runs without an answer of their own').toEqual([]);
    expect(runIds.filter((runId) => turnsOf.get(runId)?.size !== 1)).toEqual([]);
    expect(place.host.status.crashes).toBeGreaterThan(0);
  },
);
