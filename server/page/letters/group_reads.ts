// Reads more about groups of failures than their size: who has them, and when their letters died.
import { call } from '../api/client';
import type { DeadLetterFilterInput } from '../api/schema';
import { iso, server_now } from '../parts/format';

export const GROUPS = 200; // how many groups are shown
const DAY_MS = 86_400_000;
const TREND_PARTS = 6;
export const NO_TREND = Array<number>(TREND_PARTS).fill(0);
const ASSIGNEES = 12; // how many assignees are told apart within a group

// Shares say how many letters of a group have each assignee and each status. An empty assignee stands for nobody.
export interface Shares {
  assignees: Map<string, number>;
  statuses: Map<string, number>;
}

// Reads the shares of each group. It makes one call for each assignee and status, not for each group.
export async function read_mix(
  queue: string,
  filter: DeadLetterFilterInput,
  signal: AbortSignal,
): Promise<Map<string, Shares>> {
  const mix: Map<string, Shares> = new Map();
  const count = async (by: 'assignee' | 'status', into: 'assignees' | 'statuses') => {
    const query = { ...filter, by, max: ASSIGNEES };
    const values = await call('groupDeadLetters', { path: { queue }, query, signal });
    await Promise.all(
      (values.groups ?? []).map(async ({ value = '' }) => {
        const one = { ...filter, [by]: value, by: 'fingerprint', max: GROUPS } as const;
        const told = await call('groupDeadLetters', { path: { queue }, query: one, signal });
        for (const group of told.groups ?? []) {
          const of_group = mix.get(group.value ?? '') ?? { assignees: new Map(), statuses: new Map() };
          of_group[into].set(value, group.count);
          mix.set(group.value ?? '', of_group);
        }
      }),
    );
  };
  await Promise.all([
    filter.assignee === undefined && count('assignee', 'assignees'),
    filter.status === undefined && count('status', 'statuses'),
  ]);
  return mix;
}

// Reads how many letters of each group died in each part of the last day.
export async function read_trend(
  queue: string,
  filter: DeadLetterFilterInput,
  signal: AbortSignal,
): Promise<Map<string, number[]>> {
  const end = server_now();
  const part = DAY_MS / TREND_PARTS;
  const trend = new Map<string, number[]>();
  await Promise.all(
    Array.from({ length: TREND_PARTS }, async (_, i) => {
      const [from, to] = [iso(end - (TREND_PARTS - i) * part), iso(end - (TREND_PARTS - 1 - i) * part)];
      const told = await call('groupDeadLetters', {
        path: { queue },
        query: { ...filter, by: 'fingerprint', diedFrom: from, diedBefore: to, max: GROUPS },
        signal,
      });
      for (const { value = '', count } of told.groups ?? []) {
        const parts = trend.get(value) ?? Array<number>(TREND_PARTS).fill(0);
        parts[i] = count;
        trend.set(value, parts);
      }
    }),
  );
  return trend;
}
