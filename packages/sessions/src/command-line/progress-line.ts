import { listenToProgress, type Progress } from '../progress.ts';
import { printable } from '../terminal-text/printable.ts';
import { cutEnd, textWidth } from '../terminal-text/text-width.ts';
import type { OutputStream } from './output.ts';

/** What is done sooner needs no word. */
const SILENT_MS = 1000;
/** Faster changes could not be read. */
const REDRAW_MS = 100;
const USUAL_COLUMNS = 80;

interface Doing {
  readonly text: string;
  readonly since: number;
}

/** `performance` brings six modules of Node, which many a short command does not load otherwise. */
const readClock = () => process.uptime() * 1000;

/**
 * Says on stderr what takes longer than a second: in a terminal one line, which is rewritten and erased before anything
 * else is written; elsewhere, once, what is waited for.
 */
export class ProgressLine {
  readonly #stderr: OutputStream;
  readonly #isDrawn: boolean;
  readonly #now: () => number;
  /** When the person last saw something. */
  #quietSince: number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawn = '';
  #step: Doing | undefined;
  #share: number | undefined;
  #wait: Doing | undefined;
  #isWaitSaid = false;

  constructor(stderr: OutputStream, isDumb: boolean, now = readClock) {
    this.#stderr = stderr;
    this.#isDrawn = stderr.isTTY === true && !isDumb;
    this.#now = now;
    this.#quietSince = now();
  }

  /** Shows what is reported from now on. Returns the function that ends this. */
  follow(): () => void {
    const stop = listenToProgress((news) => this.#take(news));
    // Between two reports the seconds go on.
    const timer = setInterval(() => this.#draw(), SILENT_MS / 2).unref();
    return () => {
      stop();
      clearInterval(timer);
      this.erase();
    };
  }

  /** To be called before every other output. */
  erase(): void {
    this.#quietSince = this.#now();
    if (this.#drawn === '') return;
    this.#stderr.write(this.#toStart() + ERASE_REST);
    this.#drawn = '';
  }

  #take(news: Progress): void {
    const now = this.#now();
    if ('waitingFor' in news) {
      if (news.waitingFor === undefined) this.#endWait(now);
      else this.#wait = { text: news.waitingFor, since: this.#wait?.since ?? now };
    } else {
      this.#endWait(now);
      if ('share' in news) {
        this.#share = news.share;
        this.#step ??= { text: 'Reading', since: now };
      } else if (news.step === undefined) {
        this.#step = undefined;
        this.#share = undefined;
      } else if (news.text !== this.#step?.text) {
        this.#step = { text: news.text, since: now };
        this.#share = undefined;
      }
    }
    if ((this.#wait ?? this.#step) === undefined) this.erase();
    else if (this.#isDrawn) this.#draw();
    else this.#sayWait(now);
  }

  /** The time of the wait is not that of the step which had to wait. */
  #endWait(now: number): void {
    if (this.#wait !== undefined && this.#step !== undefined)
      this.#step = { ...this.#step, since: this.#step.since + now - this.#wait.since };
    this.#wait = undefined;
  }

  #draw(): void {
    const now = this.#now();
    if (!this.#isDrawn || now - this.#quietSince < SILENT_MS || now - this.#drawnAt < REDRAW_MS) return;
    const text = this.#compose(now);
    if (text === this.#drawn && textWidth(text) < this.#columns) return;
    this.#stderr.write(`${this.#toStart()}${text}${this.#rowsAbove > 0 ? ERASE_REST : ERASE_LINE}`);
    this.#drawn = text;
    this.#drawnAt = now;
  }

  #compose(now: number): string {
    const doing = this.#wait ?? this.#step;
    if (doing === undefined) return '';
    const seconds = Math.floor((now - doing.since) / 1000);
    const text =
      this.#wait !== undefined
        ? `Waiting ${seconds} s for ${doing.text}`
        : this.#share !== undefined
          ? `${doing.text}: ${Math.floor(100 * this.#share)}%`
          : `${doing.text}${seconds > 0 ? `: ${seconds} s` : ''}`;
    // A line that wraps could not be erased; a full line may wrap, and Ctrl-C adds `^C` to it.
    return cutEnd(printable(text), this.#columns - 3);
  }

  #sayWait(now: number): void {
    if (this.#wait === undefined || this.#isWaitSaid || now - this.#wait.since < SILENT_MS) return;
    this.#isWaitSaid = true;
    this.#stderr.write(`Waiting for ${printable(this.#wait.text)}\n`);
  }

  get #columns(): number {
    return this.#stderr.columns || USUAL_COLUMNS;
  }

  /** A terminal that was made narrower since has broken the line into several. */
  get #rowsAbove(): number {
    return this.#drawn === '' ? 0 : Math.ceil(textWidth(this.#drawn) / this.#columns) - 1;
  }

  #toStart(): string {
    return this.#rowsAbove === 0 ? '\r' : `\r\u001b[${this.#rowsAbove}A`;
  }
}

const ERASE_LINE = '\u001b[K';
/** Of this line, and all below it. */
const ERASE_REST = '\u001b[J';
