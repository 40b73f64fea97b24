import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "./app/theme";
import { LocaleProvider, loadPreferredLocale } from "./i18n/locale";
import { App } from "./ui/App";
import { preventFileNavigation } from "./ui/files/DropZone";
import "./styles/index.css";

applyTheme();
preventFileNavigation();
await loadPreferredLocale();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <LocaleProvider>
      <App />
    </LocaleProvider>
  </StrictMode>,
);
