import fc from 'fast-check';

export interface GeneratedLine {
  id: string;
  parentId: string | null;
  [field: string]: unknown;
}

const USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const KINDS = [
  ...['user', 'user', 'assistant', 'assistant', 'call', 'compaction', 'label', 'custom', 'custom_message'],
  ...['branch_summary', 'model_change', 'system', 'edit', 'removal'],
] as const;

/**
 * Trees as pi writes them: every entry hangs from the leaf or, after going back, from any earlier entry; compactions name an entry of their own path, labels and edits
 * any entry.
 */
export const generatedTree: fc.Arbitrary<GeneratedLine[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      back: fc.option(fc.nat(), { freq: 6 }),
      target: fc.nat(),
      text: fc.string({ maxLength: 30 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((steps) => {
    const lines: GeneratedLine[] = [];
    const byId = new Map<string, GeneratedLine>();
    let leaf: string | null = null;

    function add(fields: Record<string, unknown>): void {
      const id = (lines.length + 1).toString(16).padStart(8, '0');
      const line: GeneratedLine = { ...fields, id, parentId: leaf, timestamp: '2026-01-01T00:00:00.000Z' };
      lines.push(line);
      byId.set(id, line);
      leaf = id;
    }
    function pathIds(): string[] {
      const ids: string[] = [];
      for (let at = leaf; at !== null; at = byId.get(at)!.parentId) ids.unshift(at);
      return ids;
    }
    const assistant = (content: unknown[], stopReason: string) => ({
      type: 'message',
      message: {
        role: 'assistant',
        content,
        api: 'a',
        provider: 'p',
        model: 'm',
        usage: USAGE,
        stopReason,
        timestamp: 1,
      },
    });

    for (const step of steps) {
      if (step.back !== null && lines.length > 0) leaf = lines[step.back % lines.length]!.id;
      switch (step.kind) {
        case 'user':
          add({
            type: 'message',
            message: { role: 'user', content: [{ type: 'text', text: step.text }], timestamp: 1 },
          });
          break;
        case 'assistant':
          add(assistant([{ type: 'text', text: step.text }], 'stop'));
          break;
        case 'call': {
          const call = `call_${lines.length}`;
          add(
            assistant(
              [{ type: 'toolCall', id: call, name: 'read', arguments: { path: step.text } }],
              'toolUse',
            ),
          );
          add({
            type: 'message',
            message: {
              role: 'toolResult',
              toolCallId: call,
              toolName: 'read',
              content: [{ type: 'text', text: step.text }],
              isError: false,
              timestamp: 1,
            },
          });
          break;
        }
        case 'compaction': {
          const ids = pathIds();
          if (ids.length === 0) break;
          add({
            type: 'compaction',
            summary: step.text,
            firstKeptEntryId: ids[step.target % ids.length],
            tokensBefore: 10,
          });
          break;
        }
        case 'label':
          if (lines.length > 0)
            add({ type: 'label', targetId: lines[step.target % lines.length]!.id, label: 'x' });
          break;
        case 'custom':
          add({ type: 'custom', customType: 'c', data: {} });
          break;
        case 'custom_message':
          add({ type: 'custom_message', customType: 'c', content: `note ${step.text}`, display: true });
          break;
        case 'branch_summary':
          if (leaf !== null) add({ type: 'branch_summary', fromId: leaf, summary: step.text });
          break;
        case 'model_change':
          add({ type: 'model_change', provider: 'p', modelId: 'm' });
          break;
        case 'system':
          add({ type: 'message', message: { role: 'system', content: `be ${step.text}`, timestamp: 1 } });
          break;
        case 'edit':
        case 'removal': {
          const replacement = step.kind === 'removal' ? null : { content: `edited ${step.text}` };
          if (lines.length > 0) {
            add({ type: 'context_edit', targetId: lines[step.target % lines.length]!.id, replacement });
          }
        }
      }
    }
    return lines;
  })
  .filter((lines) => lines.length > 0);

export const TREE_HEADER = {
  type: 'session',
  version: 3,
  id: '5ae5f53e-1a33-4851-aa5f-78e1df28e50b',
  timestamp: '2026-01-01T00:00:00.000Z',
  cwd: '/w',
};

export function asJsonl(lines: readonly object[]): string {
  return [TREE_HEADER, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
