#include "proxy/nftables/sticky_ids.h"

#include <fmt/format.h>

#include <cstring>

#include "base/check.h"
#include "crypto/digest.h"

namespace proa::proxy::nftables {
namespace sticky_ids {

constexpr uint32_t kScopes = 3;  // the bits of Scope

uint32_t digest_of(const ServicePortName& name, int attempt) {
  const auto digest =
      crypto::sha256(fmt::format("{} {} {}", name.str(), lower_name_of(name.protocol), attempt));
  uint32_t number = 0;
  std::memcpy(&number, digest.view().data(), sizeof number);
  return number & ~kScopes;
}

}  // namespace sticky_ids

uint32_t StickyIds::take(const ServicePortName& name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  for (int attempt = 0;; ++attempt) {
    const uint32_t id = sticky_ids::digest_of(name, attempt);
    // Zero is the class of packets that have none.
    if (id == 0 || !names_.emplace(id, name).second) continue;
    ids_.emplace(name, id);
    return id;
  }
}

uint32_t StickyIds::of(const ServicePortName& name) const {
  const auto found = ids_.find(name);
  CHECK(found != ids_.end());
  return found->second;
}

void StickyIds::give_back(const ServicePortName& name) {
  const auto found = ids_.find(name);
  CHECK(found != ids_.end());
  names_.erase(found->second);
  ids_.erase(found);
}

void StickyIds::clear() {
  ids_.clear();
  names_.clear();
}

}  // namespace proa::proxy::nftables
