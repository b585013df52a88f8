#include "kinds/authentication/token_request.h"

namespace proa::kinds {

namespace token_request {

constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec.expirationSeconds");
  const int64_t seconds = object["spec"]["expirationSeconds"].integer();
  if (seconds < kMinTokenSeconds) {
    errors.invalid(path, seconds, "may not specify a duration less than 10 minutes");
  }
  if (seconds > kMaxTokenSeconds) {
    errors.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds");
  }
}

}  // namespace token_request

KindRules token_request_rules() {
  return {.kind = "authentication.k8s.io/v1/TokenRequest", .validate = token_request::validate};
}

}  // namespace proa::kinds
