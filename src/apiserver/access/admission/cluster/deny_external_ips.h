#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// DenyServiceExternalIPs: nobody gives a Service external addresses that it did not have, since
// whoever may do that takes the traffic of those addresses from everybody (CVE-2020-8554).
Result<std::unique_ptr<AdmissionPlugin>> make_deny_external_ips(const AdmissionContext& context);

}  // namespace proa::apiserver
