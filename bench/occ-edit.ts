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
import { bestOf, copySynced, inTempFolder, OCC, placeSession, run, runNode } from './occ-command.ts';

const PEER = fileURLToPath(new URL('../node_modules/ccs-cloner/dist/cli.js', import.meta.url));
const BYTES = 50_000_000;
const ROUNDS = 5;

/** Against starting Node and copying the file to disk: less than that cannot be done with a backup. */
async function editAgainstCopy(folder: string): Promise<BenchRow> {
  const source = join(folder, 'openclaw.jsonl');
  await generateTranscript(source, BYTES, { mixed: true });
  const stateDir = join(folder, 'state');
  const copy = join(folder, 'copy.jsonl');
  let path = '';
  const times = {
    edit: Number.POSITIVE_INFINITY,
    node: Number.POSITIVE_INFINITY,
    copy: Number.POSITIVE_INFINITY,
  };
  for (let round = 0; round < ROUNDS; round++) {
    path = await placeSession(stateDir, source, GENERATED_ID);
    const edit = await runNode([OCC, 'edit', GENERATED_ID, '--strip-tools', '--state-dir', stateDir], {
      env: { HOME: folder },
    });
    times.edit = Math.min(times.edit, edit.ms);
    times.node = Math.min(times.node, (await runNode(['-e', '0'])).ms);
    await rm(copy, { force: true });
    const copied = (await run('cp', [source, copy])).ms + (await run('sync', [copy])).ms;
    times.copy = Math.min(times.copy, copied);
  }
  await assertCleaned(path, source);
  return {
    name: 'occ edit --strip-tools of a 50 MB OpenClaw transcript, whole command, against node -e 0 + cp + sync',
    ours: `${times.edit.toFixed(0)} ms`,
    peer: `${times.node.toFixed(0)} + ${times.copy.toFixed(0)} ms`,
    ratio: times.edit / (times.node + times.copy),
    limit: 2,
    better: 'lower',
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
  const ours = (command: string) =>
    bestOf(
      ROUNDS,
      () => runNode([OCC, command, GENERATED_CLAUDE_ID, '--strip-tools', '--source', 'claude'], { env }),
      prepare,
    );
  const peer = await bestOf(
    ROUNDS,
    () => runNode([PEER, 'clone', GENERATED_CLAUDE_ID, '--strip-tools', '--claude-dir', claudeDir], { env }),
    prepare,
  );
  const row = (command: string, ms: number): BenchRow => ({
    name: `occ ${command} --strip-tools of a 50 MB Claude Code transcript, against ccs-cloner clone --strip-tools`,
    ours: `${ms.toFixed(0)} ms`,
    peer: `${peer.toFixed(0)} ms`,
    ratio: peer / ms,
    limit: 4,
    better: 'higher',
  });
  return [row('edit', await ours('edit')), row('clone', await ours('clone'))];
}

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => [
    await editAgainstCopy(folder),
    ...(await claudeAgainstPeer(folder)),
  ]);
}
