import type { CleanStrength, Transcripts } from '../transcripts/contract.ts';
import type { Run, RunEnd, RunEvent, Runner, RunRequest } from './contract.ts';

const STEPS = ['default', 'hard', 'compact'] as const satisfies readonly (CleanStrength | 'compact')[];

/**
 * A runner that goes on when a conversation does not fit into the model's window: old tool calls are cleaned away, then more of
 * them, then old messages are replaced by a summary; after each step that made the conversation smaller the run is tried
 * again. When nothing helps, the end says what a person can do. The session is never reset by itself.
 */
export function recoverFromOverflow(runner: Runner, transcripts: Pick<Transcripts, 'clean'>): Runner {
  return {
    name: runner.name,
    describeModel: (provider, model) => runner.describeModel(provider, model),
    ...(runner.ownSettings && { ownSettings: (agentId: string) => runner.ownSettings!(agentId) }),
    compact: (request) => runner.compact(request),
    start: (request) => {
      let current: Run | undefined;
      const start = (changed?: Partial<RunRequest>) => {
        current = runner.start({ ...request, ...changed });
        return current.events;
      };
      return {
        events: recover(start, runner, request, transcripts),
        // Between two tries no run can read it.
        steer: (message) => current?.steer(message) ?? false,
      };
    },
  };
}

async function* recover(
  start: (changed?: Partial<RunRequest>) => AsyncIterable<RunEvent>,
  runner: Runner,
  request: RunRequest,
  transcripts: Pick<Transcripts, 'clean'>,
): AsyncGenerator<RunEvent, void, undefined> {
  let end = yield* passOn(start());
  for (const step of STEPS) {
    if (end?.reason !== 'overflow' || request.signal.aborted) break;
    const isSmaller =
      step === 'compact' ? yield* compact(runner, request) : yield* clean(transcripts, request, step);
    if (isSmaller) end = yield* passOn(start(request.renewPrefix?.()));
  }
  if (end?.reason === 'overflow') yield giveUp(request, end.error);
  else if (end !== undefined) yield end;
}

/** Passes everything on but the end, which it returns. */
async function* passOn(
  events: AsyncIterable<RunEvent>,
): AsyncGenerator<RunEvent, RunEnd | undefined, undefined> {
  for await (const event of events) {
    if (event.type === 'end') return event;
    yield event;
  }
  return undefined;
}

async function* clean(
  transcripts: Pick<Transcripts, 'clean'>,
  { transcript }: RunRequest,
  strength: CleanStrength,
): AsyncGenerator<RunEvent, boolean, undefined> {
  // A session that cannot be cleaned may still be compacted.
  const result = await transcripts.clean(transcript, strength).catch(() => undefined);
  if (!result?.changed) return false;
  yield { type: 'cleaned', savedTokens: result.savedTokens };
  return true;
}

async function* compact(runner: Runner, request: RunRequest): AsyncGenerator<RunEvent, boolean, undefined> {
  let isCompacted = false;
  for await (const event of runner.compact(request).events) {
    if (event.type === 'end') return isCompacted && event.reason === 'stop';
    if (event.type === 'compaction' && event.phase === 'end' && !event.willRetry) isCompacted = true;
    // What a model says while it summarises is no answer.
    if (event.type === 'compaction' || event.type === 'usage') yield event;
  }
  return false;
}

function giveUp({ model }: RunRequest, error: string): RunEnd {
  return {
    type: 'end',
    reason: 'overflow',
    error: `The conversation is too long for ${model.provider}/${model.model}: ${error}`,
    hint: 'Removing old tool calls and summarising old messages did not help. Shorten the message, choose a model with a larger window, or begin a new session with /new. Nothing was deleted.',
  };
}
