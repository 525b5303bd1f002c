/** Sessions that the real programs wrote: cleaned, cleaned again, cloned and restored. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { type Json, makeStateFolder, type StateFolder } from './state-folder.ts';
import { readRawLines } from './told.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');

const SOURCES = [
  { source: 'openclaw', fixtures: 'openclaw-files/2026.1.30', folder: '.openclaw/agents/main/sessions' },
  { source: 'openclaw', fixtures: 'openclaw-files/2026.7.35', folder: '.openclaw/agents/main/sessions' },
  { source: 'pi', fixtures: 'pi', folder: '.pi/agent/sessions/--work--' },
  { source: 'pi', fixtures: 'pi-1.5.2', folder: '.pi/agent/sessions/--home-user-work--' },
  ...readdirSync(join(FIXTURES, 'claude-code/projects')).map((project) => ({
    source: 'claude',
    fixtures: `claude-code/projects/${project}`,
    folder: `.claude/projects/${project}`,
  })),
];

const CASES = SOURCES.flatMap((source) =>
  readdirSync(join(FIXTURES, source.fixtures))
    .filter((name) => name.endsWith('.jsonl') && !name.includes('.trajectory.'))
    .map((name) => ({ ...source, name })),
);

let state: StateFolder;
beforeEach(() => {
  state = makeStateFolder();
});

/** Ids of calls and of the calls that results answer, wherever they stand. */
function readPairs(path: string): { calls: string[]; results: string[] } {
  const calls: string[] = [];
  const results: string[] = [];
  for (const line of readRawLines(path)) {
    const { message } = parse(line);
    if (message?.toolCallId !== undefined) results.push(message.toolCallId);
    for (const block of Array.isArray(message?.content) ? message.content : []) {
      if (block.type === 'toolCall' || block.type === 'tool_use') calls.push(block.id);
      if (block.type === 'tool_result') results.push(block.tool_use_id);
    }
  }
  return { calls, results };
}

function parse(line: string): Json {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

/** What people and the assistant said, in order. */
function readTexts(path: string): string[] {
  return readRawLines(path).flatMap((line) => {
    const { message } = parse(line);
    if (message?.role !== 'user' && message?.role !== 'assistant') return [];
    if (typeof message.content === 'string') return [message.content];
    return message.content.filter(({ type }: Json) => type === 'text').map(({ text }: Json) => text);
  });
}

describe.each(sample(CASES, { gate: 5 }))('$fixtures/$name', ({ source, fixtures, folder, name }) => {
  it('is cleaned once, cloned, and comes back byte for byte', HUNT, async () => {
    const path = join(state.home, folder, name);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(FIXTURES, fixtures, name), path);
    const original = readFileSync(path);
    const texts = readTexts(path);
    const pairs = readPairs(path);
    const occ = (command: string, ...flags: string[]) =>
      state.json(command, path, ...flags, '--source', source);

    const clean = ['--strip-tools=extreme', '--force'];
    const { changed, statistics } = await occ('edit', ...clean);
    expect(statistics.toolCallsRemoved + statistics.toolCallsPreserved + statistics.toolCallsTruncated).toBe(
      statistics.toolCallsOriginal,
    );
    expect(readTexts(path).filter((text) => text.trim() !== '')).toEqual(
      texts.filter((text) => text.trim() !== ''),
    );
    const left = readPairs(path);
    const lonely = (one: string[], other: string[]) => one.filter((id) => !other.includes(id));
    expect(lonely(pairs.calls, pairs.results)).toEqual(
      expect.arrayContaining(lonely(left.calls, left.results)),
    );
    expect(lonely(pairs.results, pairs.calls)).toEqual(
      expect.arrayContaining(lonely(left.results, left.calls)),
    );
    if (changed) expect(readFileSync(path).length).toBeLessThan(original.length);

    const cleaned = readFileSync(path);
    expect(await occ('edit', ...clean)).toMatchObject({ changed: false });
    expect(readFileSync(path).equals(cleaned)).toBe(true);

    const { clonedSessionId, clonedSessionPath } = await occ('clone');
    expect(basename(clonedSessionPath)).toContain(clonedSessionId);
    expect(readTexts(clonedSessionPath)).toEqual(readTexts(path));

    if (changed) await occ('restore', '--force');
    expect(readFileSync(path).equals(original)).toBe(true);
  });
});
