import { CODING_CHANNEL } from '../coding-runs/contract.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { OutboundMessage } from '../outbox/contract.ts';
import type { TurnOutcome, WaitingTurn } from '../queue/contract.ts';
import { LOCAL_CHANNEL, putReplies, requesterOf, SESSIONS_CHANNEL, WEB_CHANNEL } from '../turn/deliver.ts';
import { HEARTBEAT_CHANNEL } from '../turn/heartbeat/heartbeat-message.ts';
import type { TurnTools } from '../turn/turn-tools.ts';

const HOUR_MS = 3_600_000;
const HOLD_HOURS = 12;

/** Their senders wait for the end of a run, or want no answer that comes late. */
const IMPATIENT: ReadonlySet<string> = new Set([
  LOCAL_CHANNEL,
  WEB_CHANNEL,
  SESSIONS_CHANNEL,
  HEARTBEAT_CHANNEL,
  CODING_CHANNEL,
]);

/** How long a message may wait for a model that cannot be reached. ms */
export function patienceOf(config: BotConfig, { identity, wish }: InboxMessage): number {
  // No caller waits for what a session is told about the end of its task.
  const isPatient = !IMPATIENT.has(identity.channel) || wish?.relay?.kind === 'announce';
  return isPatient ? (config.messages?.queue?.holdHours ?? HOLD_HOURS) * HOUR_MS : 0;
}

/**
 * Says when a model cannot be reached, and when it answers again: once each, however many sessions wait for it. Each run
 * goes through what it returns.
 */
export function followOutages(
  report: (message: string) => void,
): (run: () => Promise<TurnOutcome>) => Promise<TurnOutcome> {
  const gone = new Set<string>();
  /** Of all models; of each one, how many there were with its latest. */
  let answers = 0;
  const latest = new Map<string, number>();
  return async (run) => {
    const before = answers;
    const outcome = await run();
    if (outcome.end === 'held') {
      const { models, summary } = outcome.outage;
      // A run may fail late: what has answered since it began is there again. If not, the next try says so.
      const news = models.filter((model) => !gone.has(model) && (latest.get(model) ?? 0) <= before);
      if (news.length > 0) report(`${summary}. Messages wait for it.`);
      for (const model of news) gone.add(model);
    } else if (outcome.end === 'answered' && outcome.by !== undefined) {
      latest.set(outcome.by, ++answers);
      if (gone.delete(outcome.by)) report(`${outcome.by} answers again.`);
    }
    return outcome;
  };
}

/** Tells the people of each conversation that their messages wait, once for each turn that they wait for. */
export async function tellOutage(
  tools: Pick<TurnTools, 'outbox' | 'config' | 'openStore' | 'now'>,
  { agentId, sessionKey, turnId, messages, outage, lock }: WaitingTurn,
): Promise<void> {
  const text = `⚠️ ${outage.summary}. Your message is kept, and so is what you write meanwhile: it is answered in order when that is over. /stop withdraws it.`;
  const notices = messages.flatMap((message): OutboundMessage[] => {
    const target = requesterOf(message);
    if (target.channel === SESSIONS_CHANNEL) return [];
    const key = `${turnId}:held:${message.seq}`;
    // No turn id: it is no reply of the turn.
    return [{ key, agentId, sessionKey, target, payload: { text, isError: true }, createdAt: tools.now() }];
  });
  const entry = await tools
    .openStore(agentId)
    .store.get(sessionKey)
    .catch(() => undefined);
  await putReplies(tools, { lock }, { entry, sessionKey }, notices);
}
