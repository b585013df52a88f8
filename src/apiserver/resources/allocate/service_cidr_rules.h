#pragma once

#include "apiserver/resources/allocate/cluster_ips.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Prevents deletion of a network with allocated addresses.
inline constexpr std::string_view kServiceCidrFinalizer =
    "networking.k8s.io/service-cidr-finalizer";

// Makes ServiceCIDRs ready, and protects them with a finalizer, on creation: addresses are
// allocated from the store, which sees them at once. Keeps an IPAddress that a Service uses when it
// is deleted; upstream's repair loop recreates it.
class ServiceCidrRules final : public WriteHook {
 public:
  // All arguments outlive it.
  ServiceCidrRules(const store::Store& store, const api::Schema& schema,
                   const ClusterIps& addresses, const Clock& clock)
      : store_(store),
        services_(*schema.find_resource("", "v1", "services")),
        addresses_(addresses),
        clock_(clock) {}

  bool concerns(const api::Resource& resource) const override;
  Result<void> on_write(api::Edit object, const Step& step) override;
  Result<void> on_delete(api::View object, const Step& step) override;

 private:
  const store::Store& store_;
  const api::Resource& services_;
  const ClusterIps& addresses_;
  const Clock& clock_;
};

// Sets a condition, unless it has the same content already.
void set_condition(api::Edit object, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message, Time now);

}  // namespace proa::apiserver
