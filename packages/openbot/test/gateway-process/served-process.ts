/** A gateway that only listens: what its process does is the same. `stuck` does not stop, and `deaf` is never ready either. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayFiles } from '../../src/gateway-process/gateway-files.ts';
import { LogFile } from '../../src/gateway-process/log-file.ts';
import { serveGateway } from '../../src/gateway-process/serve-gateway.ts';

const [stateDir = '', how = ''] = process.argv.slice(2);
const log = new LogFile(gatewayFiles(stateDir).log);
let isReady = false;

if (how === 'broken') {
  log.write('the port is taken, token=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789');
  process.exit(3);
}
await serveGateway({
  stateDir,
  address: '127.0.0.1',
  local: '127.0.0.1',
  version: '1.2.3',
  log,
  open: async () => {
    const server = createServer((_request, response) => {
      response
        .writeHead(isReady ? 200 : 503)
        .end(JSON.stringify({ ready: isReady, failing: [], uptimeMs: 5 }));
      // The first question comes too early.
      isReady = how !== 'deaf';
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      port: (server.address() as AddressInfo).port,
      close: async ({ graceMs }) => {
        log.write(`closing within ${graceMs} ms`);
        if (how === 'stuck' || how === 'deaf') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        server.closeAllConnections();
        server.close();
      },
    };
  },
  graceMs: () => 1234,
  reload: async () => log.write('read again'),
});
log.close();
