#pragma once

#include "apiserver/access/admission/pod_security/violation.h"

// What a pod has of its node: namespaces, paths, ports, addresses, the kernel's settings.

namespace proa::apiserver::pod_security {

std::optional<Violation> check_host_namespaces(const PodShape& pod);
std::optional<Violation> check_host_path_volumes(const PodShape& pod);
std::optional<Violation> check_host_ports(const PodShape& pod);
// Probes and hooks run on the node, and could be sent anywhere from there.
std::optional<Violation> check_probe_hosts(const PodShape& pod);
std::optional<Violation> check_windows_host_process(const PodShape& pod);

// More settings were found harmless over time.
std::optional<Violation> check_sysctls_1_0(const PodShape& pod);
std::optional<Violation> check_sysctls_1_27(const PodShape& pod);
std::optional<Violation> check_sysctls_1_29(const PodShape& pod);
std::optional<Violation> check_sysctls_1_32(const PodShape& pod);

// Kinds of volumes that need nothing but the API.
std::optional<Violation> check_restricted_volumes(const PodShape& pod);

}  // namespace proa::apiserver::pod_security
