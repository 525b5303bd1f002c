import type { AgentMessage } from '@earendil-works/pi-agent-core';
import type { SessionEntry, SessionManager } from '@earendil-works/pi-coding-agent';
import type { EntryDraft } from '@openbot/sessions/transcript';
import {
  type AppendedEntry,
  type ContextMessage,
  REFUSED_IMAGES_MARK,
  type RefusedImages,
} from '../../transcripts/contract.ts';
import type { RunRequest } from '../contract.ts';
import { OpenCalls } from '../open-calls.ts';
import type { Pi } from './load-pi.ts';

/**
 * The conversation of a run: pi's SessionManager in memory on the entries of our transcript. What is added is in the
 * transcript first and then here, under the id that it has there, so that a compaction names entries of the transcript.
 */
export class Conversation {
  readonly calls = new OpenCalls();
  readonly #pi: Pi;
  readonly #request: RunRequest;
  readonly #entries: SessionEntry[];
  readonly #behindChange = new WeakSet<AgentMessage>();
  /** Images of these are not sent. */
  readonly #refused = new WeakSet<AgentMessage>();
  /** Until something is added. */
  #messages: readonly AgentMessage[] | undefined;

  private constructor(pi: Pi, request: RunRequest, context: readonly ContextMessage[]) {
    this.#pi = pi;
    this.#request = request;
    const normal = context.map((one) => ({ ...one, message: normalised(one.message) }));
    this.#entries = toEntries(normal);
    const model = nameOfModel(request);
    for (const { message, isBehindChange, imagesRefusedBy } of normal) {
      if (isBehindChange) this.#behindChange.add(message as unknown as AgentMessage);
      if (imagesRefusedBy?.includes(model)) this.#refused.add(message as unknown as AgentMessage);
    }
  }

  static async open(pi: Pi, request: RunRequest): Promise<Conversation> {
    return new Conversation(pi, request, await request.readContext());
  }

  /** Writes to the transcript. Fails where that fails; nothing is added then. */
  async append(drafts: readonly EntryDraft[]): Promise<void> {
    const appended = await this.#request.append(drafts);
    this.calls.note(drafts);
    for (const [index, draft] of drafts.entries()) this.#add(draft, appended[index]);
  }

  manager(): SessionManager {
    const { sessionId, cwd } = this.#request.transcript;
    return this.#pi.coding.SessionManager.inMemory(cwd, { id: sessionId }, [...this.#entries]);
  }

  /** What the model reads, without a system message. */
  messages(): readonly AgentMessage[] {
    this.#messages ??= this.manager()
      .buildSessionContext()
      .messages.filter(({ role }) => role !== 'system');
    return this.#messages;
  }

  /** What a message was said behind is not what a request has in its place now. */
  readonly isBehindChange = (message: AgentMessage): boolean => this.#behindChange.has(message);

  /** The provider has refused an image of this message, or of one near it. */
  readonly hasRefusedImages = (message: AgentMessage): boolean => this.#refused.has(message);

  /** No image so far is sent again to the model: also its next runs would be refused for it. */
  async leaveOutImages(): Promise<void> {
    const data: RefusedImages = { by: nameOfModel(this.#request) };
    await this.append([{ type: 'custom', customType: REFUSED_IMAGES_MARK, data }]);
    for (const message of this.messages()) this.#refused.add(message);
  }

  #add(draft: EntryDraft, appended: AppendedEntry | undefined): void {
    if (draft.type === 'compaction') for (const message of this.messages()) this.#behindChange.add(message);
    this.#messages = undefined;
    const links = linksOf(appended?.id, this.#entries);
    if (draft.type === 'message')
      this.#entries.push({ type: 'message', ...links, message: draft.message } as never);
    else if (draft.type === 'compaction') this.#entries.push({ ...draft, ...links } as never);
  }
}

const nameOfModel = ({ model: { provider, model } }: RunRequest): string => `${provider}/${model}`;

type Links = Pick<SessionEntry, 'id' | 'parentId' | 'timestamp'>;

function linksOf(id: string | undefined, before: readonly SessionEntry[], timestamp = new Date()): Links {
  return {
    // Lines of old transcripts have no id; these are never named.
    id: id ?? `unnamed-${before.length}`,
    parentId: before.at(-1)?.id ?? null,
    timestamp: timestamp.toISOString(),
  };
}

function toEntries(context: readonly ContextMessage[]): SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const [index, { entryId, message }] of context.entries()) {
    const { role, summary, timestamp } = message as { role: string; summary?: string; timestamp?: number };
    const links = linksOf(entryId, entries, new Date(Number.isFinite(timestamp) ? timestamp! : 0));
    if (role === 'compactionSummary') {
      const firstKeptEntryId = context[index + 1]?.entryId ?? links.id;
      entries.push({
        type: 'compaction',
        ...links,
        summary: summary ?? '',
        tokensBefore: 0,
        firstKeptEntryId,
      });
    } else if (role === 'branchSummary') {
      entries.push({ type: 'branch_summary', ...links, summary: summary ?? '', fromId: 'root' });
    } else if (role === 'custom') {
      const { customType = '', content = '', display = false } = message as Record<string, unknown>;
      entries.push({ type: 'custom_message', ...links, customType, content, display } as never);
    } else if (role !== 'system') entries.push({ type: 'message', ...links, message } as never);
  }
  return entries;
}

/** pi reads lists of blocks; other programs also write a text. */
function normalised(message: ContextMessage['message']): ContextMessage['message'] {
  const { role, content } = message;
  if (role === 'user' || Array.isArray(content)) return message;
  return {
    ...message,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : [],
  } as never;
}
