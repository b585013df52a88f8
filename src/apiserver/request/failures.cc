#include "apiserver/request/failures.h"

#include "base/cost/budget.h"
#include "base/strings.h"

namespace proa::apiserver {

namespace failures {

// Upstream's generic failures have details, though they are empty.
Status generic(Reason reason, std::string message) {
  StatusDetails details;
  details.shown_if_empty = true;
  return Status(reason, std::move(message)).with_details(std::move(details));
}

}  // namespace failures

Status no_such_resource() {
  return failures::generic(Reason::kNotFound, "the server could not find the requested resource");
}

Status method_not_allowed() {
  return failures::generic(Reason::kMethodNotAllowed,
                           "the server does not allow this method on the requested resource");
}

Status not_acceptable(std::span<const std::string_view> produced) {
  return failures::generic(
      Reason::kNotAcceptable,
      "406: Not Acceptable\n\nAvailable representations: " + join(produced, ", "));
}

Status unsupported_media_type() {
  return failures::generic(Reason::kUnsupportedMediaType, "415: Unsupported Media Type");
}

Result<void> check_time(const Until& until, const Clock& clock) {
  if (!until.stop.stop_requested() && clock.steady() < until.deadline) return {};
  return Budget::timeout();
}

}  // namespace proa::apiserver
