#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// DenyServiceExternalIPs: rejects new external IPs on Services, which would let their author
// intercept the traffic of those addresses (CVE-2020-8554).
Result<std::unique_ptr<AdmissionPlugin>> make_deny_external_ips(const AdmissionContext& context);

}  // namespace proa::apiserver
