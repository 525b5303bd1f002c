import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SessionEntry } from '@openbot/sessions';
import type { EntryDraft } from '@openbot/sessions/transcript';
import type { InboxMessage } from '../../src/inbox/contract.ts';
import type { Runner } from '../../src/runners/contract.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import { type BotState, openState } from '../../src/state/open-state.ts';
import {
  type AppendedEntry,
  type JOINED_MARK,
  type TranscriptRef,
  TURN_MARK,
} from '../../src/transcripts/contract.ts';
import { type BotHome, MAIN } from './bot-home.ts';

export const TURN = 'turn-1';

/** Writes what a process that is killed leaves in the state folder. */
export class LeftBehind {
  readonly home: BotHome;
  readonly sessionId = randomUUID();
  readonly state: BotState;

  private constructor(home: BotHome, state: BotState) {
    this.home = home;
    this.state = state;
  }

  static async in(home: BotHome, write: (left: LeftBehind) => Promise<void>): Promise<LeftBehind> {
    const left = new LeftBehind(home, await openState(home.stateDir));
    await write(left);
    await left.state.close();
    return left;
  }

  async accept(
    messageId: string,
    text: string,
    receivedAt = Date.now(),
    from = 'ada',
    sessionKey = MAIN,
  ): Promise<InboxMessage> {
    const identity = { channel: 'memory', accountId: 'default', conversationId: from, messageId };
    const ctx = { RawBody: text, From: from, ChatType: 'direct', Provider: 'memory', OriginatingTo: from };
    const arrival = { identity, agentId: 'main', sessionKey, ctx, receivedAt };
    const { message } = await this.state.inbox.accept(arrival);
    return message;
  }

  /** A message whose turn has begun. */
  async begin(text = 'say hello', sessionKey = MAIN): Promise<InboxMessage> {
    const message = await this.accept('m1', text, Date.now(), 'ada', sessionKey);
    await this.state.inbox.move([message.seq], { state: 'running', turnId: TURN });
    return message;
  }

  async addEntry(sessionKey = MAIN, fields: Partial<SessionEntry> = {}): Promise<void> {
    const { sessionId } = this;
    const entry = { ...fields, sessionId, updatedAt: Date.now() };
    await this.state.storeOf('main').update(sessionKey, () => entry);
  }

  /** The message in the transcript, and what the model said after it. */
  async ask(more: readonly EntryDraft[] = [], attempt = 1): Promise<void> {
    await this.addEntry();
    await this.append([mark(TURN_MARK, 'm1', attempt), user('say hello'), ...more]);
  }

  async append(drafts: readonly EntryDraft[]): Promise<readonly AppendedEntry[]> {
    return this.state.transcripts.append(this.#ref, drafts);
  }

  get #ref(): TranscriptRef {
    const { sessionId, home } = this;
    const sessionFile = join(home.stateDir, 'agents/main/sessions', `${sessionId}.jsonl`);
    const cwd = join(home.stateDir, 'workspace');
    return { agentId: 'main', sessionKey: MAIN, sessionId, sessionFile, cwd };
  }
}

export function mark(customType: typeof TURN_MARK | typeof JOINED_MARK, id: string, attempt = 1): EntryDraft {
  const seqs = [Number(id.slice(1))];
  return { type: 'custom', customType, data: { turnId: TURN, attempt, messages: [id], seqs } };
}

export function user(text: string): EntryDraft {
  return { type: 'message', message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 } };
}

const USAGE = { input: 40, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 42 };

export function assistant(
  text: string,
  { stopReason = 'stop', ...more }: { stopReason?: string; errorMessage?: string; call?: string } = {},
): EntryDraft {
  const { call, ...fields } = more;
  const calls = call === undefined ? [] : [{ type: 'toolCall', id: call, name: 'list_files', arguments: {} }];
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    type: 'message',
    message: {
      role: 'assistant',
      content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls],
      api: 'script',
      provider: 'script',
      model: 'echo',
      usage: { ...USAGE, cost },
      stopReason: call === undefined ? stopReason : 'toolUse',
      timestamp: 2,
      ...fields,
    },
  };
}

/** A model that must not be asked. It notes when it is. */
export function idleRunner(): { readonly runner: Runner; readonly starts: () => number } {
  let starts = 0;
  const script = makeScriptRunner({ script: { turns: [{ steps: [{ text: 'computed again' }] }] } });
  const start: Runner['start'] = (request) => {
    starts++;
    return script.start(request);
  };
  return { runner: { ...script, start }, starts: () => starts };
}
