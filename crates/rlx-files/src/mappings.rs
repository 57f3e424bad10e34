//! The mapped files of this process, and the message that is shown when one of them was truncated.

use std::path::Path;
use std::sync::Mutex;

use memmap2::Mmap;
use rlx_escape::one_line;

use lost::Registered;
pub use lost::explain_lost_files;

/// The pages of a file, registered under its path for as long as they are mapped.
#[derive(Debug)]
pub struct Mapped {
    // Dropped first, so that a search for an address never finds unmapped pages.
    _registered: Registered,
    map: Mmap,
}

impl Mapped {
    pub(crate) fn new(map: Mmap, path: &Path) -> Mapped {
        Mapped { _registered: Registered::of(map.as_ptr_range(), path), map }
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.map
    }

    #[cfg(unix)]
    pub(crate) fn pages(&self) -> &Mmap {
        &self.map
    }
}

/// Returns the message about a file whose pages are lost.
fn sentence(path: &Path) -> String {
    let path = path.display().to_string();
    format!(
        "rlx: {}: the file was shortened, or its disk failed, while it was mapped into memory; do not change files while they are in \
         use (rename a new one over the old one), or read them instead (--no-mmap, RLX_NO_MMAP=1)\n",
        one_line(&path)
    )
}

/// Messages by path. They live as long as the process, so a signal handler may read them at any time. A file that is
/// opened again has the same message.
static SENTENCES: Mutex<Vec<&'static Sentence>> = Mutex::new(Vec::new());

/// A string and its length, behind a single pointer.
#[derive(Debug)]
struct Sentence(String);

/// Returns the message for a path.
fn sentence_of(path: &Path) -> &'static Sentence {
    let text = sentence(path);
    let mut all = SENTENCES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = all.iter().find(|known| known.0 == text) {
        return known;
    }
    let new: &'static Sentence = Box::leak(Box::new(Sentence(text)));
    all.push(new);
    new
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod lost {
    //! A handler of SIGBUS that looks up the address. It does not allocate or lock, and only calls functions that
    //! POSIX allows in handlers.

    use super::{Sentence, sentence_of};
    use std::io;
    use std::ops::Range;
    use std::path::Path;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};

    /// Where a file is mapped: an entry of a list that only grows. Free entries are reused for later files.
    #[derive(Debug)]
    struct Entry {
        start: AtomicUsize,
        /// 0 if the entry is free. Taking an entry writes this field last; freeing an entry writes it first.
        end: AtomicUsize,
        sentence: AtomicPtr<Sentence>,
        next: AtomicPtr<Entry>,
    }

    /// The list. Entries are never freed, so the handler may follow it at any time.
    static FIRST: AtomicPtr<Entry> = AtomicPtr::new(null_mut());
    /// Locked while an entry is taken.
    static CHANGING: Mutex<()> = Mutex::new(());

    /// A taken entry, which is freed when this is dropped.
    #[derive(Debug)]
    pub(super) struct Registered(&'static Entry);

    /// Iterates over all entries.
    fn entries() -> impl Iterator<Item = &'static Entry> {
        let of = |pointer: &AtomicPtr<Entry>| {
            // SAFETY: a pointer in the list is null or to an entry that is never freed.
            unsafe { pointer.load(Ordering::Acquire).as_ref() }
        };
        std::iter::successors(of(&FIRST), move |entry| of(&entry.next))
    }

    impl Registered {
        pub(super) fn of(bytes: Range<*const u8>, path: &Path) -> Registered {
            let sentence: *const Sentence = sentence_of(path);
            let _one = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
            let free = entries().find(|entry| entry.end.load(Ordering::Relaxed) == 0);
            let entry = free.unwrap_or_else(|| {
                let next = AtomicPtr::new(FIRST.load(Ordering::Relaxed));
                let (start, end) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let entry = Entry { start, end, sentence: AtomicPtr::new(null_mut()), next };
                let new = Box::into_raw(Box::new(entry));
                FIRST.store(new, Ordering::Release);
                // SAFETY: the entry was created above and is never freed.
                unsafe { &*new }
            });
            entry.start.store(bytes.start.addr(), Ordering::Relaxed);
            entry.sentence.store(sentence.cast_mut(), Ordering::Relaxed);
            entry.end.store(bytes.end.addr(), Ordering::Release);
            Registered(entry)
        }
    }

    impl Drop for Registered {
        fn drop(&mut self) {
            self.0.end.store(0, Ordering::Release);
        }
    }

    /// Returns the message for the file that is mapped at an address.
    fn sentence_at(address: usize) -> Option<&'static Sentence> {
        // The last page of a file is mapped as a whole, so its part after the end may be lost as well.
        let found = entries().find(|entry| {
            let end = entry.end.load(Ordering::Acquire);
            (entry.start.load(Ordering::Relaxed)..end).contains(&address)
        })?;
        // SAFETY: a sentence lives as long as the process.
        unsafe { found.sentence.load(Ordering::Relaxed).as_ref() }
    }

    /// The previous handler of the signal.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// Makes this process name the file on standard error before SIGBUS ends it, if a mapped file was shortened by
    /// another process or cannot be read any more. The process then ends as it would have. On systems other than
    /// Unix, where this cannot happen, this does nothing.
    ///
    /// It installs a handler of SIGBUS for the whole process, once. A library must not do that unasked, so a program
    /// calls this itself, as the `rlx` command does. Signals at addresses outside of the files that RLX has mapped go
    /// to the previous handler, such as Rust's own for stack overflows. A program with its own handler should install
    /// it before, or not call this.
    ///
    /// # Errors
    /// Returns the system's error if it refuses the handler.
    pub fn explain_lost_files() -> io::Result<()> {
        let _one = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        if BEFORE.get().is_some() {
            return Ok(());
        }
        // SAFETY: a zeroed action is valid: no handler, no flags, no signals.
        let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the old action is written to a valid pointer.
        if unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // The data that the handler reads is set before the handler is installed.
        BEFORE.get_or_init(|| before);
        // SAFETY: as above.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handle;
        action.sa_sigaction = handler as libc::sighandler_t;
        // Use the alternate stack of a thread, if it has one: Rust's handler needs it when the stack is exhausted.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that SA_SIGINFO requires, and only calls functions that handlers may
        // call.
        if unsafe { libc::sigaction(libc::SIGBUS, &raw const action, null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes the information of the signal to a handler with SA_SIGINFO.
        let (address, is_sent) = unsafe { ((*info).si_addr().addr(), (*info).si_code <= 0) };
        match sentence_at(address).filter(|_| !is_sent) {
            Some(sentence) => {
                let text = sentence.0.as_bytes();
                // SAFETY: the text is alive, and `write` is a function that handlers may call. If writing fails, the
                // message is lost.
                let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
                end(signal);
            }
            None => pass_on(signal, info, context),
        }
    }

    /// Lets the signal end the process, with the corresponding status, as soon as the handler returns.
    fn end(signal: libc::c_int) {
        // SAFETY: a zeroed action is the default action; both are functions that handlers may call.
        unsafe {
            let action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, &raw const action, null_mut());
            libc::raise(signal);
        }
    }

    /// Runs the previous handler.
    fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let Some(before) = BEFORE.get() else { return end(signal) };
        match before.sa_sigaction {
            libc::SIG_DFL => end(signal),
            // Only a signal that was sent can be ignored: after any other, the instruction would fail forever.
            // SAFETY: the system passes the information of the signal to a handler with SA_SIGINFO.
            libc::SIG_IGN if unsafe { (*info).si_code } <= 0 => (),
            libc::SIG_IGN => end(signal),
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: an action with SA_SIGINFO has a function of this type.
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    unsafe { std::mem::transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: an action without SA_SIGINFO has a function of this type.
                let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(handler) };
                handler(signal);
            }
        }
    }
}

#[cfg(not(unix))]
mod lost {
    use super::Sentence;
    use std::io;
    use std::ops::Range;
    use std::path::Path;

    #[derive(Debug)]
    pub(super) struct Registered;

    impl Registered {
        pub(super) fn of(_bytes: Range<*const u8>, path: &Path) -> Registered {
            let _: &'static Sentence = super::sentence_of(path);
            Registered
        }
    }

    /// Does nothing: this system does not allow a mapped file to be shortened.
    ///
    /// # Errors
    /// None.
    pub fn explain_lost_files() -> io::Result<()> {
        Ok(())
    }
}
