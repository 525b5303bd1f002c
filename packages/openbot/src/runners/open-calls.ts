import type { EntryDraft } from '@openbot/sessions/transcript';

/** The tool calls of a run that have no result in the transcript yet. */
export class OpenCalls {
  readonly #names = new Map<string, string>();

  note(drafts: readonly EntryDraft[]): void {
    for (const draft of drafts) {
      if (draft.type !== 'message') continue;
      const { role, content, toolCallId } = draft.message;
      if (role === 'toolResult') this.#names.delete(String(toolCallId));
      if (role !== 'assistant' || !Array.isArray(content)) continue;
      for (const { type, id, name } of content) if (type === 'toolCall') this.#names.set(id, name);
    }
  }

  /** A result for each call that has none; afterwards none is open. Providers refuse a call without a result. */
  answerAll(text: string, now: number): EntryDraft[] {
    const results = [...this.#names].map(([id, name]) => toolResult({ id, name, text, isError: true }, now));
    this.#names.clear();
    return results;
  }
}

export function toolResult(
  result: { readonly id: string; readonly name: string; readonly text: string; readonly isError: boolean },
  now: number,
): EntryDraft {
  return {
    type: 'message',
    message: {
      role: 'toolResult',
      toolCallId: result.id,
      toolName: result.name,
      content: [{ type: 'text', text: result.text }],
      isError: result.isError,
      timestamp: now,
    },
  };
}
