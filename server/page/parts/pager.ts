// A long list, page by page: those near what is seen are kept, the others are read again when they come near.

export interface PageOf<T> {
  items: T[];
  next?: string | null;
}

const PAGE = 200;
const KEPT = 12; // pages

type Read<T> = (start: string | null, max: number, signal: AbortSignal) => Promise<PageOf<T>>;

interface Slot<T> {
  start: string | null;
  first: number; // the place of its first item in the list
  count: number;
  items: T[] | null;
}

// Cursors go forward only, so the list is known as far as somebody has scrolled.
export class Pager<T> {
  private slots: Slot<T>[] = [];
  private next: string | null | undefined = null; // undefined: that was all
  private reading = new Map<number, Promise<void>>(); // by slot
  private readonly control = new AbortController();
  error: unknown = undefined;

  constructor(
    private readonly read: Read<T>,
    private readonly changed: () => void,
  ) {}

  stop(): void {
    this.control.abort();
  }
  get known(): number {
    const last = this.slots.at(-1);
    return last ? last.first + last.count : 0;
  }
  get complete(): boolean {
    return this.next === undefined;
  }
  get begun(): boolean {
    return this.slots.length > 0 || this.complete;
  }

  at(index: number): T | undefined {
    const slot = this.slots[this.slot_of(index)];
    return slot?.items?.[index - slot.first];
  }

  all(): T[] {
    return this.slots.flatMap((slot) => slot.items ?? []);
  }

  // Puts what these have become in their places: the list neither grows nor moves by it.
  renew(first: number, last: number, become: (item: T) => T): void {
    for (let i = first; i <= last; ++i) {
      const slot = this.slots[this.slot_of(i)];
      const item = slot?.items?.[i - slot.first];
      if (item !== undefined) slot!.items![i - slot!.first] = become(item);
    }
    this.changed();
  }

  private slot_of(index: number): number {
    let [low, high] = [0, this.slots.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.slots[middle].first <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Sees to it that these are there, as far as the list goes.
  async show(first: number, last: number): Promise<void> {
    const [low, high] = [this.slot_of(first), this.slot_of(last)];
    this.forget_far(low, high);
    const wanted: Promise<void>[] = [];
    for (let i = low; i <= high && i < this.slots.length; ++i) if (!this.slots[i].items) wanted.push(this.once(i));
    if (!this.complete && last + PAGE / 2 >= this.known) wanted.push(this.once(this.slots.length));
    await Promise.all(wanted);
  }

  // Sees to it that this one is known, if the list goes so far.
  async reach(index: number): Promise<void> {
    while (!this.complete && this.known <= index && this.error === undefined && !this.control.signal.aborted)
      await this.show(this.known, this.known);
  }

  private once(slot: number): Promise<void> {
    const running = this.reading.get(slot);
    if (running) return running;
    const work = this.fill(slot).finally(() => this.reading.delete(slot));
    this.reading.set(slot, work);
    return work;
  }

  private async fill(at: number): Promise<void> {
    const old = this.slots[at];
    const start = old ? old.start : (this.next as string | null);
    try {
      let page = await this.read(start, PAGE, this.control.signal);
      // A call looks at so many records only: one that found nothing may say that there is more.
      while (!old && page.items.length === 0 && page.next) page = await this.read(page.next, PAGE, this.control.signal);
      if (this.control.signal.aborted) return;
      this.error = undefined;
      if (old) {
        old.items = page.items;
      } else {
        if (page.items.length > 0)
          this.slots.push({ start, first: this.known, count: page.items.length, items: page.items });
        this.next = page.next ?? undefined;
      }
    } catch (failure) {
      if (this.control.signal.aborted) return;
      this.error = failure;
    }
    this.changed();
  }

  private forget_far(low: number, high: number): void {
    const kept = this.slots.filter((slot) => slot.items).length;
    if (kept <= KEPT) return;
    this.slots.forEach((slot, i) => {
      if (i < low - KEPT / 3 || i > high + KEPT / 3) slot.items = null;
    });
  }
}
