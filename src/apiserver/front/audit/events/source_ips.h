#pragma once

#include <string>
#include <vector>

#include "apiserver/front/audit/events/event.h"

namespace proa::apiserver::audit {

// The addresses that a request came from, as upstream's SourceIPs: those of X-Forwarded-For, that
// of X-Real-Ip unless it is among them, and the peer's unless it is the last. A client can claim
// any but the last.
std::vector<std::string> source_ips(const RequestFacts& request);

}  // namespace proa::apiserver::audit
