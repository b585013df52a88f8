#include "apiserver/front/audit/events/source_ips.h"

#include <algorithm>

#include "base/net/ip_address.h"
#include "base/strings.h"

namespace proa::apiserver::audit {

std::vector<std::string> source_ips(const RequestFacts& request) {
  std::vector<IpAddress> found;
  if (!request.forwarded_for.empty()) {
    for (const std::string_view part : split(request.forwarded_for, ',')) {
      if (const auto address = parse_ip(trim(part))) found.push_back(*address);
    }
  }
  const std::optional<IpAddress> real =
      request.real_ip.empty() ? std::nullopt : parse_ip(request.real_ip);
  if (real && std::ranges::find(found, *real) == found.end()) found.push_back(*real);
  const std::optional<IpAddress> peer = parse_ip(request.peer);
  if (peer && (found.empty() || found.back() != *peer)) found.push_back(*peer);
  std::vector<std::string> texts;
  texts.reserve(found.size());
  for (const IpAddress& address : found) texts.push_back(address.str());
  return texts;
}

}  // namespace proa::apiserver::audit
