import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSessions } from '@anthropic-ai/claude-agent-sdk';
import { discoverSessions, repoPathToSlug } from '@openbot/claude-code';
import { GENERATED_CLAUDE_ID, generateClaudeTranscript } from './generate-claude-transcript.ts';
import { type BenchRow, fastest } from './measure.ts';
import { peakMemoryOf } from './peak-memory.ts';

const SESSIONS = 200;
const SESSION_BYTES = 1_000_000;
const ROUNDS = 5;
const MEGABYTE = 1024 * 1024;
const GENERATED_CWD = '/home/user/work';

interface Place {
  readonly folder: string;
  readonly repo: string;
  readonly config: string;
  readonly project: string;
}

async function makePlace(): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'openbot-bench-')));
  const repo = join(folder, 'repo');
  const config = join(folder, 'config');
  const project = join(config, 'projects', repoPathToSlug(repo));
  await mkdir(repo);
  await mkdir(project, { recursive: true });
  return { folder, repo, config, project };
}

/** Sessions that differ in everything by which they could be taken for one another. */
async function makeSessions({ folder, repo, project }: Place): Promise<void> {
  const sample = join(folder, 'sample.jsonl');
  await generateClaudeTranscript(sample, SESSION_BYTES);
  const text = (await readFile(sample, 'utf8')).replaceAll(GENERATED_CWD, repo);
  for (let i = 0; i < SESSIONS; i++) {
    const id = randomUUID();
    const own = text.replaceAll(GENERATED_CLAUDE_ID, id).replaceAll('"msg_', `"msg_${i}_`);
    await writeFile(join(project, `${id}.jsonl`), own);
  }
}

/** What both list; the SDK counts neither tokens nor compactions. */
async function compareWithSdk(place: Place): Promise<BenchRow[]> {
  await makeSessions(place);
  const env = { CLAUDE_CONFIG_DIR: place.config, HOME: place.folder };
  const list = () => listSessions({ dir: place.repo });
  let states = 0;
  const discoverFirst = () =>
    discoverSessions(place.repo, { env, stateDir: join(place.folder, `state-${states++}`) });
  const discoverAgain = () => discoverSessions(place.repo, { env, stateDir: join(place.folder, 'state') });
  const before = process.env.CLAUDE_CONFIG_DIR;
  process.env.CLAUDE_CONFIG_DIR = place.config;
  try {
    const [theirs, ours] = [await list(), await discoverAgain()];
    const ids = (all: readonly { sessionId: string }[]) =>
      all
        .map(({ sessionId }) => sessionId)
        .sort()
        .join();
    if (theirs.length !== SESSIONS || ids(theirs) !== ids(ours))
      throw new Error('they list different sessions');
    const [first, peer] = await fastest(ROUNDS, discoverFirst, list);
    const [again, peerAgain] = await fastest(ROUNDS, discoverAgain, list);
    const sdk = Math.min(peer, peerAgain);
    const row = (name: string, time: number, limit: number): BenchRow => ({
      name: `${name} of ${SESSIONS} Claude sessions of 1 MB, with exact tokens and compactions`,
      ours: `${time.toFixed(1)} ms`,
      peer: `listSessions() of the Agent SDK, which counts neither, ${sdk.toFixed(0)} ms`,
      ratio: time / sdk,
      limit,
      better: 'lower',
    });
    return [row('first discovery', first, 2), row('repeated discovery', again, 0.2)];
  } finally {
    if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
    else process.env.CLAUDE_CONFIG_DIR = before;
  }
}

/** Of a few long lines nothing is kept; of many short messages an id each. */
const SHAPES = {
  'long lines': (path: string) => generateClaudeTranscript(path, 500_000_000),
  'short messages': (path: string) => writeShortMessages(path, 500_000),
};

async function writeShortMessages(path: string, lines: number): Promise<{ lines: number; bytes: number }> {
  const file = await open(path, 'w');
  let bytes = 0;
  try {
    for (let at = 0; at < lines; at += 1000) {
      const text = Array.from({ length: 1000 }, (_, i) => `${JSON.stringify(shortMessage(at + i))}\n`).join(
        '',
      );
      bytes += (await file.write(text)).bytesWritten;
    }
  } finally {
    await file.close();
  }
  return { lines, bytes };
}

/** One kilobyte, by a person and by the assistant in turn. */
function shortMessage(number: number) {
  const uuid = `aaaaaaaa-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`;
  const text = 'p'.repeat(800);
  if (number % 2 === 0) {
    return { type: 'user', uuid, cwd: GENERATED_CWD, message: { role: 'user', content: text } };
  }
  return {
    type: 'assistant',
    uuid,
    cwd: GENERATED_CWD,
    message: {
      id: `msg_01${String(number).padStart(22, '0')}`,
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text }],
      usage: { input_tokens: 3, cache_read_input_tokens: 20_000, output_tokens: 40 },
    },
  };
}

function measureMemoryOf(shape: keyof typeof SHAPES) {
  return async ({ folder, config, project }: Place): Promise<BenchRow> => {
    const { lines, bytes } = await SHAPES[shape](join(project, `${GENERATED_CLAUDE_ID}.jsonl`));
    const options = {
      env: { CLAUDE_CONFIG_DIR: config, HOME: folder },
      stateDir: join(folder, 'state'),
    };
    const idle = await peakMemoryOf('');
    const scanning = await peakMemoryOf(
      `import { discoverAllSessions } from '@openbot/claude-code';
       const [{ lineCount }] = await discoverAllSessions(${JSON.stringify(options)});
       if (lineCount !== ${lines}) throw new Error('read ' + lineCount + ' lines of ${lines}');`,
    );
    const above = (scanning - idle) / MEGABYTE;
    return {
      name: `memory to discover a Claude session of ${Math.round(bytes / 1e6)} MB (${lines} lines, ${shape}), above an idle Node`,
      ours: `${above.toFixed(0)} MB`,
      peer: `limit 96 MB (idle Node ${(idle / MEGABYTE).toFixed(0)} MB)`,
      ratio: above / 96,
      limit: 1,
      better: 'lower',
    };
  };
}

export default async function bench(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const shapes = Object.keys(SHAPES) as (keyof typeof SHAPES)[];
  for (const measure of [compareWithSdk, ...shapes.map(measureMemoryOf)]) {
    const place = await makePlace();
    try {
      const measured = await measure(place);
      rows.push(...(Array.isArray(measured) ? measured : [measured]));
    } finally {
      await rm(place.folder, { recursive: true, force: true });
    }
  }
  return rows;
}
