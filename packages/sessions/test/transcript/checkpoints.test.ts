/** The lines by which Claude Code can put files back, when the messages that they name go. */
import { describe, expect, test } from 'vitest';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { planRelinking } from '../../src/transcript/rewrite/relink.ts';
import { relinkedFieldsOf } from '../../src/transcript/rewrite/relinked-fields.ts';
import { replaceTopLevelFields } from '../../src/transcript/rewrite/splice.ts';

type Line = Record<string, unknown>;

const said = (uuid: string, parentUuid: string | null, type = 'user', more: Line = {}): Line => ({
  parentUuid,
  type,
  message: { role: type, content: `of ${uuid}` },
  uuid,
  sessionId: 's',
  ...more,
});
const delta = (messageId: string, snapshotMessageId: string): Line => ({
  type: 'file-history-delta',
  messageId,
  snapshotMessageId,
  trackingPath: 'a.txt',
  backup: { backupFileName: '0123456789abcdef@v1', version: 1 },
});
const snapshot = (messageId: string, of: string, isSnapshotUpdate: boolean): Line => ({
  type: 'file-history-snapshot',
  messageId,
  snapshot: { messageId: of, trackedFileBackups: {} },
  isSnapshotUpdate,
});

/** The lines that stay when those with the uuids go. */
function remove(lines: readonly Line[], ...uuids: string[]): Line[] {
  const builder = new TranscriptBuilder();
  let offset = 0;
  for (const line of lines) {
    const bytes = Buffer.from(JSON.stringify(line));
    builder.line(bytes, 0, bytes.length, offset, true);
    offset += bytes.length + 1;
  }
  const transcript = builder.finish(offset);
  const isRemoved = (index: number) => uuids.includes(lines[index]!.uuid as string);
  const relinking = planRelinking(transcript, isRemoved);
  return lines.flatMap((line, index) => {
    if (isRemoved(index)) return [];
    const fields = relinkedFieldsOf(transcript, relinking, index, isRemoved);
    if (fields === undefined) return [line];
    return [JSON.parse(replaceTopLevelFields(JSON.stringify(line), fields)) as Line];
  });
}

const turn = [said('ask', null), said('text', 'ask', 'assistant'), said('use', 'text', 'assistant')];

describe('a delta whose message goes', () => {
  test('names the message of its snapshot', () => {
    const line = delta('use', 'ask');
    expect(remove([...turn, line, said('end', 'use', 'assistant')], 'use')[2]).toEqual({
      ...line,
      messageId: 'ask',
    });
  });

  test('names the nearest message that stays, where that one went too or is not there', () => {
    const end = said('end', 'use', 'assistant');
    expect(remove([...turn, delta('use', 'ask'), end], 'use', 'ask')[1]!.messageId).toBe('text');
    expect(remove([...turn, delta('use', 'elsewhere'), end], 'use')[2]!.messageId).toBe('text');
  });

  test('does not name a message that a compaction cut off', () => {
    const lines = [
      said('ask', null),
      {
        ...said('cut', null, 'system'),
        logicalParentUuid: 'ask',
        subtype: 'compact_boundary',
        compactMetadata: {},
      },
      said('summary', 'cut', 'user', { isCompactSummary: true }),
      said('use', 'summary', 'assistant'),
      delta('use', 'ask'),
      said('end', 'use', 'assistant'),
    ];
    expect(remove(lines, 'use')[3]!.messageId).toBe('summary');
  });

  test('stays as it is where no message is left', () => {
    const line = delta('use', 'gone');
    expect(remove([said('use', null, 'assistant'), line, said('end', 'use')], 'use')[0]).toEqual(line);
  });
});

describe('a snapshot', () => {
  test('that says again what one of before holds moves to the nearest message that stays', () => {
    const update = snapshot('use', 'ask', true);
    const lines = [...turn, snapshot('ask', 'ask', false), update, said('end', 'use', 'assistant')];
    expect(remove(lines, 'use').slice(2, 4)).toEqual([
      snapshot('ask', 'ask', false),
      { ...update, messageId: 'text' },
    ]);
  });

  test('whose message stays is the same', () => {
    const lines = [
      ...turn,
      snapshot('ask', 'ask', false),
      delta('text', 'ask'),
      said('end', 'use', 'assistant'),
    ];
    expect(remove(lines, 'use').slice(2, 4)).toEqual([snapshot('ask', 'ask', false), delta('text', 'ask')]);
  });
});
