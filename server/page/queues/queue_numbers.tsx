// Numbers show a dead letter queue in numbers: how many, since when, of what kind.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/client';
import type { Operations, QueueInfo } from '../api/schema';
import { Figure, Loading, Wrong } from '../parts/controls';
import { age_text, iso, set_server_time, short_count, time_text } from '../parts/format';
import { why_unknown } from '../parts/unknown';
import { of_queue, use_api } from '../parts/use_api';
import { ArrivalsCard, died_this_hour, last_minute_text, main_categories, type Unit } from './arrivals';
import { DepthGauge } from './depth_gauge';
import { AgesCard, SharesCard, type Share } from './shares';

type Told = Operations['deadLetterStatistics']['answer'];

// Shows how many letters died since this browser last showed the queue.
function NewFigure({ queue, last_visit }: { queue: string; last_visit: number | null }) {
  const fresh = use_api(
    last_visit !== null ? `${queue} ${last_visit}` : null,
    async (signal) =>
      (await call('groupDeadLetters', { path: { queue }, query: { by: 'status', diedFrom: iso(last_visit!) }, signal }))
        .total,
    { every: 10000, after: of_queue(queue) },
  );
  const label = 'New since your last visit';
  if (last_visit === null) return <Figure label={label} value="—" more="this is your first visit" />;
  return (
    <Figure
      label={label}
      value={fresh.loading ? '…' : short_count(fresh.data ?? 0)}
      unknown={fresh.loading ? undefined : why_unknown(fresh)}
      more={
        <a href={`/dead-letters/${queue}?view=letters&diedFrom=${iso(last_visit)}`}>{age_text(iso(last_visit))}</a>
      }
    />
  );
}

function Figures({ queue, told, last_visit }: { queue: string; told: Told; last_visit: number | null }) {
  return (
    <dl class="figures">
      <Figure label="Dead letters" value={short_count(told.dead)} kind={told.dead > 0 ? 'dead' : 'good'} />
      <NewFigure queue={queue} last_visit={last_visit} />
      <Figure
        label="Died this hour"
        value={short_count(died_this_hour(told.hours ?? []))}
        more={last_minute_text(told)}
      />
      <Figure
        label="Oldest"
        value={told.oldest ? age_text(told.oldest) : '—'}
        more={told.oldest ? time_text(told.oldest) : undefined}
      />
    </dl>
  );
}

function Pictures({ queue, told }: { queue: string; told: Told }) {
  const [unit, set_unit] = useState<Unit>('hours');
  const [by, set_by] = useState<Share>('category');
  const { hours = [], days = [] } = told;
  return (
    <div class="columns">
      <ArrivalsCard hours={hours} days={days} unit={unit} set_unit={set_unit} />
      <SharesCard queue={queue} by={by} set_by={set_by} categories={main_categories(unit === 'hours' ? hours : days)} />
      <AgesCard ages={told.ages ?? []} queue={queue} />
    </div>
  );
}

interface NumbersProps {
  queue: string;
  info?: QueueInfo;
  pictures: boolean;
  last_visit: number | null;
}

export function Numbers({ queue, info, pictures, last_visit }: NumbersProps) {
  const { data, error, loading } = use_api(
    queue,
    (signal) => call('deadLetterStatistics', { path: { queue }, query: { hours: 48, days: 30 }, signal }),
    { every: 5000, after: of_queue(queue) },
  );
  useEffect(() => {
    if (data?.at) set_server_time(data.at);
  }, [data?.at]);
  if (!data)
    return (
      <>
        <Wrong error={error} />
        {loading && <Loading />}
      </>
    );
  return (
    <>
      <Figures queue={queue} told={data} last_visit={last_visit} />
      {info && <DepthGauge info={info} dead={data.dead} />}
      {pictures && <Pictures queue={queue} told={data} />}
    </>
  );
}
