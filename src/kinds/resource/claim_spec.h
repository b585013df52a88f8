#pragma once

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
// "request" or "request/subrequest", which must be among `requests`.
void validate_request_reference(View name, View requests, const api::Path& path,
                                api::FieldErrors& errors);
void validate_request_references(View names, View requests, const api::Path& path,
                                 api::FieldErrors& errors);

// Default of ExactDeviceRequest and DeviceSubRequest: one device.
void default_device_request(api::Edit request);

}  // namespace proa::kinds::devices
