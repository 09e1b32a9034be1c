// The HTTP API, typed by its OpenAPI document.
import { watch_answer } from './events';
import { operations, type Operations } from './schema';
import { knows_all, learn_session, lost_session, OF_THIS_PAGE, session } from './session';

export const NO_QUEUE = 'queue_not_found';
const UNKNOWN = 'outcome_unknown';
const NOT_WHOLE = 'The answer did not come whole.';

// What a call was refused with: a problem document, no answer at all (status 0), or one that is not whole or not the server's.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

// Whether the call may have had its effect all the same: its answer was lost, or is told to somebody else only.
export const is_lost = (failure: unknown): boolean =>
  failure instanceof ApiError && (failure.status === 0 || failure.code === UNKNOWN);

// A queue that is not there, for a token that is not told of all: it may be there for others.
export const is_kept_from = (error: ApiError): boolean => error.code === NO_QUEUE && !knows_all(session.get());

type Parts<Name extends keyof Operations> = {
  path?: Operations[Name]['path'];
  query?: Partial<Operations[Name]['query']>;
  body?: Operations[Name]['body'];
  signal?: AbortSignal;
  if_match?: string; // the tag that what is changed must still have
};

function target_of(pattern: string, path: Record<string, unknown>, query: Record<string, unknown>): string {
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

// A queue that is kept from a token is not there for it. A person is told that it may be there for others.
function message_of({ code, detail }: { code?: string; detail?: string }): string | undefined {
  const name = code === NO_QUEUE ? /^no queue named '(.*)'$/s.exec(detail ?? '')?.[1] : undefined;
  if (name === undefined || knows_all(session.get())) return detail;
  return `There is no queue '${name}' that this token may see.`;
}

// Whether the call had its effect cannot be told by what came.
const lost_answer = (status: number, message: string) => new ApiError(status, UNKNOWN, message);

// A gateway that answers with an error of its own may have passed the call on. The server's own errors are problems.
function gateway_error({ status }: Response): ApiError {
  const message = `Something between this page and the server answered ${status}.`;
  return status >= 500 ? lost_answer(status, message) : new ApiError(status, '', message);
}

async function problem_of(answer: Response): Promise<ApiError> {
  const is_problem = answer.headers.get('Content-Type')?.startsWith('application/problem+json') ?? false;
  if (!is_problem) return gateway_error(answer);
  try {
    const problem = JSON.parse(await answer.text());
    return new ApiError(answer.status, problem.code ?? '', message_of(problem) ?? answer.statusText);
  } catch {
    return answer.status >= 500 ? lost_answer(answer.status, NOT_WHOLE) : new ApiError(answer.status, '', NOT_WHOLE);
  }
}

// Of a call that went well. What is cut off, or is the page of a gateway, says nothing of what the call did.
async function told_by<T>(answer: Response, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await answer.json();
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw lost_answer(answer.status, NOT_WHOLE);
  }
}

// Names one call, so that it has its effect once. Browsers have randomUUID() for encrypted and local pages only.
export function request_id(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function answer_to<Name extends keyof Operations>(name: Name, parts: Parts<Name>): Promise<Response> {
  const [method, pattern] = operations[name];
  const headers: Record<string, string> = { ...OF_THIS_PAGE };
  if (parts.if_match !== undefined) headers['If-Match'] = parts.if_match;
  if (parts.body !== undefined) headers['Content-Type'] = 'application/json';
  let answer: Response;
  const over = watch_answer();
  try {
    answer = await fetch(target_of(pattern, parts.path ?? {}, parts.query ?? {}), {
      method,
      headers,
      signal: parts.signal,
      body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
    });
  } catch (failure) {
    if (parts.signal?.aborted) throw failure;
    throw new ApiError(0, 'unavailable', 'The server does not answer.');
  } finally {
    over();
  }
  if (answer.status === 401) lost_session();
  // A token that was taken back, or a right.
  if (answer.status === 403) void learn_session().catch(() => null);
  if (!answer.ok) throw await problem_of(answer);
  return answer;
}

export async function call<Name extends keyof Operations>(
  name: Name,
  parts: Parts<Name> = {},
): Promise<Operations[Name]['answer']> {
  const answer = await answer_to(name, parts);
  return answer.status === 204 ? (null as Operations[Name]['answer']) : told_by(answer, parts.signal);
}

// With the tag by which a later call can ask that nobody has changed it meanwhile.
export async function call_tagged<Name extends keyof Operations>(
  name: Name,
  parts: Parts<Name> = {},
): Promise<{ told: Operations[Name]['answer']; tag: string | undefined }> {
  const answer = await answer_to(name, parts);
  return { told: await told_by(answer, parts.signal), tag: answer.headers.get('ETag') ?? undefined };
}
