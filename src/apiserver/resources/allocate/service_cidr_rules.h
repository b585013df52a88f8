#pragma once

#include "apiserver/resources/allocate/cluster_ips.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Keeps one from deleting a network that Services have addresses of.
inline constexpr std::string_view kServiceCidrFinalizer =
    "networking.k8s.io/service-cidr-finalizer";

// ServiceCIDRs are ready, and protected against deletion, from the moment on that they exist:
// addresses are looked for in the store, where they are seen at once. An IPAddress that a Service
// has stays, even if somebody deletes it: as upstream's repair loop brings it back.
class ServiceCidrRules final : public WriteHook {
 public:
  // Everything outlives it.
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

// Sets a condition of an object, if it is not there with the same content.
void set_condition(api::Edit object, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message, Time now);

}  // namespace proa::apiserver
