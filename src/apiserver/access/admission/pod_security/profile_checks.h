#pragma once

#include "apiserver/access/admission/pod_security/violation.h"

// How the kernel holds a container: AppArmor, seccomp, SELinux, what it sees in /proc.

namespace proa::apiserver::pod_security {

std::optional<Violation> check_app_armor(const PodShape& pod);

// Until 1.18 by annotations, later by fields.
std::optional<Violation> check_seccomp_annotations(const PodShape& pod);
std::optional<Violation> check_seccomp(const PodShape& pod);
// A profile must be there, too.
std::optional<Violation> check_seccomp_required_1_19(const PodShape& pod);
std::optional<Violation> check_seccomp_required_1_25(const PodShape& pod);

std::optional<Violation> check_selinux_1_0(const PodShape& pod);
std::optional<Violation> check_selinux_1_31(const PodShape& pod);

std::optional<Violation> check_proc_mount(const PodShape& pod);
// Pods with users of their own may see it all.
std::optional<Violation> check_proc_mount_1_35(const PodShape& pod);

}  // namespace proa::apiserver::pod_security
