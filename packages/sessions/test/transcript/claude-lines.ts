import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';

export type Line = Record<string, unknown>;

/** Lines as Claude Code writes them, as short as they can be. */
export function user(
  uuid: string,
  parentUuid: string | null,
  content: unknown = uuid,
  more: Line = {},
): Line {
  return { type: 'user', uuid, parentUuid, isSidechain: false, message: { role: 'user', content }, ...more };
}

export function assistant(
  uuid: string,
  parentUuid: string | null,
  { id = uuid, content = [{ type: 'text', text: uuid }], usage }: Line = {},
): Line {
  const message = { id, role: 'assistant', model: 'm', content, usage };
  return { type: 'assistant', uuid, parentUuid, isSidechain: false, message };
}

export const call = (uuid: string, parentUuid: string, id: string): Line =>
  assistant(uuid, parentUuid, {
    id,
    content: [{ type: 'tool_use', id: `of ${uuid}`, name: 'Bash', input: {} }],
  });

export const result = (uuid: string, parentUuid: string): Line =>
  user(uuid, parentUuid, [{ type: 'tool_result', tool_use_id: `of ${parentUuid}`, content: 'done' }]);

export function boundary(uuid: string, logicalParentUuid: string, compactMetadata: Line = {}): Line {
  const type = { type: 'system', subtype: 'compact_boundary' };
  return { ...type, uuid, parentUuid: null, logicalParentUuid, isSidechain: false, compactMetadata };
}

/** A note of where the conversation stands. */
export const note = (leafUuid?: string | null, more: Line = {}): Line => ({
  type: 'last-prompt',
  lastPrompt: 'x',
  leafUuid,
  sessionId: 's',
  ...more,
});
export const rewind = (leafUuid: string | null): Line => note(leafUuid, { explicit: true });

export function read(lines: readonly Line[]): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  splitter.finish();
  return builder.finish(splitter.offset);
}
