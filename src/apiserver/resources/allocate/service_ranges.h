#pragma once

#include <vector>

#include "api/object/view.h"
#include "api/schema/resource.h"
#include "apiserver/resources/allocate/address_range.h"
#include "store/store.h"

namespace proa::apiserver {

// The ServiceCIDR that the server creates at startup.
inline constexpr std::string_view kDefaultServiceCidr = "kubernetes";

// A network of a ServiceCIDR.
struct ServiceRange {
  std::string name;  // the ServiceCIDR's
  AddressRange range;
  bool usable = true;  // addresses may be allocated
  // Holds while the ServiceCIDR is unchanged. Allocations add it to their commit, so that the
  // network cannot be deleted concurrently.
  store::Compare unchanged;
};

// The networks of all ServiceCIDRs, those of the default one first.
Result<std::vector<ServiceRange>> read_service_ranges(const store::Store& store,
                                                      const api::Resource& service_cidrs);

// Whether addresses may be allocated from it: it is ready or has no Ready condition, and is not
// being deleted.
bool is_usable_service_cidr(api::View service_cidr);

}  // namespace proa::apiserver
