import type { SendFailure, SendFailureReason } from '../contract.ts';
import { type NetworkAnswer, readRetryAfter } from '../http/call-network.ts';
import { parseObject, readLine, readObject } from '../http/hostile-json.ts';
import { sendFailure } from '../send-failure.ts';

interface Rule {
  readonly reason: SendFailureReason;
  /** Absent: for good. */
  readonly retryAfterMs?: number;
  /** The account is at fault, and only its owner can mend it. What is to be sent waits meanwhile. */
  readonly isOfAccount?: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LATER: Rule = { reason: 'other', retryAfterMs: 0 };
const ACCOUNT: Rule = { reason: 'forbidden', retryAfterMs: 5 * MINUTE, isOfAccount: true };

/** By the code of an error. A code that is not listed is judged by the status of the answer. */
const RULES: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  // Too many: of the app, of the number, at once, to one person, reported as spam.
  [4, { reason: 'busy', retryAfterMs: MINUTE }],
  [80007, { reason: 'busy', retryAfterMs: MINUTE }],
  [130429, { reason: 'busy', retryAfterMs: 5 * SECOND }],
  [131056, { reason: 'busy', retryAfterMs: 7 * SECOND }],
  [131048, { reason: 'busy', retryAfterMs: 15 * MINUTE }],
  // Trouble at WhatsApp.
  [1, LATER],
  [2, LATER],
  [131000, LATER],
  [131016, { reason: 'busy', retryAfterMs: 5 * SECOND }],
  [133004, { reason: 'busy', retryAfterMs: MINUTE }],
  // The token, its rights, the payment, a block by a policy.
  [0, ACCOUNT],
  [3, ACCOUNT],
  [10, ACCOUNT],
  [190, ACCOUNT],
  [200, ACCOUNT],
  [368, ACCOUNT],
  [131005, ACCOUNT],
  [131031, ACCOUNT],
  [131042, ACCOUNT],
  [133010, ACCOUNT],
  // The person.
  [131026, { reason: 'gone' }],
  [131062, { reason: 'gone' }],
  [131021, { reason: 'gone' }],
  [131030, { reason: 'forbidden' }],
  [131049, { reason: 'forbidden' }],
  [131047, { reason: 'window closed' }],
  [100, { reason: 'other' }],
]);

const BLOCKED = 'Meta has blocked the account: the WhatsApp Manager says why, and how to ask for a review';

/** What people read beside the words of WhatsApp. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [
    131047,
    'WhatsApp lets a business write freely only within 24 hours of the last message of the person. Until they write again, only an approved template may be sent (channels.whatsapp.template)',
  ],
  [131030, 'A test number writes only to the numbers that are listed in the app dashboard'],
  [190, 'The access token is not valid any more: set channels.whatsapp.accessToken anew'],
  [368, BLOCKED],
  [131031, BLOCKED],
]);

export type ApiFailure = SendFailure & { readonly apiCode: number; readonly isOfAccount: boolean };

export function isApiFailure(error: unknown): error is ApiFailure {
  return readObject(error)?.apiCode !== undefined;
}

/** An error that WhatsApp answered: the message was not taken. */
export function readApiFailure(answer: NetworkAnswer, now: number): SendFailure {
  const error = readObject(parseObject(answer.text)?.error);
  const { status, headers } = answer;
  if (error === undefined) return readForeignFailure(answer, now);
  const code = Number(error.code);
  const rule = RULES.get(code) ?? judgeStatus(status, error.is_transient === true);
  const retryAfterMs = readRetryAfter(headers, now) ?? readRegainTime(headers) ?? rule.retryAfterMs;
  const failure = sendFailure(describeApiError(error), {
    isPermanent: rule.retryAfterMs === undefined,
    mayHaveArrived: false,
    ...(rule.retryAfterMs !== undefined && { retryAfterMs }),
    reason: rule.reason,
  });
  return Object.assign(failure, { apiCode: code, isOfAccount: rule.isOfAccount === true });
}

/** One sentence for people of an error, also of one that comes later in a status. */
export function describeApiError(error: Readonly<Record<string, unknown>>): string {
  const code = Number(error.code);
  const details = readLine(readObject(error.error_data)?.details);
  const words = details ?? readLine(error.message) ?? readLine(error.title) ?? 'no reason given';
  const advice = ADVICE.get(code);
  return `WhatsApp refused it (${Number.isFinite(code) ? code : 'no code'}): ${words}${advice ? `. ${advice}` : ''}`;
}

/** How long to wait after an error that came in a status; undefined for one that is for good. */
export function readRetryDelay(error: Readonly<Record<string, unknown>>): number | undefined {
  return RULES.get(Number(error.code))?.retryAfterMs;
}

function judgeStatus(status: number, isTransient: boolean): Rule {
  if (isTransient || status >= 500 || status === 408) return LATER;
  if (status === 429) return { reason: 'busy', retryAfterMs: MINUTE };
  return { reason: status === 401 || status === 403 ? 'forbidden' : 'other' };
}

/** Not an answer of the API itself: a proxy, a page. After a gateway error nothing is known. */
function readForeignFailure({ status, headers }: NetworkAnswer, now: number): SendFailure {
  const { reason, retryAfterMs } = judgeStatus(status, false);
  const isPermanent = retryAfterMs === undefined;
  return sendFailure(`WhatsApp answered ${status} without an error that can be read`, {
    isPermanent,
    mayHaveArrived: !isPermanent && status !== 429,
    ...(!isPermanent && { retryAfterMs: readRetryAfter(headers, now) ?? retryAfterMs }),
    reason,
  });
}

/** Minutes until calls are allowed again, of the most used of the limits. */
function readRegainTime(headers: Headers): number | undefined {
  const usage = parseObject(headers.get('x-business-use-case-usage') ?? '');
  const minutes = Object.values(usage ?? {})
    .flat()
    .map((use) => Number(readObject(use)?.estimated_time_to_regain_access))
    .filter((value) => value > 0 && value <= 24 * 60);
  return minutes.length === 0 ? undefined : Math.max(...minutes) * MINUTE;
}
