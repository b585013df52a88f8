#pragma once

#include "apiserver/access/admission/pod_security/violation.h"

// Checks of kernel confinement: AppArmor, seccomp, SELinux, /proc mounts.

namespace proa::apiserver::pod_security {

std::optional<Violation> check_app_armor(const PodShape& pod);

// By annotations until 1.18, by fields since.
std::optional<Violation> check_seccomp_annotations(const PodShape& pod);
std::optional<Violation> check_seccomp(const PodShape& pod);
// A profile is required.
std::optional<Violation> check_seccomp_required_1_19(const PodShape& pod);
std::optional<Violation> check_seccomp_required_1_25(const PodShape& pod);

std::optional<Violation> check_selinux_1_0(const PodShape& pod);
std::optional<Violation> check_selinux_1_31(const PodShape& pod);

std::optional<Violation> check_proc_mount(const PodShape& pod);
// Pods in a user namespace may have an unmasked /proc.
std::optional<Violation> check_proc_mount_1_35(const PodShape& pod);

}  // namespace proa::apiserver::pod_security
