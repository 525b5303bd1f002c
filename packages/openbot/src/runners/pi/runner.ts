import { join } from 'node:path';
import type { Environment } from '@openbot/sessions/layout';
import { type BotConfig, CONFIG_FILE_NAME } from '../../config/bot-config.ts';
import type { RunEvent, Runner } from '../contract.ts';
import { loadPi } from './load-pi.ts';
import { openModels } from './models.ts';
import { PiRun } from './pi-run.ts';

/** Models of every provider that pi knows or the configuration describes. */
export async function openPiRunner({
  stateDir,
  config,
  env,
}: {
  readonly stateDir: string;
  readonly config: Pick<BotConfig, 'models'>;
  /** Where the keys of providers are. */
  readonly env: Environment;
}): Promise<Runner> {
  const pi = await loadPi().catch((error: Error) => error);
  if (pi instanceof Error) return withoutPi(pi);
  const models = openModels(pi, {
    providers: config.models?.providers ?? {},
    env,
    configPath: join(stateDir, CONFIG_FILE_NAME),
  });
  return {
    name: 'pi',
    describeModel: (provider, model) => {
      const found = models.describe(provider, model);
      return found && { provider, model, ...found };
    },
    inspectModel: models.inspect,
    listModels: models.list,
    start: (request) => new PiRun(pi, models, request, { compacts: false }),
    compact: (request) => new PiRun(pi, models, request, { compacts: true }),
  };
}

/** Where pi is not installed, every run says how to install it. */
function withoutPi({ message, hint }: Error & { readonly hint?: string }): Runner {
  const end: RunEvent = { type: 'end', reason: 'error', error: message, hint, isTransient: false };
  const run = () => ({
    events: (async function* () {
      yield end;
    })(),
    steer: () => false,
  });
  return {
    name: 'pi',
    describeModel: (provider, model) => ({ provider, model }),
    inspectModel: async () => ({ credential: 'unknown', credentialHint: `${message}: ${hint}` }),
    start: run,
    compact: run,
  };
}
