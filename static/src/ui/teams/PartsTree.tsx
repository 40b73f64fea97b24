/** Parts of a team as a tree, which offers the functions of the graph for the keyboard and on a phone. */
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { isComposing } from "../../app/shortcuts";
import { Icon } from "../components/Icon";

/** Item of the tree. */
export interface TreeItem {
  key: string;
  content: ReactNode;
  items?: TreeItem[];
}

interface Props {
  label: string;
  items: TreeItem[];
  /** Key of the selected item. */
  selected: string;
  onSelect: (key: string) => void;
  /** Removes an item; undefined if the tree is read-only. */
  onRemove?: (key: string) => void;
}

/** Item whose ancestors are all expanded. */
interface Visible {
  item: TreeItem;
  parent: TreeItem | null;
  level: number;
  /** Position among its siblings, starting at 1, and the number of siblings. */
  position: [number, number];
}

/** Maximum number of items in a tree that is expanded initially. A larger tree is collapsed. */
const MAX_OPEN_ITEMS = 300;

function initiallyClosed(items: TreeItem[]): ReadonlySet<string> {
  const count = items.reduce((sum, item) => sum + 1 + (item.items?.length ?? 0), 0);
  return new Set(count > MAX_OPEN_ITEMS ? items.map((item) => item.key) : []);
}

export function PartsTree({ label, items, selected, onSelect, onRemove }: Props) {
  const [closed, setClosed] = useState(() => initiallyClosed(items));
  const [focused, setFocused] = useState<string | null>(null);
  const tree = useRef<HTMLUListElement>(null);
  const isOpen = (item: TreeItem) => !!item.items?.length && !closed.has(item.key);
  const visible: Visible[] = [];
  const collect = (siblings: TreeItem[], parent: TreeItem | null, level: number) =>
    siblings.forEach((item, i) => {
      visible.push({ item, parent, level, position: [i + 1, siblings.length] });
      if (isOpen(item)) collect(item.items!, item, level + 1);
    });
  collect(items, null, 1);
  const find = (key: string | null) => visible.find(({ item }) => item.key === key);
  // Exactly one item is a tab stop.
  const stop = (find(focused) ?? find(selected) ?? visible[0])?.item.key;
  const toggle = (key: string, open: boolean) =>
    setClosed((before) => {
      const next = new Set(before);
      if (open) next.delete(key);
      else next.add(key);
      return next;
    });
  const focus = (key: string | undefined) => {
    if (key === undefined) return;
    setFocused(key);
    tree.current?.querySelector<HTMLElement>(`[data-part="${CSS.escape(key)}"]`)?.focus();
  };
  const press = (event: KeyboardEvent, item: TreeItem) => {
    if (isComposing(event.nativeEvent) || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = visible.findIndex((one) => one.item === item);
    const parent = visible[at]?.parent;
    switch (event.key) {
      case "ArrowDown":
        focus(visible[at + 1]?.item.key);
        break;
      case "ArrowUp":
        focus(visible[at - 1]?.item.key);
        break;
      case "Home":
        focus(visible[0]?.item.key);
        break;
      case "End":
        focus(visible.at(-1)?.item.key);
        break;
      case "ArrowRight":
        if (isOpen(item)) focus(item.items![0]!.key);
        else if (item.items?.length) toggle(item.key, true);
        break;
      case "ArrowLeft":
        if (isOpen(item)) toggle(item.key, false);
        else if (parent) focus(parent.key);
        break;
      case "Enter":
      case " ":
        onSelect(item.key);
        break;
      case "Delete":
        if (!onRemove) return;
        focus((visible[at + 1] ?? visible[at - 1])?.item.key);
        onRemove(item.key);
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  // The list is flat, so that the accessible name of an item does not contain the content of nested items.
  const draw = ({ item, level, position }: Visible) => (
    <li
      key={item.key}
      role="treeitem"
      aria-level={level}
      aria-posinset={position[0]}
      aria-setsize={position[1]}
      aria-selected={item.key === selected}
      aria-expanded={item.items?.length ? isOpen(item) : undefined}
      tabIndex={item.key === stop ? 0 : -1}
      className={level > 1 ? "tree-row inner" : "tree-row"}
      data-part={item.key}
      onKeyDown={(event) => press(event, item)}
      onFocus={() => setFocused(item.key)}
      onClick={() => {
        setFocused(item.key);
        onSelect(item.key);
      }}
    >
      {/* With the keyboard, the arrow keys expand and collapse an item. */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <span
        className={isOpen(item) ? "tree-toggle open" : "tree-toggle"}
        onClick={(event) => {
          if (!item.items?.length) return;
          event.stopPropagation();
          toggle(item.key, !isOpen(item));
        }}
      >
        {!!item.items?.length && <Icon name="chevron" size={14} />}
      </span>
      {item.content}
    </li>
  );
  return (
    <ul ref={tree} role="tree" aria-label={label} className="parts-tree">
      {visible.map(draw)}
    </ul>
  );
}
