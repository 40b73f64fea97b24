/** JSON text that can be scrolled with the keyboard. */
export function JsonBlock({ label, value }: { label: string; value: unknown }) {
  return (
    <pre className="json-block" role="group" aria-label={label} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
