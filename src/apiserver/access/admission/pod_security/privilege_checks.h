#pragma once

#include "apiserver/access/admission/pod_security/violation.h"

// Checks of the privileges and users of containers.

namespace proa::apiserver::pod_security {

std::optional<Violation> check_privileged(const PodShape& pod);
std::optional<Violation> check_added_capabilities(const PodShape& pod);

// Restricted: no privilege escalation, no capabilities, no root.
std::optional<Violation> check_privilege_escalation_1_8(const PodShape& pod);
std::optional<Violation> check_privilege_escalation_1_25(const PodShape& pod);
std::optional<Violation> check_dropped_capabilities_1_22(const PodShape& pod);
std::optional<Violation> check_dropped_capabilities_1_25(const PodShape& pod);
std::optional<Violation> check_run_as_non_root_1_0(const PodShape& pod);
std::optional<Violation> check_run_as_non_root_1_35(const PodShape& pod);
std::optional<Violation> check_run_as_user_1_23(const PodShape& pod);
std::optional<Violation> check_run_as_user_1_35(const PodShape& pod);

}  // namespace proa::apiserver::pod_security
