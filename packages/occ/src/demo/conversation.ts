/** A tool that the agent of the demo uses, and on what. */
export type DemoCall = readonly ['read' | 'exec' | 'grep' | 'edit' | 'web_fetch', string];

export interface DemoTurn {
  readonly asked: string;
  readonly answered: string;
  readonly calls: readonly DemoCall[];
}

const turn = (asked: string, answered: string, ...calls: DemoCall[]): DemoTurn => ({
  asked,
  answered,
  calls,
});

/** Two days of work on a greenhouse controller, as an agent and its person might have spent them. */
export const CONVERSATION: readonly DemoTurn[] = [
  turn(
    'Good morning! The greenhouse repo is cloned. Have a look around and tell me what is there.',
    'A controller for pumps and vents, a sensor reader, a small web page, and tests for about half of it.',
    ['exec', 'git log --oneline -n 40'],
    ['read', 'README.md'],
    ['read', 'src/controller.ts'],
  ),
  turn(
    'How are the tests?',
    'All pass except two in the pump suite, which depend on the time of day.',
    ['exec', 'npm test'],
    ['read', 'test/pump.test.ts'],
  ),
  turn(
    'Fix those two please.',
    'The pump now takes the time as an argument; both tests pass at any hour.',
    ['read', 'src/pump.ts'],
    ['edit', 'src/pump.ts'],
    ['edit', 'test/pump.test.ts'],
    ['exec', 'npm test -- pump'],
  ),
  turn('Great. What would you do next?', 'Make the watering interval configurable; it is a constant now.'),
  turn(
    'Do that.',
    'The interval is read from config.json, checked, and has a default of 40 minutes.',
    ['grep', 'INTERVAL'],
    ['read', 'src/config.ts'],
    ['edit', 'src/config.ts'],
  ),
  turn(
    'Bed 3 was dry yesterday. Can you see why?',
    'Its moisture sensor answered nothing from 14:00 to 17:00, and silence was taken for wet.',
    ['exec', 'journalctl -u greenhouse --since yesterday'],
    ['read', 'src/sensors.ts'],
  ),
  turn(
    'Ouch. Silence must count as dry.',
    'Done: after three missed readings a bed counts as dry, and a warning is logged.',
    ['edit', 'src/sensors.ts'],
    ['exec', 'npm test -- sensors'],
  ),
  turn(
    'Which sensor model is it, and is there an errata sheet?',
    'It is an SHT31. The sheet mentions lost answers below 2.4 V, so it may be the battery.',
    ['grep', 'SHT'],
    ['web_fetch', 'https://sensors.example/sht31/errata'],
  ),
  turn('I will change the battery tonight.', 'Good. I will look at the readings tomorrow.'),
  turn(
    'Add the battery voltage to the status page.',
    'The page shows it for each bed, in red below 2.4 V.',
    ['read', 'web/status.html'],
    ['read', 'src/status.ts'],
    ['edit', 'src/status.ts'],
    ['edit', 'web/status.html'],
  ),
  turn(
    'The page loads slowly on my phone.',
    'It sent a whole week of readings. It now sends one day, 11 KB instead of 240.',
    ['exec', 'curl -s localhost:8080/status.json'],
    ['read', 'src/history.ts'],
    ['edit', 'src/history.ts'],
  ),
  turn(
    'Are there types for the readings anywhere?',
    'They were repeated in four files. They are in src/reading.ts now.',
    ['grep', 'interface Reading'],
    ['edit', 'src/reading.ts'],
    ['exec', 'npx tsc --noEmit'],
  ),
  turn(
    'Commit everything so far in sensible pieces.',
    'Five commits: time as argument, interval, silent sensors, voltage, smaller history.',
    ['exec', 'git status --short'],
    ['exec', 'git diff --stat'],
  ),
  turn('Thanks, that is it for today.', 'Good night! The battery of bed 3 is the thing to remember.'),
  turn('Morning. Battery changed. Is bed 3 alive?', 'Yes: an answer every minute since 19:12, no gap.', [
    'exec',
    'journalctl -u greenhouse --since "12 hours ago"',
  ]),
  turn(
    'Could the vents follow the outside temperature?',
    'They can: there is a sensor outside already, only nothing reads it.',
    ['read', 'src/vents.ts'],
    ['grep', 'outside'],
  ),
  turn(
    'Then let them open at 24 degrees, and never below 8.',
    'Done, with a margin of one degree so that they do not flap.',
    ['edit', 'src/vents.ts'],
    ['edit', 'test/vents.test.ts'],
    ['exec', 'npm test -- vents'],
  ),
  turn('What does the forecast service cost?', 'Nothing below 1,000 calls a day. We need 24.', [
    'web_fetch',
    'https://weather.example/pricing',
  ]),
  turn(
    'Use it to skip watering before rain.',
    'Watering is skipped when more than 4 mm are expected in six hours.',
    ['web_fetch', 'https://weather.example/docs/forecast'],
    ['edit', 'src/forecast.ts'],
    ['edit', 'src/controller.ts'],
    ['exec', 'npm test'],
  ),
  turn('What if the service is down?', 'Then we water as if no rain were expected. That is tested.'),
  turn(
    'Show me how often we would have skipped last month.',
    'Six times. Twice it did not rain after all.',
    ['exec', 'node scripts/replay.js --month 9'],
    ['read', 'scripts/replay.js'],
  ),
  turn('Is the Pi running out of disk?', 'The log takes 3.1 GB. The rest is fine.', [
    'exec',
    'df -h && du -sh /var/log/*',
  ]),
  turn(
    'Rotate the logs, keep two weeks.',
    'A logrotate rule is in deploy/, and installed.',
    ['read', 'deploy/install.sh'],
    ['edit', 'deploy/logrotate.conf'],
    ['exec', 'sudo logrotate --debug deploy/logrotate.conf'],
  ),
  turn(
    'Someone opened an issue about Fahrenheit.',
    'The page can show both; the config key is units.',
    ['web_fetch', 'https://git.example/greenhouse/issues/31'],
    ['grep', 'Celsius'],
    ['edit', 'web/status.html'],
  ),
  turn(
    'Answer them, kindly.',
    'I drafted: "Thank you for asking! Set units to fahrenheit from the next version on."',
  ),
  turn(
    'Why are there two pump queues?',
    'The second was left from the time of the single relay. Nothing uses it.',
    ['grep', 'queue'],
    ['read', 'src/queue.ts'],
    ['exec', 'git log --oneline -- src/queue.ts'],
  ),
  turn(
    'Remove it then.',
    'Removed, 140 lines less.',
    ['edit', 'src/controller.ts'],
    ['exec', 'npx tsc --noEmit && npm test'],
  ),
  turn(
    'Can we see how long each bed is watered?',
    'Yes, there is a line for each run in the history. I added a sum for each day.',
    ['read', 'src/history.ts'],
    ['edit', 'src/history.ts'],
    ['exec', 'curl -s localhost:8080/history.json'],
  ),
  turn(
    'Bed 1 gets far too much.',
    'Its interval was overridden in config.json with 10 minutes. It follows the default now.',
    ['read', 'config.json'],
    ['edit', 'config.json'],
  ),
  turn(
    'Check the readings of the last hour.',
    'All six beds between 31 and 44 percent. Bed 2 is the driest.',
    ['exec', 'node scripts/readings.js --since 1h'],
  ),
  turn(
    'Upgrade the dependencies.',
    'Eleven upgraded. The web server had a breaking change in its routes, which I followed.',
    ['exec', 'npm outdated'],
    ['web_fetch', 'https://server.example/changelog'],
    ['edit', 'src/server.ts'],
    ['exec', 'npm test'],
  ),
  turn('Is anything of that worrying for security?', 'No open advisories are left.', [
    'exec',
    'npm audit --json',
  ]),
  turn(
    'Make the alarm call me only once an hour.',
    'One message an hour for each bed, and one when it is well again.',
    ['read', 'src/alarm.ts'],
    ['edit', 'src/alarm.ts'],
    ['exec', 'npm test -- alarm'],
  ),
  turn(
    'I got two messages now?',
    'Two processes were running: the service and the one from our test. I stopped the latter.',
    ['exec', 'ps aux | grep greenhouse'],
  ),
  turn(
    'Make sure that cannot happen.',
    'The service takes a lock at its start and says who holds it otherwise.',
    ['read', 'src/main.ts'],
    ['edit', 'src/main.ts'],
    ['exec', 'npm test -- main'],
  ),
  turn(
    'Document the config keys.',
    'docs/config.md has all nine, with defaults and limits.',
    ['read', 'src/config.ts'],
    ['edit', 'docs/config.md'],
  ),
  turn('Is everything committed?', 'One file was not: deploy/logrotate.conf. It is now.', [
    'exec',
    'git status --short',
  ]),
  turn(
    'Tag 1.4.0 and deploy.',
    'Deployed. The service came up in two seconds.',
    ['exec', './deploy/install.sh'],
    ['exec', 'systemctl status greenhouse'],
  ),
  turn(
    'How does the first hour look?',
    'Quiet: 360 readings, no gap, two waterings of four minutes each.',
    ['exec', 'journalctl -u greenhouse --since "1 hour ago"'],
    ['exec', 'curl -s localhost:8080/status.json'],
  ),
  turn('Wonderful, thank you!', 'With pleasure. The vents on a windy day are what I would look at next.'),
];
