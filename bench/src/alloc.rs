#![expect(unsafe_code, reason = "an allocator needs unsafe code")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// The system's allocator with counters. Counting is off until [`start`], so that it does not affect throughput.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ON: AtomicBool = AtomicBool::new(false);
static BYTES: AtomicI64 = AtomicI64::new(0);
static BLOCKS: AtomicI64 = AtomicI64::new(0);

/// Allocations that are not freed yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    pub(crate) bytes: i64,
    pub(crate) blocks: i64,
}

/// Starts counting from zero.
pub(crate) fn start() {
    BYTES.store(0, Relaxed);
    BLOCKS.store(0, Relaxed);
    ON.store(true, Relaxed);
}

/// The allocations since [`start`], minus those freed.
pub(crate) fn live() -> Live {
    Live { bytes: BYTES.load(Relaxed), blocks: BLOCKS.load(Relaxed) }
}

fn count(bytes: i64, blocks: i64) {
    if ON.load(Relaxed) {
        BYTES.fetch_add(bytes, Relaxed);
        BLOCKS.fetch_add(blocks, Relaxed);
    }
}

// SAFETY: every call is passed to the system's allocator unchanged; counting uses only atomics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64, 1);
        // SAFETY: the caller fulfils the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64, 1);
        // SAFETY: the caller fulfils the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64, 0);
        // SAFETY: the caller fulfils the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as i64), -1);
        // SAFETY: the caller fulfils the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
