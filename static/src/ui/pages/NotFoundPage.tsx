/** An address that nothing is at, and the way back. */
import { navigate } from "../../app/route";
import { useWords } from "../../i18n/locale";
import { Card } from "./Card";

export function NotFoundPage() {
  const words = useWords();
  return (
    <Card title={words.manage.nothing.title}>
      <p>{words.manage.nothing.text}</p>
      <button type="button" className="primary" onClick={() => navigate("/", "replace")}>
        {words.unopened.back}
      </button>
    </Card>
  );
}
