/** The processes of the gateway are killed while people write on three networks, which deliver again what was not taken. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isHolderAlive } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { countKills, HUNT, makeChance } from '../../../../../test/setup/hunt.ts';
import type { OutboxMessage } from '../../../src/outbox/contract.ts';
import { HostPlace } from '../../agent-host/host-place.ts';
import { readTurns } from '../../gateway-methods/turns-of.ts';
import { runGateway } from '../../setup/run-gateway.ts';
import { NETWORKS, type NetworkName, Networks, type Shown } from './networks.ts';

const SCRIPT = {
  turns: [
    { when: 'files', steps: [{ tool: 'list_files' }, { text: 'So many for {{prompt}}.' }] },
    { when: '.', steps: [{ text: 'Heard {{prompt}}, word for word.' }] },
  ],
};
const MARK = '(This may be a repeat.)\n';
/** Of all people together: 20 in a second. */
const PAUSE_MS = 50;

interface Written {
  readonly id: string;
  readonly network: NetworkName;
}

test(
  'under messages of three networks, a gateway that is killed at any moment gives each one turn and one reply',
  HUNT,
  async () => {
    const networks = await Networks.open();
    const place = new HostPlace({
      agents: { defaults: { model: 'script/play' }, maxConcurrentRuns: 8 },
      session: { dmScope: 'per-channel-peer' },
      messages: { queue: { mode: 'followup', debounceMs: 0, cap: 1000 } },
      channels: networks.settings,
    });
    place.writeScript('play', SCRIPT);
    const chance = makeChance();
    const written: Written[] = [];
    const write = (network: NetworkName, person: number) => {
      const name = `m${written.length}`;
      const text = chance() < 0.3 ? `list the files (${name})` : `say ${name}`;
      written.push({ id: networks.write(network, person, text), network });
    };
    let isOver = false;
    const talk = async () => {
      while (!isOver) {
        write(NETWORKS[written.length % 3]!, Math.floor(chance() * 3));
        await sleep(PAUSE_MS);
      }
    };
    const keepUp = async () => {
      while (!isOver || !networks.whatsapp.isConfirmed) {
        await networks.keepUp();
        await sleep(PAUSE_MS);
      }
    };
    const start = async () => {
      const { child, record } = await runGateway(place);
      networks.pointWebhooksTo(record.port);
      return child;
    };
    const { inbox, outbox } = await place.state();
    /** All that was written has its reply. */
    const untilDone = () =>
      expect
        .poll(
          async () => {
            const { received, queued, running, answered, failed, dropped } = await inbox.counts();
            const { waiting, sending } = await outbox.counts();
            const taken = received + queued + running + answered + failed + dropped;
            return { taken, open: received + queued + running, unsent: waiting + sending };
          },
          { timeout: 300_000, interval: 100 },
        )
        .toEqual({ taken: written.length, open: 0, unsent: 0 });
    let gateway = await start();
    let host: number | undefined;
    // Nobody can ask Discord later who wrote before the first connection, or which people have chats with the bot.
    await networks.discord.gateway.connected();
    for (const network of NETWORKS) for (const person of [0, 1, 2]) write(network, person);
    const talking = [keepUp()];
    await untilDone();
    talking.push(talk());
    for (let kill = countKills({ gate: 2, torture: 20 }); kill > 0; kill--) {
      host = await untilHostIsUp(place.stateDir, host);
      // Before channels are open, while they catch up, while replies are sent.
      await sleep(chance() * 1500);
      // Discord forgets a connection that was away for long.
      if (chance() < 0.2) networks.discord.gateway.forgetSessions();
      const which = chance();
      if (which > 0.3) process.kill(host, 'SIGKILL');
      if (which > 0.6) continue;
      gateway.kill('SIGKILL');
      await once(gateway, 'exit');
      gateway = await start();
    }
    await untilHostIsUp(place.stateDir, host);
    isOver = true;
    await Promise.all(talking);

    await untilDone();
    // What WhatsApp tells of the last ones.
    await networks.keepUp();

    const { turnsOf, runsOf } = readTurns(place.stateDir);
    const turnIds = written.map(({ id }) => [...(turnsOf.get(id) ?? [])]);
    expect(
      written.filter((_, at) => turnIds[at]!.length !== 1),
      'messages without exactly one turn',
    ).toEqual([]);
    const letters = (await Promise.all(turnIds.flat().map((turnId) => outbox.ofTurn(turnId)))).flat();
    const answered = new Set(letters.map(({ turnId }) => turnId));
    expect(
      turnIds.flat().filter((turnId) => !answered.has(turnId)),
      'turns without a reply',
    ).toEqual([]);
    // A run that is cut off eight times is given up, as when each one ends its process.
    expect(
      letters.filter(({ key, turnId = '' }) => key.endsWith(':failed') && (runsOf.get(turnId) ?? 0) < 8),
      'turns that were given up too soon',
    ).toEqual([]);
    expect(letters.filter(({ state }) => state !== 'sent')).toEqual([]);
    const repeats = checkShown(letters, networks.shown);
    console.log(`${written.length} messages, ${letters.length} replies, ${JSON.stringify(repeats)}`);
    checkOrder(networks.shown);
  },
);

/** Each letter is there; twice only with a mark, and on a network that cannot tell. Returns how many are. */
function checkShown(letters: readonly OutboxMessage[], shown: readonly Shown[]): Record<string, number> {
  const nameOf = (network: string, to: string, text: string) => JSON.stringify([network, to, text.trim()]);
  const wanted = Map.groupBy(letters, ({ target, payload }) =>
    nameOf(target.channel, target.to, payload.text ?? ''),
  );
  const found = Map.groupBy(shown, ({ network, to, text }) =>
    nameOf(network, to, text.startsWith(MARK) ? text.slice(MARK.length) : text),
  );
  const wrong: string[] = [];
  const repeats: Record<string, number> = {};
  for (const [name, all] of found)
    if (!wanted.has(name)) wrong.push(`${all.length} times, for nobody: ${name}`);
  for (const [name, same] of wanted) {
    const all = found.get(name) ?? [];
    const marked = all.filter(({ text }) => text.startsWith(MARK)).length;
    const { channel } = same[0]!.target;
    repeats[channel] = (repeats[channel] ?? 0) + all.length - same.length;
    if (all.length < same.length) wrong.push(`${all.length} of ${same.length}: ${name}`);
    if (all.length - marked > same.length) wrong.push(`doubled without a mark: ${name}`);
    const mostMarked = same.reduce((sum, { mayBeRepeat, tries }) => sum + (mayBeRepeat ? tries - 1 : 0), 0);
    if (marked > mostMarked) wrong.push(`marked in vain: ${name}`);
    if (channel === 'discord' && (marked > 0 || all.length > same.length)) wrong.push(`doubled: ${name}`);
  }
  expect(wrong).toEqual([]);
  return repeats;
}

/** WhatsApp itself does not keep it. */
function checkOrder(shown: readonly Shown[]): void {
  const inOrder = shown.filter(({ network }) => network !== 'whatsapp');
  for (const [to, all] of Map.groupBy(inOrder, ({ to }) => to)) {
    const numbers = all.flatMap(({ text }) => {
      const [, number] = /\bm(\d+)\b/.exec(text) ?? [];
      return number === undefined ? [] : [Number(number)];
    });
    const firsts = [...new Set(numbers)];
    expect(firsts, to).toEqual(firsts.toSorted((a, b) => a - b));
  }
}

/** Resolves with the process that runs agents and channels, when there is another one than before. */
async function untilHostIsUp(stateDir: string, former: number | undefined): Promise<number> {
  for (;;) {
    try {
      const note = JSON.parse(readFileSync(join(stateDir, 'agent-host.json'), 'utf8'));
      if (note.pid !== former && isHolderAlive(note) === 'alive') return note.pid;
    } catch {
      // It is not written yet.
    }
    await sleep(20);
  }
}
