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

 private:
  const NetworkOptions& options_;
};

}  // namespace proa::network
