// The theme is dark or light, as the system has it or as somebody chose it.
import { make_store } from '../store';

export type Choice = 'system' | 'light' | 'dark';
const KEY = 'holdfast-theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

const read = (): Choice => {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};

export const choice = make_store<Choice>(read());
export const theme = make_store<'light' | 'dark'>('light'); // the theme that is shown

function apply(): void {
  const dark = choice.get() === 'dark' || (choice.get() === 'system' && system.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  theme.set(dark ? 'dark' : 'light');
}

export function choose(wanted: Choice): void {
  localStorage.setItem(KEY, wanted);
  choice.set(wanted);
  apply();
}

export function start_theme(): void {
  system.addEventListener('change', apply);
  apply();
}
