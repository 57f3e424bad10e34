//! Handles signals as Unix expects: a process that a signal ends shows it in its exit status, and a second Ctrl-C ends
//! the process at once.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// A flag that the first Ctrl-C sets; the second ends the process at once.
pub fn interrupted() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // The order matters: on a signal, the flag is checked before it is set.
    flag::register_conditional_shutdown(SIGINT, 130, stop.clone())?;
    flag::register(SIGINT, stop.clone())?;
    Ok(stop)
}

/// Calls `finish` in a separate thread when Ctrl-C or SIGTERM ends the process, and then lets the signal end it. A
/// second signal ends the process without waiting.
#[cfg(unix)]
pub fn before_the_end(finish: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Signals;

    let ending = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, ending.clone())?;
        flag::register(signal, ending.clone())?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new()
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                finish();
                end_by(signal);
            }
        })
        .map_err(|e| io::Error::new(e.kind(), format!("cannot start a thread to wait for signals: {e}")))?;
    Ok(())
}

/// Other systems end the process at once.
#[cfg(not(unix))]
pub fn before_the_end(_finish: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Ends the process as an uncaught write to a closed pipe would.
pub fn closed_pipe() -> ExitCode {
    #[cfg(unix)]
    end_by(signal_hook::consts::SIGPIPE);
    ExitCode::SUCCESS
}

/// Ends the process with this signal.
#[cfg(unix)]
fn end_by(signal: i32) {
    // It only returns for unknown signals, and for those that do not end a process.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
