#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/slices/slice_endpoint.h"

namespace proa::controllers {

// What controllers read of an existing slice, once per version of it. Digests are small, and an
// unchanged slice is never parsed again.
struct SliceFacts {
  std::string address_type = {};
  std::string ports = {};  // see ports_key()
  std::vector<EndpointMark> endpoints = {};
  bool hinted = false;                            // at least one endpoint has hints
  bool ready_without_hint = false;                // a ready endpoint has no zone hint
  std::map<std::string, int> hints_by_zone = {};  // of ready endpoints
};

const SliceFacts& slice_facts(const api::Object& slice);

inline constexpr const char* kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr const char* kSliceManagerLabel = "endpointslice.kubernetes.io/managed-by";

// The service of the slice if this controller manages it; empty otherwise.
std::string_view service_of_slice(const api::Object& slice, std::string_view manager);

}  // namespace proa::controllers
