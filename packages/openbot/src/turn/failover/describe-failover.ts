import type { StoredEntry } from '@openbot/sessions';
import { redactSecrets } from '@openbot/sessions';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import { MODEL_FAILURES, type ModelFailure, type Outage } from '../../runners/contract.ts';

const REASONS: Readonly<Record<ModelFailure, string>> = {
  overloaded: 'is overloaded',
  'rate-limited': 'has reached its rate limit',
  unauthorised: 'has no valid key',
  exhausted: 'has no credit left',
  unreachable: 'cannot be reached',
};

const LASTING: readonly string[] = ['unauthorised', 'exhausted'] satisfies ModelFailure[];

/** A model that did not answer. */
export interface FailedModel {
  /** `provider/model` */
  readonly name: string;
  /** Absent for an error that another model might not mend. */
  readonly failure?: string;
  readonly error?: string;
  /** ms, when it is tried again. */
  readonly until?: number;
}

/** `is overloaded` */
export function describeFailure(failure: string | undefined): string {
  const known = MODEL_FAILURES.find((one) => one === failure);
  return known === undefined ? 'failed' : REASONS[known];
}

/** What happened to each model, in one sentence, and what a person can do. */
export function describeAllFailed(
  failed: readonly FailedModel[],
  now: number,
): { readonly error: string; readonly hint: string; readonly isTransient: boolean } {
  const reasons = failed.map(({ name, failure, error }) => {
    const detail = error === undefined ? '' : ` (${plain(error)})`;
    return `${name} ${describeFailure(failure)}${detail}`;
  });
  const passing = failed.filter(isPassing);
  const isTransient = passing.length > 0;
  const mend = failed.some(({ failure }) => failure !== undefined && LASTING.includes(failure))
    ? 'Set a valid key or add credit, or choose another model with /new <model>.'
    : 'Choose another model with /new <model>, or look at the configuration.';
  const soonest = Math.min(...passing.map(({ until = now }) => until));
  const hint = isTransient
    ? `Your message is kept in the conversation; send another one to try again${describeWait(soonest - now)}.`
    : mend;
  return { error: `No model answered: ${reasons.join('; ')}.`, hint, isTransient };
}

function isPassing({ failure }: FailedModel): boolean {
  return failure !== undefined && !LASTING.includes(failure);
}

/** Undefined where waiting helps with none of them. */
export function findOutage(failed: readonly FailedModel[]): Outage | undefined {
  const models = failed.filter(isPassing).map(({ name }) => name);
  const summary = failed.map(({ name, failure }) => `${name} ${describeFailure(failure)}`).join('; ');
  return models.length === 0 ? undefined : { models, summary };
}

function describeWait(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 0) return '';
  return minutes === 1 ? ' in a minute' : ` in ${minutes} minutes`;
}

const MAX_DETAIL = 120;

function plain(error: string): string {
  return shorten(oneLine(redactSecrets(error.slice(0, 8 * MAX_DETAIL))), MAX_DETAIL).replace(/\.$/, '');
}

/** What the entry keeps so that a person is told once; null when nothing is to be remembered any more. */
export type FallbackNotice = {
  readonly selected: string;
  readonly active: string;
  readonly reason: string;
} | null;

/** The line under an answer when another model has begun or ceased to answer; undefined where nothing changed. */
export function noticeOfChange(
  entry: Pick<StoredEntry, 'fallbackNoticeSelectedModel' | 'fallbackNoticeActiveModel'>,
  run: { readonly wanted: string; readonly answered: string; readonly failure: string | undefined },
): { readonly text?: string; readonly notice: FallbackNotice } | undefined {
  const { fallbackNoticeSelectedModel: selected, fallbackNoticeActiveModel: active } = entry;
  const { wanted, answered, failure = 'failed' } = run;
  if (wanted === answered) {
    if (selected === undefined && active === undefined) return undefined;
    // A person who chose another model meanwhile knows which one answers.
    return { notice: null, ...(selected === wanted && { text: `↩️ ${wanted} answers again.` }) };
  }
  if (selected === wanted && active === answered) return undefined;
  const text = `↪️ ${wanted} ${describeFailure(failure)}. ${answered} answers instead.`;
  return { text, notice: { selected: wanted, active: answered, reason: failure } };
}
