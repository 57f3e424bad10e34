//! Signals as Unix expects: a process that a signal ends says so in its exit status, and a second Ctrl-C ends
//! it at once.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// A flag that the first Ctrl-C sets; the second ends the process at once.
pub fn interrupted() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // In this order: the second finds set what the first has set after asking.
    flag::register_conditional_shutdown(SIGINT, 130, stop.clone())?;
    flag::register(SIGINT, stop.clone())?;
    Ok(stop)
}

/// Calls `finish` in a thread of its own when Ctrl-C or SIGTERM ends the process, and then lets the signal end it. A second signal does
/// not wait for that.
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
        .map_err(|e| io::Error::new(e.kind(), format!("no thread could be made to wait for signals: {e}")))?;
    Ok(())
}

/// Other systems end the process at once.
#[cfg(not(unix))]
pub fn before_the_end(_finish: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Ends the process as a write to a pipe that nobody reads does where it is not caught.
pub fn closed_pipe() -> ExitCode {
    #[cfg(unix)]
    end_by(signal_hook::consts::SIGPIPE);
    ExitCode::SUCCESS
}

/// Ends the process by this signal.
#[cfg(unix)]
fn end_by(signal: i32) {
    // It returns only for signals that do not end a process, or that it does not know.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
