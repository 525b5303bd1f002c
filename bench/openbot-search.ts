/**
 * `openbot search` over a gigabyte of transcripts, against ripgrep on the same files: the search itself and the whole
 * command. Also how fast transcripts are indexed, and how long it takes to catch up after one message.
 */
import { spawnSync } from 'node:child_process';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openIndexDatabase } from '../packages/openbot/src/index-db/index-database.ts';
import { parseQuery } from '../packages/openbot/src/index-search/parse-query.ts';
import { type SearchedText, searchMessages } from '../packages/openbot/src/index-search/search.ts';
import { catchUp } from '../packages/openbot/src/index-writing/catch-up.ts';
import { placeOfState } from '../packages/openbot/src/index-writing/session-source.ts';
import { generateTranscript } from './generate-transcript.ts';
import { type BenchRow, fastest, percentile, timesOf } from './measure.ts';
import { inTempFolder, runNode } from './occ-command.ts';

const OPENBOT = fileURLToPath(new URL('../packages/openbot/bin/openbot.js', import.meta.url));
const SESSIONS = 100;
const BYTES_EACH = 10_000_000;
const ROUNDS = 7;
/** One in a message, three in all. */
const NEEDLE = 'lighthouse';

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const sessions = join(folder, 'agents', 'main', 'sessions');
    await mkdir(sessions, { recursive: true });
    const pathOf = (n: number) =>
      join(sessions, `${String(n).padStart(8, '0')}-1a33-4851-aa5f-78e1df28e50b.jsonl`);
    let bytes = 0;
    for (let n = 0; n < SESSIONS; n++) {
      bytes += (await generateTranscript(pathOf(n), BYTES_EACH, { mixed: true, seed: n + 1 })).bytes;
    }
    for (const n of [3, 50, 97]) await say(pathOf(n), `The old ${NEEDLE} is behind the harbour.`);

    const database = await openIndexDatabase(join(folder, 'openbot.sqlite'));
    const place = placeOfState(folder, { env: { HOME: folder }, cwd: folder });
    const begun = performance.now();
    await catchUp(database, place);
    const rate = bytes / 1e3 / (performance.now() - begun);

    const catching = await timesOf(50, async () => {
      await say(pathOf(7), 'One more message.');
      await catchUp(database, place);
    });
    const search = async (words: string, texts: readonly SearchedText[]) => {
      const hits = await searchMessages(database, {
        query: parseQuery(words.split(' ')),
        roots: [folder],
        texts,
        limit: 10,
      });
      if (hits.length === 0) throw new Error(`nothing found for ${words}`);
    };
    const rows: BenchRow[] = [
      {
        name: `indexing ${Math.round(bytes / 1e6)} MB of transcripts`,
        ours: `${rate.toFixed(1)} MB/s`,
        peer: 'a limit of 40 MB/s',
        ratio: rate / 40,
        limit: 1,
        better: 'higher',
      },
      {
        name: `catching up after one message, ${SESSIONS} sessions, p95`,
        ours: `${percentile(catching, 0.95).toFixed(1)} ms`,
        peer: 'a limit of 20 ms',
        ratio: percentile(catching, 0.95) / 20,
        limit: 1,
        better: 'lower',
        details: `p50 ${percentile(catching, 0.5).toFixed(1)} ms`,
      },
    ];
    const ripgrep = findRipgrep();
    if (ripgrep === undefined) {
      console.log('       not compared with ripgrep: there is no rg on the path, and no RIPGREP names one');
      database.close();
      return rows;
    }
    const grep = (word: string) => async () => {
      const { status } = spawnSync(ripgrep, ['--ignore-case', '--count', word, sessions]);
      if (status !== 0) throw new Error(`rg ended with ${status}`);
    };
    const [ours, peer] = await fastest(ROUNDS, () => search(NEEDLE, ['said', 'tools']), grep(NEEDLE));
    const [common, peerOfCommon] = await fastest(
      ROUNDS,
      () => search('session window', ['said']),
      grep('session'),
    );
    database.close();
    const [command, peerOfCommand] = await fastest(
      ROUNDS,
      () => runNode([OPENBOT, 'search', NEEDLE, '--tools', '--state-dir', folder], { env: { HOME: folder } }),
      grep(NEEDLE),
    );
    const against = (name: string, mine: number, theirs: number, limit: number): BenchRow => ({
      name,
      ours: `${mine.toFixed(1)} ms`,
      peer: `${theirs.toFixed(0)} ms by ripgrep`,
      ratio: mine / theirs,
      limit,
      better: 'lower',
    });
    return [
      ...rows,
      against('searching 1 GB for a word, in an open process', ours, peer, 0.05),
      against('for two words that nearly every message has', common, peerOfCommon, 0.5),
      // Half of it is the start of Node, which alone takes a tenth of ripgrep's time.
      against('openbot search, the whole command', command, peerOfCommand, 0.5),
    ];
  });
}

function say(path: string, text: string): Promise<void> {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  const line = {
    type: 'message',
    id: Math.random().toString(16).slice(2, 10),
    timestamp: new Date(),
    message,
  };
  return appendFile(path, `${JSON.stringify(line)}\n`);
}

function findRipgrep(): string | undefined {
  const program = process.env.RIPGREP ?? 'rg';
  return spawnSync(program, ['--version']).status === 0 ? program : undefined;
}
