//! The subreaper: a small process between the keeper and the program of a session.
//!
//! It is a fork of the keeper without exec, so nearly all its memory is the keeper's. The kernel makes it the parent of
//! every orphan of the session, also of those that called `setsid` or cleared their environment: what descends from it
//! belongs to the session. It has the session's key as its name, and one open descriptor: a pipe that all subreapers
//! share, through which they report how their programs ended. A subreaper ends with the last process of its session. If
//! the keeper dies, it ends these processes first.
//!
//! A program that kills its subreaper has no terminal any more, as if it had killed a terminal emulator: its processes become
//! the keeper's own children, and the keeper kills them.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal};

/// How long programs may take to end after their terminal was hung up, because the keeper died.
const GRACE: Duration = Duration::from_secs(2);
/// The longest name of a process.
const LONGEST_NAME: usize = 15;

/// How a program ended: its process id and its wait status.
pub(crate) type Exit = (Pid, i32);

/// The pipe through which the subreapers report.
pub(crate) struct Reports {
    ours: OwnedFd,
    theirs: OwnedFd,
}

impl Reports {
    pub(crate) fn new() -> io::Result<Reports> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok(Reports { ours, theirs })
    }

    /// The programs that ended since the last call.
    pub(crate) fn take(&self) -> Vec<Exit> {
        let mut exits = Vec::new();
        // A report is written as a whole, and the buffer holds whole reports.
        let mut buffer = [0; 64 * REPORT];
        while let Ok(count @ 1..) = rustix::io::read(&self.ours, &mut buffer) {
            exits.extend(buffer[..count].chunks_exact(REPORT).filter_map(decode));
        }
        exits
    }
}

impl AsFd for Reports {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ours.as_fd()
    }
}

const REPORT: usize = 8;

fn encode((program, status): Exit) -> [u8; REPORT] {
    let mut report = [0; REPORT];
    report[..4].copy_from_slice(&program.as_raw_nonzero().get().to_le_bytes());
    report[4..].copy_from_slice(&status.to_le_bytes());
    report
}

fn decode(report: &[u8]) -> Option<Exit> {
    let (program, status) = (report.first_chunk::<4>()?, report.last_chunk::<4>()?);
    Some((Pid::from_raw(i32::from_le_bytes(*program))?, i32::from_le_bytes(*status)))
}

/// Starts a program below a new subreaper, which gets `key` as its name. `needed` are the descriptors with which the program
/// starts. Returns the process ids of the subreaper and of the program.
pub(crate) fn start(
    key: &[u8],
    mut program: Command,
    needed: &[RawFd],
    reports: &Reports,
) -> Result<(Pid, Pid), Errno> {
    let (started, tell) = pipe_with(PipeFlags::CLOEXEC)?;
    let keeper = rustix::process::getpid();
    // No handler of the keeper may run in the subreaper.
    let blocked = Blocked::all();
    inherit_no_block(&mut program, blocked.before);
    match fork()? {
        None => {
            let subreaper = Subreaper { keeper, reports: reports.theirs.as_raw_fd(), tell: tell.as_fd() };
            subreaper.run(key, program, needed)
        }
        Some(subreaper) => {
            drop((blocked, tell));
            let mut answer = [0; 4];
            let got = rustix::io::retry_on_intr(|| rustix::io::read(&started, &mut answer))?;
            match i32::from_le_bytes(answer) {
                pid @ 1.. if got == answer.len() => Ok((subreaper, Pid::from_raw(pid).ok_or(Errno::IO)?)),
                failed => {
                    let _ = rustix::process::waitpid(Some(subreaper), rustix::process::WaitOptions::empty());
                    Err(if failed < 0 { Errno::from_raw_os_error(-failed) } else { Errno::IO })
                }
            }
        }
    }
}

/// The name of the subreaper of a session.
pub(crate) fn name_of(key: &[u8]) -> &[u8] {
    &key[..key.len().min(LONGEST_NAME)]
}

struct Subreaper<'a> {
    keeper: Pid,
    reports: RawFd,
    tell: BorrowedFd<'a>,
}

impl Subreaper<'_> {
    /// The life of the subreaper. All signals are blocked, so it sees them only here.
    fn run(self, key: &[u8], mut program: Command, needed: &[RawFd]) -> ! {
        if let Ok(name) = CString::new(name_of(key)) {
            let _ = rustix::thread::set_name(&name);
        }
        overwrite_arguments(key);
        let _ = rustix::process::set_child_subreaper(Pid::from_raw(1));
        // Not the keeper's session: a signal of the keeper's terminal must not reach it.
        let _ = rustix::process::setsid();
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
        // Before the program is started, so that the descriptors of a thousand sessions are not copied again.
        let mut kept = [&[0, 1, 2, self.reports, self.tell.as_raw_fd()], needed].concat();
        kept.sort_unstable();
        kept.dedup();
        close_all_but(&kept);
        let started = program.spawn();
        let answer = match &started {
            Ok(child) => i32::try_from(child.id()).unwrap_or(-Errno::IO.raw_os_error()),
            Err(error) => -error.raw_os_error().unwrap_or(Errno::IO.raw_os_error()),
        };
        let _ = rustix::io::write(self.tell, &answer.to_le_bytes());
        let Some(program) = Pid::from_raw(answer).filter(|_| answer > 0) else { exit() };
        close_all_but(&[self.reports]);
        give_memory_back();
        loop {
            if !self.reap(program) {
                exit();
            }
            if rustix::process::getppid() != Some(self.keeper) {
                end_all();
            }
            wait_for_signal(None);
        }
    }

    /// Reaps the processes that ended. Reports the program's end first: if this process is killed meanwhile, the keeper
    /// inherits the dead program. `false`: no process is left.
    fn reap(&self, program: Pid) -> bool {
        loop {
            let exit = match next_exit() {
                Ok(Some(exit)) => exit,
                Ok(None) => return true,
                Err(_) => return false,
            };
            if exit.0 == program {
                report(self.reports, exit);
            }
            let _ = rustix::process::waitpid(Some(exit.0), rustix::process::WaitOptions::NOHANG);
        }
    }
}

/// Ends everything below this process: first asks and waits, then kills. Programs on the terminal were hung up.
fn end_all() -> ! {
    let until = Instant::now() + GRACE;
    signal_children(Signal::TERM);
    signal_children(Signal::CONT);
    loop {
        while let Ok(Some((pid, _))) = next_exit() {
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
        }
        if next_exit().is_err() {
            exit();
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            // Their orphans become our children, and are killed in the next turn.
            signal_children(Signal::KILL);
        }
        wait_for_signal(Some(left.max(Duration::from_millis(20))));
    }
}

/// Replaces the arguments that `ps` shows, which are the keeper's, by the key.
#[expect(unsafe_code, reason = "the arguments are where the kernel put them")]
fn overwrite_arguments(key: &[u8]) {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return };
    let Some((_, rest)) = stat.rsplit_once(')') else { return };
    // Fields 48 and 49; the rest begins with field 3.
    let mut fields = rest.split_ascii_whitespace().skip(45).map(str::parse::<usize>);
    let (Some(Ok(start)), Some(Ok(end))) = (fields.next(), fields.next()) else { return };
    let text = [b"cotty ", key].concat();
    if start == 0 || end <= start {
        return;
    }
    // SAFETY: the kernel reports the bounds of the memory that holds the arguments of this process, which has one thread.
    // The standard library has read them already, and this process reads them no more.
    let arguments = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, end - start) };
    arguments.fill(0);
    let count = text.len().min(arguments.len() - 1);
    arguments[..count].copy_from_slice(&text[..count]);
}

/// Sends a signal to all children. Does not use the heap.
fn signal_children(signal: Signal) {
    let Ok(file) =
        rustix::fs::open("/proc/thread-self/children", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    else {
        return;
    };
    let mut buffer = [0; 4096];
    let Ok(count) = rustix::io::read(&file, &mut buffer) else { return };
    // If there are more children, the last number may be cut off.
    let whole = buffer[..count].iter().rposition(|&byte| byte == b' ').unwrap_or(0);
    for number in buffer[..whole].split(|&byte| byte == b' ') {
        let parsed = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
        if let Some(child) = parsed.and_then(Pid::from_raw) {
            let _ = rustix::process::kill_process(child, signal);
        }
    }
}

/// Drops the memory that was the keeper's and that nothing uses here: the heap, and the stack below this function. A thousand
/// subreapers would otherwise keep as many old copies of it. From now on this process must not use the heap.
#[expect(unsafe_code, reason = "the memory is private to this process, and unused")]
fn give_memory_back() {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    let range = |name: &str| {
        let (range, _) = maps.lines().find(|line| line.ends_with(name))?.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        Some((usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
    };
    let (heap, stack) = (range("[heap]"), range("[stack]"));
    // Never freed: the heap is about to go.
    std::mem::forget(maps);
    let here = std::ptr::from_ref(&stack).addr();
    let unused = stack.map(|(start, _)| (start, (here & !0xfff).saturating_sub(4 * 4096)));
    for (start, end) in [heap, unused].into_iter().flatten().filter(|(start, end)| start < end) {
        // SAFETY: this process has one thread. It uses the heap no more, and the frames of all functions that it still calls fit into
        // the pages that are left below this one.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_DONTNEED) };
    }
}

#[expect(unsafe_code, reason = "fork")]
fn fork() -> Result<Option<Pid>, Errno> {
    // SAFETY: the keeper has one thread, so the copy is as sound as the original.
    match unsafe { libc::fork() } {
        -1 => Err(last_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// Ends the subreaper. Nothing of the keeper's that it inherited may run: no destructors, no flushed buffers.
#[expect(unsafe_code, reason = "_exit")]
fn exit() -> ! {
    // SAFETY: it has no preconditions.
    unsafe { libc::_exit(0) }
}

/// Closes all descriptors but these, which are in rising order.
#[expect(unsafe_code, reason = "the descriptors are the keeper's; nothing in this process uses them")]
fn close_all_but(kept: &[RawFd]) {
    let mut first = 0;
    let mut closed = true;
    for last in kept.iter().map(|fd| fd - 1).chain([RawFd::MAX]) {
        if first <= last {
            // SAFETY: this process uses none of them any more.
            closed &= unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0;
        }
        first = last.saturating_add(2);
    }
    if closed {
        return;
    }
    // Linux before 5.9 has no `close_range`.
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<RawFd> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| !kept.contains(fd)) {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
}

#[expect(unsafe_code, reason = "the reports' pipe stays open for the life of the process")]
fn report(reports: RawFd, exit: Exit) {
    // SAFETY: `close_all_but` left it open.
    let reports = unsafe { BorrowedFd::borrow_raw(reports) };
    let _ = rustix::io::retry_on_intr(|| rustix::io::write(reports, &encode(exit)));
}

/// A process that ended and is not reaped yet. An error: there are no processes.
#[expect(unsafe_code, reason = "waitid with the process id of any child")]
fn next_exit() -> Result<Option<Exit>, Errno> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the kernel fills `info`, which is zeroed until then; its fields are those of a child's end.
    unsafe {
        if libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), options) == -1 {
            return Err(last_error());
        }
        let info = info.assume_init();
        let status = match info.si_code {
            libc::CLD_EXITED => (info.si_status() & 0xff) << 8,
            libc::CLD_DUMPED => info.si_status() | 0x80,
            _ => info.si_status(),
        };
        Ok(Pid::from_raw(info.si_pid()).map(|pid| (pid, status)))
    }
}

/// Waits for any signal, or for this long.
#[expect(unsafe_code, reason = "signals")]
fn wait_for_signal(limit: Option<Duration>) {
    let set = every_signal();
    // SAFETY: the pointers are valid for the calls.
    unsafe {
        match limit {
            None => libc::sigwaitinfo(&raw const set, std::ptr::null_mut()),
            Some(limit) => {
                let limit = libc::timespec {
                    tv_sec: limit.as_secs().cast_signed(),
                    tv_nsec: i64::from(limit.subsec_nanos()),
                };
                libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const limit)
            }
        };
    }
}

/// The signals that were blocked before all were; they are again when it is dropped.
struct Blocked {
    before: libc::sigset_t,
}

impl Blocked {
    #[expect(unsafe_code, reason = "signals")]
    fn all() -> Blocked {
        let set = every_signal();
        let mut before = MaybeUninit::zeroed();
        // SAFETY: the pointers are valid for the call, which fills `before`.
        let before = unsafe {
            libc::sigprocmask(libc::SIG_BLOCK, &raw const set, before.as_mut_ptr());
            before.assume_init()
        };
        Blocked { before }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        block_only(&self.before);
    }
}

#[expect(unsafe_code, reason = "signals")]
fn block_only(set: &libc::sigset_t) {
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, std::ptr::null_mut()) };
}

#[expect(unsafe_code, reason = "signals")]
fn every_signal() -> libc::sigset_t {
    let mut set = MaybeUninit::zeroed();
    // SAFETY: the call fills `set`.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        set.assume_init()
    }
}

/// Lets the program start with these signals blocked, not with those of the subreaper.
#[expect(unsafe_code, reason = "code between fork and exec")]
fn inherit_no_block(program: &mut Command, blocked: libc::sigset_t) {
    let unblock = move || {
        block_only(&blocked);
        Ok(())
    };
    // SAFETY: it calls only `sigprocmask`, which may be called there.
    unsafe { program.pre_exec(unblock) };
}

fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}
