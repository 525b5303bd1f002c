/** `openbot usage` and `ccusage` as processes, on the same sessions of Claude Code. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  GENERATED_CLAUDE_ID,
  GENERATED_CLAUDE_SLUG,
  generateClaudeTranscript,
} from './generate-claude-transcript.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
/** Its program is compiled for each platform, 5 MB: too much for a workspace that only compares with it. */
const CCUSAGE = 'ccusage@20.0.24';
const SESSIONS = 200;
const SESSION_BYTES = 1_000_000;
const ROUNDS = 15;

/** The path of its command, or why it is not there. */
async function installCcusage(folder: string): Promise<{ path: string } | { missing: string }> {
  const run = promisify(execFile);
  const path = join(folder, 'node_modules', 'ccusage', 'src', 'cli.js');
  try {
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', CCUSAGE], {
      timeout: 120_000,
    });
    await run(process.execPath, [path, '--version']);
    return { path };
  } catch (error) {
    return { missing: String((error as Error).message).split('\n')[0]! };
  }
}

async function placeSessions(project: string): Promise<void> {
  await mkdir(project, { recursive: true });
  const sample = join(project, '..', '..', 'sample.jsonl');
  await generateClaudeTranscript(sample, SESSION_BYTES);
  const text = await readFile(sample, 'utf8');
  for (let index = 0; index < SESSIONS; index++) {
    const id = randomUUID();
    const path = join(project, `${id}.jsonl`);
    await writeFile(path, text.replaceAll(GENERATED_CLAUDE_ID, id).replaceAll('"msg_', `"msg_${index}_`));
  }
}

const TOTALS = [
  'inputTokens',
  'outputTokens',
  'cacheCreationTokens',
  'cacheReadTokens',
  'totalTokens',
  'totalCost',
];

/** In every figure of every day. Sums of fractions differ in their last digits. */
function assertSame(ours: string, theirs: string): void {
  const [one, other] = [ours, theirs].map((text) => {
    const { daily, totals } = JSON.parse(text) as { daily: Record<string, unknown>[]; totals: object };
    return [...daily, totals].map((row) => {
      const { date = 'totals', ...figures } = row as Record<string, unknown>;
      const shown = TOTALS.map((name) => `${name} ${Math.round((figures[name] as number) * 1e9) / 1e9}`);
      return `${date}: ${shown.join(', ')}`;
    });
  });
  if (one!.join('\n') !== other!.join('\n'))
    throw new Error(`they count differently:\n${one!.join('\n')}\n${other!.join('\n')}`);
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const installed = await installCcusage(join(folder, 'ccusage'));
    if ('missing' in installed) {
      console.log(
        `left out: openbot usage against ccusage, which cannot be installed here: ${installed.missing}`,
      );
      return [];
    }
    const config = join(folder, 'claude');
    await placeSessions(join(config, 'projects', GENERATED_CLAUDE_SLUG));
    const envOf = (claude: string) => ({ HOME: folder, CLAUDE_CONFIG_DIR: claude });
    const ours = (claude = config) =>
      runNode([OPENBOT, 'usage', '--source', 'claude', '--json'], { env: envOf(claude) });
    const theirs = (claude = config) =>
      runNode([installed.path, 'claude', 'daily', '--json', '--offline'], { env: envOf(claude) });
    for (const name of ['claude-code', 'ccusage']) {
      const fixtures = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
      assertSame((await ours(fixtures)).stdout, (await theirs(fixtures)).stdout);
    }
    const first = await ours();
    const peer = await theirs();
    assertSame(first.stdout, peer.stdout);
    // What was written less than two seconds before a reading is read again by the next one; the fastest counts.
    let [again, least, node] = [Number.POSITIVE_INFINITY, peer.ms, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round++) {
      const one = await ours();
      if (one.stdout !== first.stdout) throw new Error('a repeated report says something else');
      again = Math.min(again, one.ms);
      node = Math.min(node, (await runNode(['-e', '0'])).ms);
      if (round % 3 === 0) least = Math.min(least, (await theirs()).ms);
    }
    return [
      {
        name: `openbot usage of ${SESSIONS} Claude sessions of 1 MB, repeated, with the same totals as ${CCUSAGE}`,
        ours: `${again.toFixed(1)} ms`,
        peer: `${least.toFixed(0)} ms`,
        ratio: least / again,
        limit: 10,
        better: 'higher',
        details: `the first report took ${first.ms.toFixed(0)} ms; node -e 0 takes ${node.toFixed(1)} ms`,
      },
    ];
  });
}
