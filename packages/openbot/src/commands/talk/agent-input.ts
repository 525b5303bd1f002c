/** What the flags of `openbot agent` mean. Everything that can be refused is refused here, before anything is kept or run. */
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, longFlag } from '@openbot/sessions/command-line';
import { isSessionId, readSmallFile, resolveUserPath } from '@openbot/sessions/layout';
import type { SayRequest, WantedDelivery } from '../../bot/contract.ts';
import type { AGENT_FLAGS } from './flags.ts';

type AgentInput = CommandInput<typeof AGENT_FLAGS>;
type AgentFlags = AgentInput['flags'];

/** As `openclaw agent --message-file`. More than a model reads at once. */
const LARGEST_MESSAGE = 4 * 1024 * 1024;

export function readStateDir({ flags, env }: AgentInput): string {
  return resolveStateDir({ flag: flags.stateDir, env });
}

export async function readSayRequest(input: AgentInput): Promise<SayRequest> {
  const { flags } = input;
  const deliver = readDelivery(flags);
  refuseSeveral(flags, ['sessionId', 'sessionKey', 'to'], 'Each of them names a session');
  refuseSeveral(flags, ['message', 'messageFile'], 'Each of them is a message');
  if (flags.sessionId !== undefined && !isSessionId(flags.sessionId)) {
    throw usage(
      `'${flags.sessionId}' is not a session id`,
      'To name a session by its key: --session-key <key>',
    );
  }
  return {
    message: await readMessage(input),
    agentId: flags.agent,
    sessionKey: flags.sessionKey,
    sessionId: flags.sessionId,
    to: flags.to,
    channel: flags.channel === 'last' ? undefined : flags.channel,
    thinking: flags.thinking,
    verbose: flags.verbose,
    model: flags.model,
    timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
    deliver,
  };
}

function readDelivery(flags: AgentFlags): WantedDelivery | undefined {
  const stray = (['replyTo', 'replyChannel', 'replyAccount'] as const).find(
    (key) => flags[key] !== undefined,
  );
  if (!flags.deliver) {
    if (stray === undefined) return undefined;
    throw usage(`${longFlag(stray)} says where a reply is sent, and none is sent`, 'Add --deliver');
  }
  return {
    channel: flags.replyChannel ?? flags.channel,
    accountId: flags.replyAccount,
    to: flags.replyTo ?? flags.to,
  };
}

function refuseSeveral(flags: AgentFlags, keys: readonly (keyof AgentFlags)[], why: string): void {
  const [first, second] = keys.filter((key) => flags[key] !== undefined);
  if (first === undefined || second === undefined) return;
  throw usage(
    `${longFlag(first)} and ${longFlag(second)} contradict each other`,
    `${why}. Leave one of them out`,
  );
}

/** Whether standard input holds the message. */
export function readsInput({ message, messageFile }: AgentFlags): boolean {
  return (message ?? messageFile ?? '-') === '-';
}

async function readMessage(input: AgentInput): Promise<string> {
  const { flags } = input;
  const isTyped = flags.message !== undefined && flags.message !== '-';
  if (isTyped) return checkMessage(flags.message, '--message');
  if (flags.messageFile !== undefined && flags.messageFile !== '-') {
    return checkMessage(readMessageFile(resolveUserPath(flags.messageFile, input.env)), flags.messageFile);
  }
  if (input.isInteractive) {
    if (flags.message === undefined && flags.messageFile === undefined)
      throw missingMessage('There is no message');
    input.terminal.warn('Type the message, then press Ctrl-D on an empty line.\n');
  }
  return checkMessage(await input.readInput(LARGEST_MESSAGE), 'standard input');
}

function readMessageFile(path: string): string {
  try {
    const text = readSmallFile(path);
    if (text.includes('\0')) throw new Error('it is not a text');
    return text.replace(/^\ufeff/, '');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new OpenBotError(
      'USAGE',
      `Cannot read ${path}: ${code === 'ENOENT' ? 'it does not exist' : message}`,
      {
        hint: 'Name a text file in UTF-8',
        cause,
      },
    );
  }
}

function checkMessage(text: string, source: string): string {
  if (text.trim() === '') throw missingMessage(`There is no message in ${source}`);
  if (Buffer.byteLength(text) > LARGEST_MESSAGE) {
    throw usage(
      `The message in ${source} is larger than ${LARGEST_MESSAGE / 1024 / 1024} MiB`,
      "Put it into a file in the agent's workspace, and name the file in the message",
    );
  }
  return text.trimEnd().toWellFormed();
}

function missingMessage(message: string): OpenBotError {
  return usage(message, 'Example: openbot agent -m "hello", or: openbot agent -m - < message.txt');
}

function usage(message: string, hint: string): OpenBotError {
  return new OpenBotError('USAGE', message, { hint });
}
