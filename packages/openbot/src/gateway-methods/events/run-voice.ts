import type { EventHub } from '../../gateway-protocol/gateway-event.ts';
import type { GatewayRun, RunEnding } from '../runs/contract.ts';
import { assistantText, textOfPayloads } from './assistant-text.ts';

/** `chat` and `agent` events of one run. `seq` counts those of the stream `agent`; `chat` has the number of the last one. */
export class RunVoice {
  readonly #hub: EventHub;
  readonly #now: () => number;
  readonly run: GatewayRun;
  #seq = 0;
  /** What was told of the text. */
  #told = '';
  #isReplaced = false;
  #outputTokens = 0;

  constructor(run: GatewayRun, { hub, now }: { readonly hub: EventHub; now(): number }) {
    this.run = run;
    this.#hub = hub;
    this.#now = now;
  }

  status(phase: string): void {
    this.agent('run_status', { phase });
    this.#chat({ state: 'status', phase });
  }

  /** The next text begins anew. */
  replace(): void {
    this.#isReplaced = this.#told !== '';
  }

  /** What was said since the last time: of the run in `chat`, of its last message in `agent`. */
  text(text: string, messageStart: number): void {
    if (text === this.#told && !this.#isReplaced) return;
    const isReplaced = this.#isReplaced || !text.startsWith(this.#told);
    const known = isReplaced ? 0 : this.#told.length;
    const replace = isReplaced ? { replace: true } : {};
    this.#told = text;
    this.#isReplaced = false;
    const said = { text: text.slice(messageStart), delta: text.slice(Math.max(known, messageStart)) };
    this.agent('assistant', { ...said, ...replace }, { isDroppable: true });
    const message = assistantText(text, this.#now());
    const delta = { deltaText: text.slice(known), ...replace, message };
    this.#chat({ state: 'delta', ...delta }, { isDroppable: true });
  }

  usage(outputTokens: number): void {
    this.#outputTokens += outputTokens;
    this.agent('usage', { outputTokens: this.#outputTokens });
  }

  end({ report, endedAt }: RunEnding, isAnswered: boolean): void {
    const { startedAt = this.run.acceptedAt } = this.run;
    const times = { startedAt, endedAt };
    const { outcome, error, abortedBy } = report;
    if (outcome === 'aborted') {
      const stopReason = STOP_REASONS[abortedBy ?? 'person'];
      this.agent('lifecycle', { phase: 'end', status: 'cancelled', aborted: true, stopReason, ...times });
      const message = this.#told === '' ? {} : { message: assistantText(this.#told, this.#now()) };
      this.#chat({ state: 'aborted', stopReason, ...message });
    } else if (outcome === 'failed') {
      const errorMessage = error?.message ?? 'The run failed';
      this.agent('lifecycle', { phase: 'error', error: errorMessage, aborted: false, ...times });
      this.#chat({ state: 'error', errorMessage });
    } else {
      this.agent('lifecycle', { phase: 'end', stopReason: 'stop', aborted: false, ...times });
      const text = isAnswered ? textOfPayloads(report.payloads) : '';
      const message = text === '' ? {} : { message: assistantText(text, this.#now()) };
      this.#chat({ state: 'final', stopReason: 'stop', ...message });
    }
  }

  /** The gateway ends before the run does. */
  cutOff(): void {
    const message = this.#told === '' ? {} : { message: assistantText(this.#told, this.#now()) };
    this.#chat({ state: 'aborted', stopReason: 'restart', ...message });
  }

  agent(
    stream: string,
    data: Readonly<Record<string, unknown>>,
    how: { readonly cap?: string; readonly isDroppable?: boolean } = {},
  ): void {
    const { runId, agentId, sessionKey, sessionId } = this.run;
    this.#seq++;
    const payload = { runId, stream, data, sessionKey, sessionId, agentId, seq: this.#seq, ts: this.#now() };
    this.#hub.publish({ event: 'agent', payload, agentId, ...how });
  }

  #chat(fields: Readonly<Record<string, unknown>>, how: { readonly isDroppable?: boolean } = {}): void {
    const { runId, agentId, sessionKey } = this.run;
    const payload = { runId, sessionKey, agentId, seq: this.#seq, ...fields };
    this.#hub.publish({ event: 'chat', payload, agentId, ...how });
  }
}

/** In OpenClaw's words where it has one. */
export const STOP_REASONS = {
  person: 'rpc',
  interrupt: 'interrupt',
  timeout: 'timeout',
  shutdown: 'restart',
} as const;
