#pragma once

#include <map>
#include <string_view>

#include "api/object/view.h"
#include "api/quantity.h"

namespace proa::kinds::pods {

// "hugepages-2Mi"
bool is_huge_page_resource(std::string_view name);
// Kubernetes' own: without a domain, or with one of its domains.
bool is_native_resource(std::string_view name);
// Somebody else's: "example.com/gpu".
bool is_extended_resource(std::string_view name);
// Requests may be less than limits.
bool may_be_overcommitted(std::string_view name);
// Counted in whole numbers.
bool is_integer_resource(std::string_view name);
// What containers may ask for without a domain.
bool is_container_resource(std::string_view name);
// All names without a domain that mean something somewhere, quotas included.
bool is_standard_resource(std::string_view name);
// What may stand in the resources of a whole pod.
bool is_pod_level_resource(std::string_view name);

// A huge page resource must be a multiple of its page size.
bool is_whole_pages(std::string_view name, const api::Quantity& quantity);

// Amounts by resource. Names are views into the document that they were read from.
using Amounts = std::map<std::string_view, api::Quantity>;

// What can't be read as a quantity is left out.
Amounts read_amounts(api::View list);
void add(Amounts& sum, const Amounts& more);
// For each name the larger one.
void take_larger(Amounts& most, const Amounts& other);

enum class Bound : uint8_t { kRequests, kLimits };
// What all containers together need: the sum of those that run side by side, or what the init
// containers need before, if that is more.
Amounts sum_of_containers(api::View spec, Bound bound);

// Guaranteed, Burstable or BestEffort.
std::string_view quality_of_service(api::View spec);

// Whether an init container goes on running beside the others.
bool is_sidecar(api::View container);

}  // namespace proa::kinds::pods
