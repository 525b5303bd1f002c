/** Questions of a command to the person at the terminal. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { OpenBotError, reportProgress } from '@openbot/sessions';
import { type CommandInput, pickRow, type Terminal } from '@openbot/sessions/command-line';
import { undoAtEnding } from '@openbot/sessions/disk';
import { cutEnd, layOutTable, printable } from '@openbot/sessions/terminal-text';

/** A person can be asked: both ends of the command are a terminal. */
export function canAsk(input: Pick<CommandInput, 'terminal' | 'isInteractive'>): boolean {
  return input.terminal.isTerminal && input.isInteractive;
}

/** One line. An empty one is the default. Throws CANCELLED at Ctrl-C and Ctrl-D. */
export async function askLine(question: string, standard = ''): Promise<string> {
  const shown = standard === '' ? '' : ` [${printable(standard)}]`;
  const line = await readLine(process.stdout, (lines) => {
    lines.setPrompt(`${question}${shown}: `);
    lines.prompt();
  });
  return line.trim() || standard;
}

/** One line that is not shown. */
export async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const line = await readLine(nowhere, () => void process.stdout.write(`${question}: `));
  process.stdout.write('\n');
  return line.trim();
}

export interface Choice<T> {
  readonly value: T;
  readonly name: string;
  readonly about?: string;
}

/** Lets the person choose a row, and shows the choice afterwards. */
export async function choose<T>(
  terminal: Terminal,
  question: string,
  choices: readonly Choice<T>[],
  noun = 'choice',
): Promise<T> {
  const columns = [
    { title: 'NAME', show: ({ name }: Choice<T>) => printable(name), cut: cutEnd, least: 12 },
    {
      title: 'ABOUT',
      show: ({ about = '' }: Choice<T>) => printable(about),
      cut: cutEnd,
      least: 10,
      leave: 1,
    },
  ];
  reportProgress({ step: undefined });
  const picked = await pickRow(
    terminal,
    {
      question,
      noun,
      searched: choices.map(({ name, about = '' }) => `${name} ${about}`),
      layOut: (width) => layOutTable(columns, choices, width),
    },
    (undo) => undoAtEnding('screen', undo),
  );
  if (typeof picked === 'string') throw cancelled();
  const { name, value } = choices[picked]!;
  terminal.write(`${question} ${terminal.palette.green(printable(name))}\n`);
  return value;
}

/** Asks only once the terminal has stopped echoing what is typed: a person, or a paste, may answer at once. */
function readLine(output: NodeJS.WritableStream, ask: (lines: Interface) => void): Promise<string> {
  reportProgress({ step: undefined });
  const lines = createInterface({ input: process.stdin, output, historySize: 0, terminal: true });
  return new Promise((resolve, reject) => {
    const leave = () => {
      process.stdout.write('\n');
      reject(cancelled());
      lines.close();
    };
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', leave);
    lines.once('close', () => reject(cancelled()));
    ask(lines);
  });
}

function cancelled(): OpenBotError {
  return new OpenBotError('CANCELLED', 'Cancelled. Nothing was changed.');
}
