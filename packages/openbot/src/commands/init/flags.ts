import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const INIT_FLAGS = declareFlags({
  provider: {
    kind: 'text',
    value: 'name',
    example: 'anthropic',
    suggest: ['claude', 'anthropic', 'openai', 'google', 'openrouter', 'groq', 'mistral', 'local', 'script'],
    help: 'Whose model answers: claude (Claude Code), a provider such as anthropic or openai, local (with --base-url), script (offline)',
  },
  model: { kind: 'text', value: 'name', example: 'claude-sonnet-4-5', help: 'The model of the provider' },
  keyEnv: {
    kind: 'text',
    value: 'variable',
    example: 'ANTHROPIC_API_KEY',
    help: 'The variable of the environment that has the key',
  },
  keyFile: { kind: 'path', value: 'path', example: '~/key.txt', help: 'The file that has the key' },
  baseUrl: {
    kind: 'text',
    value: 'url',
    example: 'http://127.0.0.1:11434/v1',
    help: 'The address of an OpenAI-compatible server, such as Ollama',
  },
  name: { kind: 'text', value: 'name', example: 'Ada', help: 'The name of the agent' },
  workspace: {
    kind: 'path',
    value: 'path',
    example: '~/agent',
    help: 'The folder of the agent. Default: workspace in the state folder',
  },
  message: {
    kind: 'text',
    short: 'm',
    value: 'text',
    example: '"hello"',
    help: 'The first message to the agent. Default: a greeting',
  },
  noTest: { kind: 'boolean', help: 'Ask no model: neither a test nor a first message' },
  yes: { kind: 'boolean', help: 'Take the default of everything that no flag says; ask nothing' },
  fromOpenclaw: {
    kind: 'path',
    value: 'path',
    bare: true,
    help: 'Bring settings and sessions of an OpenClaw over. Default: where OpenClaw itself would look',
  },
  dryRun: { kind: 'boolean', help: 'With --from-openclaw: show what would be done, and do nothing' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
