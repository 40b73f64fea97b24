/** Parts of the page that are loaded when they are first shown. */
import { Fragment, useEffect, useState, type ComponentType, type ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { ErrorNotice } from "./ErrorNotice";

/**
 * Returns a component that loads the actual component when it is first shown. Until then, it shows `Waiting`
 * or, if absent, a note inside `Frame`. If loading fails, it shows `Waiting`, the error and a retry button
 * inside `Frame`.
 */
export function onDemand<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Frame: ComponentType<{ children: ReactNode }> = Fragment,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function OnDemand(props: P) {
    const { common } = useTexts();
    const [Part, setPart] = useState<ComponentType<P> | null>(() => loaded);
    const [tries, setTries] = useState(1);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded) {
        // Another instance might have loaded it since the first render of this one.
        setPart(() => loaded);
        return;
      }
      let current = true;
      load().then(
        (part) => {
          loaded = part;
          if (current) setPart(() => part);
        },
        () => current && setFailed(true),
      );
      return () => {
        current = false;
      };
    }, [tries]);
    if (Part) return <Part {...props} />;
    const waiting = Waiting && <Waiting {...props} />;
    if (!failed) {
      return (
        waiting ?? (
          <Frame>
            <p className="soft pad">{common.loading}</p>
          </Frame>
        )
      );
    }
    return (
      <Frame>
        {waiting}
        <div className="pad">
          <ErrorNotice>{common.unreachable}</ErrorNotice>
          <button
            type="button"
            onClick={() => {
              setFailed(false);
              setTries(tries + 1);
            }}
          >
            {common.retry}
          </button>
        </div>
      </Frame>
    );
  };
}
