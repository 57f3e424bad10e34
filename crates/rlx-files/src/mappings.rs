//! The mapped files of this process, and the message that is shown when one of them was truncated.

use std::path::Path;
use std::sync::Mutex;

use memmap2::Mmap;
use rlx_escape::one_line;

use lost::Registered;
pub use lost::explain_lost_files;

/// The pages of a file, known by name as long as they are mapped.
#[derive(Debug)]
pub struct Mapped {
    // Dropped first: whoever looks for an address finds no pages that are gone.
    _registered: Registered,
    map: Mmap,
}

impl Mapped {
    pub(crate) fn new(map: Mmap, path: &Path) -> Mapped {
        Mapped { _registered: Registered::of(map.as_ptr_range(), path), map }
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.map
    }

    #[cfg(unix)]
    pub(crate) fn pages(&self) -> &Mmap {
        &self.map
    }
}

/// What is said of a file whose pages are gone.
fn sentence(path: &Path) -> String {
    let path = path.display().to_string();
    format!(
        "rlx: {}: the file was shortened, or its disk failed, while it was mapped into memory; keep files as they are while they are in \
         use (rename a new one over the old one), or read them instead (--no-mmap, RLX_NO_MMAP=1)\n",
        one_line(&path)
    )
}

/// Sentences by path. They live as long as the process, so that a signal handler may read them at any time; a file that is opened again
/// has the same one.
static SENTENCES: Mutex<Vec<&'static Sentence>> = Mutex::new(Vec::new());

/// Text with its length at a place that one pointer names.
#[derive(Debug)]
struct Sentence(String);

/// The sentence of a path.
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
    //! A handler of SIGBUS that looks the address up. It allocates nothing, locks nothing, and calls what POSIX lets a handler call.

    use super::{Sentence, sentence_of};
    use std::io;
    use std::ops::Range;
    use std::path::Path;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};

    /// Where a file is mapped: an entry of a list that only grows, used again for later files.
    #[derive(Debug)]
    struct Entry {
        start: AtomicUsize,
        /// 0 where the entry is free. It is written last when an entry is taken, and first when it is freed.
        end: AtomicUsize,
        sentence: AtomicPtr<Sentence>,
        next: AtomicPtr<Entry>,
    }

    /// The list. Entries are never freed, so that the handler may follow it at any time.
    static FIRST: AtomicPtr<Entry> = AtomicPtr::new(null_mut());
    /// Held by whoever takes an entry.
    static CHANGING: Mutex<()> = Mutex::new(());

    /// An entry that is taken; free again when this is dropped.
    #[derive(Debug)]
    pub(super) struct Registered(&'static Entry);

    /// The entries there are.
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
                // SAFETY: the entry was made above, and is never freed.
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

    /// What is said of the file that is mapped at an address.
    fn sentence_at(address: usize) -> Option<&'static Sentence> {
        // The last page of a file is mapped whole, and what is beyond its end may be lost with it.
        let found = entries().find(|entry| {
            let end = entry.end.load(Ordering::Acquire);
            (entry.start.load(Ordering::Relaxed)..end).contains(&address)
        })?;
        // SAFETY: a sentence lives as long as the process.
        unsafe { found.sentence.load(Ordering::Relaxed).as_ref() }
    }

    /// What handled the signal before.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// Says which file it was where a file that is mapped was shortened by another process, or cannot be read any more, on standard error,
    /// before SIGBUS ends this process as it would have. On other systems than Unix, where that does not happen, this does nothing.
    ///
    /// It installs a handler of SIGBUS for the whole process, once; a library must not do that unasked, so that a program calls this itself, as
    /// the `rlx` command does. Signals at addresses that are not of a file that RLX has mapped go on to the handler that was there before, such
    /// as Rust's own for overflows of the stack. A program that has a handler of its own installs it before, or leaves this out.
    ///
    /// # Errors
    /// What the system says when it refuses a handler.
    pub fn explain_lost_files() -> io::Result<()> {
        let _one = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        if BEFORE.get().is_some() {
            return Ok(());
        }
        // SAFETY: zeros are an action: no handler, no flags, no signals.
        let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the old action is written behind a pointer that lives.
        if unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // What the handler reads is there before the handler.
        BEFORE.get_or_init(|| before);
        // SAFETY: as above.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handle;
        action.sa_sigaction = handler as libc::sighandler_t;
        // On the other stack, where a thread has one: Rust's handler needs it when the stack is at its end.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler is a function that takes what SA_SIGINFO says, and calls nothing that a handler must not call.
        if unsafe { libc::sigaction(libc::SIGBUS, &raw const action, null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system gives a handler with SA_SIGINFO the information of the signal.
        let (address, is_sent) = unsafe { ((*info).si_addr().addr(), (*info).si_code <= 0) };
        match sentence_at(address).filter(|_| !is_sent) {
            Some(sentence) => {
                let text = sentence.0.as_bytes();
                // SAFETY: the text lives, and `write` is a function that handlers may call. What cannot be written is lost.
                let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
                end(signal);
            }
            None => pass_on(signal, info, context),
        }
    }

    /// Lets the signal end the process, with the status that says so, as soon as the handler returns.
    fn end(signal: libc::c_int) {
        // SAFETY: zeros are the default action; both are functions that handlers may call.
        unsafe {
            let action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, &raw const action, null_mut());
            libc::raise(signal);
        }
    }

    /// Does what was done before.
    fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let Some(before) = BEFORE.get() else { return end(signal) };
        match before.sa_sigaction {
            libc::SIG_DFL => end(signal),
            // Only one that was sent can be ignored: the instruction of another would fail for ever.
            // SAFETY: the system gives a handler with SA_SIGINFO the information of the signal.
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

    /// Does nothing: this system does not let a mapped file be shortened.
    ///
    /// # Errors
    /// None.
    pub fn explain_lost_files() -> io::Result<()> {
        Ok(())
    }
}
