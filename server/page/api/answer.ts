// The answer to a request, and the errors that may come instead of it.
import { await_answer, note_life, note_refusal } from './life';

export const UNKNOWN = 'outcome_unknown';
const NOT_WHOLE = 'The answer was cut off.';

// ApiError is the error of a call that failed. It comes from a problem document, from no answer at all (status 0), or
// from an answer that is cut off or not the server's own.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

// Calls may have had their effect after these errors of the API. All others say that they had none.
const IN_DOUBT = [UNKNOWN, 'internal', 'storage_failed'];

// Returns whether the call may have had its effect although it failed: its answer was lost, was told to somebody else
// only, or says that the server failed on the way.
export const is_lost = (failure: unknown): boolean =>
  failure instanceof ApiError && (failure.status === 0 || IN_DOUBT.includes(failure.code));

// Makes the error for an answer that does not show whether the call had its effect.
const lost_answer = (status: number, message: string) => new ApiError(status, UNKNOWN, message);

// A gateway that answers with an error of its own may have passed the call on. The server's own errors are problem
// documents.
function gateway_error({ status }: Response): ApiError {
  const message = `Something between this page and the server answered ${status}.`;
  return status >= 500 ? lost_answer(status, message) : new ApiError(status, '', message);
}

export async function problem_of(answer: Response): Promise<ApiError> {
  const is_problem = answer.headers.get('Content-Type')?.startsWith('application/problem+json') ?? false;
  if (!is_problem) return gateway_error(answer);
  try {
    const { code = '', detail } = JSON.parse(await answer.text());
    return new ApiError(answer.status, code, detail ?? answer.statusText);
  } catch {
    return answer.status >= 500 ? lost_answer(answer.status, NOT_WHOLE) : new ApiError(answer.status, '', NOT_WHOLE);
  }
}

// Reads the answer to a call that succeeded. An answer that is cut off, or is the page of a gateway, does not show what
// the call did.
export async function told_by<T>(answer: Response, signal?: AbortSignal): Promise<T> {
  try {
    return await answer.json();
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw lost_answer(answer.status, NOT_WHOLE);
  }
}

export async function answer_to(target: string, init: RequestInit): Promise<Response> {
  const over = await_answer();
  try {
    const answer = await fetch(target, init);
    note_life();
    return answer;
  } catch (failure) {
    if (init.signal?.aborted) throw failure;
    note_refusal();
    throw new ApiError(0, 'unavailable', 'The server does not answer.');
  } finally {
    over();
  }
}
