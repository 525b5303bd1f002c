import { type Tool, toolFailure } from '../tools/contract.ts';
import type { CleanChoice } from '../transcripts/contract.ts';
import { answer, type ToolScope } from './parts.ts';
import { planClean } from './pending-cleans.ts';

const PARAMETERS: Tool['parameters'] = {
  type: 'object',
  properties: {
    preset: {
      type: 'string',
      enum: ['default', 'aggressive', 'extreme'],
      description: 'How much goes: turns with tools that stay are 20, 10 or none. Default: default.',
    },
    keep: {
      type: 'integer',
      minimum: 0,
      description: 'How many of the last turns with tools stay, in the place of that of the preset.',
    },
  },
  required: [],
};

export function makeContextClean(scope: ToolScope): Tool {
  return {
    name: 'context_clean',
    description:
      'Removes old tool calls and their results from your context after this turn. What people and you said stays.',
    parameters: PARAMETERS,
    changes: false,
    run: async ({ preset, keep }) => {
      const { session, store } = scope;
      const { sessionKey, turnId } = session;
      if ((await store.get(sessionKey)) === undefined) throw toolFailure('This session has no transcript.');
      await planClean(store, sessionKey, { ...({ preset, keep } as CleanChoice), turnId });
      return answer({
        status: 'scheduled',
        preset: preset ?? 'default',
        keep,
        note: 'Done when this turn has ended, after a backup. A line of your next turn tells what came of it.',
      });
    },
  };
}
