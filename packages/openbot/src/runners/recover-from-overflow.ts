import type { CleanStrength, Transcripts } from '../transcripts/contract.ts';
import { estimateTokens, prefixTokensOf } from './compaction-point.ts';
import type { Run, RunEnd, RunEvent, Runner, RunRequest, WhenFull } from './contract.ts';

type Step = CleanStrength | 'compact';

const CLEANS: readonly Step[] = ['default', 'hard'];

/** What has to be done before a conversation is compacted in a run. */
export interface BeforeCompaction {
  /** True until it is done; again after each compaction. */
  readonly isDue: boolean;
  note(event: RunEvent): void;
  /**
   * Not due afterwards, whether it succeeded or not. Never rejects.
   * @returns the prompt with which the run goes on; it is the last message of the transcript
   */
  prepare(runner: Runner, request: RunRequest): Promise<string>;
}

/**
 * A runner that goes on when a conversation does not fit into the model's window: old tool calls are cleaned away, then more of
 * them, then old messages are replaced by a summary; after each step that made the conversation smaller the run is tried
 * again. When nothing helps, the end says what a person can do. The session is never reset by itself.
 */
export function recoverFromOverflow(
  runner: Runner,
  transcripts: Pick<Transcripts, 'clean'>,
  before?: BeforeCompaction,
): Runner {
  return recoverBy([...CLEANS, 'compact'], runner, transcripts, before);
}

/** The same without a summary: what is not an old tool call is left to the model as it is. */
export function cleanOnOverflow(runner: Runner, transcripts: Pick<Transcripts, 'clean'>): Runner {
  return recoverBy(CLEANS, runner, transcripts);
}

function recoverBy(
  steps: readonly Step[],
  runner: Runner,
  transcripts: Pick<Transcripts, 'clean'>,
  before?: BeforeCompaction,
): Runner {
  return {
    name: runner.name,
    describeModel: (provider, model) => runner.describeModel(provider, model),
    ...(runner.ownSettings && { ownSettings: (agentId: string) => runner.ownSettings!(agentId) }),
    compact: (request) => runner.compact(request),
    start: (given) => {
      const whenFull = (): WhenFull =>
        fillsWindow(runner, request) ? 'go-on' : before?.isDue ? 'stop' : 'compact';
      let request: RunRequest = before === undefined ? given : { ...given, whenFull };
      let current: Run | undefined;
      const start = (changed?: Partial<RunRequest>) => {
        request = { ...request, ...changed };
        current = runner.start(request);
        return current.events;
      };
      const prepare = async () => {
        const prompt = before?.isDue ? await before.prepare(runner, request) : undefined;
        if (prompt !== undefined) request = { ...request, prompt, images: undefined };
      };
      return {
        events: recover({ steps, start, prepare, before, runner, transcripts, request: () => request }),
        // Between two tries no run can read it.
        steer: (message) => current?.steer(message) ?? false,
      };
    },
  };
}

interface Recovery {
  readonly steps: readonly Step[];
  /** What is changed stays so for the runs after it. */
  start(changed?: Partial<RunRequest>): AsyncIterable<RunEvent>;
  prepare(): Promise<void>;
  readonly before: BeforeCompaction | undefined;
  readonly runner: Runner;
  readonly transcripts: Pick<Transcripts, 'clean'>;
  request(): RunRequest;
}

async function* recover(recovery: Recovery): AsyncGenerator<RunEvent, void, undefined> {
  const { transcripts } = recovery;
  const { signal, renewPrefix } = recovery.request();
  let end = yield* run(recovery);
  for (const step of recovery.steps) {
    if (end?.reason !== 'overflow' || signal.aborted) break;
    if (step === 'compact' && !fillsWindow(recovery.runner, recovery.request())) await recovery.prepare();
    const isSmaller =
      step === 'compact' ? yield* compact(recovery) : yield* clean(transcripts, recovery.request(), step);
    if (isSmaller) end = yield* run(recovery, renewPrefix?.());
  }
  if (end?.reason === 'overflow') yield giveUp(recovery.request(), end.error);
  else if (end !== undefined) yield end;
}

/** Behind such a message no memory can be saved, and a summary would replace the message unread. */
function fillsWindow({ readsNoPrefix }: Runner, request: RunRequest): boolean {
  const { contextWindow = Number.POSITIVE_INFINITY } = request.model;
  const prefixTokens = readsNoPrefix ? 0 : prefixTokensOf(request);
  return estimateTokens(request.prompt) + prefixTokens > contextWindow;
}

/** A run that stopped where it would have compacted is gone on with. */
async function* run(
  recovery: Recovery,
  changed?: Partial<RunRequest>,
): AsyncGenerator<RunEvent, RunEnd | undefined, undefined> {
  const { before } = recovery;
  let end = yield* passOn(recovery.start(changed), before);
  while (end?.reason === 'overflow' && end.isEarly && before?.isDue) {
    if (recovery.request().signal.aborted) return { type: 'end', reason: 'aborted' };
    await recovery.prepare();
    end = yield* passOn(recovery.start(), before);
  }
  return end;
}

/** Passes everything on but the end, which it returns. */
async function* passOn(
  events: AsyncIterable<RunEvent>,
  before: BeforeCompaction | undefined,
): AsyncGenerator<RunEvent, RunEnd | undefined, undefined> {
  for await (const event of events) {
    if (event.type === 'end') return event;
    before?.note(event);
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

async function* compact({ runner, request, before }: Recovery): AsyncGenerator<RunEvent, boolean, undefined> {
  let isCompacted = false;
  for await (const event of runner.compact(request()).events) {
    before?.note(event);
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
