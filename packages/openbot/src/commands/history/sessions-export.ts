import { statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { OpenBotError, reportProgress } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { writeFileAtomic } from '@openbot/sessions/disk';
import { resolveUserPath } from '@openbot/sessions/layout';
import { formatQuantity, printable } from '@openbot/sessions/terminal-text';
import type { OpenLines, ReadableSession } from 'oc-context-cleaner';
import { chooseEntries } from '../../history/choose-entries.ts';
import { describeHead } from '../../history/describe-head.ts';
import { exportLines } from '../../history/export-lines.ts';
import { readItems } from '../../history/read-items.ts';
import { redactHead, redactItem } from '../../history/redact-item.ts';
import type { HistoryRenderer, RenderOptions } from '../../history/render/contract.ts';
import { renderAsHtml } from '../../history/render/html.ts';
import { renderAsMarkdown } from '../../history/render/markdown.ts';
import type { EXPORT_FLAGS } from './flags.ts';
import { findNamed, readSearch } from './session-search.ts';

type ExportInput = CommandInput<typeof EXPORT_FLAGS>;
type Format = NonNullable<ExportInput['flags']['format']>;

const RENDERERS: Readonly<Record<string, (options: RenderOptions) => HistoryRenderer>> = {
  md: renderAsMarkdown,
  html: renderAsHtml,
};

/** Writes a session to a file that people or programs can read. */
export async function sessionsExport(input: ExportInput): Promise<void> {
  const { flags, words, terminal } = input;
  const [name] = words;
  if (name === undefined) {
    throw new OpenBotError('USAGE', 'Which session?', {
      hint: "Name it by its key, its id, the beginning of its id, its label, or a path; 'openbot sessions' lists them",
    });
  }
  const format = readFormat(flags);
  if (flags.output === '-' && flags.json) {
    throw new OpenBotError('USAGE', '--json and --output - contradict each other', {
      hint: 'Standard output takes one of them',
    });
  }
  const found = await findNamed(input, readSearch(input, false), name);
  const target = flags.output === '-' ? undefined : readTarget(input, found, format);
  const lines = await found.open();
  try {
    const pieces = makePieces(input, found, lines, format);
    if (target === undefined) await print(input, pieces);
    else await write(target, pieces, flags.force === true);
  } finally {
    await lines.close();
  }
  if (target === undefined) return;
  const sizeBytes = statSync(target).size;
  const { sessionId, sessionKey } = found.session;
  if (flags.json) {
    writeJson(terminal, {
      sessionId,
      sessionKey,
      format,
      path: target,
      sizeBytes,
      redacted: !flags.withSecrets,
    });
    return;
  }
  terminal.say(`Wrote ${printable(target)} (${formatQuantity(sizeBytes, 'byte')})\n`);
  if (flags.withSecrets) return;
  terminal.warn(
    `${terminal.errorPalette.dim('Secrets that were recognised are hidden. Read it before you pass it on.')}\n`,
  );
}

function readFormat({ format, output = '' }: ExportInput['flags']): Format {
  if (format !== undefined) return format;
  const ending = extname(output).slice(1).toLowerCase();
  if (ending === 'htm' || ending === 'html') return 'html';
  if (ending === 'jsonl') return 'jsonl';
  if (['', 'md', 'markdown', 'txt'].includes(ending)) return 'md';
  throw new OpenBotError('USAGE', `No format has the ending of ${output}`, {
    hint: 'Endings are .md, .html and .jsonl; --format chooses one whatever the name is',
  });
}

/** Refused before anything is read: a person waits for nothing then. */
function readTarget({ flags, env, cwd }: ExportInput, { session }: ReadableSession, format: Format): string {
  const named = session.sessionId.replace(/[^\w.-]/g, '_').slice(0, 100);
  const { output } = flags;
  const target =
    output === undefined
      ? resolve(cwd, `${named}.${format}`)
      : /^~/.test(output)
        ? resolveUserPath(output, env)
        : resolve(cwd, output);
  const stats = statSync(target, { throwIfNoEntry: false });
  if (target === session.path) {
    throw new OpenBotError('USAGE', `${target} is the session itself`, {
      hint: 'Name another file with --output',
    });
  }
  if (stats?.isDirectory()) {
    throw new OpenBotError('USAGE', `${target} is a folder`, { hint: 'Name a file with --output' });
  }
  if (stats !== undefined && !flags.force) throw alreadyThere(target);
  if (!statSync(dirname(target), { throwIfNoEntry: false })?.isDirectory()) {
    throw new OpenBotError('USAGE', `The folder ${dirname(target)} does not exist`, {
      hint: 'Make it, or name another file with --output',
    });
  }
  return target;
}

function alreadyThere(target: string): OpenBotError {
  return new OpenBotError('USAGE', `${target} exists already`, {
    hint: 'Name another file with --output, or replace it with --force',
  });
}

function* makePieces(
  { flags }: ExportInput,
  found: ReadableSession,
  lines: OpenLines,
  format: Format,
): Generator<Buffer> {
  const withSecrets = flags.withSecrets === true;
  const makeRenderer = RENDERERS[format];
  if (makeRenderer === undefined) {
    yield* exportLines(lines, withSecrets);
    return;
  }
  const renderer = makeRenderer({ tools: flags.tools, thinking: flags.thinking });
  const chosen = chooseEntries(lines.transcript);
  const head = describeHead(found, chosen);
  yield Buffer.from(renderer.begin(withSecrets ? head : redactHead(head)));
  for (const item of readItems(lines, chosen)) {
    yield Buffer.from(renderer.item(withSecrets ? item : redactItem(item, flags.tools === true)));
  }
  yield Buffer.from(renderer.end());
}

async function print({ terminal }: ExportInput, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (terminal.lost?.aborted) return;
    // Bytes that are no UTF-8 stay what they are only in a file.
    terminal.write(piece.toString('utf8'));
    await new Promise(setImmediate);
  }
}

const PIECE = 256 * 1024;

async function write(target: string, pieces: Iterable<Buffer>, isForced: boolean): Promise<void> {
  reportProgress({ step: 'write', text: 'Writing the session' });
  try {
    await writeFileAtomic(
      target,
      async (file) => {
        let held: Buffer[] = [];
        let size = 0;
        for (const piece of pieces) {
          held.push(piece);
          size += piece.length;
          if (size < PIECE) continue;
          await file.writeFile(Buffer.concat(held));
          held = [];
          size = 0;
        }
        await file.writeFile(Buffer.concat(held));
      },
      {
        beforeRename() {
          if (!isForced && statSync(target, { throwIfNoEntry: false }) !== undefined)
            throw alreadyThere(target);
        },
      },
    );
  } catch (error) {
    if (error instanceof OpenBotError) throw error;
    throw new OpenBotError('USAGE', `${target} could not be written: ${(error as Error).message}`, {
      hint: 'Name another file with --output',
      cause: error,
    });
  }
}
