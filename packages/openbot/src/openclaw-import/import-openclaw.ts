import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { reportProgress } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type BotConfig, CONFIG_FILE_NAME } from '../config/bot-config.ts';
import { inspectConfigFile } from '../config/config-file.ts';
import { loadBotConfig } from '../config/load-config.ts';
import { readSetting } from '../config/setting-path.ts';
import { composeConfigText, createConfigFile, writeNewFile } from '../config-editing/create-config-file.ts';
import { type ConvertedConfig, convertConfig } from './convert-config.ts';
import { type CopiedSessions, copySessions } from './copy-sessions.ts';
import { findOpenclaw, type OpenclawSource } from './find-openclaw.ts';
import type { LeftOut } from './found-session.ts';

export interface ImportedOpenclaw {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  readonly config: {
    readonly path: string;
    /** `exists`: there was one, and it is as it was. */
    readonly state: 'written' | 'exists';
    /** Names of the sections that were taken over. */
    readonly settings: readonly string[];
    readonly secrets: ConvertedConfig['references'];
    readonly workspaces: readonly string[];
  };
  readonly agents: readonly CopiedSessions[];
  readonly leftOut: readonly LeftOut[];
  /** What is turned off because a limit on it would be gone, and what to do. */
  readonly warnings: readonly LeftOut[];
}

/**
 * Brings an OpenClaw over: its settings, as far as they are known here, and its sessions. It is only read. Nothing here
 * is replaced, so that it can be repeated, and finished after it was cut off.
 */
export async function importOpenclaw(options: {
  readonly path?: string;
  readonly stateDir: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly dryRun: boolean;
  readonly now: number;
}): Promise<ImportedOpenclaw> {
  const { stateDir, env, dryRun } = options;
  const source = findOpenclaw(options.path, options);
  const path = join(stateDir, CONFIG_FILE_NAME);
  const isThere = existsSync(path);
  const here: BotConfig = isThere ? (await loadBotConfig(stateDir, env)).config : {};
  const converted = convertConfig(source, { path, env });
  if (!isThere && !dryRun) await writeConfig(converted, source, { path, stateDir, now: options.now });
  const agents: CopiedSessions[] = [];
  for (const [at, agentId] of source.agentIds.entries()) {
    reportProgress({ step: 'write', text: `Copying the sessions of ${agentId}` });
    reportProgress({ share: at / source.agentIds.length });
    const place = { source: source.layout, stateDir, store: here.session?.store, env, dryRun };
    agents.push(await copySessions(place, agentId));
  }
  reportProgress({ step: undefined });
  return {
    from: source.layout.stateDir,
    to: stateDir,
    dryRun,
    config: {
      path,
      state: isThere ? 'exists' : 'written',
      settings: isThere ? [] : Object.keys(converted.config),
      secrets: isThere ? [] : converted.references,
      workspaces: isThere ? [] : converted.workspaces,
    },
    agents,
    leftOut: isThere ? listNotTaken(converted, path, env) : converted.leftOut,
    warnings: isThere ? [] : converted.warnings,
  };
}

/** Sections that the file of this program says otherwise, or not at all. */
function listNotTaken({ config }: ConvertedConfig, path: string, env: Environment): LeftOut[] {
  const { written } = inspectConfigFile(path, { env });
  return Object.keys(config)
    .filter((name) => !isDeepStrictEqual(readSetting(written, [name]), config[name]))
    .map((what) => ({
      what,
      why: `${path} exists, and keeps its own settings. To take it over: openbot config set ${what} <value>`,
    }));
}

/** Secrets first: a configuration that names a missing file cannot be read. */
async function writeConfig(
  { config, secrets, leftOut, warnings }: ConvertedConfig,
  { layout, configPath }: OpenclawSource,
  { path, stateDir, now }: { readonly path: string; readonly stateDir: string; readonly now: number },
): Promise<void> {
  for (const { file, value } of secrets) {
    const place = join(stateDir, file);
    // One that is there has the same content, or another name had been chosen.
    if (!existsSync(place)) await writeNewFile(place, `${value}\n`);
  }
  const text = composeConfigText({
    head: [
      `The configuration of openbot, made from ${configPath ?? layout.stateDir} on ${new Date(now).toISOString().slice(0, 10)}.`,
      'Settings: docs/config.md. To check the file: openbot config validate',
    ],
    config,
    tail: [...listUnder('Turned off:', warnings), ...listUnder('Left out:', leftOut)],
  });
  await createConfigFile(path, text);
}

function listUnder(title: string, items: readonly LeftOut[]): string[] {
  const lines = items.map(({ what, why }) => `  ${what}: ${why}`.replace(/[\r\n\u2028\u2029]+/g, ' '));
  return lines.length === 0 ? [] : ['', title, ...lines];
}
