/** Back to the newest message, and how many came since the reader scrolled away. */
import { useState } from "react";
import { countAfter, newestSeq, type Row } from "../../state/timeline";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function JumpToLatest({ rows, onJump }: { rows: Row[]; onJump: () => void }) {
  const words = useWords();
  // It appears when the reader leaves the end: what is there now has been seen. Older messages that come in above are not new.
  const [seen] = useState(() => newestSeq(rows));
  const fresh = countAfter(rows, seen);
  return (
    <button type="button" className={fresh ? "jump fresh" : "jump"} onClick={onJump}>
      <Icon name="down" size={14} />
      {fresh ? words.timeline.jumpNew(fresh) : words.timeline.jump}
    </button>
  );
}
