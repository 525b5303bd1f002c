import { type Progress, reportProgress } from '@openbot/sessions';
import { type Terminal, writeWarning } from '@openbot/sessions/command-line';
import { printable, shorten } from '@openbot/sessions/terminal-text';
import type { SayEvent } from '../../bot/contract.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { dropStreamed, listMedia } from '../../turn/reply/drop-repeats.ts';
import { ReplyStream } from './reply-stream.ts';

/** Enough to recognise a call. */
const MOST = 120;

/** Shows a run in a terminal while it happens. Elsewhere it shows only what a person must know meanwhile, on stderr. */
export class AgentReport {
  readonly streams: boolean;
  readonly #terminal: Terminal;
  readonly #streamsText: boolean;
  #stream = new ReplyStream();
  /** What was shown of each message of the model. */
  readonly #shown: string[] = [];
  #isMidLine = false;

  constructor(terminal: Terminal, options: { readonly streams: boolean; readonly streamsText: boolean }) {
    this.#terminal = terminal;
    this.streams = options.streams;
    this.#streamsText = options.streams && options.streamsText;
  }

  write(event: SayEvent): void {
    const { errorPalette, palette } = this.#terminal;
    switch (event.type) {
      case 'text':
        if (this.#streamsText) this.#writeText(this.#stream.add(event.delta));
        break;
      case 'message-end':
        this.#endMessage();
        break;
      case 'tool-call':
        this.#writeNote(palette.dim(`> ${summarizeCall(event.name, event.arguments)}`));
        break;
      case 'tool-result':
        if (event.isError) this.#writeNote(palette.red(`  failed: ${showBeginning(event.text)}`));
        break;
      case 'gave-way':
        // Words that were cut off are in no reply, so they must not be looked for there.
        this.#stream = new ReplyStream();
        this.#endLine();
        this.#writeNote(palette.dim(`… ${printable(`${event.from} failed; ${event.to} goes on`)}`));
        break;
      case 'compaction':
        if (event.phase === 'start') this.#writeNote(palette.dim('… shortening the conversation'));
        break;
      case 'waiting':
        this.#endLine();
        this.#terminal.warn(`${errorPalette.dim(`… waiting for ${printable(event.behind)}`)}\n`);
        break;
      case 'warning':
        this.#endLine();
        writeWarning(this.#terminal, event.message);
        break;
    }
    reportProgress(this.#progress(event));
  }

  writeAborting(): void {
    if (!this.streams) return;
    this.#endLine();
    this.#terminal.warn('… ending\n');
  }

  /** What was not shown yet. */
  finish(payloads: readonly ReplyPayload[]): void {
    this.#endMessage();
    const rest = dropStreamed(payloads, this.#shown).filter(
      (payload) => payload.text !== undefined || listMedia(payload).length > 0,
    );
    this.#terminal.write(showLines(formatPayloads(rest)));
  }

  /** A line of progress would be written over a line of text that goes on. */
  #progress(event: SayEvent): Progress {
    const isOver = event.type === 'end' || event.type === 'waiting';
    return this.#isMidLine || isOver ? { step: undefined } : { step: 'run', text: 'The agent is working' };
  }

  #endMessage(): void {
    this.#writeText(this.#stream.end());
    if (this.#stream.shown !== '') this.#shown.push(this.#stream.shown);
    this.#stream = new ReplyStream();
    this.#endLine();
  }

  #writeNote(line: string): void {
    if (!this.streams) return;
    this.#endMessage();
    this.#terminal.write(`${line}\n`);
  }

  #writeText(text: string): void {
    if (text === '') return;
    this.#terminal.write(showLines(text));
    this.#isMidLine = !text.endsWith('\n');
  }

  #endLine(): void {
    if (this.#isMidLine) this.#terminal.write('\n');
    this.#isMidLine = false;
  }
}

/** Texts and media, with an empty line between replies. Ends with a line end; empty without a reply. */
export function formatPayloads(payloads: readonly ReplyPayload[]): string {
  const shown = payloads.map((payload) =>
    [
      ...(payload.text === undefined ? [] : [payload.text.trimEnd()]),
      ...listMedia(payload).map((url) => `MEDIA: ${url}`),
    ].join('\n'),
  );
  return shown.length === 0 ? '' : `${shown.join('\n\n')}\n`;
}

/** A call on one line: `read_file notes.md`. */
function summarizeCall(name: string, given: Readonly<Record<string, unknown>>): string {
  const values = Object.values(given).map((value) =>
    typeof value === 'string' ? value.slice(0, 2 * MOST) : (JSON.stringify(value) ?? ''),
  );
  return showBeginning([name, ...values].join(' '));
}

function showBeginning(text: string): string {
  return printable(
    shorten(
      text
        .slice(0, 4 * MOST)
        .replace(/\s+/g, ' ')
        .trim(),
      MOST,
    ),
  );
}

function showLines(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line.replaceAll('\t', '    ').replace(/\r$/, '')))
    .join('\n');
}
