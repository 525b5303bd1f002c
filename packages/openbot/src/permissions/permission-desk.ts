import { closeSync, openSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { ReadStream } from 'node:tty';
import type { ClaudeRun, PermissionRequest } from '@openbot/claude-code';
import { reportProgress } from '@openbot/sessions';
import { type Dialog, openDialog, type Prompt, QUESTION_TOOL } from './dialog.ts';

/** The terminal at which the person is asked. */
interface DeskTerminal {
  /** Called with the first question, not before: a run in the background stops as soon as it reads the terminal. */
  openInput(): NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly columns?: number };
  /** Ctrl-C at a question, which readline does not turn into a signal. */
  onInterrupt(): void;
  /** Delay between an answer and the next question: input within it was meant for the previous question. */
  readonly restMs?: number;
}

type Run = Pick<ClaudeRun, 'onPermissionRequest' | 'respondToPermission' | 'onEvent'>;

/** Options of a run with a desk: a question may wait until the person returns. */
export const ATTENDED = { permissionTimeoutMs: 24 * 60 * 60_000 };
/** Options of a run without one: Claude Code puts its questions into its answer instead of calling the tool. */
export const UNATTENDED = { disallowedTools: [QUESTION_TOOL] };

/** Enough for earlier input to arrive and for earlier events to be printed. */
const ARRIVAL_MS = 50;
/** Longer than a double key press. */
const REST_MS = 500;
/** For a terminal that does not report its width. */
const USUAL_COLUMNS = 80;

/**
 * Asks the person at the terminal what Claude Code may do, one question at a time. Input from before a question is
 * ignored. After the end of the input every request is denied.
 */
export class PermissionDesk {
  readonly #run: Run;
  readonly #terminal: DeskTerminal;
  readonly #open: PermissionRequest[] = [];
  #lines: Interface | undefined;
  /** The dialog about the first open request, and what it asks next. */
  #asking: { readonly dialog: Dialog; prompt: Prompt | undefined } | undefined;
  /** Set while a question is on the screen; resolves when it is gone. */
  #shown: PromiseWithResolvers<void> | undefined;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #restsUntil = 0;

  constructor(run: Run, terminal: DeskTerminal) {
    this.#run = run;
    this.#terminal = terminal;
    run.onPermissionRequest((request) => {
      this.#open.push(request);
      if (this.#isOver) return this.#denyAll();
      this.#lines ??= this.#openLines();
      this.#schedule();
    });
    run.onEvent((event) => {
      if (event.type === 'permission-settled') this.#settle(event.requestId);
    });
  }

  /** Resolves when no question is on the screen: text printed below a question could imitate another one. */
  async whenFree(): Promise<void> {
    while (this.#shown !== undefined) await this.#shown.promise;
  }

  /** Leaves the terminal without an answer; open requests end with the run. */
  leave(): void {
    this.#endLine();
    this.#open.length = 0;
    this.end();
  }

  /** Call it when the run is over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#lines?.close();
  }

  #openLines(): Interface {
    const { openInput, output, onInterrupt } = this.#terminal;
    // Without a history: the arrow keys must not bring back an earlier answer.
    const lines = createInterface({ input: openInput(), output, prompt: '', historySize: 0 });
    lines.on('line', (line) => this.#take(line));
    lines.on('SIGINT', onInterrupt);
    // After Ctrl-Z readline keeps its input paused until the next prompt.
    lines.on('SIGCONT', () => lines.prompt(true));
    lines.on('close', () => {
      this.#isOver = true;
      this.#denyAll();
    });
    return lines;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#shown !== undefined || this.#isOver || this.#open.length === 0) return;
    const wait = Math.max(ARRIVAL_MS, this.#restsUntil - performance.now());
    this.#timer = setTimeout(() => this.#show(), wait);
  }

  #rest(): void {
    this.#restsUntil = performance.now() + (this.#terminal.restMs ?? REST_MS);
    this.#schedule();
  }

  #show(): void {
    const [request] = this.#open;
    const lines = this.#lines;
    if (request === undefined || lines === undefined) return;
    const { output } = this.#terminal;
    this.#asking ??= begin(openDialog(request, output.columns || USUAL_COLUMNS));
    const { prompt } = this.#asking;
    this.#shown = Promise.withResolvers();
    reportProgress({ step: undefined });
    // Discards a half-typed line.
    if (lines.terminal) for (const name of ['e', 'u']) lines.write(null, { ctrl: true, name });
    output.write(prompt?.text ?? '');
    lines.setPrompt(prompt?.prompt ?? '');
    lines.prompt();
  }

  #take(line: string): void {
    const [request] = this.#open;
    if (this.#shown !== undefined && request !== undefined) this.#answer(request, line);
    this.#rest();
  }

  #answer({ requestId }: PermissionRequest, line: string): void {
    this.#hide();
    const asking = this.#asking;
    if (asking === undefined) return;
    const step = asking.dialog.next(line);
    if (!step.done) {
      asking.prompt = step.value;
      return;
    }
    // First, so that the event of the response finds nothing open.
    this.#settle(requestId);
    this.#run.respondToPermission(requestId, step.value);
  }

  #settle(requestId: string): void {
    const at = this.#open.findIndex((request) => request.requestId === requestId);
    if (at < 0) return;
    this.#open.splice(at, 1);
    if (at > 0) return;
    this.#endLine();
    this.#asking = undefined;
    this.#rest();
  }

  /** Ends the line of a question that was not answered. */
  #endLine(): void {
    if (this.#shown !== undefined) this.#terminal.output.write('\n');
    this.#hide();
  }

  #hide(): void {
    this.#lines?.setPrompt('');
    this.#shown?.resolve();
    this.#shown = undefined;
  }

  #denyAll(): void {
    for (let request = this.#open[0]; request !== undefined; request = this.#open[0]) {
      this.#settle(request.requestId);
      this.#run.respondToPermission(request.requestId, { behavior: 'deny', message: 'The person said no.' });
    }
  }
}

function begin(dialog: Dialog): { readonly dialog: Dialog; prompt: Prompt | undefined } {
  const { value, done } = dialog.next();
  return { dialog, prompt: done ? undefined : value };
}

interface AnswerSource {
  open(): NodeJS.ReadableStream;
  close(): void;
}

/** Where answers are typed: standard input, or the terminal itself if that holds the task. Undefined without a terminal. */
export function findAnswerSource(stdin: {
  holdsTask: boolean;
  isInteractive: boolean;
}): AnswerSource | undefined {
  if (!stdin.holdsTask)
    return stdin.isInteractive ? { open: () => process.stdin, close: () => {} } : undefined;
  return process.stderr.isTTY ? openTerminalFile() : undefined;
}

function openTerminalFile(): AnswerSource | undefined {
  let file: number;
  try {
    file = openSync('/dev/tty', 'r');
  } catch {
    return undefined;
  }
  let stream: ReadStream | undefined;
  return {
    open() {
      stream ??= new ReadStream(file);
      return stream;
    },
    close() {
      if (stream === undefined) closeSync(file);
      else stream.destroy();
    },
  };
}
