#pragma once

#include "kinds/rules.h"

// What a claim asks for; its template and its status use the same parts.

namespace proa::kinds::devices {

inline constexpr size_t kMostRequests = 32;
inline constexpr size_t kMostConfigurations = 32;

// A ResourceClaimSpec.
void validate_claim_spec(View spec, const api::Path& path, api::FieldErrors& errors);

void validate_selectors(View selectors, const api::Path& path, api::FieldErrors& errors);
// What a driver is told, as it stands ("opaque").
void validate_configuration(View configuration, const api::Path& path, api::FieldErrors& errors);
// An object of at most that many bytes of JSON.
void validate_raw_object(View value, size_t most_bytes, const api::Path& path,
                         api::FieldErrors& errors);
// "request" or "request/subrequest" of the claim that has these `requests`.
void validate_request_reference(View name, View requests, const api::Path& path,
                                api::FieldErrors& errors);
void validate_request_references(View names, View requests, const api::Path& path,
                                 api::FieldErrors& errors);

// Default of ExactDeviceRequest and DeviceSubRequest: one device.
void default_device_request(api::Edit request);

}  // namespace proa::kinds::devices
