import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deferEnding, makeFolder, writeFileAtomic } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { resolveAgentSettings } from '../config/agents.ts';
import { type BotConfig, CONFIG_FILE_NAME } from '../config/bot-config.ts';
import { composeConfigText, createConfigFile } from '../config-editing/create-config-file.ts';
import { ensureToken } from '../gateway-process/gateway-token.ts';
import { type ChosenSetup, composeDraft, composeSettings, keyFileOf } from './compose-setup.ts';

export interface WrittenSetup {
  readonly path: string;
  readonly workspace: string;
  /** Files that were made in the workspace. */
  readonly files: readonly string[];
}

/** The configuration with the key itself, for a request before anything is written. */
export function configToTry(setup: ChosenSetup): BotConfig {
  const config = composeSettings(setup);
  if (setup.key.kind !== 'typed') return config;
  const providers = config.models?.providers ?? {};
  const own = { ...providers[setup.provider], apiKey: setup.key.value };
  return { ...config, models: { providers: { ...providers, [setup.provider]: own } } };
}

/**
 * Writes the key, the token of the gateway, the workspace, and at last the configuration; a signal waits until that is done. Throws CONFIG_EXISTS.
 */
export async function writeSetup(
  setup: ChosenSetup,
  { stateDir, env }: { readonly stateDir: string; readonly env: Environment },
): Promise<WrittenSetup> {
  const path = join(stateDir, CONFIG_FILE_NAME);
  const done = deferEnding();
  try {
    await makeFolder(stateDir);
    if (setup.key.kind === 'typed') {
      await writeFileAtomic(join(stateDir, keyFileOf(setup.provider)), `${setup.key.value}\n`);
    }
    await ensureToken(stateDir);
    await createConfigFile(path, composeConfigText(composeDraft(setup)));
    const config = composeSettings(setup);
    const { workspaceDir } = resolveAgentSettings({ config, agentId: 'main', stateDir, env });
    return { path, workspace: workspaceDir, files: await fillWorkspace(workspaceDir, setup.name) };
  } finally {
    done();
  }
}

/** The folder of an agent, with the files that a person edits first. Those that are there stay as they are. */
export async function fillWorkspace(
  workspaceDir: string,
  name: string | undefined,
): Promise<readonly string[]> {
  await makeFolder(workspaceDir);
  const made: string[] = [];
  for (const [file, text] of Object.entries(filesFor(name))) {
    const path = join(workspaceDir, file);
    if (existsSync(path)) continue;
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    made.push(file);
  }
  return made;
}

function filesFor(name: string | undefined): Readonly<Record<string, string>> {
  return {
    'AGENTS.md': `# How you work

- This folder is yours: keep notes and files here.
- Write what you should remember for long into MEMORY.md, and what happened today into memory/<date>.md.
- Ask before you do something that cannot be undone, or that other people will see.
`,
    ...(name === undefined ? {} : { 'IDENTITY.md': `# Who you are\n\n- Name: ${name}\n` }),
    'USER.md': '# Whom you work for\n\n- Name:\n- Time zone:\n',
  };
}
