// call() calls the HTTP API, typed by its OpenAPI document.
import { answer_to, ApiError, problem_of, told_by } from './answer';
import { operations, type Operations } from './schema';
import { knows_all, learn_session, lost_session, OF_THIS_PAGE, session } from './session';

export { ApiError, is_lost } from './answer';

export const NO_QUEUE = 'queue_not_found';

// Returns whether a queue that is missing for this token may exist for others: the token may not see all queues.
export const is_kept_from = (error: ApiError): boolean => error.code === NO_QUEUE && !knows_all(session.get());

type Parts<Name extends keyof Operations> = {
  path?: Operations[Name]['path'];
  query?: Partial<Operations[Name]['query']>;
  body?: Operations[Name]['body'];
  signal?: AbortSignal;
  if_match?: string; // the server refuses the call if the tag is no longer this one
};

function target_of(pattern: string, path: Record<string, unknown>, query: Record<string, unknown>): string {
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    const is_of_objects = Array.isArray(value) && typeof value[0] === 'object';
    if (is_of_objects) search.append(name, JSON.stringify(value));
    else for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

// The server says that a queue does not exist if the token may not see it. So the page says that it may exist for
// others.
function for_session(error: ApiError): ApiError {
  const name = error.code === NO_QUEUE ? /^no queue named '(.*)'$/s.exec(error.message)?.[1] : undefined;
  if (name === undefined || knows_all(session.get())) return error;
  return new ApiError(error.status, error.code, `There is no queue '${name}' that this token may see.`);
}

// Makes an id for one call, so that the call has its effect only once. Browsers have randomUUID() for encrypted and
// local pages only.
export function request_id(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function answer_of<Name extends keyof Operations>(name: Name, parts: Parts<Name>): Promise<Response> {
  const [method, pattern] = operations[name];
  const headers: Record<string, string> = { ...OF_THIS_PAGE };
  if (parts.if_match !== undefined) headers['If-Match'] = parts.if_match;
  if (parts.body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await answer_to(target_of(pattern, parts.path ?? {}, parts.query ?? {}), {
    method,
    headers,
    signal: parts.signal,
    body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
  });
  if (answer.status === 401) lost_session();
  // The token, or one of its rights, may have been taken back.
  if (answer.status === 403) void learn_session().catch(() => null);
  if (!answer.ok) throw for_session(await problem_of(answer));
  return answer;
}

export async function call<Name extends keyof Operations>(
  name: Name,
  parts: Parts<Name> = {},
): Promise<Operations[Name]['answer']> {
  const answer = await answer_of(name, parts);
  return answer.status === 204 ? (null as Operations[Name]['answer']) : told_by(answer, parts.signal);
}

// Makes a call, and also returns the tag with which a later call can require that nobody has made a change since.
export async function call_tagged<Name extends keyof Operations>(
  name: Name,
  parts: Parts<Name> = {},
): Promise<{ told: Operations[Name]['answer']; tag: string | undefined }> {
  const answer = await answer_of(name, parts);
  return { told: await told_by(answer, parts.signal), tag: answer.headers.get('ETag') ?? undefined };
}
