/** Parts of a team as a tree list: with the keyboard and on a phone, it does what the graph does with a pointer. */
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { isComposing } from "../../app/shortcuts";
import { Icon } from "../components/Icon";

/** Item of the tree. */
export interface TreeItem {
  key: string;
  /** Accessible name. */
  name: string;
  content: ReactNode;
  items?: TreeItem[];
}

interface Props {
  label: string;
  items: TreeItem[];
  /** Key of the selected item. */
  selected: string;
  onSelect: (key: string) => void;
  /** Removes an item; absent if the tree is read-only. */
  onRemove?: (key: string) => void;
}

interface Visible {
  item: TreeItem;
  parent: TreeItem | null;
}

export function PartsTree({ label, items, selected, onSelect, onRemove }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | null>(null);
  const tree = useRef<HTMLUListElement>(null);
  const isOpen = (item: TreeItem) => !!item.items?.length && !closed.has(item.key);
  const visible: Visible[] = [];
  const collect = (item: TreeItem, parent: TreeItem | null) => {
    visible.push({ item, parent });
    if (isOpen(item)) for (const inner of item.items!) collect(inner, item);
  };
  for (const item of items) collect(item, null);
  const find = (key: string | null) => visible.find(({ item }) => item.key === key);
  // Exactly one item is in the order of tab stops.
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
    event.stopPropagation();
  };
  const draw = (item: TreeItem, level: number): ReactNode => (
    <li
      key={item.key}
      role="treeitem"
      aria-label={item.name}
      aria-level={level}
      aria-selected={item.key === selected}
      aria-expanded={item.items?.length ? isOpen(item) : undefined}
      tabIndex={item.key === stop ? 0 : -1}
      data-part={item.key}
      onKeyDown={(event) => press(event, item)}
      onFocus={(event) => event.target === event.currentTarget && setFocused(item.key)}
      onClick={(event) => {
        event.stopPropagation();
        setFocused(item.key);
        onSelect(item.key);
      }}
    >
      <div className="tree-row">
        {item.items?.length ? (
          // The keyboard opens and closes an item with the arrow keys.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
          <span
            className={isOpen(item) ? "tree-toggle open" : "tree-toggle"}
            onClick={(event) => {
              event.stopPropagation();
              toggle(item.key, !isOpen(item));
            }}
          >
            <Icon name="chevron" size={14} />
          </span>
        ) : (
          <span className="tree-toggle" />
        )}
        {item.content}
      </div>
      {isOpen(item) && <ul role="group">{item.items!.map((inner) => draw(inner, level + 1))}</ul>}
    </li>
  );
  return (
    <ul ref={tree} role="tree" aria-label={label} className="parts-tree">
      {items.map((item) => draw(item, 1))}
    </ul>
  );
}
