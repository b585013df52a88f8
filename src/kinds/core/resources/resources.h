#pragma once

#include <map>
#include <string_view>

#include "api/object/view.h"
#include "api/quantity.h"

namespace proa::kinds::pods {

// "hugepages-2Mi"
bool is_huge_page_resource(std::string_view name);
// Without a domain, or with one of Kubernetes' own.
bool is_native_resource(std::string_view name);
// With another domain: "example.com/gpu".
bool is_extended_resource(std::string_view name);
// Whether requests may be less than limits.
bool may_be_overcommitted(std::string_view name);
// Whether amounts must be integers.
bool is_integer_resource(std::string_view name);
// Names without a domain that containers may request.
bool is_container_resource(std::string_view name);
// All known names without a domain, including those of quotas.
bool is_standard_resource(std::string_view name);
// Names that are allowed in pod-level resources.
bool is_pod_level_resource(std::string_view name);

// A huge page resource must be a multiple of its page size.
bool is_whole_pages(std::string_view name, const api::Quantity& quantity);

// Amounts by resource. Names are views into the document that they were read from.
using Amounts = std::map<std::string_view, api::Quantity>;

// Skips values that are not quantities.
Amounts read_amounts(api::View list);
void add(Amounts& sum, const Amounts& more);
// The larger amount for each name.
void take_larger(Amounts& most, const Amounts& other);

enum class Bound : uint8_t { kRequests, kLimits };
// What all containers need: the sum of those that run concurrently, or the largest init container,
// if that is more.
Amounts sum_of_containers(api::View spec, Bound bound);

// Guaranteed, Burstable or BestEffort.
std::string_view quality_of_service(api::View spec);

// An init container with restartPolicy Always.
bool is_sidecar(api::View container);

}  // namespace proa::kinds::pods
