// The question that somebody asks about a dead letter queue, and the words for it.
import { word_of } from '../parts/format';
import type { Choice } from '../parts/controls';
import { value_name } from '../parts/text';

export type By = 'category' | 'cause' | 'code' | 'source' | 'consumerVersion' | 'assignee' | 'status';
export const BY: readonly Choice[] = [
  ['category', 'category'],
  ['cause', 'cause'],
  ['code', 'code'],
  ['source', 'source queue'],
  ['consumerVersion', 'consumer version'],
  ['assignee', 'assignee'],
  ['status', 'status'],
];
export const SPANS: Record<string, [text: string, parts: number]> = {
  '1h': ['last hour', 12],
  '6h': ['last 6 hours', 12],
  '1d': ['last day', 24],
  '7d': ['last 7 days', 14],
  '30d': ['last 30 days', 30],
};

export interface Question {
  queue: string;
  of: By;
  against: By;
  span: string;
  history: boolean;
  all: boolean; // whether every row and column is shown, not only the most frequent
}

// Stands for all values without a row or column of their own. No value of the API has a line end.
export const OTHERS = '\nothers';

export const title_of = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const label_of = (by: By) => BY.find(([one]) => one === by)![1];

export function name_of(by: By, value: string): string {
  if (value === OTHERS) return '(others)';
  return by === 'cause' ? word_of(value) : value_name(value);
}
