#include "cli/host/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace proa::cli {
namespace confine {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the system call filter does not know this architecture"
#endif

constexpr uint32_t kRefused[] = {
    // Programs.
    SYS_execve, SYS_execveat,
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd,
    // The kernel's code, and interfaces with a history of defects.
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_open_by_handle_at,
    // The machine, mounts and namespaces.
    SYS_reboot, SYS_swapon, SYS_swapoff, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime,
    SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_mount, SYS_umount2, SYS_pivot_root,
    SYS_chroot, SYS_unshare, SYS_setns, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount,
    SYS_quotactl, SYS_acct, SYS_syslog, SYS_personality,
    // Identities.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid,
    SYS_setgroups};

Status failure(const char* what) {
  return {Reason::kInternalError, std::string(what) + ": " + std::strerror(errno)};
}

// The effective, permitted and inheritable sets of this thread.
Result<void> drop_capabilities() {
  constexpr uint32_t kKept = 1u << CAP_NET_BIND_SERVICE;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return failure("reading capabilities");
  // While CAP_SETPCAP is still there. An unknown capability ends the list.
  const bool may = (sets[0].effective & (1u << CAP_SETPCAP)) != 0;
  for (int number = 0; may && ::prctl(PR_CAPBSET_READ, number) >= 0; ++number) {
    if (number == CAP_NET_BIND_SERVICE) continue;
    if (::prctl(PR_CAPBSET_DROP, number) != 0) return failure("dropping a capability");
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  sets[0] = {.effective = sets[0].effective & kKept,
             .permitted = sets[0].permitted & kKept,
             .inheritable = 0};
  sets[1] = {};
  if (::syscall(SYS_capset, &header, sets) != 0) return failure("dropping capabilities");
  return {};
}

sock_filter statement(uint16_t code, uint32_t operand) { return BPF_STMT(code, operand); }
sock_filter jump(uint32_t operand, uint8_t if_equal, uint8_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, operand, if_equal, otherwise);
}

std::vector<sock_filter> make_filter() {
  constexpr uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      // Another architecture has other numbers.
      jump(kArchitecture, 1, 0),
      statement(BPF_RET | BPF_K, kDeny),
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const uint32_t number : kRefused) {
    program.push_back(jump(number, 0, 1));
    program.push_back(statement(BPF_RET | BPF_K, kDeny));
  }
#if defined(__x86_64__)
  // The x32 numbers of the same calls.
  constexpr uint32_t kX32 = 0x40000000;
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
  program.push_back(statement(BPF_RET | BPF_K, kDeny));
#endif
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return program;
}

Result<void> filter_calls() {
  std::vector<sock_filter> filter = make_filter();
  sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0) {
    return {};
  }
  // A kernel without seccomp.
  if (errno == ENOSYS || errno == EINVAL) return {};
  return failure("installing the system call filter");
}

}  // namespace confine

Result<void> confine_server() {
  TRY(confine::drop_capabilities());
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return confine::failure("setting no-new-privileges");
  }
  return confine::filter_calls();
}

}  // namespace proa::cli
