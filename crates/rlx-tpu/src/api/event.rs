//! Events: work of a plugin that continues after a call has returned.

use super::error::PjrtError;
use super::plugin::Plugin;
use crate::ffi::{EventAwait, EventDestroy, EventIsReady, RawEvent};
use std::ptr::NonNull;

/// Work that is under way.
pub(crate) struct Event {
    plugin: Plugin,
    raw: NonNull<RawEvent>,
}

// SAFETY: PJRT's events may be awaited and freed from any thread.
unsafe impl Send for Event {}
// SAFETY: PJRT allows awaiting and querying an event from several threads at once.
unsafe impl Sync for Event {}

impl Event {
    /// Wraps the event behind a pointer that a call of the plugin returned. Returns `None` if there is nothing to wait for.
    ///
    /// # Safety
    /// `raw` must be null or an event of this plugin that nothing else frees.
    pub(crate) unsafe fn of(plugin: &Plugin, raw: *mut RawEvent) -> Option<Event> {
        Some(Event { plugin: plugin.clone(), raw: NonNull::new(raw)? })
    }

    /// Waits until the work is done, and returns its error if it failed.
    pub(crate) fn wait(&self) -> Result<(), PjrtError> {
        let mut args = EventAwait::zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event lives until `self` is dropped.
        unsafe { self.plugin.call(&mut args) }
    }

    /// Returns whether the work is done. Also returns true if the plugin cannot tell.
    pub(crate) fn is_ready(&self) -> bool {
        let mut args = EventIsReady::zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event lives until `self` is dropped.
        unsafe { self.plugin.call(&mut args) }.is_err() || args.is_ready
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let mut args = EventDestroy::zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event is freed once, here. If freeing fails, nothing can be done about it.
        let _ = unsafe { self.plugin.call(&mut args) };
    }
}
