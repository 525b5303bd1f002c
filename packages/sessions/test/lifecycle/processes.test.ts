import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HUNT, tries } from '../../../../test/setup/hunt.ts';
import { type Child, startChild } from '../setup/child.ts';
import { readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const ACT = new URL('./children/act.ts', import.meta.url);

/** Starts them all, and lets them go at once. Resolves to what each printed. */
async function actTogether(acts: [what: string, name: string, count: number][]): Promise<unknown[][]> {
  const children: Child[] = acts.map(([what, name, count]) =>
    startChild(ACT, [agent.storePath, what, name, String(count)]),
  );
  await Promise.all(children.map((child) => child.printed('ready')));
  for (const child of children) child.process.stdin!.write('go\n');
  const codes = await Promise.all(children.map((child) => child.ended));
  expect(codes).toEqual(acts.map(() => 0));
  return children.map((child) =>
    child
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line)),
  );
}

type Init = { sessionId: string; isNewSession: boolean; previous?: string };
type Mirror = { text: string; ok: boolean; reason?: string };

it('processes that get the first message of a session at once agree on it', HUNT, async () => {
  const length = Math.max(4, tries({ gate: 4, torture: 8 }));
  const acts = Array.from({ length }, (_, i): [string, string, number] => ['init', `p${i}`, 1]);
  const results = (await actTogether(acts)).flat() as Init[];
  expect(results).toHaveLength(length);
  expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(results.filter(({ isNewSession }) => isNewSession)).toHaveLength(1);
  expect(agent.entry().sessionId).toBe(results[0]!.sessionId);
});

it('resets and deliveries at the same time: every line is in a transcript or its archive', async () => {
  await actTogether([['init', 'first', 1]]);
  const [mirroredA, mirroredB, resetA, resetB] = (await actTogether([
    ['mirror', 'a', 25],
    ['mirror', 'b', 25],
    ['new', 'x', 12],
    ['new', 'y', 12],
  ])) as [Mirror[], Mirror[], Init[], Init[]];

  const resets = [...resetA, ...resetB];
  expect(resets.every(({ isNewSession }) => isNewSession)).toBe(true);
  // Each reset ended another session: none was lost to a reset that ran beside it.
  expect(new Set(resets.map(({ previous }) => previous)).size).toBe(24);
  expect(new Set(resets.map(({ sessionId }) => sessionId)).size).toBe(24);

  const sent = [...mirroredA, ...mirroredB];
  expect(sent.filter(({ ok }) => !ok)).toEqual([]);
  const files = readdirSync(agent.folder).filter((name) => name.includes('.jsonl'));
  const found = files.flatMap((name) => readWithPi(agent.path(name)));
  expect(found.sort()).toEqual(sent.map(({ text }) => `assistant: ${text}`).sort());

  const current = agent.entry();
  expect(current).not.toHaveProperty('pendingArchives');
  expect(files.filter((name) => name.endsWith('.jsonl'))).toEqual(
    files.includes(`${current.sessionId}.jsonl`) ? [`${current.sessionId}.jsonl`] : [],
  );
  expect(agent.files().filter((name) => /\.(?:lock|tmp|claim|claimed)$/.test(name))).toEqual([]);
});
