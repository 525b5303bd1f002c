import { activePath } from '@openbot/sessions';
import { FLAG } from '@openbot/sessions/transcript';
import type { SessionLines } from '../storage/contract/rewriting.ts';

/** Thinking that the provider left out of requests, as answers record it. */
export interface DroppedThinking {
  /** Answers that record it. */
  readonly answers: number;
  /** Blocks that the newest of them records: each request leaves out the same ones again. */
  readonly blocks: number;
  /** Whether the newest answer of the session is one of them. */
  readonly isCurrent: boolean;
}

/** Undefined where no answer of the conversation records any. */
export function countDropped({ transcript, readLine }: SessionLines): DroppedThinking | undefined {
  if (!transcript.hasFlag(FLAG.boundModel)) return undefined;
  let answers = 0;
  let blocks = 0;
  let isCurrent = false;
  const seen = new Set<number>();
  for (const index of activePath(transcript).entries) {
    if (!transcript.has(index, FLAG.boundModel)) continue;
    const line = readLine(index);
    const dropped = line.includes(DROPPED) ? countBlocks(line) : 0;
    const message = transcript.messageOf(index);
    // Lines of one message say the same.
    const isSeen = message >= 0 && seen.has(message);
    isCurrent = dropped > 0 || isSeen;
    if (dropped === 0) continue;
    blocks = dropped;
    if (!isSeen) answers++;
    seen.add(message);
  }
  return answers === 0 ? undefined : { answers, blocks, isCurrent };
}

const DROPPED = 'thinking_dropped';

function countBlocks(line: string): number {
  const { message } = JSON.parse(line) as { message?: AnsweredMessage };
  const { diagnostics, input_transformations: own } = message ?? {};
  const told = Array.isArray(diagnostics) ? diagnostics : [];
  return [own, ...told.map((diagnostic) => diagnostic?.details?.transformations)]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((transformation: { type?: unknown } | null) => transformation?.type === DROPPED).length;
}

/** As the API says it in the answer itself, and as pi and OpenClaw write it beside the answer. */
interface AnsweredMessage {
  readonly input_transformations?: unknown;
  readonly diagnostics?: unknown;
}
