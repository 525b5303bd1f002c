/** Every failure that this package names: what it means and what to do. docs/errors.md is made from it. */
export const OPENBOT_ERRORS = {
  GATEWAY_REFUSED: {
    means: 'The gateway refused a request. The message is what its client is told.',
    remedy:
      'Read the message; docs/gateway.md lists the methods, their params and the scopes that they need.',
  },
  GATEWAY_RUNNING: {
    means: 'The state folder has a gateway that runs already. A second one was not started.',
    remedy:
      'Use it as it is, or end it with `openbot gateway stop`, or start it anew with `openbot gateway restart`.',
  },
  GATEWAY_NOT_STARTED: {
    means:
      'The gateway ended before it was ready, or was not ready in time. The message has the last lines of its log.',
    remedy: 'Remove the cause that the log names; `openbot gateway run` shows how it starts.',
  },
  GATEWAY_NOT_STOPPED: {
    means: 'The gateway has not ended in time: runs may still go on.',
    remedy: 'Wait, or use `openbot gateway stop --force`. What was accepted goes on with the next start.',
  },
  GATEWAY_UNREACHABLE: {
    means:
      'A gateway runs on the state folder and does not answer, or went away before it had answered. What it accepted is kept.',
    remedy:
      '`openbot gateway status` and `openbot gateway logs` say more. With `--local` a command does its work without it.',
  },
  GATEWAY_CANNOT_LISTEN: {
    means:
      'The gateway cannot listen on its address: another program has the port, the address is not one of this machine, or the port is one of those that only root may take.',
    remedy: 'Read the message. Another port: `--port`, or `gateway.port` in `openbot.json`.',
  },
  DEVICE_NOT_FOUND: {
    means: 'No device of the gateway has this id, or more than one has an id that begins so.',
    remedy: '`openbot devices list` shows the ids of devices that are approved or wait for it.',
  },
  DEVICES_UNREADABLE: {
    means:
      '`gateway-devices.json` in the state folder cannot be read. No device is let in until it can; clients with the token are.',
    remedy: 'Move the file away. Devices then ask for approval again.',
  },
  MEDIA_TOO_LARGE: {
    means:
      'A file of a message, one that arrives or one to send, is larger than the limit. Nothing of it is kept.',
    remedy: 'Send a smaller file, or raise `agents.defaults.mediaMaxMb` in `openbot.json`.',
  },
  MEDIA_REFUSED: {
    means:
      'A file of a message cannot be taken or sent: it is empty or not what it says, it is outside of the folders that files are sent from, or its address is in a private network.',
    remedy:
      'Read the message. Files are sent from the workspaces of agents and from `media` in the state folder; `attachments.allowPrivateNetwork` permits addresses of private networks.',
  },
  MEDIA_UNREACHABLE: {
    means: 'A file to send could not be fetched from its address. The same request may succeed later.',
    remedy: 'Read the message; see that the address answers.',
  },
  PAIRING_NOT_FOUND: {
    means: 'No request has this code, or no person with this id was approved; or it fits more than one.',
    remedy:
      '`openbot pairing list` shows requests, which expire after an hour, and people who were approved. With `--channel` and `--account` one of several can be named.',
  },
  PAIRING_UNREADABLE: {
    means:
      '`channel-pairing.json` in the state folder cannot be read. Messages of people who are not in `allowFrom` wait on their network; after a few tries they are dropped, so that they hold up no others.',
    remedy:
      'Restore it from a backup, or move it away. People who were approved by pairing then have to ask again.',
  },
  RUN_FAILED: {
    means:
      '`openbot agent` or `openbot cc run` ended without success: the agent or the model failed, the budget or the time was reached, or the run was aborted. The message says which.',
    remedy: 'Read the message; the hint says what to set, or how to continue the session.',
  },
  MODEL_NOT_FOUND: {
    means: 'No runner has the model that was asked for. The hint lists those that the configuration names.',
    remedy: 'Set `agents.defaults.model` in `openbot.json`, or name another one with `--model`.',
  },
  SETTING_NOT_SET: {
    means: '`openbot config get` was asked for a setting that the configuration does not have.',
    remedy: 'The hint says the default that holds. To set it: `openbot config set <path> <value>`.',
  },
  MODEL_KEY_MISSING: {
    means: 'The provider of the model needs a key, and none is set.',
    remedy: 'Set the variable that the hint names, or `models.providers.<name>.apiKey` in `openbot.json`.',
  },
  CONFIG_EXISTS: {
    means: '`openbot init` found an `openbot.json`. It was not changed.',
    remedy:
      'Change single settings with `openbot config set`, or move the file away and run `openbot init` again.',
  },
  OPENCLAW_NOT_FOUND: {
    means:
      '`openbot init --from-openclaw` found neither a configuration nor agents of OpenClaw in the folder.',
    remedy: "Name OpenClaw's state folder or its `openclaw.json`: `openbot init --from-openclaw <path>`.",
  },
  AGENT_EXISTS: {
    means: '`openbot agents add` was given the id of an agent that is there. Nothing was changed.',
    remedy: 'Choose another id. `openbot agents list` shows those that are taken.',
  },
  TOOL_FAILED: {
    means: 'A tool could not do what the model asked for. The message is the result that the model reads.',
    remedy: 'None is needed; the model reads the message. To give a session more rights, see `execSecurity`.',
  },
  RUN_OVER: {
    means: 'A runner wrote to the transcript after its run had ended. Nothing was written.',
    remedy: 'Report it: it is a fault of the runner.',
  },
  RUN_INTERRUPTED: {
    means: 'A newer message ended the run: the queue mode of the session is `interrupt`.',
    remedy: 'Nothing. The newer message is answered, and the agent reads that the run was cut off.',
  },
  RUN_STOPPED: {
    means: 'A person ended the run.',
    remedy: 'Nothing. The next message continues the session.',
  },
  RUN_TIMED_OUT: {
    means: 'A run took longer than its limit: `--timeout`, or `timeoutSeconds` of the agent, or 600 seconds.',
    remedy:
      'Ask again, in smaller steps, or set a larger limit. What was said until then is in the transcript.',
  },
  MESSAGE_WITHDRAWN: {
    means: 'A person took back a message at the moment when its turn began.',
    remedy: 'Nothing. The message gets no turn, and others that wait are handled.',
  },
  RUN_LOCK_LOST: {
    means:
      'Another process took over the session while this one ran it, for example after the machine slept.',
    remedy: 'Nothing. The other process finishes the turn.',
  },
  BOT_STOPPING: {
    means: 'The process ends and a run is still in progress.',
    remedy: 'Nothing. The turn is continued by the next process that handles the session.',
  },
  SEND_FAILED: {
    means: 'A chat network did not take a message. It is sent again, unless the network refuses it for good.',
    remedy: 'Read the message. What is not sent again is kept as a dead letter.',
  },
  CHANNEL_NOT_INSTALLED: {
    means: 'A chat network is configured whose library is not installed. Its messages wait on the network.',
    remedy:
      'Run the command that the message names. The channel opens by itself some minutes later, or at once with `openbot gateway restart`.',
  },
  CHANNEL_FAILED: {
    means: 'A chat network refused what was asked of it, or did not answer: a wrong token, no connection.',
    remedy: 'Read the message. `openbot channels status` shows how the gateway is connected.',
  },
  CHANNEL_UNKNOWN: {
    means: 'This version cannot speak on a network of that name, or the configuration has no such account.',
    remedy: '`openbot channels list` shows the networks and the accounts.',
  },
  INBOX_UNREADABLE: {
    means:
      'The database of messages, `openbot-inbox.sqlite` in the state folder, cannot be opened or read: it is damaged, another program made it, there is no permission, or a folder is in its place. It was not changed, and no empty one was put in its place.',
    remedy:
      'Look at the path that the message names. Restore a backup of the file, or move it away: messages that have no answer yet are in it.',
  },
  INBOX_TOO_NEW: {
    means: 'A newer `openbot` made the database of messages. Nothing was changed.',
    remedy: 'Update `openbot` to the version that made the database, or a newer one.',
  },
  INBOX_WRITE_FAILED: {
    means:
      'A message or a reply could not be kept: the disk is full or fails, the database is read-only, or another process wrote to it for longer than 10 seconds. Nothing of it was kept.',
    remedy: 'Remove the cause that the message names. A channel delivers the message again.',
  },
  EMBEDDING_FAILED: {
    means: 'The endpoint for embeddings could not be reached, or did not give a vector for each text.',
    remedy: 'Check `index.embedding` in `openbot.json`. Memory is searched by words meanwhile.',
  },
  INDEX_UNUSABLE: {
    means:
      'The index, `openbot.sqlite`, cannot be used: there is no permission, the disk is full or fails, or a folder is in its place. Conversations are not in it alone: nothing is lost, and turns go on without it.',
    remedy: 'Remove the cause that the message names. The index catches up by itself.',
  },
  INDEX_REPLACED: {
    means:
      'The index was damaged, deleted or held by another process while it was used. A new one was begun; the old one is kept beside it.',
    remedy: 'Run the command again.',
  },
  INDEX_TOO_NEW: {
    means: 'A newer `openbot` made the index. Nothing was changed.',
    remedy:
      'Update `openbot`, or move the file that the message names away: a new one is made from the transcripts.',
  },
  LETTER_NOT_FOUND: {
    means: 'The outbox has no dead letter with this id: it was sent, dropped or retried meanwhile.',
    remedy: '`openbot outbox list` shows the dead letters with their ids.',
  },
  MEDIA_NOT_SENT: {
    means:
      'The file of `openbot message send` was not sent, and there was neither a text nor data of the network. The chat has a note in its place.',
    remedy: 'Remove the cause that the message names, and send the file again.',
  },
  MESSAGE_REFUSED: {
    means: 'A network refused the message of `openbot message send` for good. It is a dead letter now.',
    remedy: 'Remove the cause that the message names; `openbot outbox retry` sends it again.',
  },
  NODE_TOO_OLD: {
    means: '`openbot` was started by a Node that is older than 22.19. Nothing was done.',
    remedy: 'Install a newer Node, or start `openbot` with another one; the message names the one that ran.',
  },
  NOT_BUILT: {
    means: '`openbot` was started from its sources before they were built.',
    remedy: 'Run `npm run build` in the folder of the repository.',
  },
} as const;
