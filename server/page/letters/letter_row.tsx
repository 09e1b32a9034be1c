// A Row shows one letter in the list of dead letters.
import { useEffect, useState } from 'preact/hooks';
import { Badge, Status } from '../parts/controls';
import { age_text, time_text, word_of } from '../parts/format';
import type { Listed } from './listed';
import { Text } from '../parts/text';

// Rows have two lines on a narrow screen, as the style sheet says.
const narrow = window.matchMedia('(max-width: 760px)');
const row_height = () => (narrow.matches ? 56 : 30);

export function use_row_height(): number {
  const [row, set_row] = useState(row_height());
  useEffect(() => {
    const turn = () => set_row(row_height());
    narrow.addEventListener('change', turn);
    return () => narrow.removeEventListener('change', turn);
  }, []);
  return row;
}

const COLUMNS = ['', 'No.', 'Died', 'Category', 'Reason', 'From', 'Version', 'Deliveries', 'Assignee', 'Status'];

// The classes mark columns that a narrow screen has no room for, columns with a width of their own, and numbers.
const COLUMN_CLASSES: Record<string, string> = {
  '': 'choose',
  'No.': 'number seq',
  Reason: 'reason',
  From: 'minor',
  Version: 'minor',
  Deliveries: 'number minor',
};

export function Row({ letter, chosen, on_choose }: { letter: Listed; chosen: boolean; on_choose: () => void }) {
  const record = letter.record;
  return (
    <>
      <span
        class="cell choose"
        onClick={(event) => {
          event.stopPropagation();
          on_choose();
        }}
      >
        <i class={chosen ? 'box on' : 'box'} />
      </span>
      <span class="cell number seq">{letter.seq}</span>
      <span class="cell" title={time_text(record?.diedAt)}>
        {age_text(record?.diedAt)}
      </span>
      <span class="cell">
        <Text of={record?.rejection?.category} />
      </span>
      <span class="cell reason">
        <Text of={record?.rejection?.reason} empty={word_of(record?.cause)} />
      </span>
      <span class="cell minor">
        <Text of={record?.sourceQueue} />
      </span>
      <span class="cell minor">
        <Text of={record?.consumer?.version} />
      </span>
      <span class="cell number minor">
        {record?.deliveries ?? 0}
        {(record?.replays ?? 0) > 0 && ` +${record!.replays}↺`}
      </span>
      <span class="cell">
        <Text of={letter.triage?.assignee} />
      </span>
      <span class="cell status">
        {letter.is_gone ? <Badge kind="info">gone</Badge> : <Status of={letter.triage?.status} />}
      </span>
    </>
  );
}

export const Head = () => (
  <>
    {COLUMNS.map((name) => (
      <span class={`cell ${COLUMN_CLASSES[name] ?? ''}`}>{name}</span>
    ))}
  </>
);
