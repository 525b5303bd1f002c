/**
 * How newer Claude models bind thinking: each block to `system`, `tools` and all that was said before it. It is signed
 * with a hash of that, and it counts only behind the same again.
 */
import { hash } from 'node:crypto';
import type { RecordedRequest } from './loopback-server.ts';
import {
  type ApiMessage,
  blocksOf,
  type ContentBlock,
  type DroppedThinking,
  type MessageReply,
  type MessagesRequest,
  readSignature,
  signRedacted,
  signThinking,
} from './messages-format.ts';
import { isThinking } from './messages-history.ts';

/**
 * What happens to thinking behind another prefix than its own, unless the request says it: the request is refused, or the
 * thinking is left out. An older account checks only requests that say it.
 */
export const BINDING_MODES = ['enforce', 'drop_block', 'older account'] as const;
export type BindingMode = (typeof BINDING_MODES)[number];

/** With this a request may say what should happen. */
export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

export type CheckedThinking =
  | { readonly fault: string }
  | {
      readonly fault?: undefined;
      readonly dropped: readonly DroppedThinking[];
      /** The reply lists what was dropped. */
      readonly reports: boolean;
      /** What thinking of the reply is bound to. */
      readonly prefix: string;
    };

/** Families of models and their first version that binds thinking. */
const FIRST_VERSIONS: Readonly<Record<string, number>> = {
  fable: 5.1,
  mythos: 5.1,
  opus: 5.5,
  sonnet: 5.5,
  haiku: 5.5,
};

export function bindsThinking(model: string): boolean {
  const [, family = '', major, minor = '0'] = /claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(`${major}.${minor}`) >= (FIRST_VERSIONS[family] ?? Number.POSITIVE_INFINITY);
}

export function checkThinking(
  request: MessagesRequest,
  headers: RecordedRequest['headers'],
  mode: BindingMode,
): CheckedThinking {
  const asked = readBehavior(request, headers);
  if (typeof asked === 'object') return asked;
  const isBound = bindsThinking(request.model);
  const isChecked = isBound && (asked !== undefined || mode !== 'older account');
  const drops = (asked ?? mode) === 'drop_block';
  const dropped: DroppedThinking[] = [];
  const chain = new PrefixChain(request);
  for (const [index, message] of request.messages.entries()) {
    for (const [place, block] of blocksOf(message).entries()) {
      // What an older model thought is bound to nothing: a newer one leaves it out without a word.
      if (isBound && isThinking(block) && prefixOf(block) === '') continue;
      if (isChecked && isThinking(block) && prefixOf(block) !== chain.before(message.role)) {
        const path = `messages.${index}.content.${place}`;
        if (!drops) return { fault: describeMismatch(path, block.type) };
        dropped.push({ type: 'thinking_dropped', path, reason: 'prefix_binding_mismatch' });
        // What the model does not read is no part of what later thinking is bound to.
      } else chain.add(message.role, block);
    }
  }
  return { dropped, reports: readsBinding(headers), prefix: chain.before('assistant') };
}

/** The reply with its thinking bound to what was asked and to what it says before it. */
export function bindReply(
  request: MessagesRequest,
  { dropped, reports, prefix }: Extract<CheckedThinking, { prefix: string }>,
  reply: MessageReply,
): MessageReply {
  if (!bindsThinking(request.model)) return reply;
  let before = prefix;
  const blocks = reply.blocks.map((block) => {
    const bound = !isThinking(block)
      ? block
      : block.type === 'thinking'
        ? { ...block, signature: signThinking(block.thinking, before) }
        : { ...block, data: signRedacted(readSignature(block.data)?.text ?? block.data, before) };
    before = link(before, textOfBlock(bound));
    return bound;
  });
  return { ...reply, blocks, ...(reports && { dropped }) };
}

/** How much of a request the next one begins with, from 0 to 1: what a provider has in its cache. */
export function commonPrefix(request: MessagesRequest, next: MessagesRequest): number {
  const [one, other] = [textOfRequest(request), textOfRequest(next)];
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length / one.length;
}

/** Everything that the model reads, in its order. Cache marks are left out. */
export function textOfRequest(request: MessagesRequest): string {
  const said = joinRoles(request.messages).map(({ role, block }) => `${role} ${textOfBlock(block)}`);
  return [textOfSystem(request), textOfTools(request), ...said].join('\n');
}

/** A chain of hashes, so that each block of a long conversation is read once. */
class PrefixChain {
  #hash: string;
  #role = '';

  constructor(request: MessagesRequest) {
    this.#hash = link(textOfSystem(request), textOfTools(request));
  }

  /** What a block of this role would be bound to. The API reads neighbouring messages of one role as one. */
  before(role: string): string {
    return role === this.#role ? this.#hash : link(this.#hash, role);
  }

  add(role: string, block: ContentBlock): void {
    this.#hash = link(this.before(role), textOfBlock(block));
    this.#role = role;
  }
}

function joinRoles(messages: readonly ApiMessage[]): { role: string; block: ContentBlock }[] {
  return messages.flatMap((message) => blocksOf(message).map((block) => ({ role: message.role, block })));
}

const link = (before: string, text: string): string => hash('sha256', `${before}\n${text}`).slice(0, 16);

function prefixOf(
  block: Extract<ContentBlock, { type: 'thinking' | 'redacted_thinking' }>,
): string | undefined {
  return readSignature(block.type === 'thinking' ? block.signature : block.data)?.prefix;
}

/** Undefined where the request says nothing. */
function readBehavior(
  { thinking }: MessagesRequest,
  headers: RecordedRequest['headers'],
): string | { readonly fault: string } | undefined {
  const { type, block_binding: binding } = (thinking ?? {}) as {
    type?: string;
    block_binding?: { prefix_mismatch_behavior?: string };
  };
  if (binding === undefined) return undefined;
  if ((type !== 'adaptive' && type !== 'enabled') || !readsBinding(headers))
    return { fault: `thinking.${type}.block_binding: Extra inputs are not permitted` };
  const behavior = binding.prefix_mismatch_behavior;
  if (behavior !== 'drop_block' && behavior !== 'error')
    return {
      fault:
        "thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'",
    };
  return behavior;
}

function readsBinding(headers: RecordedRequest['headers']): boolean {
  return String(headers['anthropic-beta'] ?? '')
    .split(/\s*,\s*/)
    .includes(BINDING_BETA);
}

const describeMismatch = (path: string, type: string): string =>
  `${path}: Invalid \`signature\` in \`${type}\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;

/** Claude Code's note about who pays differs from request to request. */
const BILLING = 'x-anthropic-billing-header';

function textOfSystem({ system }: MessagesRequest): string {
  const parts =
    typeof system === 'string' ? [{ type: 'text', text: system }] : ((system ?? []) as TextPart[]);
  return canonical(parts.filter(({ text = '' }) => !text.startsWith(BILLING)));
}

interface TextPart {
  readonly type: string;
  readonly text?: string;
}

function textOfTools({ tools = [] }: MessagesRequest): string {
  return canonical(tools);
}

/** The fields that the model reads: clients add others and leave out some that are not set. */
function textOfBlock(block: ContentBlock): string {
  if (block.type === 'text') return canonical([block.type, block.text]);
  if (block.type === 'tool_use') return canonical([block.type, block.id, block.name, block.input]);
  if (block.type === 'tool_result') {
    const { tool_use_id, content = [], is_error = false } = block;
    const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
    return canonical([block.type, tool_use_id, parts.map(textOfBlock), is_error]);
  }
  return canonical(block);
}

/** JSON with its fields in one order and without cache marks. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'cache_control') return undefined;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
