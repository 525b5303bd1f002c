/** What few turns need of `@openbot/claude-code`. A file of its own, so that the command `agent` loads it with `import()`. */
export { makeAnthropicModel, startRun } from '@openbot/claude-code';
