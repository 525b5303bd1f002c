/** `openbot sessions` with 2,000 sessions, as OpenClaw keeps them in files and in its database. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SessionEntry } from '@openbot/sessions';
import { openOpenclawDatabaseStore } from '@openbot/sessions/openclaw-database';
import { INTEROP_CACHE } from '../interop/install-package.ts';
import { type BenchRow, fastest } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';
import { keyOf, makeEntry } from './store-fixture.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const FIXTURE = fileURLToPath(new URL('../fixtures/openclaw-sqlite/openclaw-agent.sqlite', import.meta.url));
const SESSIONS = 2000;
const ROUNDS = 15;
/** The real OpenClaw takes seconds. */
const PEER_ROUNDS = 3;

/** With the skills and the prompt report that OpenClaw keeps in each entry, about 10 KB. */
function makeLargeEntry(index: number) {
  const { sessionFile: _, ...entry } = makeEntry(index);
  const skills = Array.from({ length: 16 }, (_, skill) => ({
    name: `skill-${skill}`,
    description: `What skill number ${skill} does, and when it is to be used, in one or two sentences.`,
    filePath: `/home/user/.openclaw/skills/skill-${skill}/SKILL.md`,
  }));
  const prompt = skills
    .map(({ name, description }) => `<skill>\n  ${name}: ${description}\n</skill>`)
    .join('\n');
  return {
    ...entry,
    skillsSnapshot: {
      prompt,
      skills: skills.map(({ name }) => ({ name })),
      resolvedSkills: skills,
      version: 0,
    },
    systemPromptReport: { source: 'run', tools: { entries: skills } },
  };
}

async function placeFiles(stateDir: string): Promise<void> {
  const folder = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(folder, { recursive: true });
  const store = Object.fromEntries(
    Array.from({ length: SESSIONS }, (_, index) => [keyOf(index), makeLargeEntry(index)]),
  );
  await writeFile(join(folder, 'sessions.json'), JSON.stringify(store, null, 2));
}

async function placeDatabase(stateDir: string): Promise<void> {
  const path = join(stateDir, 'agents', 'main', 'agent', 'openclaw-agent.sqlite');
  await mkdir(join(path, '..'), { recursive: true });
  await copyFile(FIXTURE, path);
  const store = openOpenclawDatabaseStore(path);
  await store.updateMany((draft) => {
    for (const { key } of draft.list()) draft.delete(key);
    for (let index = 0; index < SESSIONS; index++)
      draft.set(keyOf(index), makeLargeEntry(index) as unknown as SessionEntry);
  });
}

async function measure(folder: string, kind: string, stateDir: string, version: string): Promise<BenchRow[]> {
  const env = { HOME: folder };
  const list = (...flags: string[]) =>
    runNode([OPENBOT, 'sessions', ...flags, '--state-dir', stateDir], { env });
  const [table, node] = await fastest(
    ROUNDS,
    () => list(),
    () => runNode(['-e', '0']),
  );
  const rows: BenchRow[] = [
    {
      name: `openbot sessions, 2,000 sessions in ${kind}, against node -e 0`,
      ours: `${table.toFixed(1)} ms`,
      peer: `${node.toFixed(1)} ms`,
      ratio: table / node,
      limit: 4,
      better: 'lower',
    },
  ];
  const openclaw = join(INTEROP_CACHE, `openclaw-${version}/node_modules/openclaw/openclaw.mjs`);
  if (!existsSync(openclaw)) return rows;
  const peerEnv = { ...env, OPENCLAW_STATE_DIR: stateDir };
  const [ours, peer] = await fastest(
    PEER_ROUNDS,
    () => list('--json'),
    () => runNode([openclaw, 'sessions', '--json'], { env: peerEnv }),
  );
  return [
    ...rows,
    {
      name: `openbot sessions --json, 2,000 sessions in ${kind}, against openclaw ${version}`,
      ours: `${ours.toFixed(1)} ms`,
      peer: `${peer.toFixed(0)} ms`,
      ratio: peer / ours,
      limit: 15,
      better: 'higher',
    },
  ];
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const [files, database] = [join(folder, 'files'), join(folder, 'database')];
    await placeFiles(files);
    await placeDatabase(database);
    return [
      ...(await measure(folder, 'files', files, '2026.7.35')),
      ...(await measure(folder, "OpenClaw's database", database, '2026.9.6')),
    ];
  });
}
