//! Every flow from its first message to its end, over HTTP and a socket, with the demo model behind the built-in teams.

mod bad_votes;
mod brain;
mod comprehensive;
mod harness;
mod injections;
mod inquiries;
mod investigate;
mod mistakes;
mod plan_solve;
mod progress;
mod react;
mod router;
mod rules;
mod starters;
mod structure;
mod topology;
mod workflow;
