import type { HelpSection } from '@openbot/sessions/command-line';

type Page = readonly (string | HelpSection)[];

/** What `openbot help <topic>` prints. Loaded when it is asked for. */
export const PAGES = {
  configuration: [
    `openbot reads openbot.json in its state folder: --state-dir, else OPENBOT_STATE_DIR, else ~/.openbot. It is JSON5, so
comments and trailing commas are allowed, and data only. Without the file the defaults hold, and a built-in script model
answers: it works offline and only shows that everything is in place.`,
    {
      title: 'Settings:',
      rows: [
        ['agents.defaults', 'What holds for every agent: model, workspace, tools, permissions, heartbeat …'],
        ['agents.list', 'Agents, each with an id, and settings that win over the defaults'],
        ['session', 'When a session is new, which messages share one, how long it is kept'],
        ['bindings', 'Which agent gets a message'],
        ['models.providers', 'Providers of models: address, key, models'],
        ['claudeCode', 'How coding runs choose and continue sessions of Claude Code'],
      ],
    },
    `A text may name a variable of the environment: '\${NAME}'. Its value appears in no output. Names are OpenClaw's where
it has the setting.`,
  ],
  'session-keys': [
    `A session key is the address of a conversation. It stays the same when the conversation begins anew; the session id,
which names the transcript, does not.`,
    {
      title: 'Keys:',
      rows: [
        [
          'agent:main:main',
          'The main session of the agent main: all direct messages, unless configured otherwise',
        ],
        ['agent:main:telegram:group:-42', 'A group'],
        ['agent:main:telegram:group:-42:topic:7', 'A thread in it'],
        ['agent:main:telegram:dm:42', 'One person, where session.dmScope gives each their own'],
        ['agent:main:subagent:<uuid>', 'A session that another one started for a task'],
      ],
    },
    'A key without an agent belongs to the agent of --agent, or to the default one.',
  ],
  providers: [
    'A model is written provider/model, or by an alias of agents.defaults.models.',
    {
      title: 'Providers:',
      rows: [
        ['script', 'Scripted models, offline: script/echo, and the files in scripts/ of the state folder'],
        ['claude', 'Claude Code. Needs @anthropic-ai/claude-agent-sdk, and ANTHROPIC_API_KEY or a login'],
        [
          'anthropic, openai, google, …',
          'About forty, through pi. Needs @earendil-works/pi-coding-agent, and the key of the provider in its variable',
        ],
        ['any other name', 'One that models.providers of openbot.json describes'],
      ],
    },
    'agents.defaults.model may be { primary, fallbacks }: the next model takes over while one fails.',
  ],
  gateway: [
    `The gateway is a process that runs the agents of a state folder and serves clients: OpenClaw's own (openclaw tui, openclaw
agent, the Control UI) and the commands of openbot. A state folder has one.`,
    {
      title: 'Process:',
      rows: [
        ['openbot gateway run', 'In the foreground'],
        ['openbot gateway start, stop, restart', 'In the background'],
        ['openbot gateway status, logs', 'Whether it runs, and what it says'],
        ['openbot gateway install', 'A unit of systemd or launchd'],
      ],
    },
    `While it runs, commands that talk or change something go through it: agent, message send, sessions reset, delete, compact,
label, set, restore and prune, outbox retry and drop. With --local they do their work themselves, under the same locks.
Commands that only read, read the files.`,
    `It listens on this machine alone, on port 19789, unless gateway.bind and gateway.port say otherwise. Clients need the token in
secrets/gateway-token of the state folder, or the one that gateway.auth.token names.`,
  ],
  environment: [
    'A flag wins over a variable, and a variable over the configuration.',
    {
      title: 'Variables:',
      rows: [
        ['OPENBOT_STATE_DIR', 'The state folder, where --state-dir is not given'],
        ['OPENBOT_GATEWAY_TOKEN', 'The token of gateway run, where --token is not given'],
        ['CLAWDBOT_AGENT_ID, OPENCLAW_AGENT_ID', 'The agent, where --agent is not given'],
        ['ANTHROPIC_API_KEY, OPENAI_API_KEY, …', 'Keys of providers'],
        ['CLAUDE_CONFIG_DIR', "Claude Code's folder. Default: ~/.claude"],
        ['NO_COLOR, FORCE_COLOR', 'No colours; colours in pipes too'],
        ['COLUMNS', 'The width of help and tables, where it is not that of the terminal'],
      ],
    },
    `openbot.json can name any other variable: '\${NAME}'.`,
  ],
  'exit-codes': [
    {
      title: 'Codes:',
      rows: [
        ['0', 'Done'],
        ['1', 'Failed. The error is on stderr, with --json as one object with code, message and hint'],
        ['2', 'Wrong use: a command, flag, word or value that openbot does not take (code USAGE)'],
        ['130', 'Interrupted by Ctrl-C, or a choice was cancelled; 143 after SIGTERM'],
      ],
    },
  ],
} as const satisfies Readonly<Record<string, Page>>;
