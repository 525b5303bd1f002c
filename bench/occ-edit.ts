import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  GENERATED_CLAUDE_ID,
  GENERATED_CLAUDE_SLUG,
  generateClaudeTranscript,
} from './generate-claude-transcript.ts';
import { GENERATED_ID, generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { copySynced, inTempFolder, OCC, placeSession, run, runNode, stepsOf } from './occ-command.ts';

const PEER = fileURLToPath(new URL('../node_modules/ccs-cloner/dist/cli.js', import.meta.url));
const BYTES = 50_000_000;
/** Of which the fastest counts. Both sides of a figure run in turn, so that what else the machine does hits both alike. */
const ROUNDS = 15;

/** Against starting Node and copying the file to disk, which is what a rewrite with a backup cannot do without. */
async function editAgainstCopy(folder: string): Promise<BenchRow> {
  const source = join(folder, 'openclaw.jsonl');
  await generateTranscript(source, BYTES, { mixed: true });
  const stateDir = join(folder, 'state');
  const copy = join(folder, 'copy.jsonl');
  const args = [OCC, 'edit', GENERATED_ID, '--strip-tools', '--state-dir', stateDir];
  const env = { HOME: folder };
  let path = '';
  const times = {
    edit: Number.POSITIVE_INFINITY,
    node: Number.POSITIVE_INFINITY,
    copy: Number.POSITIVE_INFINITY,
  };
  for (let round = 0; round < ROUNDS; round++) {
    path = await placeSession(stateDir, source, GENERATED_ID);
    const edit = await runNode(args, { env });
    times.edit = Math.min(times.edit, edit.ms);
    times.node = Math.min(times.node, (await runNode(['-e', '0'])).ms);
    await rm(copy, { force: true });
    const copied = (await run('cp', [source, copy])).ms + (await run('sync', [copy])).ms;
    times.copy = Math.min(times.copy, copied);
  }
  await assertCleaned(path, source);
  const details = await stepsOf(ROUNDS, args, env, () => placeSession(stateDir, source, GENERATED_ID));
  return {
    name: 'occ edit --strip-tools of a 50 MB OpenClaw transcript, whole command, against node -e 0 + cp + sync',
    ours: `${times.edit.toFixed(0)} ms`,
    peer: `${times.node.toFixed(0)} + ${times.copy.toFixed(0)} ms`,
    ratio: times.edit / (times.node + times.copy),
    limit: 3,
    better: 'lower',
    details,
  };
}

async function assertCleaned(path: string, source: string): Promise<void> {
  const { size } = await stat(source);
  if ((await stat(path)).size > size / 2) throw new Error('the session was not cleaned');
  const names = await readdir(join(dirname(path), 'backups'));
  const backup = names.find((name) => name.includes('.backup.') && name.endsWith('.jsonl'));
  if (backup === undefined || (await stat(join(dirname(path), 'backups', backup))).size !== size) {
    throw new Error(`no whole backup among ${names.join(', ')}`);
  }
}

async function claudeAgainstPeer(folder: string): Promise<BenchRow[]> {
  const source = join(folder, 'claude.jsonl');
  await generateClaudeTranscript(source, BYTES);
  const claudeDir = join(folder, 'claude');
  const project = join(claudeDir, 'projects', GENERATED_CLAUDE_SLUG);
  const prepare = async () => {
    await rm(claudeDir, { recursive: true, force: true });
    await mkdir(project, { recursive: true });
    await copySynced(source, join(project, `${GENERATED_CLAUDE_ID}.jsonl`));
  };
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: claudeDir };
  const argsOf = (command: string) => [
    OCC,
    command,
    GENERATED_CLAUDE_ID,
    '--strip-tools',
    '--source',
    'claude',
  ];
  const peer = [PEER, 'clone', GENERATED_CLAUDE_ID, '--strip-tools', '--claude-dir', claudeDir];
  const best = await bestOfEach(ROUNDS, { peer, edit: argsOf('edit'), clone: argsOf('clone') }, env, prepare);
  const describe = async (command: 'edit' | 'clone'): Promise<BenchRow> => ({
    name: `occ ${command} --strip-tools of a 50 MB Claude Code transcript, against ccs-cloner clone --strip-tools`,
    ours: `${best[command].toFixed(0)} ms`,
    peer: `${best.peer.toFixed(0)} ms`,
    ratio: best.peer / best[command],
    limit: 4,
    better: 'higher',
    details: await stepsOf(ROUNDS, argsOf(command), env, prepare),
  });
  return [await describe('edit'), await describe('clone')];
}

/** The fastest time of each command in ms. They run in turn. */
async function bestOfEach<Name extends string>(
  rounds: number,
  commands: Readonly<Record<Name, readonly string[]>>,
  env: Record<string, string>,
  prepare: () => Promise<void>,
): Promise<Record<Name, number>> {
  const best = {} as Record<Name, number>;
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(commands) as Name[]) {
      await prepare();
      const { ms } = await runNode(commands[name], { env });
      best[name] = Math.min(best[name] ?? ms, ms);
    }
  }
  return best;
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => [
    await editAgainstCopy(folder),
    ...(await claudeAgainstPeer(folder)),
  ]);
}
