/** A button that lets somebody choose files. */
import { useRef, type ReactNode } from "react";

interface Props {
  label?: string;
  className?: string;
  /** Only one of them. */
  one?: boolean;
  children: ReactNode;
  onPick: (files: File[]) => void;
}

export function FilePicker({ label, className, one, children, onPick }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className={className}
        aria-label={label}
        title={label}
        onClick={() => input.current?.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        type="file"
        multiple={!one}
        hidden
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          // The same file can be chosen again, in a newer version.
          event.target.value = "";
        }}
      />
    </>
  );
}
