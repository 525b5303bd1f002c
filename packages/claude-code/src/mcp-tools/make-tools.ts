import { makeConversationContextTool } from './conversation-context-tool.ts';
import { makeMemorySearchTool } from './memory-search-tool.ts';
import { makeProjectStatusTool } from './project-status-tool.ts';
import type { McpScope } from './scope.ts';
import { makeSendMessageTool } from './send-message-tool.ts';
import { makeSessionInfoTool } from './session-info-tool.ts';
import { makeSessionListTool } from './session-list-tool.ts';
import type { McpTool } from './tool.ts';

export function makeTools(scope: McpScope): McpTool[] {
  return [
    makeProjectStatusTool(scope),
    makeSessionListTool(scope),
    makeConversationContextTool(scope),
    makeSessionInfoTool(scope),
    makeMemorySearchTool(scope),
    makeSendMessageTool(scope),
  ];
}
