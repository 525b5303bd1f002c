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
import { bestOf, copySynced, inTempFolder, OCC, placeSession, run, runNode, stepsOf } from './occ-command.ts';

const PEER = fileURLToPath(new URL('../node_modules/ccs-cloner/dist/cli.js', import.meta.url));
const BYTES = 50_000_000;
const ROUNDS = 5;

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
  const peer = await bestOf(
    ROUNDS,
    () => runNode([PEER, 'clone', GENERATED_CLAUDE_ID, '--strip-tools', '--claude-dir', claudeDir], { env }),
    prepare,
  );
  const measure = async (command: string): Promise<BenchRow> => {
    const args = [OCC, command, GENERATED_CLAUDE_ID, '--strip-tools', '--source', 'claude'];
    const ms = await bestOf(ROUNDS, () => runNode(args, { env }), prepare);
    return {
      name: `occ ${command} --strip-tools of a 50 MB Claude Code transcript, against ccs-cloner clone --strip-tools`,
      ours: `${ms.toFixed(0)} ms`,
      peer: `${peer.toFixed(0)} ms`,
      ratio: peer / ms,
      limit: 4,
      better: 'higher',
      details: await stepsOf(ROUNDS, args, env, prepare),
    };
  };
  return [await measure('edit'), await measure('clone')];
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => [
    await editAgainstCopy(folder),
    ...(await claudeAgainstPeer(folder)),
  ]);
}
