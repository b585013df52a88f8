#pragma once

#include "netlink/message.h"
#include "network/model/options.h"

namespace proa::network {

// Which of the kernel's notifications concern the pod network. Every pod that starts or ends makes
// a dozen of them that do not: its link, its addresses and routes.
class Relevance {
 public:
  explicit Relevance(const NetworkOptions& options) : options_(options) {}
  bool concerns(const netlink::Message& message) const;
  // Whether this machine may have another address than before: an address, or the default route.
  static bool concerns_addresses(const netlink::Message& message);

 private:
  const NetworkOptions& options_;
};

}  // namespace proa::network
