/** Sessions that an earlier version cleaned and left thinking in that the provider refuses: found and repaired. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { countDropped } from '../../src/rewrite/dropped-thinking.ts';
import { openFileLines } from '../../src/storage/files/rewriting.ts';
import { ID, type Json, makeStateFolder, type StateFolder } from '../commands/state-folder.ts';
import { makeHome } from '../session-db/database-home.ts';
import { changeDatabase } from '../session-db/look-into.ts';
import { makeEvents, ID as ROW_ID, talkIn } from '../session-db/talking-home.ts';
import { pauseOcc } from '../setup/pause.ts';
import { createSessionWithTurns, formatLines, readLines } from '../setup/sessions.ts';

const BOUND = 'claude-opus-5-5';
const OLDER = 'claude-opus-4-8';

let state: StateFolder;
let path: string;
let original: Json[];
beforeEach(() => {
  state = makeStateFolder();
  path = state.add([]);
  original = makeLines(BOUND);
  writeFileSync(path, formatLines(original));
});

/** Each answer is thought of first. */
function makeLines(model: string): Json[] {
  const lines = createSessionWithTurns(6, 1, { tree: true, resultLength: 900, sessionId: ID }) as Json[];
  return lines.map((line) => {
    const { message } = line;
    if (message?.role !== 'assistant') return line;
    const thinking = { type: 'thinking', thinking: 'Hm.', thinkingSignature: `signed ${line.id}` };
    return { ...line, message: { ...message, model, content: [thinking, ...message.content] } };
  });
}

const withModel = (lines: readonly Json[], model: string) =>
  lines.map((line) =>
    line.message?.role === 'assistant' ? { ...line, message: { ...line.message, model } } : line,
  );

/** A clean as earlier versions did it, which keeps the thinking of turns that it keeps: with a model that binds none. */
async function cleanAsBefore(...flags: string[]): Promise<void> {
  writeFileSync(path, formatLines(withModel(readLines(path) as Json[], OLDER)));
  const { backupPath } = await state.json('edit', ID, ...flags);
  for (const file of [path, backupPath])
    writeFileSync(file, formatLines(withModel(readLines(file) as Json[], BOUND)));
}

const read = () => readFileSync(path, 'utf8');
const thinkingIn = () => (read().match(/"thinkingSignature"/g) ?? []).length;
const info = () => state.json('info', ID);
/** Nothing is old enough. */
const editNothing = (...flags: string[]) => state.json('edit', ID, '--keep=50', '--truncate=0', ...flags);

describe('thinking that an earlier clean left behind changed lines', () => {
  beforeEach(() => cleanAsBefore('--keep=3', '--truncate=0'));

  it('is named by info, and goes with an edit that has nothing else to clean', async () => {
    expect(thinkingIn()).toBe(6);
    expect(await info()).toMatchObject({ staleThinking: 6 });
    const before = read();
    const dry = await editNothing('--dry-run');
    expect(dry).toMatchObject({ staleThinking: 6 });
    expect(read()).toBe(before);
    expect(await editNothing()).toMatchObject({ changed: true, staleThinking: 6 });
    expect(thinkingIn()).toBe(0);
    expect(await info()).not.toHaveProperty('staleThinking');
    expect(await editNothing()).toMatchObject({ changed: false });
    await state.json('restore', ID);
    expect(read()).toBe(before);
  });

  it('what was made since goes with it: it is behind that thinking', async () => {
    say('later');
    expect(await info()).toMatchObject({ staleThinking: 6 });
    await editNothing();
    expect(thinkingIn()).toBe(0);
  });

  it('is named by the text of info and edit', async () => {
    const { stdout } = await state.occ('info', ID);
    expect(stdout).toContain('Stale thinking: 6 blocks.');
    const [, command = ''] = /\n {2}occ (edit .*)\n/.exec(stdout) ?? [];
    expect(command).toBe(`edit ${ID} --keep 3 --truncate 0`);
    expect(stdout).toContain('Recommendation: clean nothing else; ');
    const { statistics } = await state.json(...(command.split(' ') as [string]), '--dry-run');
    expect(statistics).toMatchObject({ toolCallsRemoved: 0, toolCallsTruncated: 0, thinkingRemoved: 6 });
    const edited = await state.occ('edit', ID, '--keep=50', '--truncate=0');
    expect(edited.stdout).toContain('Stale thinking: an earlier rewrite changed what comes before 6 blocks');
    expect(edited.stdout).toContain('\n  Thinking: 6 blocks removed (stale)\n');
  });

  it('is in no clone, which has no backups that could tell of it', async () => {
    for (const flags of [[], ['--strip-tools', '--keep=50']]) {
      const { clonedSessionPath } = await state.json('clone', ID, ...flags);
      expect(readFileSync(clonedSessionPath, 'utf8')).not.toContain('thinkingSignature');
    }
    expect(thinkingIn()).toBe(6);
  });

  it('is none where the newest model binds none, and none without a backup', async () => {
    const cleaned = read();
    writeFileSync(path, formatLines(withModel(readLines(path) as Json[], OLDER)));
    expect(await info()).not.toHaveProperty('staleThinking');
    writeFileSync(path, cleaned);
    rmSync(`${state.sessions}/backups`, { recursive: true });
    expect(await info()).not.toHaveProperty('staleThinking');
    expect(await editNothing()).toMatchObject({ changed: false });
    expect(read()).toBe(cleaned);
  });

  it('is found in the original where its backup was rotated out', async () => {
    for (const about of ['a', 'b', 'c', 'd', 'e', 'f']) {
      say(about, false);
      await cleanAsBefore('--truncate-over=500', '--keep=50', '--truncate=0');
    }
    expect(await info()).toMatchObject({ staleThinking: 6 });
  });
});

it('a session that was cleaned and restored is not touched', async () => {
  await cleanAsBefore('--keep=3', '--truncate=0');
  await state.json('restore', ID);
  const restored = read();
  expect(restored).toBe(formatLines(original));
  expect(await info()).not.toHaveProperty('staleThinking');
  expect(await editNothing()).toMatchObject({ changed: false });
  expect(read()).toBe(restored);
});

describe('a person goes back to another branch', () => {
  /** The last of the six turns is on a branch of its own, and another answer in its place. */
  beforeEach(() => {
    const parentId = original.findLast(({ message }) => message?.role === 'user')!.parentId;
    say('elsewhere', true, {}, parentId);
  });
  const back = () => say('back', true, {}, original.at(-1)!.id);

  it('an earlier clean left thinking there: it is stale', async () => {
    await cleanAsBefore('--keep=0');
    back();
    expect(await info()).toMatchObject({ staleThinking: 2 });
    await editNothing();
    expect(await info()).not.toHaveProperty('staleThinking');
  });

  it('a clean removed it there, and what was made since stays', async () => {
    await state.json('edit', ID, '--keep=3', '--truncate=0');
    expect(thinkingIn()).toBe(0);
    back();
    forgetRepair();
    expect(await info()).not.toHaveProperty('staleThinking');
    expect(thinkingIn()).toBe(1);
  });
});

/** What the journal says of the last clean keeps the backups from being read. */
function forgetRepair(): void {
  const file = `${state.sessions}/backups/${ID}.occ.json`;
  const journal = JSON.parse(readFileSync(file, 'utf8'));
  for (const record of journal.rewrites) delete record.isRepaired;
  writeFileSync(file, JSON.stringify(journal));
}

describe('a session that was cleaned and restored until its first state was rotated out', () => {
  const repeat = async (...flags: string[]) => {
    for (let time = 0; time < 3; time++) {
      await cleanAsBefore('--keep=3', '--truncate=0', ...flags);
      await state.json('restore', ID, ...flags);
    }
    expect(read()).toBe(formatLines(original));
  };

  it('is not touched: its oldest backup is one that was cleaned', async () => {
    await repeat('--no-original');
    expect(await info()).not.toHaveProperty('staleThinking');
    expect(await editNothing()).toMatchObject({ changed: false });
  });

  it('is not touched where nothing tells what took place', async () => {
    await repeat('--no-original');
    rmSync(`${state.sessions}/backups/${ID}.occ.json`);
    expect(await info()).not.toHaveProperty('staleThinking');
  });

  it('is not touched where the original cannot be read', async () => {
    await repeat();
    writeFileSync(`${state.sessions}/backups/${ID}.original.jsonl.zst`, 'damaged');
    expect(await info()).not.toHaveProperty('staleThinking');
  });

  it('has stale thinking as far as a state tells that it was made in', async () => {
    await repeat('--no-original');
    say('later');
    await cleanAsBefore('--keep=3', '--truncate=0', '--no-original');
    expect(await info()).toMatchObject({ staleThinking: 1 });
  });
});

it('what only copies lost changes nothing for the model', async () => {
  for (const { message } of original) {
    if (message?.role === 'toolResult') message.content = [{ type: 'text', text: 'short' }];
    for (const block of message?.content ?? []) {
      if (block.type !== 'toolCall') continue;
      block.arguments = { command: 'a'.repeat(90) };
      block.partialArgs = `${JSON.stringify(block.arguments)}${' '.repeat(60)}`;
    }
  }
  writeFileSync(path, formatLines(original));
  expect(await state.json('edit', ID, '--keep=50', '--truncate=100')).toMatchObject({ changed: true });
  expect(thinkingIn()).toBe(12);
  say('later');
  expect(await state.json('restore', ID)).not.toHaveProperty('thinkingUnbound');
  await state.json('restore', ID);
  expect(await info()).not.toHaveProperty('staleThinking');
  expect(await editNothing()).toMatchObject({ changed: false });
  expect(thinkingIn()).toBe(13);
});

it('thinking before the first changed entry is not stale', async () => {
  const long = original.findIndex(({ message }) => message?.toolCallId === 'call_3_0');
  original[long]!.message.content[0].text = 'x'.repeat(5000);
  writeFileSync(path, formatLines(original));
  await cleanAsBefore('--truncate-over=3000', '--keep=50', '--truncate=0');
  expect(await info()).toMatchObject({ staleThinking: 5 });
  await editNothing();
  expect(thinkingIn()).toBe(7);
});

it('a clean that removes thinking itself leaves none that is stale', async () => {
  const { stdout } = await state.occ('edit', ID, '--keep=3', '--truncate=0');
  const why = '6 with their calls, 6 bound to what comes before, which changes';
  expect(stdout).toContain(`\n  Thinking: 12 blocks removed (${why})\n`);
  say('later');
  forgetRepair();
  expect(await info()).not.toHaveProperty('staleThinking');
  expect(await editNothing()).toMatchObject({ changed: false });
  expect(thinkingIn()).toBe(1);
});

it('what was thought while a clean was written is found and removed', async () => {
  const paused = await pauseOcc(
    ['edit', ID, '--keep=3', '--truncate=0', '--json'],
    { path, when: 'before' },
    { HOME: state.home },
  );
  say('meanwhile');
  expect(await paused.goOn()).toMatchObject({ code: 0, stderr: '' });
  expect(thinkingIn()).toBe(1);
  expect(await info()).toMatchObject({ staleThinking: 1 });
  expect(await editNothing()).toMatchObject({ changed: true, staleThinking: 1 });
  expect(thinkingIn()).toBe(0);
  expect(await editNothing()).toMatchObject({ changed: false });
});

it("in OpenClaw's database it is found and removed too", async () => {
  const events = [...makeEvents()].map((event, at) => {
    const { message } = event as Json;
    if (message?.role !== 'assistant') return event;
    const thinking = { type: 'thinking', thinking: 'Hm.', thinkingSignature: `signed ${at}` };
    return { ...event, message: { ...message, model: OLDER, content: [thinking, ...message.content] } };
  });
  const home = talkIn(
    makeHome([{ key: 'agent:main:main', sessionId: ROW_ID, events, createdAt: 1_794_767_348_365 }]),
  );
  const { backupPath } = await home.json('edit', ROW_ID, '--keep=3', '--truncate=0');
  changeDatabase(
    home.path,
    `UPDATE transcript_events SET event_json = replace(event_json, '${OLDER}', '${BOUND}')`,
  );
  writeFileSync(backupPath, readFileSync(backupPath, 'utf8').replaceAll(OLDER, BOUND));
  const { staleThinking } = await home.json('info', ROW_ID);
  expect(staleThinking).toBeGreaterThan(0);
  const { clonedSessionPath } = await home.json('clone', ROW_ID, '--output', `${home.folder}/clone.jsonl`);
  expect(readFileSync(clonedSessionPath, 'utf8')).not.toContain('thinkingSignature');
  const edit = ['edit', ROW_ID, '--keep=50', '--truncate=0'];
  expect(await home.json(...edit)).toMatchObject({ changed: true, staleThinking });
  expect(home.file()).not.toContain('thinkingSignature');
  expect(await home.json('info', ROW_ID)).not.toHaveProperty('staleThinking');
  expect(await home.json(...edit)).toMatchObject({ changed: false });
});

it('what an edit repaired is not compared with its backups again, until a restore', async () => {
  await cleanAsBefore('--keep=3', '--truncate=0');
  const cleaned = read();
  await editNothing();
  // What the first backup says of it no longer counts.
  const repaired = read();
  writeFileSync(path, cleaned);
  expect(await info()).not.toHaveProperty('staleThinking');
  writeFileSync(path, repaired);
  await state.json('restore', ID);
  expect(read()).toBe(cleaned);
  expect(await info()).toMatchObject({ staleThinking: 6 });
});

it('info names what the provider left out of requests', async () => {
  say('later', true, {
    diagnostics: [
      {
        type: 'anthropic_input_transformations',
        timestamp: 1,
        details: {
          transformations: [2, 4].map((at) => ({
            type: 'thinking_dropped',
            path: `messages.${at}.content.0`,
            reason: 'prefix_binding_mismatch',
          })),
        },
      },
    ],
  });
  expect(await info()).toMatchObject({ droppedThinking: { answers: 1, blocks: 2, isCurrent: true } });
  const { stdout } = await state.occ('info', ID);
  expect(stdout).toContain('Dropped thinking: 1 answer of this session records');
  say('last');
  expect(await info()).toMatchObject({ droppedThinking: { answers: 1, blocks: 2, isCurrent: false } });
});

/** A turn of the agent, with a result of 900 characters where it does not think. */
function say(
  about: string,
  thinks = true,
  more: object = {},
  parentId = (readLines(path) as Json[]).at(-1)!.id,
): void {
  const thinking = { type: 'thinking', thinking: 'Hm.', thinkingSignature: `signed ${about}` };
  const call = { type: 'toolCall', id: `call_${about}`, name: 'Read', arguments: {} };
  const result = [{ type: 'text', text: 'y'.repeat(900) }];
  const answers = { role: 'assistant', model: BOUND };
  const messages: object[] = [
    { role: 'user', content: `Question ${about}` },
    ...(thinks
      ? []
      : [
          { ...answers, content: [call], stopReason: 'toolUse' },
          { role: 'toolResult', toolCallId: call.id, toolName: 'Read', content: result },
        ]),
    {
      ...answers,
      content: [...(thinks ? [thinking] : []), { type: 'text', text: `Answer ${about}` }],
      stopReason: 'stop',
      ...more,
    },
  ];
  let parent = parentId;
  const lines = messages.map((message, number) => {
    const id = `said-${about}-${number}`;
    const timestamp = '2026-03-01T00:00:00.000Z';
    const line = { type: 'message', id, parentId: parent, timestamp, message };
    parent = id;
    return line;
  });
  appendFileSync(path, formatLines(lines));
}

it('so it is in the lines of Claude Code, of which several are one answer', async () => {
  const dropped = [{ type: 'thinking_dropped', path: 'messages.2.content.0', reason: 'prefix_mismatch' }];
  const answer = (uuid: string, parentUuid: string, type: string) => ({
    parentUuid,
    isSidechain: false,
    type: 'assistant',
    uuid,
    message: {
      id: 'msg_1',
      role: 'assistant',
      model: BOUND,
      content: [{ type, text: 'Answer' }],
      input_transformations: dropped,
    },
  });
  const lines = [
    {
      parentUuid: null,
      isSidechain: false,
      type: 'user',
      uuid: 'a',
      message: { role: 'user', content: 'Question' },
    },
    answer('b', 'a', 'text'),
    answer('c', 'b', 'text'),
  ];
  const file = `${state.home}/claude.jsonl`;
  writeFileSync(file, formatLines(lines));
  const open = await openFileLines(file);
  try {
    expect(countDropped(open)).toEqual({ answers: 1, blocks: 1, isCurrent: true });
  } finally {
    await open.close();
  }
});
