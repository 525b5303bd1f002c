import {
  drawBar,
  formatAge,
  formatPercent,
  formatQuantity,
  formatUsd,
  oneLine,
  roundCount,
} from '@openbot/sessions/terminal-text';
import { addressOf } from '../session-address.ts';
import { isSet } from '../session-settings/change-settings.ts';
import { SESSION_SETTINGS } from '../session-settings/table.ts';
import type { CommandScope } from './contract.ts';

const BAR = 10;

/** How the session is: what a person asks before they go on, clean or reset. */
export async function answerStatus(scope: CommandScope): Promise<string> {
  const { session, entry, model } = scope;
  const label = entry?.label === undefined ? '' : ` (${entry.label})`;
  const set = SESSION_SETTINGS.filter(
    (setting) => setting.name !== 'model' && setting.name !== 'label' && isSet(setting, entry),
  );
  return [
    `Session: ${session.sessionKey}${label}`,
    `Model: ${model.provider}/${model.model}${entry?.modelOverride === undefined ? '' : ', set for this session'}`,
    await describeContext(scope),
    `Cost: ${await describeCost(scope)}`,
    await describeQueue(scope),
    `Last clean: ${describeClean(scope)}`,
    ...(entry?.droppedThinking === undefined
      ? []
      : [
          `Thinking: ${formatQuantity(entry.droppedThinking.blocks, 'block')} left out by the provider, last ${formatAge(entry.droppedThinking.at, scope.now())}`,
        ]),
    ...(set.length === 0
      ? []
      : [`Set: ${set.map((setting) => `${setting.name} ${setting.show(scope)}`).join(', ')}`]),
  ]
    .map(oneLine)
    .join('\n');
}

async function describeContext({ transcript, transcripts, model, entry }: CommandScope): Promise<string> {
  const tokens = transcript === undefined ? 0 : await transcripts.measureContext(transcript);
  const compactions = entry?.compactionCount ?? 0;
  const compacted = compactions === 0 ? '' : `, ${formatQuantity(compactions, 'compaction')}`;
  const window = model.contextWindow ?? entry?.contextTokens;
  if (window === undefined) return `Context: ${roundCount(tokens)} tokens${compacted}`;
  const bar = `${drawBar(tokens, window, BAR)}`.padEnd(BAR, '░');
  return `Context: ${bar} ${formatPercent(tokens, window)}, ${roundCount(tokens)} of ${roundCount(window)} tokens${compacted}`;
}

/** What the providers' prices made of the messages of the session, as far as the transcript has them. */
async function describeCost({ transcript, transcripts, entry }: CommandScope): Promise<string> {
  let total: number | undefined;
  if (transcript !== undefined) {
    const { entries } = await transcripts.lookBack(transcript);
    for await (const { message } of entries) {
      const { cost } = (message?.usage ?? {}) as { cost?: { total?: unknown } };
      if (typeof cost?.total === 'number') total = (total ?? 0) + cost.total;
    }
  }
  const usd = total ?? entry?.estimatedCostUsd;
  return usd === undefined ? 'not known' : `${formatUsd(usd)} in this session`;
}

async function describeQueue(scope: CommandScope): Promise<string> {
  const { session, message, inbox, runLock, now, isWaiting } = scope;
  const mode = SESSION_SETTINGS.find(({ name }) => name === 'queue')!.show(scope);
  const others = (await inbox.waiting(session)).filter(({ seq }) => seq !== message.seq);
  const count = others.filter((other) => other.state !== 'running' && isWaiting(other)).length;
  const running = others.some((other) => other.state === 'running' && isWaiting(other));
  const holder = running ? await runLock.holder(addressOf(session)) : undefined;
  const since = holder?.since === undefined ? '' : `, ${formatAge(holder.since, now())}`;
  return `Queue: ${mode.split(' ')[0]}, ${count === 0 ? 'nothing waits' : `${formatQuantity(count, 'message')} wait`}${count === 1 ? 's' : ''}, ${running ? `a run is under way${since}` : 'no run'}`;
}

function describeClean({ entry, now }: CommandScope): string {
  const clean = entry?.lastClean;
  if (clean === undefined) return 'none in this session';
  return `${formatAge(clean.at, now())}, saved about ${roundCount(clean.savedTokens)} tokens`;
}
