import { randomUUID } from 'node:crypto';
import type { ClaudeRun, RunOutcome } from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type Outlet, OWN_OUTLET } from '../channels/contract.ts';
import { sendFailure } from '../channels/send-failure.ts';
import type { CodingSettings } from '../config/bot-config.ts';
import { resolveIndexPath } from '../index-db/index-path.ts';
import { QUESTION_TOOL } from '../permissions/dialog.ts';
import type { ToolSession } from '../tools/contract.ts';
import { CODING_CHANNEL, type RunRecord } from './contract.ts';
import { Requester, type RequesterParts } from './requester.ts';
import { RunRecords } from './run-records.ts';
import { RunTalk } from './run-talk.ts';

export interface CodingParts extends RequesterParts {
  readonly stateDir: string;
  readonly env: Environment;
  /** Names this process. */
  readonly owner: string;
  isGone(owner: string): boolean;
  onTrouble(error: unknown, sessionKey?: string): void;
}

export interface CodingTask {
  readonly task: string;
  readonly repoPath: string;
  readonly label?: string;
  readonly maxBudgetUsd?: number;
  readonly workspaceDir: string;
  readonly settings: CodingSettings;
}

/** Of the record of a run that has ended. */
const KEPT_MS = 30 * 24 * 3_600_000;

interface Opening {
  readonly session: ToolSession;
  readonly idleMs: number | undefined;
  readonly signal?: AbortSignal;
  tell(text: string): Promise<unknown>;
}

interface LiveRun {
  readonly run: ClaudeRun;
  record: RunRecord;
  /** It waits for follow-ups. */
  isIdle: boolean;
  /** Settles when all that is told of it is kept. */
  over: Promise<void>;
}

/** The coding runs of this process. */
export class CodingDesk {
  readonly records: RunRecords;
  readonly #parts: CodingParts;
  readonly #live = new Map<string, LiveRun>();
  /** Keys of follow-ups that a run has. */
  readonly #taken = new Set<string>();

  constructor(parts: CodingParts) {
    this.#parts = parts;
    this.records = new RunRecords(parts.stateDir);
  }

  /** A run of this process goes on, or waits for follow-ups. */
  get isBusy(): boolean {
    return this.#live.size > 0;
  }

  /** Starts a run and returns at once; the person and the agent are told what becomes of it. */
  async start(session: ToolSession, task: CodingTask): Promise<RunRecord> {
    const record = await this.#beginRecord(session, task);
    const requester = new Requester(this.#parts, record);
    const run = await this.#open(record, task, {
      session,
      idleMs: task.settings.idleMinutes === undefined ? undefined : task.settings.idleMinutes * 60_000,
      tell: async (text) => {
        if (!(await requester.tell(text)))
          throw new OpenBotError('SEND_FAILED', 'The send policy does not allow messages to the person.');
      },
    });
    this.#follow(run, record, requester, task.settings);
    return record;
  }

  /** Starts a run for a requester who waits for it: it ends with the task, and is not told. */
  async run(
    session: ToolSession,
    task: CodingTask,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly outcome: RunOutcome; readonly messages: readonly string[] }> {
    const record = await this.#beginRecord(session, task);
    const messages: string[] = [];
    const tell = async (text: string) => void messages.push(text);
    const run = await this.#open(record, task, { session, idleMs: 0, tell, signal });
    const live: LiveRun = { run, record, isIdle: false, over: Promise.resolve() };
    this.#live.set(record.id, live);
    try {
      const outcome = await run.outcome;
      await this.#end(live, outcome.result);
      return { id: record.id, outcome, messages };
    } catch (error) {
      await this.#end(live, 'error');
      throw error;
    }
  }

  async #beginRecord(
    { agentId, sessionKey, requester }: ToolSession,
    { task, repoPath, label }: CodingTask,
  ): Promise<RunRecord> {
    const { owner, now } = this.#parts;
    const id = randomUUID().slice(0, 8);
    const startedAt = now();
    const record = { id, agentId, sessionKey, requester, repoPath, task, label, owner, startedAt };
    await this.records.put(record);
    return record;
  }

  /** A run that cannot begin has an end all the same, so that its requester is not told later that it was cut off. */
  async #open(record: RunRecord, task: CodingTask, how: Opening): Promise<ClaudeRun> {
    try {
      return await this.#begin(record, task, how);
    } catch (error) {
      await this.records.put({ ...record, endedAt: this.#parts.now(), result: 'error' });
      throw error;
    }
  }

  async #begin(
    record: RunRecord,
    { task, repoPath, label, maxBudgetUsd, workspaceDir, settings }: CodingTask,
    how: Opening,
  ): Promise<ClaudeRun> {
    const { stateDir, env, config, onTrouble } = this.#parts;
    const { agentId, sessionKey } = record;
    const { makeNoteSearch } = await import('../memory-search/search-notes.ts');
    // Loaded here: most conversations start no run.
    const { startRun, makeAnthropicModel } = await import('../claude-code.ts');
    const apiKey = env.ANTHROPIC_API_KEY?.trim();
    const run = startRun({
      task,
      repoPath,
      agentId,
      stateDir,
      env,
      label,
      maxBudgetUsd: maxBudgetUsd ?? settings.maxBudgetUsd,
      idleMs: how.idleMs,
      signal: how.signal,
      // The bot ends its runs when it is closed.
      handlesSignals: false,
      selection: {
        config: settings.sessionSelection,
        askModel: apiKey ? makeAnthropicModel({ apiKey, baseUrl: env.ANTHROPIC_BASE_URL }) : undefined,
      },
      model: settings.model,
      permissionMode: settings.permissionMode,
      allowedTools: settings.allowedTools,
      findDenial: ({ toolName, input }) => how.session.findDenial({ toolName, arguments: input }, repoPath),
      // Its questions are put into its answer, which the person can reply to.
      disallowedTools: [QUESTION_TOOL, ...how.session.unreadable],
      settingSources: settings.isolated ? [] : undefined,
      agentTools: {
        sessionKey,
        workspace: workspaceDir,
        sendMessage: ({ text }) => how.tell(text),
        mayReadNote: (name) => how.session.findReadDenial(name) === undefined,
        searchNotes: makeNoteSearch({
          indexPath: resolveIndexPath(stateDir, env),
          settings: config.index,
          report: (message) => onTrouble(new Error(message), sessionKey),
        }),
      },
    });
    const ended = new AbortController();
    void run.outcome.catch(() => {}).finally(() => ended.abort());
    run.onPermissionRequest((request) => {
      const { requestId, toolUseId: callId, toolName, input } = request;
      how.session.permit({ callId, toolName, arguments: input }, ended.signal).then(
        (answer) =>
          run.respondToPermission(
            requestId,
            answer.isAllowed ? { behavior: 'allow' } : { behavior: 'deny', message: answer.reason },
          ),
        (error: Error) => run.respondToPermission(requestId, { behavior: 'deny', message: error.message }),
      );
    });
    return run;
  }

  /** Tells what happens, one thing after another. */
  #follow(run: ClaudeRun, record: RunRecord, requester: Requester, settings: CodingSettings): void {
    const { now, onTrouble } = this.#parts;
    const progressMs = (settings.progressMinutes ?? 10) * 60_000;
    const talk = new RunTalk(record, { progressMs, now });
    const live: LiveRun = { run, record, isIdle: false, over: Promise.resolve() };
    this.#live.set(record.id, live);
    const then = (step: () => Promise<unknown>) => {
      live.over = live.over.then(step).then(
        () => {},
        (error) => onTrouble(error, record.sessionKey),
      );
    };
    run.onEvent((event) => {
      if (event.type === 'idle') live.isIdle = true;
      if (event.type === 'turn-started' || event.type === 'follow-up-queued') live.isIdle = false;
      if (event.type === 'started')
        then(() => {
          live.record = { ...live.record, sessionId: event.sessionId };
          return this.records.put(live.record);
        });
      const text = talk.describe(event);
      if (text !== undefined) then(() => requester.tell(text));
    });
    run.outcome.then(
      ({ result }) => then(() => this.#end(live, result)),
      (error: Error & { hint?: string }) =>
        then(async () => {
          await requester.tell(
            `Coding run ${record.id} did not start: ${[error.message, error.hint].filter(Boolean).join('. ')}`,
          );
          await this.#end(live, 'error');
        }),
    );
  }

  async #end(live: LiveRun, result: NonNullable<RunRecord['result']>): Promise<void> {
    const { id } = live.record;
    live.record = { ...live.record, endedAt: this.#parts.now(), result };
    await this.records.put(live.record);
    this.#live.delete(id);
  }

  /** Takes follow-ups for the runs of this process. */
  openAccount(): Outlet {
    return {
      name: CODING_CHANNEL,
      accountId: this.#parts.owner,
      // A process that dies takes its runs with it, so that a key is seen twice by one process only.
      capabilities: OWN_OUTLET,
      send: async ({ key, target, payload }) => {
        if (!this.#taken.has(key)) this.#take(target.to, payload.text ?? '');
        this.#taken.add(key);
        return { ids: [] };
      },
    };
  }

  #take(id: string, text: string): void {
    try {
      const live = this.#live.get(id);
      if (live === undefined) throw new OpenBotError('RUN_ENDED', 'The run has ended');
      live.run.send(text);
    } catch (error) {
      throw sendFailure((error as Error).message, { isPermanent: true, mayHaveArrived: false, cause: error });
    }
  }

  /** Tells the requesters of runs whose process died. Old records are removed. */
  async tellLost(): Promise<void> {
    const { isGone, now } = this.#parts;
    for (const record of this.records.list()) {
      if ((record.endedAt ?? Number.POSITIVE_INFINITY) < now() - KEPT_MS) this.records.remove(record.id);
      if (record.endedAt !== undefined || !isGone(record.owner)) continue;
      const session = record.sessionId === undefined ? '' : ` Its session is ${record.sessionId}.`;
      await new Requester(this.#parts, record).tell(
        `Coding run ${record.id} was cut off because its process ended.${session} Ask for it again to go on.`,
        'lost',
      );
      await this.records.put({ ...record, endedAt: now(), result: 'lost' });
    }
  }

  /** Ends all runs. Those that are at work are aborted, and their requesters told so. */
  async close(): Promise<void> {
    const live = [...this.#live.values()];
    for (const { run, isIdle } of live) {
      if (isIdle) run.end();
      else run.abort();
    }
    await Promise.all(live.map(({ run }) => run.outcome.catch(() => {})));
    await Promise.all(live.map(({ over }) => over));
  }
}
