// A Store has a value that components follow.
import { useEffect, useState } from 'preact/hooks';

export interface Store<T> {
  get(): T;
  set(value: T): void;
  follow(told: (value: T) => void): () => void;
}

export function make_store<T>(value: T): Store<T> {
  const followers = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const told of [...followers]) told(value);
    },
    follow(told) {
      followers.add(told);
      return () => followers.delete(told);
    },
  };
}

export function use_store<T>(store: Store<T>): T {
  const [value, set_value] = useState(store.get());
  useEffect(() => {
    set_value(() => store.get());
    return store.follow((next) => set_value(() => next));
  }, [store]);
  return value;
}
