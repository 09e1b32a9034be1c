// Makes api/schema.ts: the API's types and operations, of the OpenAPI document of a server.
//
//   node generate_types.mjs openapi.json | URL       writes api/schema.ts
//   node generate_types.mjs --check openapi.json     says whether it is as it has to be
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OUTPUT = join(dirname(fileURLToPath(import.meta.url)), 'api', 'schema.ts');

const is_name = (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
const key = (name) => (is_name(name) ? name : JSON.stringify(name));

function type_of(schema, indent) {
  if (!schema) return 'unknown';
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => type_of(one, indent)))].join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') {
    const items = type_of(schema.items, indent);
    return items.includes('|') ? `(${items})[]` : `${items}[]`;
  }
  if (schema.type === 'object') return object_of(schema, indent);
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return { string: 'string', boolean: 'boolean', null: 'null' }[schema.type] ?? 'unknown';
}

function object_of(schema, indent = '') {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return 'Record<string, never>';
  const lines = members.map(([name, member]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    return `${indent}  ${key(name)}${mark}: ${type_of(member, indent + '  ')};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function answer_of(operation) {
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  const content = success.content?.['application/json'];
  return content ? type_of(content.schema, '    ') : 'null';
}

// A parameter that is JSON has its schema where a body has it.
const schema_of = ({ schema, content }) => schema ?? content['application/json'].schema;

function parameters_of(operation, place) {
  const properties = {};
  for (const one of operation.parameters ?? []) if (one.in === place) properties[one.name] = schema_of(one);
  return object_of({ properties, required: place === 'path' ? Object.keys(properties) : [] }, '    ');
}

function generate(document) {
  const schemas = Object.entries(document.components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  let text = '// The HTTP API. generate_types.mjs makes this file from the OpenAPI document; do not change it by hand.\n\n';
  for (const [name, schema] of schemas) text += `export interface ${name} ${object_of(schema)}\n\n`;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  operations.sort((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
  text += 'export interface Operations {\n';
  for (const { operation } of operations) {
    const body = operation.requestBody?.content?.['application/json'];
    text += `  ${operation.operationId}: {\n    path: ${parameters_of(operation, 'path')};\n`;
    text += `    query: ${parameters_of(operation, 'query')};\n`;
    text += `    body: ${body ? type_of(body.schema, '    ') : 'never'};\n    answer: ${answer_of(operation)};\n  };\n`;
  }
  text += '}\n\nexport const operations: { readonly [Name in keyof Operations]: readonly [string, string] } = {\n';
  for (const { path, method, operation } of operations)
    text += `  ${operation.operationId}: ['${method}', '${path}'],\n`;
  return text + '};\n';
}

async function read(from) {
  const text = /^https?:/.test(from) ? await (await fetch(from)).text() : readFileSync(from, 'utf8');
  return JSON.parse(text);
}

const check = process.argv[2] === '--check';
const text = generate(await read(process.argv[check ? 3 : 2]));
if (!check) {
  writeFileSync(OUTPUT, text);
} else if (readFileSync(OUTPUT, 'utf8') !== text) {
  console.error(`${OUTPUT} is not what the document says: node server/page/generate_types.mjs URL/v1/openapi.json`);
  process.exit(1);
}
