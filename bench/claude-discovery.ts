import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSessions } from '@anthropic-ai/claude-agent-sdk';
import { type DiscoveredSession, discoverSessions, repoPathToSlug } from '@openbot/claude-code';
import { GENERATED_CLAUDE_ID, generateClaudeTranscript } from './generate-claude-transcript.ts';
import { LineWriter } from './line-writer.ts';
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

type Figures = Pick<
  DiscoveredSession,
  'totalInputTokens' | 'totalCacheTokens' | 'totalOutputTokens' | 'compactionCount'
>;

/**
 * Sessions that differ in everything by which they could be taken for one another, each of them compacted twice.
 * @returns what is to be counted in each
 */
async function makeSessions({ folder, repo, project }: Place): Promise<Figures> {
  const sample = join(folder, 'sample.jsonl');
  await generateClaudeTranscript(sample, SESSION_BYTES);
  const lines = (await readFile(sample, 'utf8')).replaceAll(GENERATED_CWD, repo).trimEnd().split('\n');
  for (const part of [2 / 3, 1 / 3]) lines.splice(Math.floor(lines.length * part), 0, makeBoundary(repo));
  const text = lines.map((line) => `${line}\n`).join('');
  for (let i = 0; i < SESSIONS; i++) {
    const id = randomUUID();
    const own = text.replaceAll(GENERATED_CLAUDE_ID, id).replaceAll('"msg_', `"msg_${i}_`);
    await writeFile(join(project, `${id}.jsonl`), own);
  }
  return countFigures(lines);
}

function makeBoundary(cwd: string): string {
  return JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    compactMetadata: { trigger: 'auto', preTokens: 155_000 },
    uuid: randomUUID(),
    sessionId: GENERATED_CLAUDE_ID,
    cwd,
  });
}

/** The plain way. */
function countFigures(lines: readonly string[]): Figures {
  const messages = new Map<string, Record<string, number>>();
  let compactionCount = 0;
  for (const line of lines) {
    const { type, subtype, message } = JSON.parse(line);
    if (type === 'assistant') messages.set(message.id, message.usage);
    if (subtype === 'compact_boundary') compactionCount++;
  }
  const sum = (...names: string[]) =>
    [...messages.values()].reduce(
      (total, usage) => names.reduce((all, name) => all + usage[name]!, total),
      0,
    );
  return {
    totalInputTokens: sum('input_tokens'),
    totalCacheTokens: sum('cache_read_input_tokens', 'cache_creation_input_tokens'),
    totalOutputTokens: sum('output_tokens'),
    compactionCount,
  };
}

function assertCounted(sessions: readonly DiscoveredSession[], figures: Figures): void {
  for (const session of sessions) {
    for (const [name, figure] of Object.entries(figures)) {
      const counted = session[name as keyof Figures];
      if (counted !== figure) throw new Error(`${name} of ${session.sessionId} is ${counted}, not ${figure}`);
    }
  }
}

/** What both list; the SDK counts neither tokens nor compactions. */
async function compareWithSdk(place: Place): Promise<BenchRow[]> {
  const figures = await makeSessions(place);
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
    assertCounted(ours, figures);
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

/** Of a few long lines nothing is kept; of many short messages an id each; huge lines come in several files at once. */
const SHAPES = {
  'long lines': (project: string) =>
    generateClaudeTranscript(join(project, `${GENERATED_CLAUDE_ID}.jsonl`), 500_000_000),
  'short messages': (project: string) => writeLines(project, 500_000, shortMessage),
  'lines of 40 MB in three sessions': async (project: string) => {
    const written = [];
    for (let file = 0; file < 3; file++) written.push(await writeLines(project, 4, hugeLine));
    return {
      lines: written.reduce((sum, { lines }) => sum + lines, 0),
      bytes: written.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  },
};

async function writeLines(
  project: string,
  count: number,
  make: (number: number) => object,
): Promise<{ lines: number; bytes: number }> {
  const out = new LineWriter(join(project, `${randomUUID()}.jsonl`));
  for (let number = 0; number < count; number++) await out.write(make(number));
  return out.finish();
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

/** What a person pasted, a picture, and a result of a tool, which is there twice. */
function hugeLine(number: number) {
  const line = { type: 'user', uuid: randomUUID(), cwd: GENERATED_CWD };
  const text = 'one line of many\n\twith "quotes" in it\n'.repeat(1_000_000);
  if (number % 3 === 0) return { ...line, message: { role: 'user', content: text } };
  if (number % 3 === 1) {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0K'.repeat(5_000_000) };
    return { ...line, message: { role: 'user', content: [{ type: 'image', source }] } };
  }
  const content = text.slice(0, 19_000_000);
  return {
    ...line,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
    toolUseResult: { stdout: content, stderr: '' },
  };
}

function measureMemoryOf(shape: keyof typeof SHAPES) {
  return async ({ folder, config, project }: Place): Promise<BenchRow> => {
    const { lines, bytes } = await SHAPES[shape](project);
    const options = {
      env: { CLAUDE_CONFIG_DIR: config, HOME: folder },
      stateDir: join(folder, 'state'),
    };
    const idle = await peakMemoryOf('');
    const scanning = await peakMemoryOf(
      `import { discoverAllSessions } from '@openbot/claude-code';
       const sessions = await discoverAllSessions(${JSON.stringify(options)});
       const lineCount = sessions.reduce((sum, session) => sum + session.lineCount, 0);
       if (lineCount !== ${lines}) throw new Error('read ' + lineCount + ' lines of ${lines}');`,
    );
    const above = (scanning - idle) / MEGABYTE;
    return {
      name: `memory to discover Claude sessions of ${Math.round(bytes / 1e6)} MB (${lines} lines, ${shape}), above an idle Node`,
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
