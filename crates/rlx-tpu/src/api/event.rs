//! Events: work of a plugin that continues after a call returned.

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
// SAFETY: PJRT allows to await and ask an event from several threads at once.
unsafe impl Sync for Event {}

impl Event {
    /// The event behind a pointer that a call of the plugin returned; `None` where there is nothing to wait for.
    ///
    /// # Safety
    /// `raw` is null or an event of this plugin that nobody else frees.
    pub(crate) unsafe fn of(plugin: &Plugin, raw: *mut RawEvent) -> Option<Event> {
        Some(Event { plugin: plugin.clone(), raw: NonNull::new(raw)? })
    }

    /// Waits until the work is done, and says whether it failed.
    pub(crate) fn wait(&self) -> Result<(), PjrtError> {
        let mut args = EventAwait::zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event lives until `self` is dropped.
        unsafe { self.plugin.call(&mut args) }
    }

    /// Whether the work is done; also where the plugin does not say.
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
        // SAFETY: the event is freed once, here. Freeing does not fail in a way that could be mended.
        let _ = unsafe { self.plugin.call(&mut args) };
    }
}
