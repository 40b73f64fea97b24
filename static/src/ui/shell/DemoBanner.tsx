/** Notice that the responses are scripted, with instructions for using a real model. */
import { useState } from "react";
import { useApp, useMedia } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { CopyButton } from "../components/CopyButton";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";

const OPENAI = "OPENAI_API_KEY=sk-… make run";
const ANTHROPIC = "ANTHROPIC_API_KEY=sk-ant-… make run";
const OLLAMA = "ollama serve";
const COMPATIBLE = `[providers]
default = "local/my-model"

[providers.named.local]
base_url = "http://127.0.0.1:8000/v1"`;

export function DemoBanner() {
  const texts = useTexts();
  const scripted = useApp((app) => app.server?.model?.scripted === true);
  const narrow = useMedia("(max-width: 759px)");
  const [open, setOpen] = useState(false);
  if (!scripted) return null;
  return (
    <aside className="banner" aria-label={texts.demo.title} data-testid="demo">
      <Icon name="info" size={14} />
      <span>
        <strong>{texts.demo.title}</strong> {narrow ? texts.demo.short : texts.demo.text}
      </span>
      <button type="button" className="text" onClick={() => setOpen(true)}>
        {texts.demo.how}
      </button>
      {open && (
        <Dialog title={texts.demo.howTitle} onClose={() => setOpen(false)} wide>
          <div className="stack">
            <p>{texts.demo.howText}</p>
            <Example title={texts.demo.openai} text={OPENAI} />
            <Example title={texts.demo.anthropic} text={ANTHROPIC} />
            <Example title={texts.demo.ollama} text={OLLAMA} />
            <Example title={texts.demo.compatible} text={COMPATIBLE} />
          </div>
        </Dialog>
      )}
    </aside>
  );
}

function Example({ title, text }: { title: string; text: string }) {
  return (
    <div className="example">
      <p>{title}</p>
      <div className="example-code">
        <pre>{text}</pre>
        <CopyButton text={text} className="quiet small" />
      </div>
    </div>
  );
}
