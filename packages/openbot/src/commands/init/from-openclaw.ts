import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, type Terminal, writeJson, writeWarning } from '@openbot/sessions/command-line';
import { formatQuantity, oneLine, printable } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { listModels } from '../../model-catalog/list-models.ts';
import type { LeftOut } from '../../openclaw-import/found-session.ts';
import { type ImportedOpenclaw, importOpenclaw } from '../../openclaw-import/import-openclaw.ts';
import type { INIT_FLAGS } from './flags.ts';

type Input = CommandInput<typeof INIT_FLAGS, readonly [{ readonly name: 'path' }]>;

/** `--from-openclaw`: brings an OpenClaw over, and says what it left out. */
export async function initFromOpenclaw(input: Input, stateDir: string): Promise<void> {
  const { flags, words, env, terminal } = input;
  const given = typeof flags.fromOpenclaw === 'string' ? flags.fromOpenclaw : undefined;
  if (given !== undefined && words[0] !== undefined) {
    throw new OpenBotError('USAGE', `There are two folders: ${given} and ${words[0]}`, {
      hint: 'Name one: openbot init --from-openclaw <path>',
    });
  }
  const imported = await importOpenclaw({
    path: given ?? words[0],
    stateDir,
    env,
    cwd: input.cwd,
    dryRun: flags.dryRun === true,
    now: Date.now(),
  });
  if (flags.json) return writeJson(terminal, imported);
  terminal.say(`${formatImport(imported, terminal)}\n`);
  for (const { what, why } of imported.warnings) writeWarning(terminal, `${what}. ${why}`);
  if (!imported.dryRun) await explainLogins(input, stateDir);
}

/** OpenClaw keeps the logins of its models to itself. */
async function explainLogins({ env, terminal }: Input, stateDir: string): Promise<void> {
  terminal.say(`\n${LOGINS}\n`);
  const { config } = await loadBotConfig(stateDir, env);
  const models = await listModels({ config, stateDir, env }, { cooldowns: new Map(), now: Date.now() });
  const missing = models.filter(
    ({ credential, agents, fallbackOf }) => credential === 'missing' && agents.length + fallbackOf.length > 0,
  );
  const hints = new Map(missing.map(({ provider, credentialHint = '' }) => [provider, credentialHint]));
  if (hints.size > 0) terminal.say('Missing here:\n');
  for (const [provider, hint] of hints) terminal.say(`  ${printable(provider)}: ${printable(hint)}\n`);
}

const LOGINS =
  "Logins of models are not copied: OpenClaw keeps them apart from its settings. Set a key with the variable of its provider, such as ANTHROPIC_API_KEY, or with 'openbot config set models.providers.<name>.apiKey -'; for claude/… models log in with claude. 'openbot models list' shows what is missing.";

function formatImport(imported: ImportedOpenclaw, { palette }: Terminal): string {
  const { from, config, agents, dryRun, leftOut } = imported;
  const { bold, dim, green } = palette;
  const done = (text: string, would: string) => (dryRun ? would : text);
  const configLines =
    config.state === 'exists'
      ? [`${printable(config.path)} exists, and was not changed.`]
      : [
          `${green(done('Made', 'Would make'))} ${printable(config.path)}${config.settings.length === 0 ? '' : printable(`: ${config.settings.join(', ')}`)}`,
          ...config.secrets.map(({ setting, reference }) => printable(`  secret ${setting}: ${reference}`)),
          ...config.workspaces.map((folder) =>
            printable(`  workspace: ${folder} stays where it is, and is used by both`),
          ),
        ];
  const sessionLines = agents.map(({ agentId, transcripts, entries, updated, existing }) =>
    [
      `${green(done('Copied', 'Would copy'))} agent ${bold(agentId)}: ${formatQuantity(transcripts, 'transcript')}, ${formatQuantity(entries, 'entry', 'entries')}`,
      ...(updated === 0
        ? []
        : [`${updated} ${done('brought', 'would be brought')} up to what OpenClaw has added`]),
      ...(existing === 0 ? [] : [`${existing} here already`]),
    ].join(', '),
  );
  const left: LeftOut[] = [...leftOut, ...agents.flatMap((agent) => agent.leftOut)];
  return [
    `OpenClaw in ${printable(from)} ${dim('(only read)')}`,
    ...configLines,
    ...sessionLines,
    ...(left.length === 0 ? [] : ['', 'Left out:']),
    ...left.map(({ what, why }) => `  ${oneLine(what)}: ${dim(oneLine(why))}`),
    ...(dryRun ? ['', 'Nothing was changed.'] : []),
  ].join('\n');
}
