import { appendFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GENERATED_ID, generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder, MEGABYTE, OCC, peakOf, runNode } from './occ-command.ts';

const BLANK_LINES = 20_000_000;
const BRACKETS = 5_000_000;
/** Peak memory in MB of the whole process. One column entry for each line would take more than a gigabyte. */
const INFO_LIMIT = 160;
const EDIT_LIMIT = 200;
/** A stack with an entry for each bracket took 400 MB more. */
const BRACKETS_LIMIT = 160;
/** So much longer than Node takes to split the lines. */
const TIME_LIMIT = 3;

/**
 * Sessions that some program filled with blank lines, or with brackets, after their conversation. Blank lines are held together
 * only in whole blocks of them: with other lines between each few, each costs as much as any line.
 */
export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const sessions = join(folder, 'state', 'agents', 'main', 'sessions');
    await mkdir(sessions, { recursive: true, mode: 0o700 });
    const path = join(sessions, `${GENERATED_ID}.jsonl`);
    const env = { HOME: folder };
    const occ = (command: string, ...flags: string[]) => [
      OCC,
      command,
      GENERATED_ID,
      '--state-dir',
      join(folder, 'state'),
      ...flags,
    ];
    const edit = occ('edit', '--keep=0');
    const rows: BenchRow[] = [];
    const memoryOf = async (name: string, args: readonly string[], limit: number) => {
      const peak = (await peakOf(args, env)) / MEGABYTE;
      const ours = `${peak.toFixed(0)} MB`;
      const peer = `limit ${limit} MB`;
      rows.push({ name, ours, peer, ratio: peak / limit, limit: 1, better: 'lower' });
    };

    for (const [name, lines] of [
      ['blank lines', '\n'],
      ['blank lines that differ', ' \n\r\n'],
    ] as const) {
      await rm(join(sessions, 'backups'), { recursive: true, force: true });
      await generateTranscript(path, 1_000_000);
      await appendBlankLines(path, lines);
      const blank = `${BLANK_LINES / 1e6} million ${name}`;
      await memoryOf(`peak memory of occ info on ${blank}`, occ('info'), INFO_LIMIT);
      const split = `require('node:fs').readFileSync(${JSON.stringify(path)}, 'latin1').split('\\n').length`;
      const peer = (await runNode(['--eval', split])).ms;
      const ours = (await runNode(edit, { env })).ms;
      rows.push({
        name: `time of occ edit on ${blank}`,
        ours: `${ours.toFixed(0)} ms`,
        peer: `${peer.toFixed(0)} ms of Node to split them`,
        ratio: ours / peer,
        limit: TIME_LIMIT,
        better: 'lower',
      });
      await rm(join(sessions, 'backups'), { recursive: true });
      await generateTranscript(path, 1_000_000);
      await appendBlankLines(path, lines);
      await memoryOf(`peak memory of occ edit on ${blank}`, edit, EDIT_LIMIT);
    }

    for (const [name, line] of [
      ['open brackets', '['.repeat(BRACKETS)],
      ['brackets that are closed', `{"type":"custom","data":${'['.repeat(BRACKETS)}${']'.repeat(BRACKETS)}}`],
    ] as const) {
      await rm(join(sessions, 'backups'), { recursive: true, force: true });
      await generateTranscript(path, 1_000_000);
      await appendFile(path, `${line}\n`);
      const many = `${BRACKETS / 1e6} million ${name}`;
      await memoryOf(`peak memory of occ edit on ${many}`, edit, BRACKETS_LIMIT);
    }
    return rows;
  });
}

async function appendBlankLines(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    const block = Buffer.from(lines.repeat(1_000_000 / (lines.split('\n').length - 1)));
    for (let written = 0; written < BLANK_LINES; written += 1_000_000) await file.write(block);
  } finally {
    await file.close();
  }
}
