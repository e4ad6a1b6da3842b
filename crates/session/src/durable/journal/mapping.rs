//! The only code that accesses the journal's memory: a memfd, mapped so that every slice of a ring is contiguous.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// A new memfd of this many bytes that can never shrink: access to a shrunk mapping would kill the daemon with SIGBUS.
pub(crate) fn memory(name: &str, len: u64) -> io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    rustix::fs::ftruncate(&fd, len)?;
    rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK)?;
    Ok(fd)
}

/// Numbers in shared memory. Each is stored completely or not at all, whenever the daemon dies.
#[derive(Debug)]
pub(crate) struct Cells {
    map: Map,
}

impl Cells {
    pub(crate) fn map(fd: &OwnedFd, offset: u64) -> io::Result<Cells> {
        Ok(Cells { map: Map::new(fd, offset, PAGE, 1)? })
    }

    #[expect(unsafe_code, reason = "shared memory")]
    fn cell(&self, index: usize) -> &AtomicU64 {
        assert!(index < PAGE / size_of::<AtomicU64>());
        // SAFETY: inside the mapping, aligned to 8, and only ever accessed as an atomic.
        unsafe { self.map.base.cast::<AtomicU64>().add(index).as_ref() }
    }

    pub(crate) fn load(&self, index: usize) -> u64 {
        self.cell(index).load(Ordering::Acquire)
    }

    pub(crate) fn store(&self, index: usize, value: u64) {
        self.cell(index).store(value, Ordering::Release);
    }
}

/// Bytes addressed by a position that only grows. The ring holds the newest `len` bytes.
#[derive(Debug)]
pub(crate) struct Ring {
    map: Map,
    len: usize,
}

impl Ring {
    /// Maps `len` bytes at `offset` twice in a row, so that every slice up to `len` is contiguous.
    pub(crate) fn map(fd: &OwnedFd, offset: u64, len: usize) -> io::Result<Ring> {
        Ok(Ring { map: Map::new(fd, offset, len, 2)?, len })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[expect(unsafe_code, reason = "shared memory")]
    pub(crate) fn slice(&self, from: u64, to: u64) -> &[u8] {
        let (start, count) = self.span(from, to);
        // SAFETY: `span` keeps it inside the double mapping; writes need `&mut self`.
        unsafe { std::slice::from_raw_parts(self.map.base.as_ptr().cast::<u8>().add(start), count) }
    }

    #[expect(unsafe_code, reason = "shared memory")]
    pub(crate) fn slice_mut(&mut self, from: u64, to: u64) -> &mut [u8] {
        let (start, count) = self.span(from, to);
        // SAFETY: as above; the two halves of the mapping alias, but one slice never covers a byte twice.
        unsafe { std::slice::from_raw_parts_mut(self.map.base.as_ptr().cast::<u8>().add(start), count) }
    }

    fn span(&self, from: u64, to: u64) -> (usize, usize) {
        let count = usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX).min(self.len);
        let start = usize::try_from(from % self.len as u64).unwrap_or(0);
        (start, count)
    }
}

const PAGE: usize = 4096;

#[derive(Debug)]
struct Map {
    base: NonNull<c_void>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone within the process; the kernel does not care which thread uses it.
#[expect(unsafe_code, reason = "owned memory may move between threads")]
unsafe impl Send for Map {}
// SAFETY: shared access only reads, or goes through atomics.
#[expect(unsafe_code, reason = "owned memory may be read by several threads")]
unsafe impl Sync for Map {}

impl Map {
    #[expect(unsafe_code, reason = "mmap")]
    fn new(fd: &OwnedFd, offset: u64, len: usize, times: usize) -> io::Result<Map> {
        assert!(len.is_multiple_of(PAGE) && offset.is_multiple_of(PAGE as u64));
        let fd: BorrowedFd<'_> = fd.as_fd();
        // SAFETY: a fresh address range, chosen by the kernel; nothing else refers to it.
        let base = unsafe {
            rustix::mm::mmap_anonymous(
                std::ptr::null_mut(),
                len * times,
                ProtFlags::empty(),
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )?
        };
        let map = Map { base: NonNull::new(base).ok_or(io::ErrorKind::OutOfMemory)?, len: len * times };
        for turn in 0..times {
            // SAFETY: replaces a part of the range that `map` owns.
            unsafe {
                rustix::mm::mmap(
                    map.base.as_ptr().byte_add(turn * len),
                    len,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::SHARED | MapFlags::FIXED,
                    fd,
                    offset,
                )?;
            }
        }
        Ok(map)
    }
}

impl Drop for Map {
    #[expect(unsafe_code, reason = "munmap")]
    fn drop(&mut self) {
        // SAFETY: the range is ours and no slice of it outlives `self`.
        let _ = unsafe { rustix::mm::munmap(self.base.as_ptr(), self.len) };
    }
}
