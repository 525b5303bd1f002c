import { createInterface, type Interface } from 'node:readline';
import type { ClaudeRun, PermissionRequest } from '@openbot/claude-code';
import type { Dialog, Prompt } from './dialog.ts';
import { openDialog } from './permission-dialog.ts';

/** Who is asked: the terminal's two ends. */
export interface Questioned {
  /** Called with the first question: a run in the background stops for that alone. */
  openInput(): NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  /** Ctrl-C at a question, which the terminal does not turn into a signal then. */
  onInterrupt(): void;
  /** How long after an answer the next question comes: what is typed so soon was meant for the one before. */
  readonly restMs?: number;
}

type Asked = Pick<ClaudeRun, 'onPermissionRequest' | 'respondToPermission' | 'onEvent'>;

/** By then what was typed before the question has arrived, and what happened before it has been told. */
const ARRIVAL_MS = 50;
/** A key that is pressed twice takes less. */
const REST_MS = 500;
/** Of a terminal that does not tell. */
const USUAL_COLUMNS = 80;

/**
 * Asks the person at the terminal what Claude Code may do, one question at a time. What was typed before a question was
 * shown answers nothing; the end of the input means no, from then on.
 */
export class PermissionDesk {
  readonly #run: Asked;
  readonly #questioned: Questioned;
  readonly #open: PermissionRequest[] = [];
  #lines: Interface | undefined;
  #dialog: Dialog | undefined;
  /** What the dialog asks next. */
  #prompt: Prompt | undefined;
  #isShown = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #restsUntil = 0;
  #whenFree = Promise.withResolvers<void>();

  constructor(run: Asked, questioned: Questioned) {
    this.#run = run;
    this.#questioned = questioned;
    run.onPermissionRequest((request) => {
      this.#open.push(request);
      if (this.#isOver) return this.#denyAll();
      this.#lines ??= this.#takeTerminal();
      this.#schedule();
    });
    run.onEvent((event) => {
      if (event.type === 'permission-settled') this.#settle(event.requestId);
    });
  }

  /** Resolves when no question waits on the screen: what is written after one could pose as another. */
  async whenFree(): Promise<void> {
    while (this.#isShown) await this.#whenFree.promise;
  }

  /** Leaves the terminal without an answer: what is open ends with the run. */
  leave(): void {
    this.#endLine();
    this.#open.length = 0;
    this.end();
  }

  /** The run is over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#lines?.close();
  }

  #takeTerminal(): Interface {
    const { openInput, output, onInterrupt } = this.#questioned;
    // An answer that a key brings back is one that nobody typed.
    const lines = createInterface({ input: openInput(), output, prompt: '', historySize: 0 });
    lines.on('line', (line) => this.#take(line));
    lines.on('SIGINT', onInterrupt);
    // After a stop by Ctrl-Z it pauses its input until it is told to go on.
    lines.on('SIGCONT', () => lines.prompt(true));
    lines.on('close', () => {
      this.#isOver = true;
      this.#denyAll();
    });
    return lines;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isShown || this.#isOver || this.#open.length === 0) return;
    const wait = Math.max(ARRIVAL_MS, this.#restsUntil - performance.now());
    this.#timer = setTimeout(() => this.#show(), wait);
  }

  #rest(): void {
    this.#restsUntil = performance.now() + (this.#questioned.restMs ?? REST_MS);
    this.#schedule();
  }

  #show(): void {
    const [request] = this.#open;
    const lines = this.#lines;
    if (request === undefined || lines === undefined) return;
    const { output } = this.#questioned;
    this.#dialog ??= this.#begin(openDialog(request, output.columns || USUAL_COLUMNS));
    this.#isShown = true;
    // Half a line of before is not the beginning of the answer.
    if (lines.terminal) for (const name of ['e', 'u']) lines.write(null, { ctrl: true, name });
    output.write(this.#prompt?.text ?? '');
    lines.setPrompt(this.#prompt?.prompt ?? '');
    lines.prompt();
  }

  #begin(dialog: Dialog): Dialog {
    const { value, done } = dialog.next();
    this.#prompt = done ? undefined : value;
    return dialog;
  }

  #take(line: string): void {
    const [request] = this.#open;
    if (this.#isShown && request !== undefined) this.#answer(request, line);
    this.#rest();
  }

  #answer({ requestId }: PermissionRequest, line: string): void {
    this.#hide();
    const step = this.#dialog?.next(line);
    if (step?.done !== true) {
      this.#prompt = step?.value;
      return;
    }
    // The event that follows finds it settled.
    this.#settle(requestId);
    this.#run.respondToPermission(requestId, step.value);
  }

  #settle(requestId: string): void {
    const at = this.#open.findIndex((request) => request.requestId === requestId);
    if (at < 0) return;
    this.#open.splice(at, 1);
    if (at > 0) return;
    this.#endLine();
    this.#dialog = undefined;
    this.#rest();
  }

  /** Of a question that was not answered. */
  #endLine(): void {
    if (this.#isShown) this.#questioned.output.write('\n');
    this.#hide();
  }

  #hide(): void {
    this.#isShown = false;
    this.#lines?.setPrompt('');
    this.#whenFree.resolve();
    this.#whenFree = Promise.withResolvers();
  }

  #denyAll(): void {
    for (let request = this.#open[0]; request !== undefined; request = this.#open[0]) {
      this.#settle(request.requestId);
      this.#run.respondToPermission(request.requestId, { behavior: 'deny', message: 'The person said no.' });
    }
  }
}
