import type { ClaudeCall, ClaudeStep, PlacedClaudeStep } from './claude-steps.ts';

type Json = Record<string, unknown>;

const IMAGE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8='.repeat(40) },
};
const SESSION = '11111111-1111-4111-8111-111111111111';

/** Writes steps down as Claude Code does: a line for each block, each result on its own call's line. */
export function claudeLines(steps: readonly PlacedClaudeStep[], model: string): Json[] {
  return new ClaudeWriter(model).write(steps);
}

class ClaudeWriter {
  readonly #lines: Json[] = [];
  /** Lines of the main conversation. */
  readonly #chain: Json[] = [];
  #later: { after: number; parent: string; line: Json }[] = [];
  #leaf: string | null = null;
  #messages = 0;
  #calls = 0;
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  write(steps: readonly PlacedClaudeStep[]): Json[] {
    for (const placed of steps) {
      if (placed.back !== null && this.#chain.length > 0) {
        this.#leaf = this.#chain[placed.back % this.#chain.length]!.uuid as string;
      }
      this.#writeStep(placed.step, placed.tokens);
      for (const late of this.#later) late.after--;
      for (const { parent, line } of this.#later.filter(({ after }) => after <= 0)) this.#add(line, parent);
      this.#later = this.#later.filter(({ after }) => after > 0);
    }
    return this.#lines;
  }

  #writeStep(step: ClaudeStep, tokens: number | null): void {
    switch (step.kind) {
      case 'prompt':
        this.#add(user(promptContent(step.content, step.text), { permissionMode: 'default' }));
        for (let i = 0; i < step.attachments; i++) this.#attachment(i === 0, 'environment');
        return;
      case 'answer': {
        const blocks: Json[] = [{ type: 'text', text: step.text }];
        if (step.thinking) blocks.unshift({ type: 'thinking', thinking: 'hm', signature: 'c2ln' });
        this.#assistant(blocks, step.oneLine, 'end_turn', tokens);
        return;
      }
      case 'exchange':
        this.#exchange(step, tokens);
        return;
      case 'meta':
        this.#meta(step.how, step.text);
        return;
      case 'attachment':
        this.#attachment(step.rendered, step.text);
        return;
      case 'system':
        this.#add({ type: 'system', subtype: step.subtype, content: step.text, level: 'info' });
        return;
      case 'sidecar':
        this.#sidecar(step.which, step.text, step.target);
        return;
      case 'compaction':
        this.#compaction(step.preserved, step.preservedAs, step.text);
        return;
      case 'sidechain':
        this.#sidechain(step.calls, step.text);
        return;
      case 'apiError': {
        const message = {
          ...this.#messageOf([{ type: 'text', text: step.text }], 'stop', null),
          model: '<synthetic>',
        };
        this.#add({ type: 'assistant', message, isApiErrorMessage: true });
        return;
      }
      case 'repeat':
        // The same line twice, as a writer leaves it that tried again.
        if (this.#chain.length > 0) this.#lines.push(this.#chain.at(-1)!);
        return;
      case 'future':
        this.#add({ type: 'of-the-future', content: [{ type: 'tool_use', id: 'toolu_0' }] });
    }
  }

  #exchange(step: Extract<ClaudeStep, { kind: 'exchange' }>, tokens: number | null): void {
    const calls = step.calls.map((call) => ({ call, id: `toolu_${this.#calls++}` }));
    const blocks: Json[] = calls.map(({ call, id }) => ({
      type: 'tool_use',
      id,
      name: call.tool,
      input: call.input,
    }));
    const text = { type: 'text', text: step.text };
    if (step.text !== null && step.textLast) blocks.push(text);
    else if (step.text !== null) blocks.unshift(text);
    if (step.serverTool) blocks.unshift(...serverToolBlocks(`srvtoolu_${this.#calls++}`));
    if (step.thinking === 'redacted') blocks.unshift({ type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' });
    if (step.thinking === 'signed')
      blocks.unshift({ type: 'thinking', thinking: 'first this, then that', signature: 'c2lnbg==' });
    const early = new Map(
      calls.filter(({ call }) => call.fate === 'early').map(({ call, id }) => [id, call]),
    );
    const uuids = this.#assistant(blocks, step.oneLine, 'tool_use', tokens, early);
    const lineOf = (id: string) => (step.oneLine ? 0 : blocks.findIndex((block) => block.id === id));
    const own = calls.map(({ call, id }) => ({ call, id, uuid: uuids[lineOf(id)]! }));
    for (const { call, id, uuid } of own) {
      if (call.fate !== 'later') continue;
      this.#later.push({ after: 3, parent: uuid, line: results([resultBlock(call, id)], call, uuid) });
    }
    const now = own.filter(({ call }) => call.fate === 'next' || call.fate === 'twice');
    if (step.resultsTogether && now.length > 1) {
      const content: Json[] = now.map(({ call, id }) => resultBlock(call, id));
      if (step.wordsBeside !== null) content.push({ type: 'text', text: step.wordsBeside });
      this.#add(results(content, now[0]!.call, uuids.at(-1)!), uuids.at(-1)!);
      return;
    }
    for (const { call, id, uuid } of step.reversed ? now.reverse() : now) {
      const content: Json[] = [resultBlock(call, id)];
      if (step.wordsBeside !== null) content.push({ type: 'text', text: step.wordsBeside });
      this.#add(results(content, call, uuid), uuid);
      if (call.fate === 'twice') this.#add(results([resultBlock(call, id)], call, uuid), uuid);
    }
  }

  /** Returns the uuids of its lines. Results that come early hang from their call while the message goes on. */
  #assistant(
    blocks: readonly Json[],
    oneLine: boolean,
    stopReason: string,
    tokens: number | null,
    early: ReadonlyMap<unknown, ClaudeCall> = new Map(),
  ): string[] {
    const id = `msg_${this.#messages++}`;
    const parts = oneLine ? [blocks] : blocks.map((block) => [block]);
    const uuids: string[] = [];
    for (const [index, content] of parts.entries()) {
      const message = { ...this.#messageOf(content, stopReason, tokens), id };
      const uuid = this.#add({ type: 'assistant', message, requestId: `req_${id}`, apiBlockIndex: index });
      uuids.push(uuid);
      for (const block of content) {
        const call = early.get(block.id);
        if (call === undefined || block.type !== 'tool_use') continue;
        this.#add(results([resultBlock(call, block.id as string)], call, uuid), uuid);
        // The next block follows its sibling, not the result.
        if (content !== parts.at(-1)) this.#leaf = uuid;
      }
    }
    return uuids;
  }

  #messageOf(content: readonly Json[], stop_reason: string, tokens: number | null): Json {
    const message = { type: 'message', role: 'assistant', model: this.#model, content, stop_reason };
    if (tokens === null) return message;
    const output = Math.min(tokens, 70);
    const usage = {
      input_tokens: tokens - output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: output,
      service_tier: 'standard',
      iterations: [{ input_tokens: tokens, output_tokens: 1 }],
    };
    return { ...message, usage };
  }

  #meta(how: string, text: string): void {
    if (how === 'isMeta') this.#add(user(text, { isMeta: true }));
    else if (how === 'command') this.#add(user(`<command-name>/x</command-name>${text}`));
    else if (how === 'reminder') this.#add(user([{ type: 'text', text: `<system-reminder>${text}` }]));
    else this.#add(user(text, { origin: { kind: 'task-notification' } }));
  }

  #attachment(rendered: boolean, type: string): void {
    const shown = rendered ? { rendered: [{ content: '<system-reminder>\nnow' }], renderedRole: 'user' } : {};
    this.#add({ attachment: { type, snapshot: {} }, type: 'attachment', ...shown });
  }

  #sidecar(which: string, text: string, target: number): void {
    if (which === 'rewind' && this.#chain.length > 0) {
      this.#leaf = this.#chain[target % this.#chain.length]!.uuid as string;
    } else if (which === 'cleared') this.#leaf = null;
    const leafUuid = this.#leaf;
    const prompt = { type: 'last-prompt', lastPrompt: text, leafUuid, sessionId: SESSION };
    const lines: Record<string, Json> = {
      'last-prompt': prompt,
      rewind: { ...prompt, explicit: true, rewound: true },
      cleared: { ...prompt, explicit: true },
      summary: { type: 'summary', summary: text, leafUuid },
      queue: { type: 'queue-operation', operation: 'enqueue', content: text, sessionId: SESSION },
      cost: { type: 'cost-state', totalCostUSD: 0.035123999999999996, sessionId: SESSION },
      history: { type: 'file-history-snapshot', messageId: leafUuid, snapshot: {}, isSnapshotUpdate: false },
      future: { type: 'of-the-future', sessionId: SESSION, text },
    };
    this.#lines.push(lines[which]!);
  }

  #compaction(preserved: number, as: 'list' | 'segment' | 'both', text: string): void {
    const path = this.#pathUuids();
    const kept = preserved === 0 ? [] : path.slice(-preserved);
    const boundary = uuidOf(this.#lines.length);
    const anchorUuid = uuidOf(this.#lines.length + 1);
    const compactMetadata: Json = { trigger: 'auto', preTokens: 100, postTokens: 10 };
    if (kept.length > 0) {
      if (as !== 'segment') {
        compactMetadata.preservedMessages = { anchorUuid, uuids: kept, allUuids: kept };
      }
      if (as !== 'list') {
        compactMetadata.preservedSegment = { headUuid: kept[0], anchorUuid, tailUuid: kept.at(-1) };
      }
    }
    const logicalParentUuid = this.#leaf;
    const line = {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata,
    };
    this.#leaf = null;
    this.#add({ ...line, logicalParentUuid });
    this.#leaf = boundary;
    this.#add(user(`Summary: ${text}`, { isCompactSummary: true, isVisibleInTranscriptOnly: true }));
  }

  /** A subagent's lines among those of the main conversation, as older versions wrote them. */
  #sidechain(calls: number, text: string): void {
    let parent: string | null = null;
    const add = (fields: Json) => {
      const uuid = uuidOf(this.#lines.length);
      this.#lines.push({ parentUuid: parent, isSidechain: true, sessionId: SESSION, ...fields, uuid });
      parent = uuid;
    };
    add(user(text));
    for (let i = 0; i < calls; i++) {
      const id = `side_${this.#lines.length}`;
      const block = { type: 'tool_use', id, name: 'Read', input: { path: 'x'.repeat(200) } };
      const message = { ...this.#messageOf([block], 'tool_use', 5), id: `msg_side_${this.#lines.length}` };
      add({ type: 'assistant', message });
      add(user([{ type: 'tool_result', tool_use_id: id, content: 'y'.repeat(200) }]));
    }
  }

  #add(fields: Json, parent: string | null = this.#leaf): string {
    const uuid = uuidOf(this.#lines.length);
    const time = new Date(Date.UTC(2026, 0, 1) + this.#lines.length * 1000).toISOString();
    const line = {
      parentUuid: parent,
      isSidechain: false,
      sessionId: SESSION,
      ...fields,
      uuid,
      timestamp: time,
    };
    this.#lines.push(line);
    this.#chain.push(line);
    this.#leaf = uuid;
    return uuid;
  }

  #pathUuids(): string[] {
    const parents = new Map(this.#chain.map(({ uuid, parentUuid }) => [uuid, parentUuid as string | null]));
    const uuids: string[] = [];
    for (let at = this.#leaf; at !== null; at = parents.get(at)!) uuids.unshift(at);
    return uuids;
  }
}

/** A search that the provider runs itself: call and result stand in one message. */
function serverToolBlocks(id: string): Json[] {
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: 'q'.repeat(200) } },
    { type: 'web_search_tool_result', tool_use_id: id, content: [{ type: 'web_search_result', url: 'u' }] },
  ];
}

function uuidOf(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

function user(content: unknown, fields: Json = {}): Json {
  return { type: 'user', message: { role: 'user', content }, ...fields };
}

function promptContent(content: string, text: string): unknown {
  if (content === 'string') return text;
  return content === 'image' ? [{ type: 'text', text }, IMAGE] : [{ type: 'text', text }];
}

function resultBlock({ content, text, isError }: ClaudeCall, id: string): Json {
  const block = { type: 'text', text };
  const contents = {
    string: text,
    blocks: [block],
    image: [IMAGE],
    'text and image': [block, IMAGE],
    reference: [{ type: 'tool_reference', tool_name: 'Monitor' }, block],
    absent: undefined,
  };
  return { tool_use_id: id, type: 'tool_result', content: contents[content], is_error: isError };
}

function results(content: readonly Json[], { toolUseResult }: ClaudeCall, uuid: string): Json {
  const copy = toolUseResult === undefined ? {} : { toolUseResult };
  return user(content, { ...copy, sourceToolAssistantUUID: uuid });
}
