import { createHash } from 'node:crypto';
import { hexMaker, seeded, textMaker } from '../../../../../bench/generated-text.ts';
import type { Json } from './reference-tree.ts';

export interface ComposedEvent extends Json {
  readonly type: string;
  readonly id: string;
}

export interface Call {
  readonly id: string;
  readonly name: 'read' | 'exec';
  readonly at: number;
}

export interface ComposeOptions {
  readonly seed: number;
  readonly sessionId?: string;
  /** The time of the header; every event is later than the one before it. */
  readonly startedAt?: number;
  readonly cwd?: string;
  /** Events are handed over here instead of being collected, so that a session can be longer than memory. */
  readonly write?: (event: ComposedEvent) => void;
}

/** Where the next entry hangs, instead of at the end. */
export interface Placing {
  /** An older entry: a branch. Null starts a new tree. */
  readonly from?: string | null;
  /** Beside the conversation: the leaf stays. */
  readonly side?: boolean;
  /** Without a `parentId` at all. */
  readonly unlinked?: boolean;
}

const COST = { input: 0.000_001, output: 0.000_002, cacheRead: 0.000_000_1, cacheWrite: 0.000_001_2 };

export type SessionComposer = ReturnType<typeof composeSession>;

/**
 * Composes a conversation event by event, in the form that OpenClaw stores: what is appended hangs from the leaf and
 * moves it. The same calls with the same seed give the same events.
 */
export function composeSession(options: ComposeOptions) {
  const random = seeded(options.seed);
  const makeHex = hexMaker(random);
  const makeText = textMaker(random, true);
  const events: ComposedEvent[] = [];
  const write = options.write ?? ((event) => events.push(event));
  let time = options.startedAt ?? 1_794_767_348_365;
  let leaf: string | null = null;
  /** What the next entry says it hangs from; a side append is followed as any other. */
  let appendParent: string | null = null;
  let runId = makeUuid();
  let promptTokens = 7_800;
  let frozen: Json[] = [];
  let open: Call[] = [];

  function makeUuid(): string {
    const variant = '89ab'[Math.floor(random() * 4)];
    return `${makeHex(8)}-${makeHex(4)}-4${makeHex(3)}-${variant}${makeHex(3)}-${makeHex(12)}`;
  }
  const now = () => new Date(time).toISOString();

  /** OpenClaw writes id and links of metadata last, those of messages first. */
  function append(type: string, fields: Json, placing: Placing = {}, linksFirst = false): string {
    time += 1 + Math.floor(random() * 400);
    const id = makeUuid();
    const parentId = placing.from === undefined ? appendParent : placing.from;
    const links: Json = placing.unlinked ? { id } : { id, parentId };
    if (placing.side) links.appendMode = 'side';
    links.timestamp = now();
    write((linksFirst ? { type, ...links, ...fields } : { type, ...fields, ...links }) as ComposedEvent);
    appendParent = id;
    if (!placing.side) leaf = id;
    return id;
  }
  const addMessage = (message: Json, placing?: Placing) => append('message', { message }, placing, true);

  function countUsage(output: number, hasContextUsage: boolean): Json {
    const cached = hasContextUsage ? Math.floor(promptTokens / 2) : 0;
    const counts = { input: promptTokens - cached, output, cacheRead: cached, cacheWrite: 0 };
    const cost: Record<string, number> = {};
    for (const [name, count] of Object.entries(counts)) cost[name] = count * COST[name as keyof typeof COST];
    cost.total = Object.values(cost).reduce((sum, part) => sum + part, 0);
    const totalTokens = promptTokens + output;
    const contextUsage = { state: 'available', promptTokens, totalTokens };
    return { ...counts, totalTokens, cost, ...(hasContextUsage ? { contextUsage } : {}) };
  }

  const sessionId = options.sessionId ?? makeUuid();
  write({
    type: 'session',
    version: 4,
    id: sessionId,
    timestamp: now(),
    cwd: options.cwd ?? '/home/user/ws',
  });

  return {
    sessionId,
    events,
    random,
    makeText,
    get leaf() {
      return leaf;
    },

    addModelChange: (placing?: Placing) =>
      append('model_change', { provider: 'mock', modelId: 'mock-1' }, placing),
    addThinkingLevel: (level = 'off', placing?: Placing) =>
      append('thinking_level_change', { thinkingLevel: level }, placing),
    addModelSnapshot: (placing?: Placing) => {
      const data = { timestamp: time, provider: 'mock', modelApi: 'openai-completions', modelId: 'mock-1' };
      return append('custom', { customType: 'model-snapshot', data }, placing);
    },

    /** A person's message; a new run answers it. */
    addUser(text: string, given: Placing & { excluded?: boolean; asBlocks?: boolean } = {}) {
      runId = makeUuid();
      promptTokens += Math.ceil(text.length / 4);
      const content = given.asBlocks ? [{ type: 'text', text }] : text;
      const message: Json = { role: 'user', content, timestamp: time, __openclaw: { senderIsOwner: true } };
      if (given.excluded) message.excludeFromContext = true;
      return addMessage({ ...message, idempotencyKey: `${runId}:user` }, given);
    },

    /** The assistant's message; its calls wait for `addResult`. */
    addAssistant(
      given: Placing & { text?: string; thinking?: string; calls?: Json[]; contextUsage?: boolean } = {},
    ) {
      const calls = (given.calls ?? []).map((args) => {
        return {
          id: `call_${makeHex(18)}`,
          name: args.command === undefined ? 'read' : 'exec',
          arguments: args,
        };
      });
      const content: Json[] = [];
      if (given.thinking !== undefined) {
        content.push({ type: 'thinking', thinking: given.thinking, thinkingSignature: makeHex(24) });
      }
      if (given.text !== undefined) content.push({ type: 'text', text: given.text });
      for (const call of calls) content.push({ type: 'toolCall', ...call });
      const output = 4 + Math.ceil(JSON.stringify(content).length / 4);
      const usage = countUsage(output, given.contextUsage ?? false);
      promptTokens += output;
      const id = addMessage(
        {
          ...{
            role: 'assistant',
            content,
            api: 'openai-completions',
            provider: 'mock',
            model: 'mock-1',
            usage,
          },
          ...{
            stopReason: calls.length > 0 ? 'toolUse' : 'stop',
            timestamp: time,
            responseId: `cc${makeHex(3)}`,
          },
          __openclaw: { runId },
        },
        given,
      );
      open = calls.map((call) => ({ id: call.id, name: call.name as Call['name'], at: time }));
      return id;
    },

    /** The result of the first call that waits for one, with the copy in `details` that its tool keeps. */
    addResult(text: string, given: Placing & { isError?: boolean; call?: Call; copies?: boolean } = {}) {
      const call = given.call ??
        open.shift() ?? { id: `call_${makeHex(18)}`, name: 'read' as const, at: time };
      promptTokens += Math.ceil(text.length / 4);
      const ofExec = {
        status: 'completed',
        exitCode: 0,
        durationMs: 396,
        aggregated: text,
        cwd: '/home/user/ws',
      };
      const details = call.name === 'exec' ? ofExec : { kind: 'text', content: text };
      const message: Json = {
        ...{
          role: 'toolResult',
          toolCallId: call.id,
          toolName: call.name,
          content: [{ type: 'text', text }],
        },
        ...((given.copies ?? true) ? { details } : {}),
        ...{ isError: given.isError ?? false, timestamp: time, __openclaw: { runId } },
      };
      const sourceHash = createHash('sha256').update(text).digest('base64url');
      frozen = [...frozen, { key: `tool:${call.id}:${time}`, sourceHash }].slice(-40);
      return addMessage(message, given);
    },

    addCacheTtl: (placing?: Placing) => {
      const data = { prunedToolResults: [], ambiguousToolResultBaseKeys: [], frozenToolResults: frozen };
      return append('custom', { customType: 'openclaw.cache-ttl', data }, placing);
    },

    addCompaction(firstKeptEntryId: string, placing?: Placing) {
      const summary = `Summary: ${makeText(200)}`;
      const tokensBefore = promptTokens;
      promptTokens = Math.ceil(promptTokens / 3);
      return append('compaction', { summary, firstKeptEntryId, tokensBefore }, placing, true);
    },

    /** A fresh window in the same session; `firstKeptEntryId` is where its kept tail begins. */
    addReset(firstKeptEntryId?: string, placing?: Placing) {
      promptTokens = 7_800;
      const kept = firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
      return append('reset', { reason: kept.firstKeptEntryId ? 'daily' : 'new', ...kept }, placing, true);
    },

    /** Moves the leaf, and what the next entry hangs from, without an entry of the conversation. */
    addLeaf(targetId: string | null, given: { appendParentId?: string | null; side?: boolean } = {}) {
      time += 1;
      const id = makeUuid();
      const { appendParentId, side } = given;
      const rest = {
        appendParentId,
        ...(side ? { appendMode: 'side' } : {}),
      };
      write({ type: 'leaf', id, parentId: appendParent, timestamp: now(), targetId, ...rest });
      leaf = targetId;
      appendParent = appendParentId === undefined ? targetId : appendParentId;
      return id;
    },

    addLabel: (targetId: string, label?: string, placing?: Placing) =>
      append('label', { targetId, label }, placing, true),
    addBranchSummary: (from: string | null, placing?: Placing) =>
      append(
        'branch_summary',
        { fromId: from ?? 'root', summary: makeText(120) },
        { from, ...placing },
        true,
      ),
    addCustomMessage: (text: string, placing?: Placing) =>
      append('custom_message', { customType: 'note', content: text, display: true }, placing),
    addSessionInfo: (name: string, placing?: Placing) => append('session_info', { name }, placing, true),
    /** A type that nobody knows. */
    addUnknown: (placing?: Placing) => append('hologram', { payload: { depth: 3 } }, placing),
  };
}
