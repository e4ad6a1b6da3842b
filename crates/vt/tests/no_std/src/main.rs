//! Feeds the engine and exits with 0 if the screen is right.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};
use core::panic::PanicInfo;

use cotty_vt::{Size, Vt};

#[link(name = "c")]
unsafe extern "C" {
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
    fn abort() -> !;
}

/// Allocates with the C library.
struct Memory;

// SAFETY: `aligned_alloc` returns memory of this size and alignment, or null; `free` accepts that memory.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let align = layout.align().max(size_of::<usize>());
        unsafe { aligned_alloc(align, layout.size().next_multiple_of(align)).cast() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        unsafe { free(memory.cast()) }
    }
}

#[global_allocator]
static MEMORY: Memory = Memory;

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    unsafe { abort() }
}

/// `alloc` is compiled with unwinding and needs these two symbols of the standard library. Nothing unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    unsafe { abort() }
}

#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    let mut vt = Vt::new(Size { cols: 20, rows: 2 });
    vt.feed(b"one\r\n\x1b[31mtwo\r\nthr\xc3\xa9e");
    let restored = Vt::restore(&vt.state());
    let find =
        |line: &str| line.match_indices("one").map(|(at, text)| at..at + text.len()).collect::<Vec<_>>();
    let right = vt.screen_text().trim_end() == "two\nthr\u{e9}e"
        && restored.is_ok_and(|restored| restored.screen_text() == vt.screen_text())
        && vt.search(find, 9).len() == 1;
    if right { 0 } else { 1 }
}
