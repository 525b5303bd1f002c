import { OpenBotError, reportProgress } from '@openbot/sessions';
import { type CommandInput, type Terminal, writeJson } from '@openbot/sessions/command-line';
import { passOnSignal } from '@openbot/sessions/disk';
import type { Bot, SayEvent, SayResult } from '../../bot/contract.ts';
import { openBot } from '../../bot/open-bot.ts';
import { type LoadedConfig, loadBotConfig } from '../../config/load-config.ts';
import { indexModels } from '../../config/models.ts';
import type { GatewayConnection } from '../../gateway-client/connect-gateway.ts';
import { abortOnSignals } from '../abort-on-signals.ts';
import { openGatewayFor } from '../through-gateway.ts';
import { readSayRequest, readStateDir } from './agent-input.ts';
import { AgentReport, formatPayloads } from './agent-report.ts';
import { describeResult } from './agent-result.ts';
import type { AGENT_FLAGS } from './flags.ts';
import { openTerminalQuestions } from './terminal-questions.ts';

/** Says something to an agent, and prints its answer. */
export async function agent(input: CommandInput<typeof AGENT_FLAGS>): Promise<void> {
  const { env, flags, terminal } = input;
  const stateDir = readStateDir(input);
  const request = await readSayRequest(input);
  const gateway = await openGatewayFor(stateDir, flags);
  // The gateway has its own variables.
  const loaded = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: gateway !== undefined });
  const report = new AgentReport(terminal, {
    streams: terminal.isTerminal && !flags.json,
    // The prefix is known when the reply is.
    streamsText: loaded.config.messages?.responsePrefix === undefined,
  });
  const warn = (message: string) => report.write({ type: 'warning', message });
  const bot: Pick<Bot, 'say' | 'close'> =
    gateway === undefined
      ? await openBot({ stateDir, config: loaded.config, env, report: ({ message }) => warn(message) })
      : await talkThrough(gateway, env);
  const aborting = new AbortController();
  const signals = abortOnSignals(
    () => {
      questions?.leave();
      report.writeAborting();
      aborting.abort(new OpenBotError('CANCELLED', 'Aborted'));
    },
    (signal) => {
      signals.release();
      passOnSignal(signal);
    },
  );
  const questions = await openTerminalQuestions(input, signals.interrupt);
  // Text that is printed below a question could imitate another one.
  let shown: Promise<unknown> | undefined;
  const onEvent = (event: SayEvent) => {
    // Not before: a request that is refused has another sentence to read.
    if (event.type === 'started' && !flags.json && flags.model === undefined) explainModel(loaded, terminal);
    if (questions === undefined) report.write(event);
    else shown = Promise.all([shown, questions.whenFree()]).then(() => report.write(event));
  };
  let result: SayResult;
  try {
    const asker = questions?.asker;
    result = await bot.say({
      ...request,
      signal: aborting.signal,
      showsTools: report.streams,
      asker,
      onEvent,
    });
  } finally {
    questions?.end();
    await shown;
    reportProgress({ step: undefined });
    await bot.close();
    signals.release();
  }
  printResult(result, { report, terminal, json: flags.json === true, isCaught: aborting.signal.aborted });
  signals.dieOfCaught();
}

async function talkThrough(
  gateway: GatewayConnection,
  env: CommandInput['env'],
): Promise<Pick<Bot, 'say' | 'close'>> {
  const { sayThrough } = await import('../../gateway-client/say-through.ts');
  return {
    say: (request) => sayThrough(gateway, request, env),
    close: async () => gateway.close(),
  };
}

/** Throws RUN_FAILED for a run that did not end well, unless the person ended it. */
function printResult(
  result: SayResult,
  output: {
    readonly report: AgentReport;
    readonly terminal: Terminal;
    readonly json: boolean;
    readonly isCaught: boolean;
  },
): void {
  const { report, terminal, json, isCaught } = output;
  const { outcome, error, payloads } = result;
  const isWell = outcome === 'answered' || outcome === 'silent' || isCaught;
  if (json && isWell) writeJson(terminal, describeResult(result));
  if (!json && report.streams) report.finish(payloads.filter(({ isError }) => isWell || !isError));
  if (!json && !report.streams && isWell) terminal.write(formatPayloads(payloads));
  if (!json && outcome === 'silent') terminal.warn('No reply from the agent.\n');
  if (!json && outcome === 'aborted' && isCaught)
    terminal.warn(`Aborted. ${result.turnId === '' ? error?.message : 'The session keeps what was said'}.\n`);
  if (!json) explainDelivery(result, terminal);
  if (isWell) return;
  throw new OpenBotError('RUN_FAILED', error?.message ?? 'The run was aborted', {
    hint:
      error?.hint ?? `The message is kept. To go on: openbot agent --session-key ${result.sessionKey} -m …`,
  });
}

function explainDelivery({ delivered = [] }: SayResult, terminal: Terminal): void {
  const waiting = delivered.filter(({ state }) => state === 'waiting').length;
  const dead = delivered.filter(({ state }) => state === 'dead').length;
  if (waiting > 0) terminal.warn('The reply is kept, and is sent when the channel takes it.\n');
  if (dead > 0) terminal.warn(`${terminal.errorPalette.yellow('Warning:')} the reply could not be sent.\n`);
}

function explainModel({ config, path }: LoadedConfig, { warn, errorPalette }: Terminal): void {
  const { agents } = config;
  const isChosen = [agents?.defaults, ...(agents?.list ?? []), ...Object.values(agents?.entries ?? {})].some(
    (settings) => settings !== undefined && indexModels(settings).isChosen,
  );
  if (isChosen) return;
  warn(
    `${errorPalette.dim(`The built-in script model answers. To choose another model: openbot init, or set agents.defaults.model in ${path}`)}\n`,
  );
}
