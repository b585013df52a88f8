#include "apiserver/resources/allocate/service_ranges.h"

#include <algorithm>

#include "apiserver/objects/keys.h"

namespace proa::apiserver {

bool is_usable_service_cidr(api::View service_cidr) {
  if (service_cidr["metadata"]["deletionTimestamp"].exists()) return false;
  for (const api::View condition : service_cidr["status"]["conditions"].items()) {
    if (condition["type"].text() == "Ready") return condition["status"].text() == "True";
  }
  return true;
}

Result<std::vector<ServiceRange>> read_service_ranges(const store::Store& store,
                                                      const api::Resource& service_cidrs) {
  const store::RangeResult found =
      TRY(store.range({.keys = store::KeyRange::prefix(prefix_of(service_cidrs, ""))}));
  std::vector<ServiceRange> ranges;
  for (const store::EntryPtr& entry : found.entries) {
    const json::Document document = TRY(object_of(entry)->document());
    const api::View object = document.root();
    for (const api::View cidr : object["spec"]["cidrs"].items()) {
      const auto prefix = parse_prefix(cidr.text());
      if (!prefix) continue;
      ranges.push_back({.name = std::string(object["metadata"]["name"].text()),
                        .range = AddressRange(*prefix),
                        .usable = is_usable_service_cidr(object),
                        .unchanged = {std::string(entry->key()), entry->mod_revision()}});
    }
  }
  std::stable_partition(ranges.begin(), ranges.end(), [](const ServiceRange& range) {
    return range.name == kDefaultServiceCidr;
  });
  return ranges;
}

}  // namespace proa::apiserver
