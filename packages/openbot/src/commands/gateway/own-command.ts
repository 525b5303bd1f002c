import type { CommandInput } from '@openbot/sessions/command-line';

interface Listen {
  readonly port?: number;
  readonly bind?: string;
  readonly token?: string;
}

/** A young generation of the usual size grows to 48 MB in a process that mostly waits. */
const NODE_FLAGS = ['--max-semi-space-size=2'];

/** This program with these words, the program of Node first. */
export function ownCommand(...words: readonly string[]): string[] {
  // The file that was started, not a link in its place: `node_modules/.bin` may be gone tomorrow.
  const [script = ''] = process.argv.slice(1);
  return [process.execPath, ...process.execArgv, ...NODE_FLAGS, script, ...words];
}

/** Flags of `gateway run`. A token is not among them: other users can read the command line of a process. */
export function runWords(stateDir: string, { port, bind }: Listen): string[] {
  return [
    'gateway',
    'run',
    '--state-dir',
    stateDir,
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(bind === undefined ? [] : ['--bind', bind]),
  ];
}

/** Where `gateway run` looks for a token that `gateway start` was given. */
export const TOKEN_VARIABLE = 'OPENBOT_GATEWAY_TOKEN';

export function withToken(env: CommandInput['env'], { token }: Listen): CommandInput['env'] {
  return token === undefined ? env : { ...env, [TOKEN_VARIABLE]: token };
}
