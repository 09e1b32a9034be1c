// A queue in numbers: what it holds, what has come and gone, and how fast.
import { useEffect, useState } from 'preact/hooks';
import type { Operations, QueueInfo } from '../api/schema';
import { Lines } from '../parts/charts';
import { Figure } from '../parts/controls';
import { age_text, bytes_text, duration_text, rate_text, short_count, time_text } from '../parts/format';
import { rates_text, type Counter } from './server_rates';

export interface Sample {
  at: number;
  sent: number;
  acked: number;
  dead: number;
}
const SAMPLES = 300;

// Computes the rates since the page was opened, from the differences of the totals.
export function use_rates(queue: QueueInfo | undefined): Sample[] {
  const [all, set_all] = useState<Sample[]>([]);
  useEffect(() => {
    if (!queue) return;
    const { sent, acked, deadLettered } = queue.totals;
    set_all((before) => [...before, { at: Date.now() / 1000, sent, acked, dead: deadLettered }].slice(-SAMPLES));
  }, [queue]);
  return all.slice(1).map((now, i) => {
    const seconds = Math.max(now.at - all[i].at, 0.001);
    const rate = (of: 'sent' | 'acked' | 'dead') => Math.max(0, now[of] - all[i][of]) / seconds;
    return { at: now.at, sent: rate('sent'), acked: rate('acked'), dead: rate('dead') };
  });
}

type Statistics = Operations['queueStatistics']['answer'];

// `told` is undefined if the token may not ask, or if nothing was read yet.
export function QueueFigures({ queue, told }: { queue: QueueInfo; told: Statistics | undefined }) {
  const { counts, totals } = queue;
  const oldest = told?.oldestReady;
  const rates_of = (of: Counter) => told?.[of] && rates_text(told[of], queue, of);
  return (
    <dl class="figures">
      <Figure label="Ready" value={short_count(counts.ready)} more={oldest ? `oldest ${age_text(oldest)}` : undefined} />
      <Figure label="Leased" value={short_count(counts.leased)} />
      <Figure label="Waiting" value={short_count(counts.waiting)} />
      <Figure
        label="Bytes"
        value={bytes_text(queue.bytes)}
        more={told ? `${bytes_text(told.diskBytes)} on disk` : undefined}
      />
      <Figure label="Sent" value={short_count(totals.sent)} more={rates_of('sent')} />
      <Figure label="Acknowledged" value={short_count(totals.acked)} more={rates_of('acked')} />
      <Figure label="Dead-lettered" value={short_count(totals.deadLettered)} more={rates_of('deadLettered')} />
    </dl>
  );
}

export function RateLines({ queue, rates }: { queue: QueueInfo; rates: Sample[] }) {
  return (
    <>
      {rates.length === 0 ? (
        <p class="faint waits" role="status">
          The chart starts in a few seconds, when the queue is read again.
        </p>
      ) : (
        <Lines
          x={rates.map((one) => one.at)}
          x_is_time
          x_text={(at) => new Date(at * 1000).toISOString().slice(11, 19)}
          y_text={rate_text}
          label={`Rates of ${queue.name} since this page was opened`}
          lines={[
            { name: 'sent', values: rates.map((one) => one.sent) },
            { name: 'acknowledged', values: rates.map((one) => one.acked) },
            { name: 'dead-lettered', values: rates.map((one) => one.dead) },
          ]}
        />
      )}
      <p class="faint">
        The lines start when this page was opened. The rates above them are the server’s averages over the last minute
        and the last five minutes. Each is left out once nothing has come for that long. The queue was created at{' '}
        {time_text(queue.createdAt)}; a lease lasts {duration_text(queue.options?.lease ?? 0)}.
      </p>
    </>
  );
}
