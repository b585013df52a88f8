#include "controllers/network/slices/mirror.h"

#include "base/net/ip_address.h"

namespace proa::controllers {
namespace mirror {

// False if the address is invalid.
bool add_address(const EndpointAddress& address, bool ready, const EndpointSubset& subset,
                 const std::string& ports, Mirror& mirror) {
  const auto parsed = parse_ip(address.ip);
  if (!parsed) return false;
  const std::string& text = mirror.canonical.emplace_back(parsed->str());
  SliceEndpoint endpoint;
  endpoint.addresses = {text};
  endpoint.ready = ready;
  endpoint.hostname = address.hostname;
  endpoint.node = address.node;
  endpoint.target = address.target;
  const IpFamily family = parsed->is_v4() ? IpFamily::kV4 : IpFamily::kV6;
  Mirror::Slice& slice = mirror.slices[{family, ports}];
  slice.ports = subset.ports;
  slice.endpoints.push_back(std::move(endpoint));
  return true;
}

}  // namespace mirror

Mirror mirror_of(api::View subsets, size_t most) {
  Mirror all;
  for (const EndpointSubset& subset : repack(read_subsets(subsets))) {
    const std::string ports = ports_key(subset.ports);
    size_t added = 0;
    const auto add_all = [&](std::span<const EndpointAddress> addresses, bool ready) {
      for (const EndpointAddress& address : addresses) {
        if (added == most) return;
        if (mirror::add_address(address, ready, subset, ports, all)) {
          ++added;
        } else {
          ++all.invalid;
        }
      }
    };
    add_all(subset.ready, true);
    add_all(subset.not_ready, false);
    all.skipped += subset.ready.size() + subset.not_ready.size() - added;
  }
  return all;
}

}  // namespace proa::controllers
