#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "proxy/model/service_port.h"

namespace proa::proxy::nftables {

// Numbers by which rules know ports of Services that have affinity. A port has the same one after a
// restart, so that its clients are still known: it is of the digest of its name. Where two names
// would have the same, the later one gets another.
class StickyIds {
 public:
  // The port's number, a multiple of four (see Scope); a new one if it has none.
  uint32_t take(const ServicePortName& name);
  // REQUIRES: it has one.
  uint32_t of(const ServicePortName& name) const;
  void give_back(const ServicePortName& name);
  void clear();

 private:
  std::map<ServicePortName, uint32_t> ids_;
  std::map<uint32_t, ServicePortName> names_;
};

}  // namespace proa::proxy::nftables
