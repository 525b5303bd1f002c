import type { CallStep, PlacedStep, ResultStep, Step } from './openclaw-steps.ts';

type Json = Record<string, unknown>;

export interface OpenClawForm {
  /** Ids and parents, or the order of the lines alone. */
  readonly tree: boolean;
  readonly version: number | string | undefined;
  /** Ids that must be escaped when they are written. */
  readonly oddIds: boolean;
  /** Only lines that pi understands as we do. */
  readonly forPi: boolean;
  /** What says everything. */
  readonly model: string;
}

const IMAGE = { type: 'image', data: 'aGVsbG8='.repeat(40), mimeType: 'image/png' };

interface Pending {
  after: number;
  line: Json;
  flat: boolean;
}

/** Writes steps down as OpenClaw and pi do. */
export function openclawLines(steps: readonly PlacedStep[], form: OpenClawForm): Json[] {
  return new OpenClawWriter(form).write(steps);
}

class OpenClawWriter {
  readonly #form: OpenClawForm;
  readonly #lines: Json[] = [];
  readonly #entries: Json[] = [];
  readonly #callIds: string[] = [];
  #pending: Pending[] = [];
  #leaf: string | null = null;

  constructor(form: OpenClawForm) {
    this.#form = form;
    const version = form.version === undefined ? {} : { version: form.version };
    this.#lines.push({ type: 'session', ...version, id: 'session-1', timestamp: stamp(0), cwd: '/w' });
  }

  write(steps: readonly PlacedStep[]): Json[] {
    for (const placed of steps) {
      if (this.#form.tree && placed.isLost) this.#leaf = 'nowhere0';
      else if (this.#form.tree && placed.back !== null && this.#entries.length > 0) {
        this.#leaf = this.#entries[placed.back % this.#entries.length]!.id as string;
      }
      this.#writeStep(placed.step, placed);
      for (const pending of this.#pending) pending.after--;
      for (const { line, flat } of this.#pending.filter(({ after }) => after <= 0)) this.#message(line, flat);
      this.#pending = this.#pending.filter(({ after }) => after > 0);
    }
    return this.#lines;
  }

  #writeStep(step: Step, { flat, tokens }: PlacedStep): void {
    switch (step.kind) {
      case 'user':
        this.#message({ role: 'user', content: userContent(step.content, step.text) }, flat);
        return;
      case 'answer': {
        const blocks: Json[] = [{ type: 'text', text: step.text }];
        if (step.thinking) blocks.unshift({ type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' });
        const content = step.content === 'string' ? step.text : blocks;
        this.#message(assistant(content, step.stopReason, tokens, this.#form.model), flat);
        return;
      }
      case 'exchange':
        this.#exchange(step, flat, tokens);
        return;
      case 'orphan':
        this.#message(toolResult(`orphan_${this.#lines.length}`, 'read', step.result), flat);
        return;
      case 'compaction':
        this.#compaction(step.target, step.text, step.system);
        return;
      case 'system':
        this.#message({ role: 'system', content: step.text }, false);
        return;
      case 'bash':
        this.#message({ role: 'bashExecution', command: 'ls', output: step.text, exitCode: 0 }, false);
        return;
      case 'mirror': {
        const said = assistant([{ type: 'text', text: step.text }], 'stop', 0, this.#form.model);
        this.#message({ ...said, provider: 'openclaw', model: 'delivery-mirror' }, false);
        return;
      }
      case 'repeat':
        // The same entry twice, as a writer leaves it that tried again.
        if (this.#entries.length > 0 && !this.#form.forPi) this.#lines.push(this.#entries.at(-1)!);
        return;
      default:
        this.#other(step);
        return;
    }
  }

  #exchange(step: Extract<Step, { kind: 'exchange' }>, flat: boolean, tokens: number | null): void {
    const calls = step.calls.map((call) => ({ call, id: this.#callId(call) }));
    const before = calls.filter(({ call }) => call.fate === 'before');
    for (const { call, id } of before) this.#message(toolResult(id, call.tool, call.result), false);
    const blocks: Json[] = calls.map(({ call, id }) => callBlock(call, id, this.#form.forPi));
    if (step.text !== null) {
      const text = { type: 'text', text: step.text };
      if (step.textLast) blocks.push(text);
      else blocks.unshift(text);
    }
    const thinking = { type: 'thinking', thinking: 'first this, then that' };
    if (step.thinking === 'first') blocks.unshift(thinking);
    if (step.thinking === 'signed') blocks.unshift({ ...thinking, thinkingSignature: 'c2lnbmF0dXJl' });
    if (step.thinking === 'between') blocks.splice(1, 0, { ...thinking, thinkingSignature: 'YmV0d2Vlbg==' });
    if (step.unknownBlock) blocks.push({ type: 'of_the_future', says: 'something' });
    this.#message(assistant(blocks, step.stopReason, tokens, this.#form.model), flat);
    for (const { call, id } of calls) {
      const line = toolResult(id, call.tool, call.result);
      if (call.fate === 'next' || call.fate === 'twice') this.#message(line, flat);
      if (call.fate === 'twice') this.#message(line, false);
      if (call.fate === 'later') this.#pending.push({ after: 2, line, flat });
      if (call.fate === 'muchLater') this.#pending.push({ after: 5, line, flat });
    }
  }

  #callId({ sameIdAs }: CallStep): string {
    const id =
      sameIdAs === null || this.#callIds.length === 0
        ? `call_${this.#callIds.length}`
        : this.#callIds[sameIdAs % this.#callIds.length]!;
    this.#callIds.push(id);
    return id;
  }

  #compaction(target: number, summary: string, system: boolean): void {
    const line: Json = { type: 'compaction', summary, tokensBefore: 10 };
    if (system) line.systemMessage = { role: 'system', content: 'be brief', timestamp: 1_000_000 };
    if (this.#form.tree) {
      const path = this.#pathIds();
      if (path.length === 0) return;
      this.#entry({ ...line, firstKeptEntryId: path[target % path.length] });
    } else if (this.#lines.length > 1) {
      this.#entry({ ...line, firstKeptEntryIndex: 1 + (target % (this.#lines.length - 1)) });
    }
  }

  #other(step: Extract<Step, { text: string }>): void {
    const { kind, text } = step;
    const targetId =
      'target' in step && this.#form.tree
        ? this.#entries[step.target % Math.max(1, this.#entries.length)]?.id
        : undefined;
    if ('target' in step && targetId === undefined) return;
    switch (kind) {
      case 'label':
        this.#entry({ type: 'label', targetId, label: text });
        return;
      case 'branch':
        this.#entry({ type: 'branch_summary', fromId: targetId, summary: text });
        return;
      case 'edit':
        this.#entry({ type: 'context_edit', targetId, replacement: { content: `edited ${text}` } });
        return;
      case 'removal':
        this.#entry({ type: 'context_edit', targetId, replacement: null });
        return;
      case 'custom':
        this.#entry({ type: 'custom', customType: 'model-snapshot', data: { text } });
        return;
      case 'customMessage':
        this.#entry({ type: 'custom_message', customType: 'note', content: text, display: true });
        return;
      case 'modelChange':
        this.#entry({ type: 'model_change', provider: 'p', modelId: this.#form.model });
        return;
      case 'thinkingLevel':
        this.#entry({ type: 'thinking_level_change', thinkingLevel: 'low' });
        return;
      case 'sessionInfo':
        this.#entry({ type: 'session_info', name: text });
        return;
      case 'usage':
        this.#entry({ type: 'usage', usage: { input: 1 } });
        return;
      default:
        this.#entry({ type: 'of_the_future', toolCalls: [{ type: 'toolCall', id: 'call_0' }], text });
        return;
    }
  }

  #message(message: Json, flat: boolean): void {
    // The number of the line, so that a test can tell a message from its like.
    const timestamp = this.#lines.length;
    if (!flat || this.#form.forPi) this.#entry({ type: 'message', message: { ...message, timestamp } });
    else if (timestamp % 2 === 0) this.#entry({ ...message, timestamp });
    else {
      const { role, ...rest } = message;
      this.#entry({ type: role, ...rest, timestamp });
    }
  }

  #entry(fields: Json): void {
    const number = this.#lines.length;
    const time = 'timestamp' in fields ? {} : { timestamp: stamp(number) };
    if (!this.#form.tree) {
      this.#lines.push({ ...fields, ...time });
      return;
    }
    const id = this.#form.oddIds ? `é"\\${number}` : number.toString(16).padStart(8, '0');
    const entry = { ...fields, id, parentId: this.#leaf, ...time };
    this.#lines.push(entry);
    this.#entries.push(entry);
    this.#leaf = id;
  }

  #pathIds(): string[] {
    const parents = new Map<unknown, string | null>(
      this.#entries.map(({ id, parentId }) => [id, parentId as string | null]),
    );
    const ids: string[] = [];
    for (let at = this.#leaf; parents.has(at); at = parents.get(at)!) ids.unshift(at!);
    return ids;
  }
}

function userContent(content: string, text: string): unknown {
  if (content === 'string') return text;
  if (content === 'empty') return [];
  if (content === 'null') return null;
  return content === 'image' ? [{ type: 'text', text }, IMAGE] : [{ type: 'text', text }];
}

function assistant(content: unknown, stopReason: string, tokens: number | null, model: string): Json {
  const message = { role: 'assistant', content, api: 'a', provider: 'p', model, stopReason };
  if (tokens === null) return message;
  const cost = { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 };
  const output = Math.min(tokens, 80);
  const usage = { input: tokens - output, output, cacheRead: 0, cacheWrite: 0, totalTokens: tokens, cost };
  return { ...message, usage };
}

function callBlock(call: CallStep, id: string, forPi: boolean): Json {
  const block: Json = { type: forPi ? 'toolCall' : call.blockType, id, name: call.tool };
  block[block.type === 'toolUse' ? 'input' : 'arguments'] = call.arguments;
  if (call.partialArgs) block.partialArgs = `{"copy":"${'p'.repeat(150)}"}`;
  if (call.thoughtSignature) block.thoughtSignature = 'dGhvdWdodA==';
  return block;
}

function toolResult(
  toolCallId: string,
  toolName: string,
  { content, text, details, isError }: ResultStep,
): Json {
  const block = { type: 'text', text };
  const contents = {
    blocks: [block],
    string: text,
    'two texts': [block, { type: 'text', text: 'second' }],
    image: [IMAGE],
    'text and image': [block, IMAGE],
    'text and small block': [block, { type: 'resource', uri: 'file:///a' }],
    'large block and text': [{ type: 'resource', blob: 'x'.repeat(300) }, block],
    null: null,
    empty: [],
  };
  const line: Json = { role: 'toolResult', toolCallId, toolName, content: contents[content], isError };
  if (details !== undefined) line.details = details;
  return line;
}

function stamp(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
}
