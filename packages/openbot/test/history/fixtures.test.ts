/** The history of every transcript in fixtures/: all dialects, files and databases, what was put aside. */
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PLAIN_PALETTE, textWidth } from '@openbot/sessions/terminal-text';
import { describeSession, type ReadableSession } from 'oc-context-cleaner';
import { describe, expect, test } from 'vitest';
import { chooseEntries } from '../../src/history/choose-entries.ts';
import { describeHead } from '../../src/history/describe-head.ts';
import { exportLines } from '../../src/history/export-lines.ts';
import { findHistory } from '../../src/history/find-session.ts';
import type { HistoryItem } from '../../src/history/history-item.ts';
import { readItems } from '../../src/history/read-items.ts';
import { renderForTerminal } from '../../src/history/render/terminal.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const find = (name: string) =>
  findHistory({ env: {}, cwd: FIXTURES, stateDir: join(FIXTURES, 'none') }, join(FIXTURES, name));

interface Read {
  readonly found: ReadableSession;
  readonly items: readonly HistoryItem[];
  readonly turns: number;
  readonly otherBranches: number;
  /** As a terminal of so many columns shows it. */
  show(columns: number): string;
}

async function readAll(found: ReadableSession): Promise<Read> {
  const lines = await found.open();
  try {
    const chosen = chooseEntries(lines.transcript);
    const items = [...readItems(lines, chosen)];
    const head = describeHead(found, chosen);
    const show = (columns: number) => {
      const renderer = renderForTerminal({ palette: PLAIN_PALETTE, columns, tools: true, thinking: true });
      return [renderer.begin(head), ...items.map((item) => renderer.item(item)), renderer.end()].join('');
    };
    return { found, items, turns: chosen.turns, otherBranches: chosen.offPath, show };
  } finally {
    await lines.close();
  }
}

/** `2 turns: 2 people, 5 answers, 3 calls; model thinking` */
function summarize({ turns, items, otherBranches }: Read): string {
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item] : []));
  const parts = messages.flatMap(({ parts }) => parts);
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [part] : []));
  const spoken = (speaker: string) => messages.filter((message) => message.speaker === speaker).length;
  const open = calls.filter(({ result }) => result === undefined).length;
  const lone = parts.filter(({ kind }) => kind === 'result').length;
  const counts = [
    `${spoken('user')} people`,
    `${spoken('assistant')} answers`,
    `${calls.length} calls`,
    ...(open > 0 ? [`${open} open`] : []),
    ...(lone > 0 ? [`${lone} results alone`] : []),
    ...(otherBranches > 0 ? [`${otherBranches} elsewhere`] : []),
  ];
  const notes = items.flatMap((item) => (item.kind === 'note' ? [item.about] : [])).join(' ');
  return `${turns} turns: ${counts.join(', ')}${notes === '' ? '' : `; ${notes}`}`;
}

function listTranscripts(): string[] {
  return (
    readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(FIXTURES, join(parentPath, name)))
      .filter((path) => /\.jsonl($|\.)/.test(path) && !path.endsWith('.trajectory.jsonl'))
      // Lines made for the figures of a report.
      .filter((path) => !path.startsWith('ccusage'))
      .sort()
  );
}

const EXPECTED: Readonly<Record<string, string>> = {
  'claude-code/projects/-home-user-work-sess/11111111-1111-4111-8111-111111111111.jsonl':
    '5 turns: 5 people, 8 answers, 4 calls',
  'claude-code/projects/-home-user-work-tui/cffc02be-27e5-4d1c-ae94-755482ed1222.jsonl':
    '3 turns: 3 people, 8 answers, 4 calls; compaction summary',
  'claude-code/projects/-home-user-work-types/aaaa0001-0000-4000-8000-000000000000.jsonl':
    '1 turns: 1 people, 3 answers, 1 calls',
  'claude-code/projects/-home-user-work-types/aaaa0001-0000-4000-8000-000000000000/subagents/agent-a2afa093c23b60b1f.jsonl':
    '1 turns: 1 people, 2 answers, 2 calls',
  'claude-code/projects/-home-user-work-types/aaaa0002-0000-4000-8000-000000000000.jsonl':
    '1 turns: 1 people, 2 answers, 1 calls',
  'claude-code/projects/-home-user-work-types/aaaa0007-0000-4000-8000-000000000000.jsonl':
    '2 turns: 2 people, 4 answers, 2 calls; compaction summary compaction summary',
  'claude-code/projects/-home-user-work-types/bbbb0020-0000-4000-8000-000000000000.jsonl':
    '2 turns: 2 people, 4 answers, 2 calls; compaction summary',
  'openclaw-files/2026.1.30/00d1fa26-b85f-4025-93d9-1e82517447a8.jsonl':
    '1 turns: 1 people, 3 answers, 2 calls; model thinking',
  'openclaw-files/2026.1.30/11111111-2222-4333-8444-555555555555.jsonl':
    '1 turns: 1 people, 3 answers, 2 calls; model thinking',
  'openclaw-files/2026.7.35/26b46058-f56a-4f08-b35e-768e400e5bf0.jsonl':
    '2 turns: 2 people, 3 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/393b2f9e-21b3-4832-bdde-ba00cccf047c.jsonl':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/51d04346-6b8a-4bfe-be95-4ac77fbac707.jsonl':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/56560425-396f-4c94-ab30-7cd826a767aa.jsonl':
    '2 turns: 2 people, 2 answers, 0 calls; model thinking compaction',
  'openclaw-files/2026.7.35/6597ebc8-a090-49c9-8b04-ae8480d54adf.jsonl':
    '1 turns: 1 people, 1 answers, 0 calls; model thinking',
  'openclaw-files/2026.7.35/7f130267-422b-4298-85b7-be159bd6986d.jsonl.reset.2026-11-15T18-14-09.411Z':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/a7e38d01-f39d-4290-81ec-f0e45763b20a.jsonl':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/compacted-pristine.jsonl':
    '3 turns: 3 people, 6 answers, 4 calls; model thinking compaction',
  'openclaw-files/2026.7.35/dab933e7-5287-4192-9e78-57fd885cd9c2.jsonl.deleted.2026-11-15T18-14-02.824Z':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/e8d94cf6-4788-4611-a0fb-59c8c4c08c8d.jsonl.bak.2026-11-15T18-14-15.211Z':
    '1 turns: 1 people, 2 answers, 1 calls; model thinking',
  'openclaw-files/2026.7.35/f486030e-009e-4b3b-9799-a9962d44343d.jsonl':
    '0 turns: 0 people, 0 answers, 0 calls',
  'openclaw-files/2026.7.35/tools-pristine.jsonl': '1 turns: 1 people, 3 answers, 3 calls; model thinking',
  'openclaw-rebranched/2026.7.35-before.jsonl': '4 turns: 4 people, 12 answers, 12 calls; model thinking',
  'openclaw-rebranched/2026.7.35-turn.jsonl': '5 turns: 4 people, 12 answers, 4 calls, 3 elsewhere',
  'openclaw-rebranched/2026.9.6-before.jsonl': '4 turns: 4 people, 12 answers, 12 calls; model thinking',
  'openclaw-rebranched/2026.9.6-turn.jsonl': '5 turns: 4 people, 12 answers, 4 calls, 3 elsewhere',
  'pi-1.5.2/2026-11-19T21-51-41-149Z_01a1f5cb-425c-7479-bd33-2cf134d57cec.jsonl':
    '5 turns: 4 people, 6 answers, 2 calls; model thinking model',
  'pi/2026-11-15T18-15-19-515Z_01a1e06b-bcd9-7616-8d44-c6be777b69ba.jsonl':
    '2 turns: 2 people, 4 answers, 4 calls; model thinking name',
  'pi/2026-11-15T18-15-19-520Z_01a1e06b-bce0-75e8-9a8f-dbd09a3b48a2.jsonl':
    '6 turns: 6 people, 12 answers, 6 calls; compaction compaction',
  'pi/2026-11-15T18-15-19-521Z_01a1e06b-bce1-735d-a082-c1400a6f09fc.jsonl':
    '2 turns: 2 people, 2 answers, 0 calls, 4 elsewhere; branch',
  'pi/2026-11-15T18-15-19-524Z_01a1e06b-bce4-7536-8bb4-5a7ed7f833c5.jsonl':
    '2 turns: 2 people, 2 answers, 0 calls',
  'pi/2026-11-15T18-15-19-525Z_01a1e06b-bce5-7040-8438-84a9a057cf75.jsonl':
    '2 turns: 2 people, 4 answers, 4 calls; model thinking name',
  'pi/edited-toolpair-removed-not-relinked.jsonl': '1 turns: 0 people, 1 answers, 1 calls, 6 elsewhere; name',
  'pi/edited-toolpair-removed.jsonl': '2 turns: 2 people, 3 answers, 3 calls; model thinking name',
  'pi/legacy-v1.before-open.jsonl.orig': '2 turns: 2 people, 1 answers, 0 calls; compaction',
  'pi/legacy-v1.jsonl': '2 turns: 2 people, 1 answers, 0 calls; compaction',
  'pi/robust-broken-tail.jsonl': '2 turns: 2 people, 4 answers, 4 calls; model thinking name',
};

test('none of them is forgotten', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(listTranscripts());
});

describe.each(Object.entries(EXPECTED))('%s', (path, expected) => {
  test('is shown', async () => {
    const read = await readAll(await find(path));
    const { found, items, turns, show } = read;
    expect(summarize(read)).toBe(expected);
    // The same turns as a clean counts.
    if (found.keptPath === undefined) {
      const { info } = await describeSession({
        scope: { env: {}, cwd: FIXTURES },
        sessionId: join(FIXTURES, path),
        presets: {},
      });
      const numbered = new Set(items.flatMap(({ turn = 0 }) => (turn === 0 ? [] : [turn])));
      if (info.turns.total > 0)
        expect({ turns, last: Math.max(...numbered) }).toEqual({ turns: info.turns.total, last: turns });
    }
    for (const columns of [40, 80, 200]) {
      const lines = show(columns).split('\n');
      expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
    }
  });

  test('is exported byte for byte', async () => {
    const lines = await (await find(path)).open();
    const exported = Buffer.concat([...exportLines(lines, false)]);
    await lines.close();
    expect(exported.equals(readFileSync(join(FIXTURES, path)))).toBe(true);
  });
});

test('the sessions of a database', async () => {
  const stateDir = makeTempFolder();
  const database = join(stateDir, 'agents/main/agent/openclaw-agent.sqlite');
  mkdirSync(dirname(database), { recursive: true });
  cpSync(join(FIXTURES, 'openclaw-sqlite/openclaw-agent.sqlite'), database);
  const before = readdirSync(stateDir, { recursive: true });
  const expectations = {
    'agent:main:main': '2 turns: 2 people, 6 answers, 5 calls; model thinking',
    'agent:main:think': '1 turns: 1 people, 3 answers, 2 calls; model thinking',
  };
  for (const [name, expected] of Object.entries(expectations)) {
    const read = await readAll(await findHistory({ env: {}, cwd: stateDir, stateDir }, name));
    expect(summarize(read)).toBe(expected);
  }
  expect(readdirSync(stateDir, { recursive: true })).toEqual(before);
});
