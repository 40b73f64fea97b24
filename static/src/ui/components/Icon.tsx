/** Icons: one stroke width, in the color of the surrounding text, always next to a word or a label. */

const paths = {
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm9 2-4-4",
  send: "M4 12 20 4l-4 16-4.5-6.5L4 12Zm7.5 1.5L20 4",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5v15l12-7.5-12-7.5Z",
  stop: "M6 6h12v12H6z",
  ban: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM5.7 5.7l12.6 12.6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6 6 18",
  reply: "M9 8 4 13l5 5M4 13h9a7 7 0 0 0 7-7",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9a6 6 0 0 1 12 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.5a6 6 0 0 1 3 5.5",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-13v4.5l3 2",
  live: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM6.3 17.7a8 8 0 0 1 0-11.4M17.7 6.3a8 8 0 0 1 0 11.4",
  offline:
    "M4 4l16 16M8 16.5a5.5 5.5 0 0 1 5.8-1.3M5 12.8A10 10 0 0 1 9.3 10M19 12.8a10 10 0 0 0-5.6-3M12 20h.01",
  bell: "M5 17.5h14l-1.5-2.2v-4.8a5.5 5.5 0 0 0-11 0v4.8ZM10 17.5a2 2 0 0 0 4 0",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  down: "M12 5v14m-6-6 6 6 6-6",
  chart: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  key: "M7.5 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm4-4H21v4M17 12v3",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z",
  auto: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Zm0 0v18M15 4.5v15M18 6.5v11",
  language: "M3 6h10M8 4v2M11 6c-1 4-4 7-7 8M6 9c1 3 3 4.5 5 5.5M13 20l4-10 4 10M14.5 17h5",
  sidebar: "M3 5h18v14H3zM15 5v14",
  chat: "M4 5h16v11H9l-5 4V5Z",
  list: "M4 6h16M4 12h16M4 18h10",
  warning: "M12 4 2.5 20h19L12 4Zm0 6v4m0 3h.01",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v5m0-8h.01",
  pencil: "M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4",
  eraser: "M4 16l9-9 6 6-7 7H8zM10 10l6 6M12 20h8",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  command:
    "M9 9h6v6H9zM9 9H6.5A2.5 2.5 0 1 1 9 6.5V9Zm6 0V6.5A2.5 2.5 0 1 1 17.5 9H15Zm0 6h2.5a2.5 2.5 0 1 1-2.5 2.5V15Zm-6 0v2.5A2.5 2.5 0 1 1 6.5 15H9Z",
  gate: "M5 21V6l7-3 7 3v15M5 11h14M12 3v18",
  bolt: "M13 3 5 14h6l-1 7 8-11h-6l1-7Z",
  hourglass: "M7 3h10M7 21h10M8 3v4l4 5 4-5V3M8 21v-4l4-5 4 5v4",
  tool: "M14.5 6.5a4 4 0 0 1 5-2.4l-2.6 2.6 1.4 2.4 2.6-2.4a4 4 0 0 1-5.3 5L8 19.3a2 2 0 0 1-2.8-2.8l7.6-7.6a4 4 0 0 1 1.7-2.4Z",
  question: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8m0 3h.01",
  dash: "M6 12h12",
  circle: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16Z",
  half: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16Zm0-12v4h4",
  skip: "M5 6v12l9-6-9-6Zm13 0v12",
  chevron: "m9 6 6 6-6 6",
  route: "M6 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm12-10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 17h6a4 4 0 0 0 0-8h-4",
  columns: "M4 5h7v14H4zM13 5h7v14h-7z",
  lanes: "M4 6h9M9 12h11M4 18h6",
  up: "M12 19V5m-6 6 6-6 6 6",
  clip: "m20 11.5-8.2 8.2a5 5 0 0 1-7-7l8.6-8.6a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.7-7.7",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  picture: "M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9.5h.01",
  download: "M12 4v11m-5-5 5 5 5-5M5 20h14",
  undo: "M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3",
  book: "M12 6.5C10 5 7 4.5 3.5 5v13.5c3.5-.5 6.5 0 8.5 1.5 2-1.5 5-2 8.5-1.5V5C17 4.5 14 5 12 6.5Zm0 0V20",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  back: "m14 6-6 6 6 6",
  flag: "M5 21V4h12l-2 4 2 4H5",
  graph: "M4 4h7v5H4zM13 15h7v5h-7zM7.5 9v4h9v2",
  redo: "m16 5 4 4-4 4M20 9H10a6 6 0 0 0 0 12h3",
  upload: "M12 15V4m-5 5 5-5 5 5M5 20h14",
  share:
    "M16 8l-8 4 8 4M18 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM6 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM18 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  leave: "M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9",
} as const;

export type IconName = keyof typeof paths;

/** Icon with one stroke width, in the color of the surrounding text, always next to a word or a label. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** Logo: a table with its seats, from above. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="16" cy="16" r="7" className="mark-table" />
      {[0, 60, 120, 180, 240, 300].map((turn) => (
        <circle
          key={turn}
          cx="16"
          cy="4.6"
          r="2.6"
          className="mark-seat"
          transform={`rotate(${turn} 16 16)`}
        />
      ))}
    </svg>
  );
}

interface Props {
  icon: IconName;
  label: string;
  /** Visible label, if there is room. */
  text?: string;
  /**
   * Null while the button has no effect. It then keeps the focus, such as when an item was moved to the end.
   */
  onClick: (() => void) | null;
  busy?: boolean;
}

/** Small button with an icon and an accessible name. */
export function IconButton({ icon, label, text, onClick, busy }: Props) {
  return (
    <button
      type="button"
      className={text ? "quiet small" : "quiet square small"}
      aria-label={label}
      title={label}
      disabled={busy}
      aria-disabled={!onClick || undefined}
      onClick={() => onClick?.()}
    >
      <Icon name={icon} size={14} /> {text && <span className="act-word">{text}</span>}
    </button>
  );
}
