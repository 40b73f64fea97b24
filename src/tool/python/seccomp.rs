//! Seccomp filter for programs in the sandbox. It blocks system calls that access other processes, change the machine
//! or its namespaces, or expose complex kernel interfaces, such as BPF and io_uring. Blocked calls fail with `ENOSYS`,
//! so that libraries fall back to older calls.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// System calls that are blocked regardless of their arguments. `clone3` takes its flags from memory, where no filter
/// can read them; the C library falls back to `clone`.
const BLOCKED_CALLS: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Keys, which belong to a user, not to a namespace.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Programs and queues in the kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_clone3,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Control of the machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_personality,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Flags of `clone` that create a namespace.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWCGROUP,
];

/// Allowed address families of sockets. Netlink, vsock, packet and other sockets are blocked.
const ALLOWED_SOCKETS: [i32; 3] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];

/// `ioctl` requests that inject input into a terminal, which can be the operator's.
const TERMINAL_INPUT_REQUESTS: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Bit that marks calls of the x32 ABI on x86-64. They are the same calls, but with numbers that no rule matches.
const X32: u32 = 0x4000_0000;

/// Returns the filter in the format that bubblewrap reads. Calls of another architecture, such as those of 32-bit
/// programs, kill the process.
///
/// # Errors
/// Fails if the filter does not support the processor.
pub(super) fn filter() -> Result<Vec<u8>, Error> {
    let argument =
        |number, op, value| Ok::<_, Error>(SeccompCondition::new(number, SeccompCmpArgLen::Dword, op, value)?);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BLOCKED_CALLS.iter().map(|call| (*call, vec![])).collect();
    let other = |kind: i32| argument(0, SeccompCmpOp::Ne, u64::from(kind.unsigned_abs()));
    let sockets = SeccompRule::new(ALLOWED_SOCKETS.into_iter().map(other).collect::<Result<_, _>>()?)?;
    rules.insert(libc::SYS_socket, vec![sockets]);
    let flag = |flag: i32| {
        let flag = u64::from(flag.unsigned_abs());
        Ok::<_, Error>(SeccompRule::new(vec![argument(0, SeccompCmpOp::MaskedEq(flag), flag)?])?)
    };
    rules.insert(libc::SYS_clone, NAMESPACES.into_iter().map(flag).collect::<Result<_, _>>()?);
    let typing = |request| Ok::<_, Error>(SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, request)?])?);
    rules.insert(libc::SYS_ioctl, TERMINAL_INPUT_REQUESTS.into_iter().map(typing).collect::<Result<_, _>>()?);
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let processor = TargetArch::try_from(std::env::consts::ARCH)?;
    let program: BpfProgram =
        SeccompFilter::new(rules, SeccompAction::Allow, missing.clone(), processor)?.try_into()?;
    let instruction =
        |code: u32, jump_else: u8, value: u32| sock_filter { code: code as u16, jt: 0, jf: jump_else, k: value };
    let no_x32 = [
        // The call number is at offset 0 of the data that a filter reads.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, u32::from(missing)),
    ];
    let bytes = |sock_filter { code, jt, jf, k }| {
        let (code, value) = (u16::to_ne_bytes(code), u32::to_ne_bytes(k));
        [code[0], code[1], jt, jf, value[0], value[1], value[2], value[3]]
    };
    Ok(no_x32.into_iter().chain(program).flat_map(bytes).collect())
}
