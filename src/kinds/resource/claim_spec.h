#pragma once

#include <map>
#include <set>
#include <string_view>

#include "kinds/rules.h"

// The spec of a ResourceClaim. Templates and the claim's status use parts of it.

namespace proa::kinds::devices {

inline constexpr size_t kMaxRequests = 32;
inline constexpr size_t kMaxConfigurations = 32;

// A ResourceClaimSpec.
void validate_claim_spec(View spec, const api::Path& path, api::FieldErrors& errors);

void validate_selectors(View selectors, const api::Path& path, api::FieldErrors& errors);
// Opaque parameters of a driver.
void validate_configuration(View configuration, const api::Path& path, api::FieldErrors& errors);
// An object of at most that many bytes of JSON.
void validate_raw_object(View value, size_t most_bytes, const api::Path& path,
                         api::FieldErrors& errors);

// The names of a claim's requests and of their alternatives.
class RequestNames {
 public:
  // REQUIRES: `requests` outlives this.
  explicit RequestNames(View requests);
  bool has(std::string_view request) const { return names_.contains(request); }
  bool has(std::string_view request, std::string_view alternative) const;

 private:
  std::map<std::string_view, std::set<std::string_view>> names_;
};

// "request" or "request/subrequest", which must be among `requests`.
void validate_request_reference(View name, const RequestNames& requests, const api::Path& path,
                                api::FieldErrors& errors);
void validate_request_references(View names, const RequestNames& requests, const api::Path& path,
                                 api::FieldErrors& errors);

// Default of ExactDeviceRequest and DeviceSubRequest: one device.
void default_device_request(api::Edit request);

}  // namespace proa::kinds::devices
