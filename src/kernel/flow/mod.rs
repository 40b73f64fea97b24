//! Flows: pure policies that decide the next step.
