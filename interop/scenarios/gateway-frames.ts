/** One client, one script, two gateways: OpenClaw's and openbot's send the same frames, but for what is explained. */
import { deepEqual } from 'node:assert/strict';
import { findDifferences, nameFrame } from '../compare-frames.ts';
import { unexplained } from '../known-differences.ts';
import { startOpenbotGateway } from '../openbot-clients-gateway.ts';
import { TOKEN } from '../openclaw-home.ts';
import { type Recorded, recordScript } from '../recorded-script.ts';
import type { Scenario } from '../scene.ts';

/** In which order a client that shows a run must hear of it. The rest is told beside these, now before, now behind. */
const BACKBONE: readonly (readonly [step: string, ...names: string[]])[] = [
  [
    'chat.send with a tool',
    'answer to chat.send with a tool',
    'sessions.changed send',
    'session.message user',
    'agent lifecycle start',
    'agent tool start',
    'agent tool result',
    'agent lifecycle end',
    'chat final',
    'sessions.changed agent.input.settled',
  ],
  // OpenClaw may hold text back until a tool has run.
  ['chat.send with a tool', 'agent lifecycle start', 'chat delta', 'chat final'],
  ['chat.abort', 'sessions.changed send', 'agent lifecycle start', 'agent tool start', 'chat aborted'],
  ['an error', 'sessions.changed send', 'agent lifecycle start', 'agent lifecycle error', 'chat error'],
  ['agent', 'answer to agent, first', 'agent lifecycle start', 'agent lifecycle end', 'chat final'],
  ['agent', 'chat final', 'answer to agent'],
];

export const sameFrames: Scenario = {
  name: 'gateway of OpenClaw and of openbot: the same script, the same frames',
  provokes: /the provider rejected the request|aborted|HTTP 400|request schema/i,
  async run(scene) {
    const gateway = await startOpenbotGateway(scene.home);
    const ours = await recordScript(gateway.port, gateway.token).finally(() => gateway.stop());
    await scene.gateway.start();
    const theirs = await recordScript(scene.home.port, TOKEN);
    await scene.gateway.stop();
    for (const [step, ...names] of BACKBONE) {
      deepEqual(order(theirs, step, names), names, `OpenClaw's order of ${step}`);
      deepEqual(order(ours, step, names), names, `openbot's order of ${step}`);
    }
    deepEqual(
      unexplained(findDifferences(theirs, ours)),
      [],
      'differences that docs/gateway.md does not explain',
    );
  },
};

/** The wanted names in the order in which each was first heard. */
function order(recorded: readonly Recorded[], step: string, names: readonly string[]): string[] {
  const heard = recorded.filter((one) => one.step === step).map(nameFrame);
  return [...new Set(heard)].filter((name) => names.includes(name));
}
