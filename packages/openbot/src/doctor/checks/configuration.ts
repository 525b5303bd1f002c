import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@openbot/sessions/disk';
import { listChannelAccounts } from '../../channels/accounts.ts';
import { findKind } from '../../channels/all.ts';
import { listAgentIds, listConfigured, resolveAgentSettings } from '../../config/agents.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { listModels } from '../../model-catalog/list-models.ts';
import { describeChannels } from '../../state-report/parts.ts';
import type { Check, Finding } from '../contract.ts';
import { readNames } from '../session-files.ts';

export const configuration: Check = {
  name: 'configuration',
  about: 'openbot.json',
  isQuick: true,
  async look({ stateDir, env }) {
    await loadBotConfig(stateDir, env);
    return [];
  },
};

export const agents: Check = {
  name: 'agents',
  about: 'Folders of agents that the configuration does not have',
  needs: 'config',
  look({ stateDir, config }) {
    if (config === undefined || listConfigured(config).length === 0) return [];
    const known = listAgentIds(config, stateDir);
    return readNames(join(stateDir, 'agents'))
      .filter((name) => !known.includes(name) && statSync(join(stateDir, 'agents', name)).isDirectory())
      .map((name) => ({
        severity: 'warning',
        what: `agents/${name} is the folder of an agent that agents.list does not have`,
        remedy: `Add { id: "${name}" } to agents.list, or move the folder away`,
      }));
  },
};

export const workspaces: Check = {
  name: 'workspaces',
  about: 'The folders in which agents work',
  needs: 'config',
  look({ stateDir, config, env }) {
    if (config === undefined) return [];
    return listAgentIds(config, stateDir).flatMap((agentId): Finding[] => {
      const { workspaceDir } = resolveAgentSettings({ config, agentId, stateDir, env });
      // The usual ones are made by the first turn.
      if (!existsSync(workspaceDir)) {
        if (workspaceDir.startsWith(stateDir)) return [];
        return [
          {
            severity: 'problem',
            what: `The workspace of ${agentId} does not exist: ${workspaceDir}`,
            fix: { does: 'Make the folder', apply: () => makeFolder(workspaceDir).then(() => {}) },
          },
        ];
      }
      try {
        accessSync(workspaceDir, constants.R_OK | constants.W_OK | constants.X_OK);
        return [];
      } catch {
        const what = `The workspace of ${agentId} cannot be written to: ${workspaceDir}`;
        return [{ severity: 'problem', what, remedy: 'Check who owns it' }];
      }
    });
  },
};

export const models: Check = {
  name: 'models',
  about: 'Models that agents ask: whether they are known, installed and have a credential',
  needs: 'config',
  isQuick: true,
  async look({ stateDir, config, env, now }) {
    if (config === undefined) return [];
    const listed = await listModels({ config, stateDir, env }, { cooldowns: new Map(), now }).catch(
      (error: unknown) => error as Error & { hint?: string },
    );
    if (listed instanceof Error) return [{ severity: 'problem', what: listed.message, remedy: listed.hint }];
    return listed
      .filter((model) => model.agents.length + model.fallbackOf.length > 0)
      .flatMap(({ name, agents: asking, isKnown, credential, credentialHint }): Finding[] => {
        const severity = asking.length > 0 ? 'problem' : 'warning';
        if (!isKnown)
          return [{ severity, what: `No runner has the model ${name}`, remedy: 'openbot models list --all' }];
        if (credential !== 'missing') return [];
        return [{ severity, what: `There is no credential for ${name}`, remedy: credentialHint }];
      });
  },
};

export const channels: Check = {
  name: 'channels',
  about: 'Channels of the configuration',
  needs: 'config',
  isQuick: true,
  look: ({ config = {}, env }) => [
    ...describeChannels(config)
      .filter(({ enabled, hasDriver }) => enabled && !hasDriver)
      .map(
        ({ name }): Finding => ({
          severity: 'warning',
          what: `channels.${name} is configured, and this version cannot speak on it`,
          remedy: `Set channels.${name}.enabled to false, or use a version that has it`,
        }),
      ),
    ...listChannelAccounts(config, { env }).flatMap(
      ({ channel, accountId, isEnabled, settings }): Finding[] => {
        const credential = findKind(channel)?.credential;
        if (!isEnabled || credential === undefined || settings[credential]) return [];
        const what = `The account ${accountId} of channels.${channel} has no ${credential}`;
        return [
          { severity: 'warning', what, remedy: `openbot channels add ${channel} --account ${accountId}` },
        ];
      },
    ),
  ],
};
