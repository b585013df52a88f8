#pragma once

#include <vector>

#include "api/object/view.h"
#include "api/schema/resource.h"
#include "apiserver/resources/allocate/address_range.h"
#include "store/store.h"

namespace proa::apiserver {

// The ServiceCIDR that a server makes at its start.
inline constexpr std::string_view kDefaultServiceCidr = "kubernetes";

// A network of a ServiceCIDR.
struct ServiceRange {
  std::string name;  // the ServiceCIDR's
  AddressRange range;
  bool usable = true;  // addresses may be given out
  // Holds for as long as the ServiceCIDR is what was read. Who takes an address puts it into the
  // commit, so that nobody can delete the network at the same time.
  store::Compare unchanged;
};

// The networks of all ServiceCIDRs; those of the default one first.
Result<std::vector<ServiceRange>> read_service_ranges(const store::Store& store,
                                                      const api::Resource& service_cidrs);

// Whether addresses may be taken from it: it is ready, or nobody said anything about that, and it
// is not being deleted.
bool is_usable_service_cidr(api::View service_cidr);

}  // namespace proa::apiserver
