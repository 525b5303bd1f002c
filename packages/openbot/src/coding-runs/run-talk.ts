import type { RunEvent, RunOutcome } from '@openbot/claude-code';
import { formatCount } from '@openbot/sessions/terminal-text';
import type { RunRecord } from './contract.ts';

/** Decides what of a run a person is told: when it waits, its answers, how it ended, and now and then that it works. */
export class RunTalk {
  readonly #run: RunRecord;
  readonly #progressMs: number;
  readonly #now: () => number;
  #toldAt: number;
  #calls = 0;
  #lastAnswer = '';

  constructor(run: RunRecord, { progressMs, now }: { readonly progressMs: number; now(): number }) {
    this.#run = run;
    this.#progressMs = progressMs;
    this.#now = now;
    this.#toldAt = now();
  }

  /** Undefined for what is not worth a message. */
  describe(event: RunEvent): string | undefined {
    const text = this.#describe(event);
    if (text !== undefined) this.#toldAt = this.#now();
    return text;
  }

  #describe(event: RunEvent): string | undefined {
    switch (event.type) {
      case 'queued':
        return this.#name(`waits, because another run works in ${this.#run.repoPath}.`);
      case 'fallback':
        return this.#name(`starts afresh: ${event.reason}`);
      case 'tool':
        this.#calls++;
        return this.#describeProgress(event.name);
      case 'turn-ended':
        this.#lastAnswer = event.text;
        this.#calls = 0;
        return this.#name(
          `${event.isError ? 'failed' : 'answers'}:\n${event.text}\n($${event.costUsd.toFixed(2)})`,
        );
      case 'ended':
        return this.#describeEnd(event.outcome);
      default:
        return undefined;
    }
  }

  #describeProgress(tool: string): string | undefined {
    if (this.#progressMs === 0 || this.#now() - this.#toldAt < this.#progressMs) return undefined;
    return this.#name(`is at work: ${formatCount(this.#calls)} tool calls, now ${tool}.`);
  }

  #describeEnd({ result, ending, failure, unsent }: RunOutcome): string | undefined {
    const left =
      unsent.length === 0 ? '' : ` Not sent to it: ${unsent.map((text) => JSON.stringify(text)).join(', ')}.`;
    if (result === 'success') return left === '' ? undefined : this.#name(`has ended.${left}`);
    // A turn that failed was told, and it ended the run.
    if (failure !== undefined && failure === this.#lastAnswer && left === '') return undefined;
    const why = failure ?? (ending === 'aborted' ? 'it was aborted' : 'it gave no reason');
    return this.#name(`has ended: ${why}.${left}`);
  }

  #name(text: string): string {
    const { id, label } = this.#run;
    return `Coding run ${id}${label === undefined ? '' : ` (${label})`} ${text}`;
  }
}
