//! Compares cotty's engine with other engines, and its daemon with the bare kernel: same bytes, same run, ratios.
//!
//! | to change | open |
//! |---|---|
//! | the input | `corpus.rs`, `corpus/` |
//! | the engines and their adapters | `engine.rs`, `engine/` |
//! | MB/s | `throughput.rs` |
//! | the check that all screens are equal | `check.rs` |
//! | memory | `memory.rs`, `alloc.rs` |
//! | reading the screen, resizing | `reading.rs` |
//! | features that only cotty has | `own.rs` |
//! | the daemon: terminals, a thousand sessions, recovery, viewers | `daemon.rs`, `daemon/` |
//! | MCP: calls, size of answers | `mcp.rs`, `mcp/`, `../corpus` |
//! | the tables and targets | `report.rs`, `report/` |

mod alloc;
mod args;
mod check;
mod clock;
mod corpus;
mod daemon;
mod engine;
mod mcp;
mod memory;
mod own;
mod reading;
mod report;
mod throughput;

use std::process::ExitCode;

use args::{Args, Part};
use report::Results;

fn main() -> ExitCode {
    let outcome = match Args::parse(std::env::args().skip(1)) {
        Ok(Some(args)) => run(&args),
        Ok(None) => {
            eprintln!("{}", args::USAGE);
            Ok(())
        }
        Err(reason) => Err(format!("{reason}\n\n{}", args::USAGE)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("cotty-bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    if let Some(probe) = &args.probe {
        return memory::probe(probe);
    }
    if let Some(writer) = &args.writer {
        return writer.run();
    }
    let mut results = Results::default();
    if args.wants(Part::Throughput) {
        results.throughput = throughput::measure(args)?;
    }
    if args.wants(Part::Memory) {
        results.memory = memory::measure(args)?;
    }
    if args.wants(Part::Reading) {
        results.reading = reading::text(args)?;
        results.resizing = reading::resizing(args)?;
    }
    if args.wants(Part::Own) {
        results.own = own::measure(args)?;
    }
    if args.wants(Part::Daemon) {
        results.daemon = Some(daemon::measure(args)?);
    }
    if args.wants(Part::Mcp) {
        results.mcp = Some(mcp::measure(args)?);
    }
    report::publish(&results, args)
}
