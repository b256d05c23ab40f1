// Validates workflow files with GitHub's own parser and its schema: node scripts/check-workflows.mjs FILE...
import { readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';

let failed = false;
for (const file of process.argv.slice(2)) {
  const { context, value } = parseWorkflow(
    { name: file, content: readFileSync(file, 'utf8') },
    new NoOperationTraceWriter(),
  );
  if (value !== undefined && context.errors.getErrors().length === 0)
    await convertWorkflowTemplate(context, value);
  for (const { message } of context.errors.getErrors()) {
    failed = true;
    console.error(message);
  }
}
process.exitCode = failed ? 1 : 0;
