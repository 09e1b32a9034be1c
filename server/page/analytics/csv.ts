// Saves tables as CSV files.

// A spreadsheet takes a text that starts with such a sign for a formula, even after spaces and in the wide forms of the
// signs.
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function save_csv(name: string, rows: (string | number)[][]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'], { type: 'text/csv' }),
  );
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
