#pragma once

#include "apiserver/access/admission/pod_security/violation.h"

// Checks of host access: namespaces, paths, ports, addresses, sysctls.

namespace proa::apiserver::pod_security {

std::optional<Violation> check_host_namespaces(const PodShape& pod);
std::optional<Violation> check_host_path_volumes(const PodShape& pod);
std::optional<Violation> check_host_ports(const PodShape& pod);
// Probes and hooks run on the node and could target any host.
std::optional<Violation> check_probe_hosts(const PodShape& pod);
std::optional<Violation> check_windows_host_process(const PodShape& pod);

// Later versions allow more sysctls.
std::optional<Violation> check_sysctls_1_0(const PodShape& pod);
std::optional<Violation> check_sysctls_1_27(const PodShape& pod);
std::optional<Violation> check_sysctls_1_29(const PodShape& pod);
std::optional<Violation> check_sysctls_1_32(const PodShape& pod);

// Volume types that only need the API.
std::optional<Violation> check_restricted_volumes(const PodShape& pod);

}  // namespace proa::apiserver::pod_security
