import { OpenBotError } from '@openbot/sessions';

/** The parts of the official SDK that the server needs. Loading takes 100 ms, so it happens only when something is served. */
export async function loadMcpSdk() {
  try {
    const [{ Server }, { StdioServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }, ajv] =
      await Promise.all([
        import('@modelcontextprotocol/sdk/server/index.js'),
        import('@modelcontextprotocol/sdk/server/stdio.js'),
        import('@modelcontextprotocol/sdk/types.js'),
        import('@modelcontextprotocol/sdk/validation/ajv'),
      ]);
    const { AjvJsonSchemaValidator } = ajv;
    return {
      Server,
      StdioServerTransport,
      CallToolRequestSchema,
      ListToolsRequestSchema,
      AjvJsonSchemaValidator,
    };
  } catch (cause) {
    throw new OpenBotError('SDK_NOT_INSTALLED', 'the package @modelcontextprotocol/sdk is not installed', {
      hint: 'npm install @modelcontextprotocol/sdk',
      cause,
    });
  }
}

export type McpSdk = Awaited<ReturnType<typeof loadMcpSdk>>;
