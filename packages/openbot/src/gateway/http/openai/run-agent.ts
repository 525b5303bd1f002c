import { randomUUID } from 'node:crypto';
import { type ApiCall, apiFault, callMethod } from './api-call.ts';
import type { Content } from './read-content.ts';

export interface AgentAnswer {
  readonly text: string;
  readonly usage: { readonly input: number; readonly output: number };
}

interface AgentRun {
  readonly sessionKey: string;
  readonly message: Content;
  /** Called with each part as the model says it. Together they are the text of the answer. */
  onPart?(part: string): void;
}

/**
 * Runs a turn of the agent by the method `agent`, so that rights, queue and transcript are those of any other message. A
 * client that goes away ends its run. Throws a fault of the API.
 */
export async function runAgent(
  call: ApiCall,
  { sessionKey, message, onPart }: AgentRun,
): Promise<AgentAnswer> {
  const { context, exchange } = call;
  const runId = randomUUID();
  const gone = new AbortController();
  let isDone = false;
  const abort = () => void callMethod(call, 'chat.abort', { sessionKey, runId }).catch(() => {});
  exchange.response.on('close', () => {
    if (isDone) return;
    gone.abort();
    abort();
  });
  if (exchange.response.destroyed) throw apiFault(400, 'the client went away');
  const parts = new SpokenParts();
  const stopListening =
    onPart &&
    context.connections.listen(({ event, payload }) => {
      const said = payload as ChatPayload;
      if (event !== 'chat' || said.runId !== runId || said.state !== 'delta') return;
      const part = parts.add(textOf(said));
      if (part !== '') onPart(part);
    });
  try {
    // A run that was not known yet could not be ended.
    const onAccepted = () => gone.signal.aborted && abort();
    const { text, attachments } = message;
    const params = {
      message: text,
      ...(attachments.length > 0 && { attachments }),
      sessionKey,
      idempotencyKey: runId,
      deliver: false,
    };
    const answer = readAnswer(
      await callMethod(call, 'agent', params, { signal: gone.signal, respondFirst: onAccepted }),
    );
    const rest = parts.finish(answer.text);
    if (rest !== '') onPart?.(rest);
    return { ...answer, text: onPart === undefined ? answer.text : parts.text };
  } finally {
    isDone = true;
    stopListening?.();
  }
}

interface ChatPayload {
  readonly runId?: string;
  readonly state?: string;
  readonly deltaText?: string;
  readonly message?: { readonly content?: readonly { readonly type?: string; readonly text?: string }[] };
}

function textOf({ message }: ChatPayload): string {
  return (message?.content ?? []).map(({ text = '' }) => text).join('');
}

/** What was said is said: a text that does not go on from the former one is a new paragraph. */
class SpokenParts {
  #before = '';
  #present = '';

  get text(): string {
    return this.#before + this.#present;
  }

  /** @param whole what the model has said up to now. Returns what is new. */
  add(whole: string): string {
    if (whole.startsWith(this.#present)) {
      const part = whole.slice(this.#present.length);
      this.#present = whole;
      return part;
    }
    if (this.#present.startsWith(whole)) return '';
    this.#before = `${this.text}\n\n`;
    this.#present = whole;
    return `\n\n${whole}`;
  }

  finish(answer: string): string {
    const isSaid = this.text.trim().endsWith(answer.trim());
    return isSaid ? '' : this.add(answer);
  }
}

interface AgentPayload {
  readonly status?: string;
  readonly summary?: string;
  readonly result?: {
    readonly payloads?: readonly { readonly text?: string; readonly mediaUrl?: string | null }[];
    readonly meta?: { readonly agentMeta?: { readonly usage?: Readonly<Record<string, unknown>> } };
  };
}

function readAnswer(payload: AgentPayload): AgentAnswer {
  const { status, summary, result } = payload;
  if (status !== 'ok') throw apiFault(500, summary ?? `the run ended with ${status}`, { type: 'api_error' });
  const texts = (result?.payloads ?? []).map(({ text, mediaUrl }) => text || mediaUrl || '').filter(Boolean);
  const usage = result?.meta?.agentMeta?.usage ?? {};
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  const input = count('input') + count('cacheRead') + count('cacheWrite');
  return { text: texts.join('\n\n'), usage: { input, output: count('output') } };
}
