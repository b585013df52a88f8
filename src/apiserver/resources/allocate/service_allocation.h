#pragma once

#include "apiserver/resources/allocate/cluster_ips.h"
#include "apiserver/resources/allocate/network.h"
#include "apiserver/resources/allocate/node_ports.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Allocates and releases the addresses and node ports of Services, in the Service's commit.
class ServiceAllocation final : public WriteHook {
 public:
  // All arguments outlive it.
  ServiceAllocation(const ClusterIps& addresses, const NodePorts& ports,
                    const ServiceNetwork& network)
      : addresses_(addresses), ports_(ports), families_(network.families()) {}

  bool concerns(const api::Resource& resource) const override;
  Result<void> on_write(api::Edit object, const Step& step) override;
  Result<void> on_delete(api::View object, const Step& step) override;

 private:
  const ClusterIps& addresses_;
  const NodePorts& ports_;
  const std::vector<std::string_view> families_;
};

}  // namespace proa::apiserver
