import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '@openbot/sessions/transcript';
import { expect, test } from 'vitest';
import { call, result, user } from '../../../sessions/test/setup/drafts.ts';
import { PREFIX_MARK, REFUSED_IMAGES_MARK } from '../../src/transcripts/contract.ts';
import { openFileTranscripts } from '../../src/transcripts/files/file-transcripts.ts';
import { ContextReader } from '../../src/transcripts/files/read-context.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { mark, REF, text } from './transcripts-contract.ts';

async function makeConversation() {
  const stateDir = makeTempFolder();
  const transcripts = openFileTranscripts(stateDir);
  const path = join(stateDir, 'agents', 'main', 'sessions', REF.sessionFile);
  for (let turn = 0; turn < 30; turn++) {
    const id = `call-${turn}`;
    await transcripts.append(REF, [
      mark(`t${turn}`),
      user(`question ${turn}`),
      call(id),
      result(id, 'x'.repeat(50_000)),
      text(`answer ${turn}`),
    ]);
  }
  const reader = new ContextReader();
  return {
    transcripts,
    path,
    check: async () => expect(await reader.read(path)).toEqual(await new ContextReader().read(path)),
  };
}

test('what was appended since is read, whatever it is', async () => {
  const { transcripts, check } = await makeConversation();
  await check();
  await transcripts.append(REF, [mark('a'), user('new')]);
  await check();
  await transcripts.append(REF, [{ type: 'custom', customType: PREFIX_MARK, data: {} }, user('behind it')]);
  await check();
  await transcripts.append(REF, [{ type: 'model_change', provider: 'p', modelId: 'm' }, text('said')]);
  await check();
  const [kept] = await transcripts.append(REF, [user('kept')]);
  await transcripts.append(REF, [
    { type: 'compaction', summary: 'short', tokensBefore: 3, firstKeptEntryId: kept!.id! },
    user('after it'),
  ]);
  await check();
  await check();
});

test('a clean in between is seen', async () => {
  const { transcripts, check } = await makeConversation();
  await check();
  expect((await transcripts.clean(REF, 'hard')).changed).toBe(true);
  await check();
  await transcripts.append(REF, [user('new')]);
  await check();
});

test('so are a file that was rewritten in place, a branch, and a line that is not whole', async () => {
  const { path, check } = await makeConversation();
  await check();
  const lines = readFileSync(path, 'utf8').split('\n');
  const [first] = lines.filter((line) => line.includes('question 3'));
  const { id } = JSON.parse(first!);
  const line = { type: 'message', id: 'b1', parentId: id, timestamp: '2026-01-01T00:00:00.000Z' };
  appendFileSync(path, `${JSON.stringify({ ...line, message: { role: 'user', content: 'branch' } })}\n`);
  await check();
  appendFileSync(path, '{"type":"message","id":"c1","parentId":"b1"');
  await check();
  writeFileSync(path, lines.map((whole) => whole.replace('question 4', 'QUESTION')).join('\n'));
  await check();
});

test('messages say whether what is before them has changed since, and whose provider refused their images', async () => {
  const transcripts = openFileTranscripts(makeTempFolder());
  const read = async () =>
    (await transcripts.readContext(REF)).map(({ message, isBehindChange, imagesRefusedBy }) => [
      message.summary ?? textsOf(message.content).join(''),
      isBehindChange ?? false,
      imagesRefusedBy,
    ]);
  const say = async (words: string) => (await transcripts.append(REF, [user(words)]))[0]!.id!;
  await say('a');
  const kept = await say('b');
  expect(await read()).toEqual([
    ['a', false, undefined],
    ['b', false, undefined],
  ]);
  await transcripts.append(REF, [{ type: 'custom', customType: PREFIX_MARK, data: {} }, user('c')]);
  const refused = { type: 'custom', customType: REFUSED_IMAGES_MARK, data: { by: 'p/m' } } as const;
  await transcripts.append(REF, [refused, user('d')]);
  expect(await read()).toEqual([
    ['a', true, ['p/m']],
    ['b', true, ['p/m']],
    ['c', false, ['p/m']],
    ['d', false, undefined],
  ]);
  await transcripts.append(REF, [
    { type: 'compaction', summary: 'short', tokensBefore: 3, firstKeptEntryId: kept },
    user('e'),
  ]);
  expect(await read()).toEqual([
    ['short', false, undefined],
    ['b', true, ['p/m']],
    ['c', true, ['p/m']],
    ['d', true, undefined],
    ['e', false, undefined],
  ]);
});
