/** The process that has the connections is killed, and the one that runs agents ends with it. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { countKills, HUNT, makeChance } from '../../../../test/setup/hunt.ts';
import { connectGateway, type GatewayConnection } from '../../src/gateway-client/connect-gateway.ts';
import { findGateway } from '../../src/gateway-process/find-gateway.ts';
import { HostPlace } from '../agent-host/host-place.ts';
import { runGateway } from '../setup/run-gateway.ts';
import { readTurns } from './turns-of.ts';

const SCRIPT = {
  turns: [
    { when: 'files', steps: [{ tool: 'list_files' }, { text: 'So many for {{prompt}}.' }] },
    { when: '.', steps: [{ text: 'Heard {{prompt}}, word for word.' }] },
  ],
};
const CLIENTS = 4;

/** A client that connects again until it has an answer. */
class Client {
  readonly #stateDir: string;
  #connection: Promise<GatewayConnection> | undefined;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  async call(method: string, params: object): Promise<Record<string, unknown>> {
    for (;;) {
      const record = findGateway(this.#stateDir);
      if (record !== undefined) {
        try {
          this.#connection ??= connectGateway(record, 600_000);
          return await (await this.#connection).call(method, params);
        } catch (error) {
          const wire = error instanceof OpenBotError ? error : undefined;
          const isPassing =
            wire?.code === 'GATEWAY_UNREACHABLE' || /starting|not available/.test(String(error));
          if (!isPassing) throw error;
          this.#connection = undefined;
        }
      }
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    (await this.#connection?.catch(() => undefined))?.close();
  }
}

test(
  'a gateway that is killed at any moment loses nothing that it took, and runs nothing twice',
  HUNT,
  async () => {
    const place = new HostPlace({
      agents: { defaults: { model: 'script/play' }, maxConcurrentRuns: 8 },
      messages: { queue: { mode: 'followup', debounceMs: 0, cap: 1000 } },
    });
    place.writeScript('play', SCRIPT);
    const clients = Array.from({ length: CLIENTS }, () => new Client(place.stateDir));
    afterTest(() => Promise.all(clients.map((client) => client.close())));
    const chance = makeChance();
    const sent: Promise<unknown>[] = [];
    const runs: { readonly runId: string; readonly sessionKey: string }[] = [];
    let { child: gateway } = await runGateway(place);
    for (let kill = 0; kill < countKills({ gate: 3, torture: 100 }); kill++) {
      for (let n = Math.floor(chance() * 8); n >= 0; n--) {
        const runId = `r${runs.length}`;
        const sessionKey = `agent:main:s${Math.floor(chance() * 8)}`;
        runs.push({ runId, sessionKey });
        const message = chance() < 0.3 ? `list the files (${runId})` : `say ${runId}`;
        const client = clients[runs.length % CLIENTS]!;
        sent.push(client.call('chat.send', { sessionKey, message, idempotencyKey: runId }));
      }
      // Before anything is taken, while it is, while the first ones run.
      await sleep(chance() * 600);
      gateway.kill('SIGKILL');
      await once(gateway, 'exit');
      ({ child: gateway } = await runGateway(place));
    }
    await Promise.all(sent);
    const ends = new Map<string, unknown>();
    for (const { runId } of runs) {
      let end = await clients[0]!.call('agent.wait', { runId, timeoutMs: 30_000 });
      while (end.status === 'timeout')
        end = await clients[0]!.call('agent.wait', { runId, timeoutMs: 30_000 });
      ends.set(runId, end.status);
    }

    const { turnsOf, runsOf } = readTurns(place.stateDir);
    const wrong = runs.filter(({ runId }) => {
      const turnIds = [...(turnsOf.get(runId) ?? [])];
      // A run that is cut off eight times is given up, as when each one ends its process.
      const isGivenUp = turnIds.some((turnId) => runsOf.get(turnId)! >= 8);
      return turnIds.length !== 1 || (ends.get(runId) !== 'ok' && !isGivenUp);
    });
    expect(wrong, 'runs that were lost, or had two turns').toEqual([]);
    const said = new Map<string, number>();
    for (const sessionKey of new Set(runs.map((run) => run.sessionKey))) {
      const { messages } = await clients[0]!.call('chat.history', { sessionKey, limit: 1000 });
      for (const { role, content } of messages as { role: string; content: unknown }[]) {
        const [, runId] = role === 'user' ? (/\b(r\d+)\b/.exec(JSON.stringify(content)) ?? []) : [];
        if (runId !== undefined) said.set(runId, (said.get(runId) ?? 0) + 1);
      }
    }
    expect(
      runs.filter(({ runId }) => said.get(runId) !== 1),
      'messages that are not there once',
    ).toEqual([]);
  },
);
