/**
 * How much of each request a provider has seen before, in ten turns in which the agent writes its memory, a skill is
 * added, midnight passes and a setting changes. Newer Claude models refuse earlier thinking behind a changed beginning.
 */
import {
  BOUND_MODELS,
  type BoundModel,
  BoundTalk,
  playTenTurns,
} from '../packages/openbot/test/bot/bound-talk.ts';
import { findClaudeBinary } from '../test/imitations/claude-binary.ts';
import { endTest } from '../test/setup/cleaning.ts';
import type { BenchRow } from './measure.ts';

export default async function bench(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const model of BOUND_MODELS) {
    if (model === 'claude' && 'missing' in findClaudeBinary()) continue;
    rows.push(await measure(model).finally(endTest));
  }
  return rows;
}

async function measure(model: BoundModel): Promise<BenchRow> {
  const talk = await BoundTalk.open(model);
  await playTenTurns(talk);
  await talk.close();
  const { requests, refused, dropped, common, cached, failed } = talk.measure();
  const mean = common.reduce((total, one) => total + one, 0) / common.length;
  return {
    name: `what the next request begins with, of ten turns of ${model}`,
    ours: `${mean.toFixed(3)} of a request`,
    peer: 'all of it',
    ratio: mean,
    limit: 1,
    better: 'higher',
    details: `${requests} requests, ${refused} refused, ${dropped} times thinking was left out, ${failed.length} turns failed; ${(cached * 100).toFixed(1)} % of what was sent is in a cache`,
  };
}
