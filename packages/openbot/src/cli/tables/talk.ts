import { declareCommands } from '@openbot/sessions/command-line';
import { AGENT_FLAGS } from '../../commands/talk/flags.ts';

const declare = declareCommands();

export const TALK_COMMANDS = [
  declare({
    name: 'agent',
    summary: 'Say something to an agent, and print its answer',
    description: [
      `The agent remembers the conversation. Without --message and --message-file the message is read from standard
input. In a terminal the answer appears as it is written, with the tools that the agent uses; otherwise only the
answer is printed. Ctrl-C aborts the run, a second one ends the command at once.`,
      `The model, the agents and all else are set in openbot.json of the state folder. Without it a built-in script
model answers.`,
    ],
    positionals: [],
    flags: AGENT_FLAGS,
    wordsMean: 'message',
    examples: [
      ['openbot agent -m "hello"', 'talk to the default agent'],
      ['openbot agent --agent ops --message-file ./task.md', 'read the message from a file'],
      ['git diff | openbot agent -m - --json', 'read it from standard input, print JSON'],
      ['openbot agent -t +15550123 -m "status update"', 'talk where a message from there would go'],
      ['openbot agent --session-key agent:ops:incident-42 -m "go on"', 'talk in one session'],
    ],
    async results() {
      const { AGENT } = await import('../../commands/talk/result-shapes.ts');
      return { 'openbot agent --json': AGENT };
    },
    load: async () => (await import('../../commands/talk/agent.ts')).agent,
  }),
];
