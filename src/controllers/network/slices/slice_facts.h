#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/slices/slice_endpoint.h"

namespace proa::controllers {

// What the controllers ask of a slice that is there, read once for each state of it: marks take
// little room, and a slice that stays as it is need never be read again.
struct SliceFacts {
  std::string address_type = {};
  std::string ports = {};  // see ports_key()
  std::vector<EndpointMark> endpoints = {};
  bool hinted = false;                            // at least one has hints
  bool ready_without_hint = false;                // a ready one has none for a zone
  std::map<std::string, int> hints_by_zone = {};  // of those that are ready
};

const SliceFacts& slice_facts(const api::Object& slice);

inline constexpr const char* kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr const char* kSliceManagerLabel = "endpointslice.kubernetes.io/managed-by";

// The service whose slice it is, if it is one that this controller looks after; empty otherwise.
std::string_view service_of_slice(const api::Object& slice, std::string_view manager);

}  // namespace proa::controllers
